#include "base/wait_pacing.h"

#include <algorithm>

#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace gpukit {

namespace wait_pacing {
namespace {

constexpr std::chrono::microseconds kSpin{40};
constexpr std::chrono::milliseconds kLongestPause{2};
constexpr int kShare = 8;

#ifdef __linux__
int shorten_slack() {
  const int before = prctl(PR_GET_TIMERSLACK);
  if (before > 1) prctl(PR_SET_TIMERSLACK, 1UL);
  return before;
}

void restore_slack(int before) { prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(before)); }
#else
int shorten_slack() { return 0; }

void restore_slack(int) {}
#endif

}  // namespace
}  // namespace wait_pacing

WaitPacing::~WaitPacing() {
  if (slack_before_ > 1) wait_pacing::restore_slack(slack_before_);
}

WaitPacing::Clock::duration WaitPacing::pause() {
  const Clock::duration so_far = waited();
  if (so_far < wait_pacing::kSpin) return Clock::duration::zero();
  if (slack_before_ < 0) slack_before_ = wait_pacing::shorten_slack();
  return std::min<Clock::duration>(so_far / wait_pacing::kShare, wait_pacing::kLongestPause);
}

}  // namespace gpukit
