// The modelled cost of work: which engine it occupies and for how long.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpukit::sim {

enum class Engine { kNone, kHostToDevice, kDeviceToHost, kPeer };
inline constexpr std::size_t kEngineCount = 4;

struct Cost {
  Engine engine = Engine::kNone;
  double nanoseconds = 0;
};

/// Nanoseconds of the monotonic clock.
double wall_nanoseconds();

void sleep_until_nanoseconds(double deadline);

}  // namespace gpukit::sim
