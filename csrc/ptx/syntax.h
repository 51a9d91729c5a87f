// A PTX module as it is written: functions, variables and statements, nothing resolved.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/types.h"

namespace gpukit::ptx {

/// Of a variable, and of all variables of a module together.
inline constexpr std::uint64_t kMostVariableBytes = std::uint64_t{1} << 32;

struct Operand {
  enum class Kind : std::uint8_t {
    kName,     ///< a register, variable, label or function; with an offset: name+4
    kInteger,  ///< value
    kFloat32,  ///< value holds the bits
    kFloat64,  ///< value holds the bits
    kVector,   ///< {a, b}: items
    kAddress,  ///< [name+offset] or [offset]: items[0] is the base when there is one; of several
               ///< parts, [name, {a, b}], all of them
    kList,     ///< (a, b) of a call: items
    kSink,     ///< _
  };
  Kind kind = Kind::kSink;
  bool negated = false;  ///< !p
  std::string_view name;
  std::uint64_t value = 0;
  std::int64_t offset = 0;
  std::vector<Operand> items;
  /// The q of p|q.
  std::string_view second;
};

/// A floating-point number of the text in that many bytes; `single`: written as
/// 0f3F800000.
inline std::uint64_t float_literal(std::uint64_t bits, bool single, unsigned bytes) {
  if (single && bytes == 8)
    return std::bit_cast<std::uint64_t>(
        static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
  if (!single && bytes == 4)
    return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
  return bits;
}

struct Statement {
  std::string_view opcode;
  std::vector<Operand> operands;
  std::string_view guard;
  bool guard_negated = false;
  int scope = 0;
  int line = 0;
  /// Where it comes from, by .loc; 0 where nothing says.
  int file = 0;
  int source_line = 0;
};

struct RegisterRange {
  std::string_view name;
  Type type = Type::kNone;
  /// %r<count>; 0 for a single register.
  unsigned count = 0;
  unsigned vector = 1;
  int scope = 0;
  int line = 0;
};

struct Initial {
  enum class Kind : std::uint8_t { kInteger, kFloat32, kFloat64, kAddress };
  Kind kind = Kind::kInteger;
  std::uint64_t value = 0;
  std::string_view name;  ///< kAddress: of that variable or function
  bool generic = false;
};

struct Variable {
  std::string_view name;
  Space space = Space::kGlobal;
  Type type = Type::kNone;
  unsigned align = 1;
  std::uint64_t bytes = 0;
  bool is_array = false;
  bool unsized = false;  ///< extern .shared x[]
  bool external = false;
  bool visible = false;
  std::vector<Initial> values;
  int scope = 0;
  int line = 0;
};

struct Label {
  std::string_view name;
  std::size_t statement = 0;
  int scope = 0;
  int line = 0;
  /// Of .branchtargets and .calltargets and .callprototype: what the list names.
  std::vector<std::string_view> targets;
  bool is_list = false;
};

struct Function {
  std::string_view name;
  bool is_entry = false;
  bool has_body = false;
  std::vector<Variable> parameters;
  std::vector<Variable> results;
  std::vector<RegisterRange> registers;
  std::vector<Variable> variables;
  std::vector<Label> labels;
  std::vector<Statement> statements;
  /// The parent of each scope; scope 0 is the whole body.
  std::vector<int> scopes{-1};
  /// From .maxntid or .reqntid: threads of a block; 0 if neither is present.
  unsigned max_threads = 0;
  bool exact_threads = false;
  /// From .maxnreg and .minnctapersm; 0 if not present.
  unsigned max_registers = 0;
  unsigned min_blocks = 0;
  int line = 0;
};

struct Module {
  std::string text;
  int version = 0;  ///< 88 for 8.8
  int target = 0;   ///< 75 for sm_75
  bool target_specific = false;
  bool is_64_bit = true;
  std::vector<Function> functions;
  std::vector<Variable> variables;
  /// Names of .file, by number; shown, never opened.
  std::vector<std::string_view> files;
};

}  // namespace gpukit::ptx
