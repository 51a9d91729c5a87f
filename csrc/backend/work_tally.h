// The work that reaches one device, as bench reports it.
#pragma once

#include <mutex>

#include "base/observer.h"
#include "core/device_work.h"

namespace gpukit {

/// Counts the work of every thread on a device while it observes.
class WorkTally final : public Observer {
 public:
  explicit WorkTally(Device device) noexcept : Observer({Observed::kDeviceWork}), device_(device) {}

  void device_work(const DeviceWork& work) noexcept override {
    if (!(work.device == device_)) return;
    const std::lock_guard lock(mutex_);
    count_.add(work);
  }
  WorkCount count() const {
    const std::lock_guard lock(mutex_);
    return count_;
  }

 private:
  Device device_;
  mutable std::mutex mutex_;
  WorkCount count_;
};

}  // namespace gpukit
