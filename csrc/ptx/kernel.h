// A kernel as it runs: instructions with their operands as offsets in a warp's registers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/instruction_class.h"
#include "ptx/types.h"

namespace gpukit::ptx {

class Warp;
struct Instruction;

/// Runs an instruction for the lanes of a mask, which is never empty.
using Run = void (*)(Warp&, const Instruction&, Mask);

enum class Flow : std::uint8_t {
  kPlain,
  kBranch,
  kBranchIndexed,
  kCall,
  kReturn,
  kExit,
  kBarrier,   ///< of the block
  kWarpSync,  ///< an operation of the lanes of a mask, which must all arrive
};

inline constexpr std::uint32_t kNowhere = 0xffffffffu;

struct Instruction {
  Run run = nullptr;
  // Byte offsets into the frame: of 32 values of 2, 4 or 8 bytes, or of the mask of a predicate.
  std::uint32_t d = kNowhere, a = kNowhere, b = kNowhere, c = kNowhere;
  std::uint32_t guard = kNowhere;
  std::uint32_t e = kNowhere;
  std::int64_t immediate = 0;
  /// Of a branch; of a call, its index in `calls`; of an instruction with a list, its index there.
  std::uint32_t target = 0;
  Flow flow = Flow::kPlain;
  bool guard_negated = false;
  Space space = Space::kGeneric;
  std::uint8_t flags = 0;
};

struct SourceLocation {
  int line = 0;
  int file = 0;
  int source_line = 0;
};

/// What a register of the frame holds from the start.
struct Constant {
  enum class Kind : std::uint8_t { kValue, kLocalAddress, kDynamicShared, kSpecial, kParameter };
  Kind kind = Kind::kValue;
  std::uint8_t bytes = 4;
  std::uint32_t offset = 0;
  /// The value; an offset in the frame's local memory, in dynamic shared memory or in the kernel's
  /// parameters; or the number of the special register.
  std::uint64_t value = 0;
};

/// A parameter or a result of a function, where it lies in its own frame.
struct ParameterSlot {
  bool in_register = false;
  std::uint32_t offset = 0;  ///< in the registers or in local memory
  std::uint32_t bytes = 0;
  std::uint32_t register_bytes = 0;
};

enum class Builtin : std::uint8_t {
  kNone,
  kVprintf,
  kMalloc,
  kFree,
  kAssertFail,
  kGridHandle,
  kGridSync,
};

struct CallSite {
  /// Of the functions; kNowhere for a call through a register.
  std::uint32_t function = kNowhere;
  Builtin builtin = Builtin::kNone;
  std::uint32_t pointer = kNowhere;
  std::vector<ParameterSlot> arguments;
  std::vector<ParameterSlot> results;
};

struct FunctionCode {
  std::string name;
  std::uint32_t first = 0;  ///< instruction
  std::uint32_t frame_bytes = 0;
  std::uint32_t local_bytes = 0;
  std::vector<Constant> constants;
  std::vector<ParameterSlot> parameters;
  std::vector<ParameterSlot> results;
};

struct KernelParameter {
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
  std::uint32_t align = 1;
};

struct Kernel {
  std::string name;
  std::vector<KernelParameter> parameters;
  std::uint32_t parameter_bytes = 0;
  std::uint32_t max_threads = 0;
  bool exact_threads = false;
  /// Of 32 bits each, that a thread would have on a card: estimated.
  unsigned registers = 0;
  unsigned words_alive = 0;  ///< ... from this
  std::uint64_t static_shared_bytes = 0;
  /// Where dynamic shared memory starts.
  std::uint64_t dynamic_shared_start = 0;
  bool calls_functions = false;
  bool calls_pointers = false;  ///< to functions
  bool waits_for_grid = false;

  std::vector<Instruction> code;
  std::vector<SourceLocation> locations;  ///< by instruction
  std::vector<InstructionClass> classes;  ///< ... too
  std::vector<FunctionCode> functions;    ///< [0] is the kernel itself
  std::vector<CallSite> calls;
  /// Operands of vectors and matrices, and the targets of an indexed branch.
  std::vector<std::vector<std::uint32_t>> lists;
  /// The decoded functions by their number in the module, of which their addresses are made.
  std::unordered_map<std::uint64_t, std::uint32_t> function_of_number;
};

}  // namespace gpukit::ptx
