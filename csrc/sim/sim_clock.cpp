#include "sim/sim_clock.h"

#include <sys/prctl.h>

#include <chrono>
#include <thread>

namespace gpukit::sim {

using Clock = std::chrono::steady_clock;

double wall_nanoseconds() {
  return static_cast<double>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch())
          .count());
}

void sleep_until_nanoseconds(double deadline) {
  const auto ticks = std::chrono::nanoseconds(static_cast<std::int64_t>(deadline));
  std::this_thread::sleep_until(
      Clock::time_point(std::chrono::duration_cast<Clock::duration>(ticks)));
}

void shorten_timer_slack() { prctl(PR_SET_TIMERSLACK, 1ul); }

}  // namespace gpukit::sim
