#include "bindings/work.h"

#include "backend/current.h"
#include "core/device_types.h"
#include "memory/device_resources.h"

namespace gpukit::bindings {

namespace {

constexpr int kMostOutstanding = 512;
constexpr double kSmallResult = 1 << 20;  ///< bytes
constexpr std::int64_t kCacheReserve = std::int64_t{1} << 20;

/// Whether the stream's queue may be full, for which a launch waits: this thread has launched
/// many times since it last released the GIL for that reason.
bool queue_may_be_full() noexcept {
  static thread_local int launched = 0;
  if (++launched <= kMostOutstanding) return false;
  launched = 0;
  return true;
}

bool may_reach_driver(OpenDevice& device, double bytes) {
  if (bytes > kSmallResult) return true;
  const MemoryStatistics statistics = resources_of(device).device_memory().statistics();
  return statistics.reserved - statistics.allocated <
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
  const bool full = queue_may_be_full();
  const double bytes = static_cast<double>(made) * static_cast<double>(itemsize(dtype));
  return first || full || may_reach_driver(device, bytes);
}

}  // namespace gpukit::bindings
