// A stream: a queue of work and one OS thread that does it in order.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "sim/counted_launch.h"
#include "sim/cuda_abi.h"
#include "sim/sim_clock.h"

namespace gpukit::sim {

class SimDevice;

struct Work {
  /// Does the work and gives its status; a failure is the device's from then on.
  std::function<CUresult()> run;
  /// Takes the place of `run` when the device is lost or the simulation ends. May be empty.
  std::function<void()> drop;
  Cost cost;
  bool is_kernel = false;
  /// Created on each submission; null if it is not counted.
  std::shared_ptr<CountedLaunch> counted;
  double pushed_at = 0;  ///< wall clock, in real time
};

class SimStream {
 public:
  SimStream(SimDevice& device, int number, unsigned flags, int priority);
  ~SimStream();
  SimStream(const SimStream&) = delete;
  SimStream& operator=(const SimStream&) = delete;

  SimDevice& device() const { return device_; }
  /// Counts the streams of a device in the order of their making.
  int number() const { return number_; }
  unsigned flags() const { return flags_; }
  int priority() const { return priority_; }
  /// Whether it takes part in the ordering of the legacy stream.
  bool is_blocking() const { return (flags_ & CU_STREAM_NON_BLOCKING) == 0; }

  /// Adds work at the end and returns its ticket. Starts the thread at first use.
  std::uint64_t push(Work work);
  /// Blocks while more work is queued than a card would take.
  void wait_for_room();
  /// The ticket of the newest work; 0 when there never was any.
  std::uint64_t last_ticket() const;
  bool is_complete(std::uint64_t ticket) const;
  void wait(std::uint64_t ticket) const;
  bool is_idle() const;

  /// Lets the thread end once its queue is empty.
  void finish();
  /// Drops queued work; `join` waits for running work.
  void cancel();
  void join();

  /// End of the newest work on the virtual clock; guarded by the simulation's order lock.
  double virtual_end = 0;

 private:
  void work_loop();
  void run_one(Work& work);
  /// When the work that was just run is over, in real time; 0 if it is.
  double end_in_real_time(const Work& work);
  bool has_completed(std::uint64_t ticket) const;  ///< the lock is held

  SimDevice& device_;
  const int number_;
  const unsigned flags_;
  const int priority_;
  mutable std::mutex mutex_;
  mutable std::condition_variable queued_changed_;
  mutable std::condition_variable completed_changed_;
  std::deque<Work> queue_;
  std::uint64_t pushed_ = 0;
  std::uint64_t completed_ = 0;
  double due_ = 0;    ///< when the work after the completed ones will be over; 0 until it has run
  double ready_ = 0;  ///< when the thread's last work was over, in real time
  bool finishing_ = false;
  bool cancelled_ = false;
  std::thread thread_;
};

/// Whether the calling thread is inside a host function, where no driver call is permitted.
bool inside_host_function();

class HostFunctionScope {
 public:
  HostFunctionScope();
  ~HostFunctionScope();
  HostFunctionScope(const HostFunctionScope&) = delete;
  HostFunctionScope& operator=(const HostFunctionScope&) = delete;
};

}  // namespace gpukit::sim
