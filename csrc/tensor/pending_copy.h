// A copy that was started and may still be under way.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>

#include "backend/session.h"
#include "base/wait_pacing.h"
#include "tensor/live_counts.h"

namespace gpukit {

/// Thread safe. Its maker takes it from "waiting" to "issued" (all of it is queued on a stream) or
/// straight to "done"; storages that it fills or reads hold it, and any access to their bytes
/// asks it.
class PendingCopy {
 public:
  using Seconds = std::chrono::duration<double>;

  /// `carrier`: the GPU whose stream carries the copy.
  explicit PendingCopy(OpenDevice& carrier);
  OpenDevice& carrier() const noexcept { return carrier_; }
  ~PendingCopy();
  PendingCopy(const PendingCopy&) = delete;
  PendingCopy& operator=(const PendingCopy&) = delete;

  // For the maker.
  /// Everything is queued on `stream`; the copy is done when the stream is past it.
  void mark_issued(StreamRef stream);
  void mark_done() noexcept;
  /// Keeps the exception in flight; each wait throws it.
  void mark_failed() noexcept;

  // For those who need the bytes. Each throws TransferError when the copy failed.
  bool is_done();
  /// Waits until all of it is queued; a pageable source has been read then. Ctrl-C comes through.
  void wait_until_issued();
  /// Waits until the bytes have arrived; false when that took longer. Ctrl-C comes through.
  bool wait(std::optional<Seconds> longest = std::nullopt);
  /// Later work of `stream` (of any device) starts after the copy. Waits until it is queued.
  void order_before(DeviceRuntime& runtime, StreamRef stream);

 private:
  enum class State { kWaiting, kIssued, kDone, kFailed };

  void advance(State state) noexcept;
  /// Sleeps a little, or until the state changes.
  void rest(WaitPacing::Clock::duration longest);
  template <class Ready>
  bool wait_for(const Ready& ready, std::optional<Seconds> longest);
  [[noreturn]] void throw_failure();

  std::shared_ptr<Session> session_;
  OpenDevice& carrier_;
  EventRef event_;
  std::atomic<State> state_{State::kWaiting};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::exception_ptr failure_;
  live::Counted<live::pending_copies> counted_;
};

}  // namespace gpukit
