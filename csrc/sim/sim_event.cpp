#include "sim/sim_event.h"

#include <utility>

#include "base/condition.h"

namespace gpukit::sim {

void EventRecord::complete() {
  const std::lock_guard lock(mutex_);
  complete_ = true;
  changed_.notify_all();
}

void EventRecord::complete_at(double nanoseconds) {
  const std::lock_guard lock(mutex_);
  complete_ = true;
  nanoseconds_ = nanoseconds;
  changed_.notify_all();
}

bool EventRecord::is_complete() const {
  const std::lock_guard lock(mutex_);
  return complete_;
}

void EventRecord::wait() const {
  std::unique_lock lock(mutex_);
  wait_until(changed_, lock, [this] { return complete_; });
}

double EventRecord::nanoseconds() const {
  const std::lock_guard lock(mutex_);
  return nanoseconds_;
}

std::shared_ptr<EventRecord> SimEvent::latest() const {
  const std::lock_guard lock(mutex_);
  return latest_;
}

void SimEvent::set_latest(std::shared_ptr<EventRecord> record) {
  const std::lock_guard lock(mutex_);
  latest_ = std::move(record);
}

}  // namespace gpukit::sim
