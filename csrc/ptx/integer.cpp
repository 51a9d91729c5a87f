// Arithmetic of whole numbers.
#include <algorithm>
#include <limits>
#include <type_traits>

#include "ptx/lanes.h"
#include "ptx/opcodes.h"

namespace gpukit::ptx {

namespace {

// Numbers wrap around: everything is computed without a sign where that makes no difference. 16-bit
// numbers are promoted to int by C++, so they are computed with 32 bits.
template <class T>
using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
template <class T>
using Wide = std::conditional_t<
    sizeof(T) == 8, std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>,
    std::conditional_t<sizeof(T) == 4,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>,
                       std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>>>;

template <class T>
struct Add {
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<Bits<T>>(a) + static_cast<Bits<T>>(b));
  }
};
template <class T>
struct Sub {
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<Bits<T>>(a) - static_cast<Bits<T>>(b));
  }
};
template <class T>
struct MulLow {
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<Bits<T>>(a) * static_cast<Bits<T>>(b));
  }
};
template <class T>
struct MulHigh {
  static T apply(T a, T b) {
    return static_cast<T>((static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b)) >> (8 * sizeof(T)));
  }
};
template <class T>
struct MulWide {
  static Wide<T> apply(T a, T b) { return static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b); }
};
template <class T>
struct MadLow {
  static T apply(T a, T b, T c) { return Add<T>::apply(MulLow<T>::apply(a, b), c); }
};
template <class T>
struct MadHigh {
  static T apply(T a, T b, T c) { return Add<T>::apply(MulHigh<T>::apply(a, b), c); }
};
template <class T>
struct MadWide {
  static Wide<T> apply(T a, T b, Wide<T> c) {
    return Add<Wide<T>>::apply(MulWide<T>::apply(a, b), c);
  }
};
template <class T>
struct Div {
  static T apply(T a, T b) {
    if (b == 0) return static_cast<T>(~Bits<T>{0});
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return static_cast<T>(Bits<T>{0} - static_cast<Bits<T>>(a));
    }
    return static_cast<T>(a / b);
  }
};
template <class T>
struct Rem {
  static T apply(T a, T b) {
    if (b == 0) return static_cast<T>(~Bits<T>{0});
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return 0;
    }
    return static_cast<T>(a % b);
  }
};
template <class T>
struct Min {
  static T apply(T a, T b) { return std::min(a, b); }
};
template <class T>
struct Max {
  static T apply(T a, T b) { return std::max(a, b); }
};
template <template <class> class F>
struct Relu {
  static std::int32_t apply(std::int32_t a, std::int32_t b) {
    return std::max(F<std::int32_t>::apply(a, b), 0);
  }
};
template <class T>
struct Abs {
  static T apply(T a) { return a < 0 ? static_cast<T>(Bits<T>{0} - static_cast<Bits<T>>(a)) : a; }
};
template <class T>
struct Neg {
  static T apply(T a) { return static_cast<T>(Bits<T>{0} - static_cast<Bits<T>>(a)); }
};
template <class T>
struct Sad {
  static T apply(T a, T b, T c) {
    const Bits<T> difference = a < b ? static_cast<Bits<T>>(b) - static_cast<Bits<T>>(a)
                                     : static_cast<Bits<T>>(a) - static_cast<Bits<T>>(b);
    return static_cast<T>(static_cast<Bits<T>>(c) + difference);
  }
};

struct AddSaturated {
  static std::int32_t apply(std::int32_t a, std::int32_t b) { return clamped(std::int64_t{a} + b); }
  static std::int32_t clamped(std::int64_t value) {
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(
        value, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
  }
};
struct SubSaturated {
  static std::int32_t apply(std::int32_t a, std::int32_t b) {
    return AddSaturated::clamped(std::int64_t{a} - b);
  }
};
struct MadHighSaturated {
  static std::int32_t apply(std::int32_t a, std::int32_t b, std::int32_t c) {
    return AddSaturated::clamped(((std::int64_t{a} * b) >> 32) + c);
  }
};

template <bool kSigned, bool kHigh>
struct Mul24 {
  using T = std::conditional_t<kSigned, std::int32_t, std::uint32_t>;
  static std::int64_t product(T a, T b) {
    if constexpr (kSigned) {
      return std::int64_t{static_cast<std::int32_t>(static_cast<std::uint32_t>(a) << 8) >> 8} *
             (static_cast<std::int32_t>(static_cast<std::uint32_t>(b) << 8) >> 8);
    } else {
      return static_cast<std::int64_t>(std::uint64_t{a & 0xffffffu} * (b & 0xffffffu));
    }
  }
  static T apply(T a, T b) { return static_cast<T>(product(a, b) >> (kHigh ? 16 : 0)); }
  static T apply(T a, T b, T c) { return Add<T>::apply(apply(a, b), c); }
};

template <template <class> class F, class T>
constexpr Run kBinary = map2<F<T>, T, T, T>;
template <template <class> class F, class T>
constexpr Run kTernary = map3<F<T>, T, T, T, T>;

template <template <class> class F>
Run binary(Decoder& decoder, Type type) {
  switch (type) {
    case Type::kU16:
      return kBinary<F, std::uint16_t>;
    case Type::kS16:
      return kBinary<F, std::int16_t>;
    case Type::kU32:
      return kBinary<F, std::uint32_t>;
    case Type::kS32:
      return kBinary<F, std::int32_t>;
    case Type::kU64:
      return kBinary<F, std::uint64_t>;
    case Type::kS64:
      return kBinary<F, std::int64_t>;
    default:
      decoder.fail("the type ." + std::string(name_of(type)) + " is none of this instruction");
  }
}

template <template <class> class F>
Run ternary(Decoder& decoder, Type type) {
  switch (type) {
    case Type::kU16:
      return kTernary<F, std::uint16_t>;
    case Type::kS16:
      return kTernary<F, std::int16_t>;
    case Type::kU32:
      return kTernary<F, std::uint32_t>;
    case Type::kS32:
      return kTernary<F, std::int32_t>;
    case Type::kU64:
      return kTernary<F, std::uint64_t>;
    case Type::kS64:
      return kTernary<F, std::int64_t>;
    default:
      decoder.fail("the type ." + std::string(name_of(type)) + " is none of this instruction");
  }
}

template <template <class> class F>
Run signed_unary(Decoder& decoder, Type type) {
  switch (type) {
    case Type::kS16:
      return map1<F<std::int16_t>, std::int16_t, std::int16_t>;
    case Type::kS32:
      return map1<F<std::int32_t>, std::int32_t, std::int32_t>;
    case Type::kS64:
      return map1<F<std::int64_t>, std::int64_t, std::int64_t>;
    default:
      decoder.fail("the type ." + std::string(name_of(type)) + " is none of this instruction");
  }
}

Type twice_as_wide(Decoder& decoder, Type type) {
  switch (type) {
    case Type::kU16:
      return Type::kU32;
    case Type::kS16:
      return Type::kS32;
    case Type::kU32:
      return Type::kU64;
    case Type::kS32:
      return Type::kS64;
    default:
      decoder.fail("there is no .wide form of ." + std::string(name_of(type)));
  }
}

template <template <class> class F>
Run wide_binary(Type type) {
  switch (type) {
    case Type::kU16:
      return map2<F<std::uint16_t>, std::uint32_t, std::uint16_t, std::uint16_t>;
    case Type::kS16:
      return map2<F<std::int16_t>, std::int32_t, std::int16_t, std::int16_t>;
    case Type::kU32:
      return map2<F<std::uint32_t>, std::uint64_t, std::uint32_t, std::uint32_t>;
    default:
      return map2<F<std::int32_t>, std::int64_t, std::int32_t, std::int32_t>;
  }
}

Run wide_ternary(Type type) {
  switch (type) {
    case Type::kU16:
      return map3<MadWide<std::uint16_t>, std::uint32_t, std::uint16_t, std::uint16_t,
                  std::uint32_t>;
    case Type::kS16:
      return map3<MadWide<std::int16_t>, std::int32_t, std::int16_t, std::int16_t, std::int32_t>;
    case Type::kU32:
      return map3<MadWide<std::uint32_t>, std::uint64_t, std::uint32_t, std::uint32_t,
                  std::uint64_t>;
    default:
      return map3<MadWide<std::int32_t>, std::int64_t, std::int32_t, std::int32_t, std::int64_t>;
  }
}

/// True when the type is a floating-point one, or a pair, and the instruction was decoded as such.
bool decode_other_type(Decoder& decoder, std::string_view opcode, Type type) {
  if (type == Type::kU16x2 || type == Type::kS16x2)
    decode_integer_pair(decoder, opcode, type);
  else if (is_half(type))
    decode_half(decoder, opcode, type);
  else if (is_float(type))
    decode_float(decoder, opcode, type);
  else
    return false;
  return true;
}

void set_same(Decoder& decoder, Type type, Run run) { set_binary(decoder, type, type, type, run); }

template <bool kSigned, bool kHigh>
void set_mul24(Decoder& decoder, bool adds) {
  using T = typename Mul24<kSigned, kHigh>::T;
  const Type type = kSigned ? Type::kS32 : Type::kU32;
  if (adds)
    set_ternary(decoder, type, type, type, type, map3<Mul24<kSigned, kHigh>, T, T, T, T>);
  else
    set_same(decoder, type, map2<Mul24<kSigned, kHigh>, T, T, T>);
}

void decode_24_bits(Decoder& decoder, bool adds) {
  const bool high = decoder.take_one_of({"lo", "hi"}) == "hi";
  const Type type = decoder.take_type();
  if (type != Type::kS32 && type != Type::kU32)
    decoder.fail("24-bit products are of .u32 and .s32");
  if (type == Type::kS32)
    high ? set_mul24<true, true>(decoder, adds) : set_mul24<true, false>(decoder, adds);
  else
    high ? set_mul24<false, true>(decoder, adds) : set_mul24<false, false>(decoder, adds);
}

}  // namespace

template <>
void decode<"add">(Decoder& decoder) {
  if (decoder.take("cc")) return decode_carry(decoder, Carry::kAdd, true);
  const Type type = decoder.take_type();
  if (decode_other_type(decoder, "add", type)) return;
  if (decoder.take("sat")) {
    if (type != Type::kS32) decoder.fail("add.sat is of .s32 alone");
    return set_same(decoder, type, map2<AddSaturated, std::int32_t, std::int32_t, std::int32_t>);
  }
  set_same(decoder, type, binary<Add>(decoder, type));
}

template <>
void decode<"sub">(Decoder& decoder) {
  if (decoder.take("cc")) return decode_carry(decoder, Carry::kSub, true);
  const Type type = decoder.take_type();
  if (decode_other_type(decoder, "sub", type)) return;
  if (decoder.take("sat")) {
    if (type != Type::kS32) decoder.fail("sub.sat is of .s32 alone");
    return set_same(decoder, type, map2<SubSaturated, std::int32_t, std::int32_t, std::int32_t>);
  }
  set_same(decoder, type, binary<Sub>(decoder, type));
}

template <>
void decode<"mul">(Decoder& decoder) {
  const std::string_view part = decoder.take_one_of({"lo", "hi", "wide"});
  const Type type = decoder.take_type();
  if (part.empty() && decode_other_type(decoder, "mul", type)) return;
  if (part == "wide")
    return set_binary(decoder, twice_as_wide(decoder, type), type, type,
                      wide_binary<MulWide>(type));
  if (part.empty()) decoder.fail("mul of whole numbers is .lo, .hi or .wide");
  set_same(decoder, type,
           part == "hi" ? binary<MulHigh>(decoder, type) : binary<MulLow>(decoder, type));
}

template <>
void decode<"mad">(Decoder& decoder) {
  const std::string_view part = decoder.take_one_of({"lo", "hi", "wide"});
  if (decoder.take("cc"))
    return decode_carry(decoder, part == "hi" ? Carry::kMadHigh : Carry::kMadLow, true);
  const Type type = decoder.take_type();
  if (part.empty() && decode_other_type(decoder, "mad", type)) return;
  if (part == "wide") {
    const Type wide = twice_as_wide(decoder, type);
    return set_ternary(decoder, wide, type, type, wide, wide_ternary(type));
  }
  if (part.empty()) decoder.fail("mad of whole numbers is .lo, .hi or .wide");
  if (decoder.take("sat")) {
    if (type != Type::kS32 || part != "hi") decoder.fail("mad.sat is of .hi.s32 alone");
    return set_ternary(
        decoder, type, type, type, type,
        map3<MadHighSaturated, std::int32_t, std::int32_t, std::int32_t, std::int32_t>);
  }
  set_ternary(decoder, type, type, type, type,
              part == "hi" ? ternary<MadHigh>(decoder, type) : ternary<MadLow>(decoder, type));
}

template <>
void decode<"mul24">(Decoder& decoder) {
  decode_24_bits(decoder, false);
}

template <>
void decode<"mad24">(Decoder& decoder) {
  decode_24_bits(decoder, true);
}

template <>
void decode<"div">(Decoder& decoder) {
  const Type type = decoder.take_type();
  if (decode_other_type(decoder, "div", type)) return;
  set_same(decoder, type, binary<Div>(decoder, type));
}

template <>
void decode<"rem">(Decoder& decoder) {
  const Type type = decoder.take_type();
  set_same(decoder, type, binary<Rem>(decoder, type));
}

template <>
void decode<"min">(Decoder& decoder) {
  const Type type = decoder.take_type();
  if (decode_other_type(decoder, "min", type)) return;
  if (type == Type::kS32 && decoder.take("relu"))
    return set_same(decoder, type, map2<Relu<Min>, std::int32_t, std::int32_t, std::int32_t>);
  set_same(decoder, type, binary<Min>(decoder, type));
}

template <>
void decode<"max">(Decoder& decoder) {
  const Type type = decoder.take_type();
  if (decode_other_type(decoder, "max", type)) return;
  if (type == Type::kS32 && decoder.take("relu"))
    return set_same(decoder, type, map2<Relu<Max>, std::int32_t, std::int32_t, std::int32_t>);
  set_same(decoder, type, binary<Max>(decoder, type));
}

template <>
void decode<"abs">(Decoder& decoder) {
  const Type type = decoder.take_type();
  if (decode_other_type(decoder, "abs", type)) return;
  set_unary(decoder, type, type, signed_unary<Abs>(decoder, type));
}

template <>
void decode<"neg">(Decoder& decoder) {
  const Type type = decoder.take_type();
  if (decode_other_type(decoder, "neg", type)) return;
  set_unary(decoder, type, type, signed_unary<Neg>(decoder, type));
}

template <>
void decode<"sad">(Decoder& decoder) {
  const Type type = decoder.take_type();
  set_ternary(decoder, type, type, type, type, ternary<Sad>(decoder, type));
}

template <>
std::span<const OpcodeRow> opcodes<Family::kInteger>() {
  static constexpr OpcodeRow kRows[] = {
      kRow<"add">, kRow<"sub">, kRow<"mul">, kRow<"mad">, kRow<"mul24">, kRow<"mad24">, kRow<"div">,
      kRow<"rem">, kRow<"min">, kRow<"max">, kRow<"abs">, kRow<"neg">,   kRow<"sad">};
  return kRows;
}

}  // namespace gpukit::ptx
