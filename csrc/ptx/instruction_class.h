// What kind of work an instruction is, for those who count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gpukit::ptx {

enum class InstructionClass : std::uint8_t {
  kNone,  ///< of the executor's own making
  kInteger,
  kFloat,
  kHalf,
  kDouble,
  kSpecial,  ///< roots, reciprocals, exponentials, sines
  kConversion,
  kMove,
  kMemory,
  kAtomic,
  kWarp,  ///< between the lanes of a warp
  kControl,
  kBarrier,
  kTensor,
};
inline constexpr std::size_t kInstructionClasses = 14;

/// Of "fma.rn.f32".
InstructionClass class_of(std::string_view opcode);

}  // namespace gpukit::ptx
