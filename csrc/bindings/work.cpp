#include "bindings/work.h"

#include <array>
#include <atomic>
#include <cstdint>

#include "backend/current.h"
#include "core/device_types.h"
#include "memory/device_resources.h"

namespace gpukit::bindings {

namespace {

constexpr std::uint32_t kMostOutstanding = 512;
constexpr std::size_t kCounters = 64;     ///< a power of two
constexpr double kSmallResult = 1 << 20;  ///< bytes
constexpr std::int64_t kCacheReserve = std::int64_t{1} << 20;

/// Launches on a stream, by all threads, since one released the GIL because of them. Streams whose
/// handles share a counter release it earlier.
std::atomic<std::uint32_t>& launches_on(StreamRef stream) noexcept {
  static constinit std::array<std::atomic<std::uint32_t>, kCounters> counters{};
  return counters[stream.handle * 0x9E3779B97F4A7C15U / (~std::uint64_t{0} / kCounters + 1)];
}

/// Whether the stream's queue may be full, for which a launch waits.
bool queue_may_be_full(StreamRef stream) noexcept {
  std::atomic<std::uint32_t>& launches = launches_on(stream);
  if (launches.fetch_add(1, std::memory_order_relaxed) < kMostOutstanding) return false;
  launches.store(0, std::memory_order_relaxed);
  return true;
}

bool may_reach_driver(OpenDevice& device, double bytes) {
  if (bytes > kSmallResult) return true;
  return resources_of(device).device_memory().spare() <
         static_cast<std::int64_t>(bytes) + kCacheReserve;
}

}  // namespace

bool FirstUses::take(Device device, DType dtype) noexcept {
  if (device.index < 0 || device.index >= kDevices) return true;
  const auto type = static_cast<unsigned>(device.type);
  const unsigned now = session_number(device.type) * kMostDeviceTypes + type;
  if (session_.load(std::memory_order_relaxed) != now) {
    for (std::atomic<DTypes>& dtypes : ran_) dtypes.store(0, std::memory_order_relaxed);
    session_.store(now, std::memory_order_relaxed);
  }
  std::atomic<DTypes>& ran = ran_[static_cast<std::size_t>(device.index)];
  const auto bit = static_cast<DTypes>(1U << static_cast<unsigned>(dtype));
  if ((ran.load(std::memory_order_relaxed) & bit) != 0) return false;
  return (ran.fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
}

bool GilRule::launch_may_wait(OpenDevice& device, DType dtype, std::int64_t made) const {
  const bool first = first_uses_.take(device.device(), dtype);
  const bool full = queue_may_be_full(current_stream(device));
  const double bytes = static_cast<double>(made) * static_cast<double>(itemsize(dtype));
  return first || full || may_reach_driver(device, bytes);
}

}  // namespace gpukit::bindings
