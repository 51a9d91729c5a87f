// Which GPUs were given work: queried after a measured call, which waits for all of
// them. Noting costs a few loads and stores and no lock.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gpukit {

/// Of one GPU, since the process began. Only differences mean something; of two threads that note
/// at once one may be lost, but never both.
struct DeviceUse {
  std::atomic<std::uint64_t> work{0};      ///< pieces of work that were queued
  std::atomic<std::uint64_t> switches{0};  ///< how often one went to another stream than before it
  std::atomic<std::uintptr_t> stream{0};   ///< the stream of the last one
};

inline constexpr std::size_t kDevicesSeen = 64;
/// The stream of work that is queued later.
inline constexpr std::uintptr_t kNoStreamYet = ~std::uintptr_t{0};

namespace detail {
inline constinit std::array<DeviceUse, kDevicesSeen> device_uses{};
}  // namespace detail

/// Said by a backend when it queues work on a GPU.
inline void note_device_use(int index, std::uintptr_t stream) noexcept {
  if (static_cast<std::size_t>(index) >= kDevicesSeen) return;
  DeviceUse& use = detail::device_uses[static_cast<std::size_t>(index)];
  constexpr auto kRelaxed = std::memory_order_relaxed;
  if (use.stream.load(kRelaxed) != stream) {
    use.stream.store(stream, kRelaxed);
    use.switches.store(use.switches.load(kRelaxed) + 1, kRelaxed);
  }
  use.work.store(use.work.load(kRelaxed) + 1, kRelaxed);
}

}  // namespace gpukit
