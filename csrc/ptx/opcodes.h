// The table of opcodes: each family of instructions gives its rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "ptx/decoder.h"

namespace gpukit::ptx {

struct OpcodeRow {
  std::string_view name;
  Decode decode;
};

/// An opcode as a template argument.
template <std::size_t kSize>
struct Opcode {
  consteval Opcode(const char (&from)[kSize]) { std::copy_n(from, kSize, text); }
  char text[kSize];
};

/// What a statement of this opcode means: a specialisation for each.
template <Opcode kOpcode>
void decode(Decoder& decoder);

template <Opcode kOpcode>
inline constexpr OpcodeRow kRow{kOpcode.text, decode<kOpcode>};

/// A file of instructions has the rows of one family.
enum class Family : std::uint8_t {
  kInteger,
  kCarry,
  kBit,
  kFloat,
  kCompare,
  kConvert,
  kMove,
  kMemory,
  kAtomic,
  kFlow,
  kWarp,
  kMatrix,
  kDot,
  kVideo,
  kMbarrier
};
template <Family>
std::span<const OpcodeRow> opcodes();
template <>
std::span<const OpcodeRow> opcodes<Family::kInteger>();
template <>
std::span<const OpcodeRow> opcodes<Family::kCarry>();
template <>
std::span<const OpcodeRow> opcodes<Family::kBit>();
template <>
std::span<const OpcodeRow> opcodes<Family::kFloat>();
template <>
std::span<const OpcodeRow> opcodes<Family::kCompare>();
template <>
std::span<const OpcodeRow> opcodes<Family::kConvert>();
template <>
std::span<const OpcodeRow> opcodes<Family::kMove>();
template <>
std::span<const OpcodeRow> opcodes<Family::kMemory>();
template <>
std::span<const OpcodeRow> opcodes<Family::kAtomic>();
template <>
std::span<const OpcodeRow> opcodes<Family::kFlow>();
template <>
std::span<const OpcodeRow> opcodes<Family::kWarp>();
template <>
std::span<const OpcodeRow> opcodes<Family::kMatrix>();
template <>
std::span<const OpcodeRow> opcodes<Family::kDot>();
template <>
std::span<const OpcodeRow> opcodes<Family::kVideo>();
template <>
std::span<const OpcodeRow> opcodes<Family::kMbarrier>();

enum class Carry : std::uint8_t { kAdd, kSub, kMadLow, kMadHigh };
/// add.cc and its like, whose .cc was read already.
void decode_carry(Decoder& decoder, Carry kind, bool gives);

// Opcodes that integers and floating-point numbers share.
/// add sub mul div min max abs neg fma mad of a floating-point type, which was read already.
void decode_float(Decoder& decoder, std::string_view opcode, Type type);
/// The same of f16, bf16 and their packed forms.
void decode_half(Decoder& decoder, std::string_view opcode, Type type);

/// add sub min max of .u16x2 and .s16x2, which was read already.
void decode_integer_pair(Decoder& decoder, std::string_view opcode, Type type);
/// cvt.pack, whose .pack was read already.
void decode_pack_integers(Decoder& decoder);
/// A conversion to or from pairs of 8-bit floating-point numbers; false for any other.
bool decode_eights(Decoder& decoder, Type to, Type from, bool relu);
/// mma.sync of .s8 and .u8, whose size and types were read already; false for any other.
bool decode_integer_product(Decoder& decoder, std::string_view size, Type sum, Type left,
                            Type right, Type start);
/// cp.async.mbarrier, which was read already.
void decode_copies_arrive(Decoder& decoder);

/// cp.async.bulk, which was read already.
void decode_bulk_copy(Decoder& decoder);
/// Bytes that an mbarrier waited for: in.c of each lane.
void complete_bytes(Warp& warp, const Instruction& in, Mask mask);

/// A move of registers of 2, 4 or 8 bytes.
Run move_run(unsigned bytes);

// Shapes of operands that most instructions have.
inline void set_unary(Decoder& decoder, Type to, Type from, Run run) {
  decoder.require_operands(2);
  Instruction& in = decoder.instruction();
  in.a = decoder.source(1, from);
  in.d = decoder.destination(0, to);
  in.run = run;
}

/// d|p: the predicate, in `target` as its offset and one; write_second writes it.
inline void set_second(Decoder& decoder) {
  const std::string_view second = decoder.operand(0).second;
  if (!second.empty() && second != "_")
    decoder.instruction().target = decoder.predicate_named(second) + 1;
}

inline void set_binary(Decoder& decoder, Type to, Type a, Type b, Run run) {
  decoder.require_operands(3);
  Instruction& in = decoder.instruction();
  in.a = decoder.source(1, a);
  in.b = decoder.source(2, b);
  in.d = decoder.destination(0, to);
  in.run = run;
}

inline void set_ternary(Decoder& decoder, Type to, Type a, Type b, Type c, Run run) {
  decoder.require_operands(4);
  Instruction& in = decoder.instruction();
  in.a = decoder.source(1, a);
  in.b = decoder.source(2, b);
  in.c = decoder.source(3, c);
  in.d = decoder.destination(0, to);
  in.run = run;
}

}  // namespace gpukit::ptx
