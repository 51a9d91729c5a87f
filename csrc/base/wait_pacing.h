// How the host waits for a device that it can only ask: without a pause while a short wait lasts,
// then in pauses that grow with the time waited.
#pragma once

#include <chrono>

namespace gpukit {

class WaitPacing {
 public:
  using Clock = std::chrono::steady_clock;

  WaitPacing() : begin_(Clock::now()) {}
  /// Gives the thread its timer slack back.
  ~WaitPacing();
  WaitPacing(const WaitPacing&) = delete;
  WaitPacing& operator=(const WaitPacing&) = delete;

  Clock::duration waited() const { return Clock::now() - begin_; }
  /// How long to sleep before asking again: zero during the first 40 us, then an eighth of the time
  /// waited, so that a wait ends at most an eighth late. The thread's timer slack is 1 ns from the
  /// first pause on; the usual 50 us would be longer than most pauses.
  Clock::duration pause();

 private:
  Clock::time_point begin_;
  int slack_before_ = -1;  ///< in nanoseconds; -1 while the thread has its own
};

}  // namespace gpukit
