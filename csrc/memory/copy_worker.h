// A thread that carries out what its callers do not wait for: copies, and memory released late.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

namespace gpukit::memory {

/// One copy. It reports its own outcome; its resources are released when it is destroyed.
class CopyJob {
 public:
  virtual ~CopyJob() = default;
  virtual void run() noexcept = 0;
};

/// Runs jobs in the order they came. The thread starts with the first job and ends after a while
/// without one. Thread safe.
class CopyWorker {
 public:
  CopyWorker();
  /// Waits for the running job; the others are dropped.
  ~CopyWorker();
  CopyWorker(const CopyWorker&) = delete;
  CopyWorker& operator=(const CopyWorker&) = delete;

  void add(std::unique_ptr<CopyJob> job);
  /// Waits until all jobs added so far are carried out. Ctrl-C comes through.
  void flush();
  bool is_idle() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// At the end of the process: no worker begins another job, and none is inside one any more or a
/// moment has passed.
void stop_copy_workers() noexcept;

}  // namespace gpukit::memory
