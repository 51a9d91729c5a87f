// Pauses between two questions to a device: none at first, then an eighth of the time waited; the
// thread's timer slack is its own again afterwards.
#include "base/wait_pacing.h"

#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "check.h"

namespace {

using gpukit::WaitPacing;
using std::chrono::microseconds;
using std::chrono::milliseconds;

void a_short_wait_has_no_pause() {
  WaitPacing pacing;
  const auto pause = pacing.pause();
  CHECK(pause == WaitPacing::Clock::duration::zero() || pacing.waited() >= microseconds(40));
}

void a_pause_is_an_eighth_of_the_wait() {
  WaitPacing pacing;
  for (int i = 0; i < 4; ++i) {
    std::this_thread::sleep_for(milliseconds(1));
    const auto before = pacing.waited();
    const auto pause = pacing.pause();
    CHECK(pause <= pacing.waited() / 8);
    CHECK(pause >= std::min<WaitPacing::Clock::duration>(before / 8, milliseconds(2)));
  }
}

void no_pause_is_long() {
  WaitPacing pacing;
  std::this_thread::sleep_for(milliseconds(30));
  CHECK(pacing.pause() == milliseconds(2));
}

void the_timer_slack_is_restored() {
  prctl(PR_SET_TIMERSLACK, 12345UL);
  std::optional<WaitPacing> pacing;
  pacing.emplace();
  std::this_thread::sleep_for(milliseconds(1));
  pacing->pause();
  CHECK(prctl(PR_GET_TIMERSLACK) == 1);
  pacing.reset();
  CHECK(prctl(PR_GET_TIMERSLACK) == 12345);
}

}  // namespace

int main() {
  a_short_wait_has_no_pause();
  a_pause_is_an_eighth_of_the_wait();
  no_pause_is_long();
  the_timer_slack_is_restored();
  return 0;
}
