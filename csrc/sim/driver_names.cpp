// Every name of the driver's header is exported: programs are linked to names that they never call.
// Functions that the simulator does not implement return "not supported", and their names are
// logged. This file sees no cuda.h: the functions below have no types here.
#include "sim/driver_names.h"

#include <array>
#include <atomic>

#include "sim/absent_functions.h"

namespace {

enum Number {
#define GPUKIT_SIM_NUMBER(literal, since) kNumberOf_##literal,
  GPUKIT_SIM_DRIVER_NAMES(GPUKIT_SIM_NUMBER)
#undef GPUKIT_SIM_NUMBER
      kNameCount
};

int answer_absent(Number number);

}  // namespace

// Weak: the functions of exports_*.cpp take their places.
#define GPUKIT_SIM_ABSENT(literal, since)                                 \
  extern "C" __attribute__((visibility("default"), weak)) int literal() { \
    return answer_absent(kNumberOf_##literal);                            \
  }
GPUKIT_SIM_DRIVER_NAMES(GPUKIT_SIM_ABSENT)
#undef GPUKIT_SIM_ABSENT

namespace {

using gpukit::sim::DriverName;

const DriverName kNames[] = {
#define GPUKIT_SIM_ROW(literal, since) {#literal, since, reinterpret_cast<void*>(&literal)},
    GPUKIT_SIM_DRIVER_NAMES(GPUKIT_SIM_ROW)
#undef GPUKIT_SIM_ROW
};

constexpr int kNotSupported = 801;

int answer_absent(Number number) {
  static std::array<std::atomic<bool>, kNameCount> told = {};
  if (!told[number].exchange(true)) gpukit::sim::log_absent_function(kNames[number].literal);
  return kNotSupported;
}

}  // namespace

namespace gpukit::sim {

std::span<const DriverName> driver_names() { return kNames; }

}  // namespace gpukit::sim
