#include "bindings/work.h"

#include <array>
#include <atomic>

#include "memory/device_resources.h"

namespace gpukit::bindings {

namespace {

constexpr int kMostOutstanding = 512;
constexpr std::size_t kSmallResult = std::size_t{1} << 20;
constexpr std::int64_t kCacheReserve = std::int64_t{1} << 20;
constexpr std::size_t kSeenBits = 1 << 14;

/// Which operations ran before on a device. Two that share a bit only make the second first use
/// keep the GIL.
std::array<std::atomic<bool>, kSeenBits> seen{};

bool is_first_use(const OpenDevice& device, std::uintptr_t site) {
  const std::uintptr_t mixed =
      (reinterpret_cast<std::uintptr_t>(&device) / 64 + site * 0x9E3779B1u) * 0x85EBCA6Bu;
  std::atomic<bool>& bit = seen[(mixed >> 8) % kSeenBits];
  return !bit.load(std::memory_order_relaxed) && !bit.exchange(true, std::memory_order_relaxed);
}

bool queue_is_long() {
  static thread_local int launched = 0;
  if (++launched <= kMostOutstanding) return false;
  launched = 0;
  return true;
}

bool may_reach_driver(OpenDevice& device, std::size_t bytes) {
  if (bytes > kSmallResult) return true;
  const MemoryStatistics statistics = resources_of(device).device_memory().statistics();
  return statistics.reserved - statistics.allocated <
         static_cast<std::int64_t>(bytes) + kCacheReserve;
}

}  // namespace

bool launch_may_wait(OpenDevice& device, std::size_t result_bytes, std::uintptr_t site) {
  const bool first = is_first_use(device, site);
  const bool full = queue_is_long();
  return first || full || may_reach_driver(device, result_bytes);
}

}  // namespace gpukit::bindings
