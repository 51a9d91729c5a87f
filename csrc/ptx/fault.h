// How a kernel ends before its end.
#pragma once

#include <cstdint>
#include <string>

#include "ptx/types.h"

namespace gpukit::ptx {

enum class FaultKind : std::uint8_t {
  kNone,
  kIllegalAddress,
  kMisaligned,
  kInvalidSpace,
  kStackOverflow,
  kAssert,
  kTrap,
  kInvalidCode,  ///< a jump or a call to an address that is not code
  kStuck,        ///< threads wait for others that never come
  kCheck,        ///< a requested check
  kLimit,        ///< the limit of instructions
  kCancelled,
};

/// Thrown by an instruction. Who runs it adds kernel, block, thread and line.
struct Fault {
  FaultKind kind = FaultKind::kNone;
  std::string what;
  unsigned lane = 0;
  /// Of the block and its code, where it is not the lane of the warp that runs.
  std::uint32_t thread = kOfTheWarp, pc = kOfTheWarp;
  static constexpr std::uint32_t kOfTheWarp = 0xffffffffu;
};

[[noreturn]] inline void raise_fault(FaultKind kind, unsigned lane, std::string what) {
  throw Fault{kind, std::move(what), lane};
}

}  // namespace gpukit::ptx
