// Conversions that give several small numbers in one register: cvt.pack, and pairs of 8-bit
// floating-point numbers.
#include <algorithm>

#include "ptx/fields.h"
#include "ptx/half_math.h"
#include "ptx/lanes.h"
#include "ptx/opcodes.h"

namespace gpukit::ptx {

namespace {

/// e4m3 has no infinities, and one NaN of each sign; e5m2 is the upper half of f16.
struct Eight {
  int fraction;
  int lowest;  ///< exponent of the smallest normal number
  std::uint32_t most;
};
constexpr Eight kE4M3{3, -6, 0x7e};
constexpr Eight kE5M2{2, -14, 0x7b};

const Eight& format_of(Type type) { return type == Type::kE4M3x2 ? kE4M3 : kE5M2; }

double widened_eight(std::uint32_t bits, const Eight& format) {
  const int field = static_cast<int>(bits >> format.fraction) & ((1 << (7 - format.fraction)) - 1);
  const int fraction = static_cast<int>(bits) & ((1 << format.fraction) - 1);
  const double sign = (bits & 0x80) != 0 ? -1 : 1;
  if ((bits & 0x7f) > format.most) {
    const bool infinite = format.fraction == 2 && fraction == 0;
    return infinite ? sign * HUGE_VAL : NAN;
  }
  if (field == 0) return sign * std::ldexp(fraction, format.lowest - format.fraction);
  return sign *
         std::ldexp(fraction | 1 << format.fraction, field - 1 + format.lowest - format.fraction);
}

/// Rounded to nearest even; what is too large, infinities too, becomes the largest number.
std::uint32_t narrowed_eight(double value, const Eight& format, bool relu) {
  if (value != value) return 0x7f;
  if (relu && !(value > 0)) value = 0;
  const std::uint32_t sign = std::signbit(value) ? 0x80 : 0;
  const double size = std::fabs(value);
  if (size >= widened_eight(format.most, format)) return sign | format.most;
  const int exponent = size == 0 ? format.lowest : std::max(std::ilogb(size), format.lowest);
  // In units of the last bit the number is exact, and below 2 to the fraction's bits and one.
  const auto units =
      static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, format.fraction - exponent)));
  const auto field = static_cast<std::uint32_t>(exponent - format.lowest);
  return sign | std::min(format.most, (field << format.fraction) + units);
}

// Flags and fields of the instruction: immediate is the type of the 8-bit pair.
constexpr std::uint8_t kEightRelu = 1;

void run_to_eights(Warp& warp, const Instruction& in, Mask mask) {
  const Eight& format = format_of(static_cast<Type>(in.immediate));
  const bool relu = (in.flags & kEightRelu) != 0;
  for_each_lane(mask, [&](unsigned i) {
    const double high = static_cast<double>(warp.lanes<float>(in.a)[i]);
    const double low = static_cast<double>(warp.lanes<float>(in.b)[i]);
    warp.lanes<std::uint16_t>(in.d)[i] = static_cast<std::uint16_t>(
        narrowed_eight(high, format, relu) << 8 | narrowed_eight(low, format, relu));
  });
}

void run_halves_to_eights(Warp& warp, const Instruction& in, Mask mask) {
  const Eight& format = format_of(static_cast<Type>(in.immediate));
  const bool relu = (in.flags & kEightRelu) != 0;
  for_each_lane(mask, [&](unsigned i) {
    const std::uint32_t pair = warp.lanes<std::uint32_t>(in.a)[i];
    const auto part = [&](unsigned shift) {
      return narrowed_eight(widened<F16>(static_cast<std::uint16_t>(pair >> shift)), format, relu);
    };
    warp.lanes<std::uint16_t>(in.d)[i] = static_cast<std::uint16_t>(part(16) << 8 | part(0));
  });
}

void run_eights_to_halves(Warp& warp, const Instruction& in, Mask mask) {
  const Eight& format = format_of(static_cast<Type>(in.immediate));
  const bool relu = (in.flags & kEightRelu) != 0;
  for_each_lane(mask, [&](unsigned i) {
    const std::uint32_t pair = warp.lanes<std::uint16_t>(in.a)[i];
    const auto part = [&](unsigned shift) {
      double value = widened_eight(pair >> shift & 0xff, format);
      if (relu && !(value > 0) && value == value) value = 0;
      return std::uint32_t{narrowed<F16>(value)};
    };
    warp.lanes<std::uint32_t>(in.d)[i] = part(8) << 16 | part(0);
  });
}

// cvt.pack: the fields of the immediate are the bits of a part and whether it has a sign.
void run_pack_integers(Warp& warp, const Instruction& in, Mask mask) {
  const auto bits = static_cast<unsigned>(in.immediate);
  const bool is_signed = in.flags != 0;
  const std::uint32_t field = (1u << bits) - 1;
  for_each_lane(mask, [&](unsigned i) {
    const auto part = [&](std::uint32_t offset) {
      const std::int32_t value = warp.lanes<std::int32_t>(offset)[i];
      return static_cast<std::uint32_t>(clamped_to_field(value, bits, is_signed)) & field;
    };
    const std::uint32_t rest = bits == 16 ? 0 : warp.lanes<std::uint32_t>(in.c)[i] << (2 * bits);
    warp.lanes<std::uint32_t>(in.d)[i] = rest | part(in.a) << bits | part(in.b);
  });
}

bool is_eight(Type type) { return type == Type::kE4M3x2 || type == Type::kE5M2x2; }

}  // namespace

void decode_pack_integers(Decoder& decoder) {
  if (!decoder.take("sat")) decoder.fail("cvt.pack is cvt.pack.sat");
  const std::string_view to = decoder.take_next();
  if (decoder.take_type() != Type::kS32) decoder.fail("cvt.pack converts .s32");
  unsigned bits = 0;
  for (const unsigned known : {2u, 4u, 8u, 16u}) {
    if (to.size() > 1 && to.substr(1) == std::to_string(known)) bits = known;
  }
  if (bits == 0 || (to.front() != 'u' && to.front() != 's'))
    decoder.fail("cvt.pack has no form of ." + std::string(to));
  if (bits < 16) {
    if (decoder.take_type() != Type::kB32) decoder.fail("cvt.pack takes the rest from .b32");
  }
  decoder.require_operands(bits < 16 ? 4 : 3);
  Instruction& in = decoder.instruction();
  in.a = decoder.source(1, Type::kS32);
  in.b = decoder.source(2, Type::kS32);
  if (bits < 16) in.c = decoder.source(3, Type::kB32);
  in.d = decoder.destination(0, Type::kB32);
  in.immediate = bits;
  in.flags = to.front() == 's' ? 1 : 0;
  in.run = run_pack_integers;
}

bool decode_eights(Decoder& decoder, Type to, Type from, bool relu) {
  if (!is_eight(to) && !is_eight(from)) return false;
  Instruction& in = decoder.instruction();
  in.immediate = static_cast<std::int64_t>(is_eight(to) ? to : from);
  in.flags = relu ? kEightRelu : std::uint8_t{0};
  if (is_eight(to) && from == Type::kF32) {
    decoder.require_operands(3);
    in.a = decoder.source(1, Type::kF32);
    in.b = decoder.source(2, Type::kF32);
    in.run = run_to_eights;
  } else {
    decoder.require_operands(2);
    in.a = decoder.source(1, from);
    if (is_eight(to) && from == Type::kF16x2) in.run = run_halves_to_eights;
    if (to == Type::kF16x2) in.run = run_eights_to_halves;
  }
  if (in.run == nullptr)
    decoder.fail("there is no conversion from ." + std::string(name_of(from)) + " to ." +
                 std::string(name_of(to)));
  in.d = decoder.destination(0, to);
  return true;
}

}  // namespace gpukit::ptx
