// Events: each recording has a separate state, so that recording again never changes who waits
// for the old one.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

namespace gpukit::sim {

struct CaptureMark;

/// One recording: pending until its stream gets there.
class EventRecord {
 public:
  /// `virtual_nanoseconds`: when the stream gets there on the virtual clock, known as soon as it is
  /// queued.
  explicit EventRecord(double virtual_nanoseconds) : nanoseconds_(virtual_nanoseconds) {}
  /// Recorded in a stream that is captured: nothing will ever reach it.
  explicit EventRecord(std::shared_ptr<CaptureMark> mark)
      : nanoseconds_(0), mark_(std::move(mark)) {}

  const CaptureMark* capture_mark() const { return mark_.get(); }

  /// Reached, at the time it was queued for.
  void complete();
  /// Reached, at that time of the wall clock.
  void complete_at(double nanoseconds);
  bool is_complete() const;
  void wait() const;
  /// The time stamp; on the wall clock it is final only once complete.
  double nanoseconds() const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool complete_ = false;
  double nanoseconds_;
  std::shared_ptr<CaptureMark> mark_;
};

class SimDevice;

class SimEvent {
 public:
  SimEvent(SimDevice& device, unsigned flags) : device_(&device), flags_(flags) {}

  SimDevice& device() const { return *device_; }
  unsigned flags() const { return flags_; }

  /// The latest recording, or null when there is none.
  std::shared_ptr<EventRecord> latest() const;
  void set_latest(std::shared_ptr<EventRecord> record);

 private:
  SimDevice* device_;
  unsigned flags_;
  mutable std::mutex mutex_;
  std::shared_ptr<EventRecord> latest_;
};

}  // namespace gpukit::sim
