// Special registers: %tid.x and similar.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ptx/types.h"

namespace gpukit::ptx {

class Warp;

enum class Special : std::uint8_t {
  kTidX,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kLaneId,
  kWarpId,
  kNWarpId,
  kSmId,
  kNSmId,
  kGridId,
  kGridId64,
  kLaneMaskEq,
  kLaneMaskLe,
  kLaneMaskLt,
  kLaneMaskGe,
  kLaneMaskGt,
  kClock,
  kClockHi,
  kClock64,
  kGlobalTimer,
  kGlobalTimerLo,
  kGlobalTimerHi,
  kDynamicShared,
  kTotalShared,
  kZero,
  kOne,
  kZero64,
  kWorkspace,
  kWorkspaceHi,
};

struct SpecialRegister {
  std::string_view name;
  Special number;
  Type type;
  /// Its value is another at each reading.
  bool changes;
};

/// Null for a name that is none.
const SpecialRegister* find_special_register(std::string_view name);
/// Fills 32 values of 4 or 8 bytes.
void read_special(const Warp& warp, Special number, std::byte* to);

}  // namespace gpukit::ptx
