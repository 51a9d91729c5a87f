// Conversions between numbers of all types.
#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

#include "ptx/float_math.h"
#include "ptx/half_math.h"
#include "ptx/lanes.h"
#include "ptx/opcodes.h"
#include "ptx/settings.h"

namespace gpukit::ptx {

namespace {

/// What a conversion does; kept in the kernel's lists as its fields.
struct Conversion {
  Type to = Type::kNone;
  Type from = Type::kNone;
  unsigned to_bytes = 4;    ///< of the register
  unsigned from_bytes = 4;  ///< of the register
  Rounding rounding = Rounding::kNearest;
  bool to_integer = false;  ///< .rni and similar
  bool saturate = false;
  bool flush = false;
  bool relu = false;
  bool finite = false;  ///< .satfinite: what is too large becomes the largest number
};

using Words = std::array<std::uint64_t, kLanes>;
using Reals = std::array<double, kLanes>;

void read_words(const Warp& warp, std::uint32_t offset, unsigned bytes, Words& to) {
  for (unsigned i = 0; i < kLanes; i++)
    to[i] = bytes == 8   ? warp.lanes<std::uint64_t>(offset)[i]
            : bytes == 4 ? warp.lanes<std::uint32_t>(offset)[i]
                         : warp.lanes<std::uint16_t>(offset)[i];
}

void write_words(Warp& warp, std::uint32_t offset, unsigned bytes, const Words& from, Mask mask) {
  for_each_lane(mask, [&](unsigned i) {
    if (bytes == 8)
      warp.lanes<std::uint64_t>(offset)[i] = from[i];
    else if (bytes == 4)
      warp.lanes<std::uint32_t>(offset)[i] = static_cast<std::uint32_t>(from[i]);
    else
      warp.lanes<std::uint16_t>(offset)[i] = static_cast<std::uint16_t>(from[i]);
  });
}

/// Extends a number of the type's width to 64 bits.
std::uint64_t extended(std::uint64_t value, Type type) {
  const unsigned unused = 64 - 8 * bytes_of(type);
  if (is_signed(type))
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
  return value << unused >> unused;
}

__int128 as_number(std::uint64_t word, Type type) {
  return is_signed(type) ? static_cast<__int128>(static_cast<std::int64_t>(word))
                         : static_cast<__int128>(word);
}

__int128 lowest_of(Type type) {
  return is_signed(type) ? -(static_cast<__int128>(1) << (8 * bytes_of(type) - 1)) : 0;
}

__int128 highest_of(Type type) {
  return (static_cast<__int128>(1) << (8 * bytes_of(type) - (is_signed(type) ? 1 : 0))) - 1;
}

double real_of(std::uint64_t word, const Conversion& c) {
  switch (c.from) {
    case Type::kF16:
      return widened<F16>(static_cast<std::uint16_t>(word));
    case Type::kBF16:
      return widened<BF16>(static_cast<std::uint16_t>(word));
    case Type::kF32: {
      const float value = std::bit_cast<float>(static_cast<std::uint32_t>(word));
      return c.flush ? flushed<true>(value) : value;
    }
    default:
      return std::bit_cast<double>(word);
  }
}

int mode_of(Rounding rounding) {
  switch (rounding) {
    case Rounding::kZero:
      return FE_TOWARDZERO;
    case Rounding::kDown:
      return FE_DOWNWARD;
    case Rounding::kUp:
      return FE_UPWARD;
    default:
      return FE_TONEAREST;
  }
}

double whole(double value, Rounding rounding) {
  switch (rounding) {
    case Rounding::kZero:
      return std::trunc(value);
    case Rounding::kDown:
      return std::floor(value);
    case Rounding::kUp:
      return std::ceil(value);
    case Rounding::kNearestAway:
      return std::round(value);
    case Rounding::kNearest:
      break;
  }
  const double down = std::floor(value), rest = value - down;
  if (rest > 0.5 || (rest == 0.5 && std::fmod(down, 2) != 0)) return std::copysign(down + 1, value);
  return std::copysign(down, value);
}

/// The manual says 0; an H200 gives the highest bit where either number has 64.
std::uint64_t integer_of_nan(const Conversion& c) {
  const unsigned bytes = bytes_of(c.to);
  if (c.from != Type::kF64 && bytes != 8) return 0;
  return extended(std::uint64_t{1} << (8 * bytes - 1), c.to);
}

std::uint64_t integer_of(double value, const Conversion& c) {
  if (value != value) return integer_of_nan(c);
  const double rounded = whole(value, c.rounding);
  const __int128 low = lowest_of(c.to), high = highest_of(c.to);
  __int128 number;
  if (rounded <= static_cast<double>(low))
    number = low;
  else if (rounded >= static_cast<double>(high))
    number = high;
  else
    number = static_cast<__int128>(rounded);
  return extended(static_cast<std::uint64_t>(number), c.to);
}

/// f32 from a double, rounded by the processor's mode.
std::uint32_t single_of(double value, const Conversion& c) {
  if (value != value && !c.saturate) return 0x7fffffffu;
  if (c.saturate) value = saturated<true>(value);
  if (c.relu && !(value > 0)) value = 0;
  auto single = static_cast<float>(value);
  if (c.flush) single = flushed<true>(single);
  return std::bit_cast<std::uint32_t>(single);
}

std::uint32_t tf32_of(double value, const Conversion& c) {
  if (value != value) return 0x7fffffffu;
  if (c.relu && !(value > 0)) value = 0;
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  constexpr std::uint32_t kMost = 0x7f7fe000u;
  if (c.finite && (bits & 0x7fffffffu) > kMost) return (bits & 0x80000000u) | kMost;
  if (std::isinf(value)) return bits;
  const std::uint32_t kept = bits >> 13, rest = bits & 0x1fff;
  const bool up = rounds_up(kept, rest, 0x1000, bits >> 31 != 0, c.rounding);
  return (kept + (up ? 1 : 0)) << 13;
}

std::uint64_t word_of(double value, const Conversion& c) {
  if (!is_float(c.to)) return integer_of(value, c);
  if (c.to_integer) value = whole(value, c.rounding);
  const Rounding rounding = c.to_integer ? Rounding::kNearest : c.rounding;
  switch (c.to) {
    case Type::kF64:
      return std::bit_cast<std::uint64_t>(c.saturate ? saturated<true>(value) : value);
    case Type::kF32:
      return single_of(value, c);
    case Type::kTF32:
      return tf32_of(value, c);
    default:
      break;
  }
  if (c.saturate) value = saturated<true>(value);
  if (c.relu && !(value > 0) && value == value) value = 0;
  if (c.finite && value == value) {
    const double most = c.to == Type::kF16 ? widened<F16>(0x7bff) : widened<BF16>(0x7f7f);
    value = std::clamp(value, -most, most);
  }
  return c.to == Type::kF16 ? narrowed<F16>(value, rounding) : narrowed<BF16>(value, rounding);
}

/// Whole numbers to f32 and f64 in one rounding, which the processor does.
std::uint64_t word_of_integer(std::uint64_t word, const Conversion& c) {
  const bool sign = is_signed(c.from);
  if (c.to == Type::kF32) {
    const float value =
        sign ? static_cast<float>(static_cast<std::int64_t>(word)) : static_cast<float>(word);
    return std::bit_cast<std::uint32_t>(c.saturate ? saturated<true>(value) : value);
  }
  if (c.to == Type::kF64) {
    const double value =
        sign ? static_cast<double>(static_cast<std::int64_t>(word)) : static_cast<double>(word);
    return std::bit_cast<std::uint64_t>(c.saturate ? saturated<true>(value) : value);
  }
  if (is_float(c.to)) {
    // Whole numbers of up to 53 bits are exact as doubles; longer ones are far beyond f16, and of
    // bf16 the last bit is kept odd.
    double value =
        sign ? static_cast<double>(static_cast<std::int64_t>(word)) : static_cast<double>(word);
    const bool negative = sign && static_cast<std::int64_t>(word) < 0;
    const std::uint64_t size = negative ? ~word + 1 : word;
    if (size >> 53 != 0) {
      const int dropped = 11 - std::countl_zero(size);
      std::uint64_t cut = size >> dropped << dropped;
      if (cut != size) cut |= std::uint64_t{1} << dropped;
      value = static_cast<double>(cut);
      if (negative) value = -value;
    }
    return word_of(value, c);
  }
  if (!c.saturate) return extended(word, c.to);
  const __int128 number = std::clamp(as_number(word, c.from), lowest_of(c.to), highest_of(c.to));
  return extended(static_cast<std::uint64_t>(number), c.to);
}

void convert(Warp& warp, const Instruction& in, Mask mask) {
  const Conversion c = settings_of<Conversion>(warp, in);
  // The processor rounds to f32 and f64; whole numbers are made by functions that need its usual
  // mode.
  const bool by_processor = !c.to_integer && (c.to == Type::kF32 || c.to == Type::kF64);
  const RoundingScope scope(by_processor ? mode_of(c.rounding) : FE_TONEAREST);
  Words words;
  read_words(warp, in.a, c.from_bytes, words);
  if (is_float(c.from)) {
    for (unsigned i = 0; i < kLanes; i++) words[i] = word_of(real_of(words[i], c), c);
  } else {
    for (unsigned i = 0; i < kLanes; i++) words[i] = word_of_integer(extended(words[i], c.from), c);
  }
  write_words(warp, in.d, c.to_bytes, words, mask);
}

/// cvt.rn.f16x2.f32 d, a, b: a is the upper half.
void pack(Warp& warp, const Instruction& in, Mask mask) {
  const Conversion c = settings_of<Conversion>(warp, in);
  const float* a = warp.lanes<float>(in.a);
  const float* b = warp.lanes<float>(in.b);
  std::uint32_t* d = warp.lanes<std::uint32_t>(in.d);
  for_each_lane(mask, [&](unsigned i) {
    d[i] = static_cast<std::uint32_t>(word_of(a[i], c) << 16 | word_of(b[i], c));
  });
}

// ---- the usual ones, as vector code

template <class D, class S>
struct Cast {
  static D apply(S value) {
    const D to = static_cast<D>(value);
    if constexpr (std::is_same_v<D, float>)
      return finished<false>(to);
    else
      return to;
  }
};

template <class D, class S>
constexpr Run kCast = map1<Cast<D, S>, D, S>;

/// From registers to registers of exactly those widths, without any modifier that matters.
Run find_quick(const Conversion& c) {
  if (c.saturate || c.flush || c.relu || c.to_integer) return nullptr;
  if (c.to_bytes != bytes_of(c.to) || c.from_bytes != bytes_of(c.from)) return nullptr;
  const bool nearest = c.rounding == Rounding::kNearest;
  switch (c.from) {
    case Type::kS32:
      if (c.to == Type::kS64 || c.to == Type::kU64) return kCast<std::int64_t, std::int32_t>;
      if (c.to == Type::kF32 && nearest) return kCast<float, std::int32_t>;
      if (c.to == Type::kF64) return kCast<double, std::int32_t>;
      break;
    case Type::kU32:
      if (c.to == Type::kS64 || c.to == Type::kU64) return kCast<std::uint64_t, std::uint32_t>;
      if (c.to == Type::kF32 && nearest) return kCast<float, std::uint32_t>;
      break;
    case Type::kS64:
    case Type::kU64:
      if (c.to == Type::kS32 || c.to == Type::kU32) return kCast<std::uint32_t, std::uint64_t>;
      if (c.to == Type::kF64 && c.from == Type::kS64 && nearest) return kCast<double, std::int64_t>;
      break;
    case Type::kF32:
      if (c.to == Type::kF64) return kCast<double, float>;
      break;
    case Type::kF64:
      if (c.to == Type::kF32 && nearest) return kCast<float, double>;
      break;
    default:
      break;
  }
  return nullptr;
}

void take_rounding(Decoder& decoder, Conversion& c) {
  constexpr std::pair<std::string_view, Rounding> kWhole[] = {{"rni", Rounding::kNearest},
                                                              {"rzi", Rounding::kZero},
                                                              {"rmi", Rounding::kDown},
                                                              {"rpi", Rounding::kUp}};
  constexpr std::pair<std::string_view, Rounding> kPlain[] = {{"rn", Rounding::kNearest},
                                                              {"rz", Rounding::kZero},
                                                              {"rm", Rounding::kDown},
                                                              {"rp", Rounding::kUp},
                                                              {"rna", Rounding::kNearestAway}};
  for (const auto& [name, rounding] : kWhole) {
    if (!decoder.take(name)) continue;
    c.rounding = rounding;
    c.to_integer = true;
  }
  for (const auto& [name, rounding] : kPlain) {
    if (decoder.take(name)) c.rounding = rounding;
  }
}

unsigned register_width(Decoder& decoder, const Operand& operand, Type type) {
  const unsigned fewest = register_bytes(type);
  const RegisterSlot* slot = decoder.register_of(operand);
  const unsigned bytes = slot == nullptr ? fewest : register_bytes(slot->type);
  if (slot != nullptr && slot->type == Type::kPred) decoder.fail("a predicate cannot be converted");
  if (bytes < fewest) decoder.fail("a register is too narrow for ." + std::string(name_of(type)));
  return bytes;
}

void decode_pack(Decoder& decoder, Conversion c) {
  c.to = c.to == Type::kF16x2 ? Type::kF16 : Type::kBF16;
  if (c.from != Type::kF32) decoder.fail("pairs are converted from .f32 alone");
  decoder.require_operands(3);
  Instruction& in = decoder.instruction();
  in.a = decoder.source(1, Type::kF32);
  in.b = decoder.source(2, Type::kF32);
  in.d = decoder.destination(0, Type::kB32);
  set_settings(decoder, c);
  in.run = pack;
}

}  // namespace

template <>
void decode<"cvt">(Decoder& decoder) {
  if (decoder.take("pack")) return decode_pack_integers(decoder);
  Conversion c;
  take_rounding(decoder, c);
  c.saturate = decoder.take("sat");
  c.flush = decoder.take("ftz");
  c.relu = decoder.take("relu");
  c.finite = decoder.take("satfinite");
  c.to = decoder.take_type();
  c.from = decoder.take_type();
  if (decode_eights(decoder, c.to, c.from, c.relu)) return;
  if (c.finite && (c.from != Type::kF32 || !is_float(c.to) || c.to == Type::kF32))
    decoder.fail("cvt.satfinite is from .f32 to narrower types");
  if (c.to == Type::kPred || c.from == Type::kPred) decoder.fail("a predicate cannot be converted");
  if (c.to == Type::kF16x2 || c.to == Type::kBF16x2) return decode_pack(decoder, c);
  if (c.from == Type::kF16x2 || c.from == Type::kBF16x2 || c.from == Type::kTF32)
    decoder.fail("there is no conversion from ." + std::string(name_of(c.from)));
  decoder.require_operands(2);
  // From floating point to whole numbers without a rounding: towards zero.
  if (is_float(c.from) && !is_float(c.to) && !c.to_integer) c.rounding = Rounding::kZero;
  Instruction& in = decoder.instruction();
  c.to_bytes = register_width(decoder, decoder.operand(0), c.to);
  c.from_bytes = register_width(decoder, decoder.operand(1), c.from);
  in.a = decoder.source(1, bits_of_width(c.from_bytes));
  in.d = decoder.destination(0, bits_of_width(c.to_bytes));
  in.run = find_quick(c);
  if (in.run != nullptr) return;
  in.run = convert;
  set_settings(decoder, c);
}

template <>
std::span<const OpcodeRow> opcodes<Family::kConvert>() {
  static constexpr OpcodeRow kRows[] = {kRow<"cvt">};
  return kRows;
}

}  // namespace gpukit::ptx
