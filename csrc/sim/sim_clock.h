// The modelled cost of work: which engine it occupies and for how long.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpukit::sim {

enum class Engine { kNone, kHostToDevice, kDeviceToHost, kPeer };
inline constexpr std::size_t kEngineCount = 4;

struct Cost {
  Engine engine = Engine::kNone;
  /// What the work itself takes.
  double nanoseconds = 0;
  /// What starting it takes; a graph's nodes start for less.
  double launch_nanoseconds = 0;
  std::uint64_t bytes = 0;
  /// What it is, for the log of events; a text that lives as long as the library.
  const char* what = "";

  double total() const { return nanoseconds + launch_nanoseconds; }
};

/// Nanoseconds of the monotonic clock.
double wall_nanoseconds();

void sleep_until_nanoseconds(double deadline);
/// Sleeps of the calling thread end on time; the system may make them 50 us longer otherwise.
void shorten_timer_slack();

}  // namespace gpukit::sim
