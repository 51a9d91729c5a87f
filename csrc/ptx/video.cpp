// Arithmetic on the bytes and half words of 32 bits: vadd2, vabsdiff4 and their like.
#include <algorithm>
#include <array>

#include "ptx/fields.h"
#include "ptx/lanes.h"
#include "ptx/opcodes.h"
#include "ptx/settings.h"

namespace gpukit::ptx {

namespace {

enum class Video : std::uint8_t { kAdd, kSub, kAverage, kAbsoluteDifference, kMin, kMax, kSet };
enum class SetTest : std::uint8_t { kEq, kNe, kLt, kLe, kGt, kGe };

struct Shape {
  unsigned parts = 4;
  Video operation = Video::kAdd;
  SetTest test = SetTest::kEq;
  bool signed_a = false, signed_b = false, signed_d = false;
  bool saturates = false;
  bool accumulates = false;
  unsigned mask = 0;  ///< of the parts that are written, or accumulated
  /// For each part, which of the parts of a and b, a's first.
  std::uint32_t from_a = 0x3210, from_b = 0x7654;
};

bool holds(SetTest test, std::int32_t a, std::int32_t b) {
  switch (test) {
    case SetTest::kEq:
      return a == b;
    case SetTest::kNe:
      return a != b;
    case SetTest::kLt:
      return a < b;
    case SetTest::kLe:
      return a <= b;
    case SetTest::kGt:
      return a > b;
    case SetTest::kGe:
      break;
  }
  return a >= b;
}

std::int32_t compute(const Shape& s, std::int32_t a, std::int32_t b) {
  switch (s.operation) {
    case Video::kAdd:
      return a + b;
    case Video::kSub:
      return a - b;
    case Video::kAverage:  // halves are rounded away from zero
      return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    case Video::kAbsoluteDifference:
      return std::abs(a - b);
    case Video::kMin:
      return std::min(a, b);
    case Video::kMax:
      return std::max(a, b);
    case Video::kSet:
      break;
  }
  return holds(s.test, a, b) ? 1 : 0;
}

std::uint32_t finished(const Shape& s, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const unsigned bits = 32 / s.parts;
  const std::uint64_t both = std::uint64_t{b} << 32 | a;
  std::uint32_t result = c;
  for (unsigned i = 0; i < s.parts; i++) {
    if ((s.mask >> i & 1) == 0) continue;
    const auto part = [&](std::uint32_t selector, bool is_signed) {
      return field_of(both, selector >> (4 * i) & 7, bits, is_signed);
    };
    std::int32_t value = compute(s, part(s.from_a, s.signed_a), part(s.from_b, s.signed_b));
    if (s.saturates) value = clamped_to_field(value, bits, s.signed_d);
    if (s.accumulates) {
      result += static_cast<std::uint32_t>(value);
    } else {
      const std::uint32_t field = ((1u << bits) - 1) << (i * bits);
      result = (result & ~field) | (static_cast<std::uint32_t>(value) << (i * bits) & field);
    }
  }
  return result;
}

void run(Warp& warp, const Instruction& in, Mask mask) {
  const Shape shape = settings_of<Shape>(warp, in);
  for_each_lane(mask, [&](unsigned i) {
    warp.lanes<std::uint32_t>(in.d)[i] =
        finished(shape, warp.lanes<std::uint32_t>(in.a)[i], warp.lanes<std::uint32_t>(in.b)[i],
                 warp.lanes<std::uint32_t>(in.c)[i]);
  });
}

// ---- decoding

/// Takes .b3210 or .h10 off the name of an operand; nothing where it has none.
std::string_view take_selector(Operand& operand, unsigned parts) {
  const auto dot = operand.name.rfind('.');
  if (operand.kind != Operand::Kind::kName || dot == std::string_view::npos) return {};
  const std::string_view selector = operand.name.substr(dot + 1);
  if (selector.size() < 2 || selector.front() != (parts == 4 ? 'b' : 'h')) return {};
  operand.name = operand.name.substr(0, dot);
  return selector.substr(1);
}

std::uint32_t parts_of(Decoder& decoder, std::string_view digits, unsigned parts,
                       std::uint32_t usual) {
  if (digits.empty()) return usual;
  std::uint32_t selector = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit >= static_cast<char>('0' + 2 * parts))
      decoder.fail("a selector names a part that does not exist");
    selector = selector << 4 | static_cast<std::uint32_t>(digit - '0');
  }
  if (digits.size() != parts) decoder.fail("a selector names each part once");
  return selector;
}

unsigned mask_of(Decoder& decoder, std::string_view digits, unsigned parts) {
  unsigned mask = 0;
  char above = static_cast<char>('0' + parts);
  for (const char digit : digits) {
    if (digit < '0' || digit >= above)
      decoder.fail("a mask names parts that exist, the highest first");
    mask |= 1u << (digit - '0');
    above = digit;
  }
  return digits.empty() ? (1u << parts) - 1 : mask;
}

bool take_sign(Decoder& decoder) {
  const Type type = decoder.take_type();
  if (type != Type::kU32 && type != Type::kS32) decoder.fail("the types are .u32 and .s32");
  return is_signed(type);
}

void take_test(Decoder& decoder, Shape& shape) {
  constexpr std::string_view kNames[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  for (unsigned i = 0; i < 6; i++) {
    if (!decoder.take(kNames[i])) continue;
    shape.test = static_cast<SetTest>(i);
    return;
  }
  decoder.fail("the instruction names no comparison");
}

void decode_video(Decoder& decoder, Video operation, unsigned parts) {
  Shape shape;
  shape.parts = parts;
  shape.operation = operation;
  if (operation == Video::kSet)
    take_test(decoder, shape);
  else
    shape.signed_d = take_sign(decoder);
  shape.signed_a = take_sign(decoder);
  shape.signed_b = take_sign(decoder);
  shape.saturates = operation != Video::kSet && decoder.take("sat");
  shape.accumulates = decoder.take("add");
  if (shape.saturates && shape.accumulates) decoder.fail(".sat and .add exclude each other");
  decoder.require_operands(4);
  std::array<Operand, 3> operands{decoder.operand(0), decoder.operand(1), decoder.operand(2)};
  shape.mask = mask_of(decoder, take_selector(operands[0], parts), parts);
  shape.from_a =
      parts_of(decoder, take_selector(operands[1], parts), parts, parts == 4 ? 0x3210 : 0x10);
  shape.from_b =
      parts_of(decoder, take_selector(operands[2], parts), parts, parts == 4 ? 0x7654 : 0x32);
  Instruction& in = decoder.instruction();
  in.a = decoder.source(operands[1], Type::kU32);
  in.b = decoder.source(operands[2], Type::kU32);
  in.c = decoder.source(3, Type::kU32);
  in.d = decoder.destination(operands[0], Type::kU32);
  set_settings(decoder, shape);
  in.run = run;
}

template <Video kOperation, unsigned kParts>
void decode_parts(Decoder& decoder) {
  decode_video(decoder, kOperation, kParts);
}

}  // namespace

template <>
std::span<const OpcodeRow> opcodes<Family::kVideo>() {
  static constexpr OpcodeRow kRows[] = {{"vadd2", decode_parts<Video::kAdd, 2>},
                                        {"vadd4", decode_parts<Video::kAdd, 4>},
                                        {"vsub2", decode_parts<Video::kSub, 2>},
                                        {"vsub4", decode_parts<Video::kSub, 4>},
                                        {"vavrg2", decode_parts<Video::kAverage, 2>},
                                        {"vavrg4", decode_parts<Video::kAverage, 4>},
                                        {"vabsdiff2", decode_parts<Video::kAbsoluteDifference, 2>},
                                        {"vabsdiff4", decode_parts<Video::kAbsoluteDifference, 4>},
                                        {"vmin2", decode_parts<Video::kMin, 2>},
                                        {"vmin4", decode_parts<Video::kMin, 4>},
                                        {"vmax2", decode_parts<Video::kMax, 2>},
                                        {"vmax4", decode_parts<Video::kMax, 4>},
                                        {"vset2", decode_parts<Video::kSet, 2>},
                                        {"vset4", decode_parts<Video::kSet, 4>}};
  return kRows;
}

}  // namespace gpukit::ptx
