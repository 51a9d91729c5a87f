// Logic, shifts, and positions of bits.
#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>

#include "ptx/lanes.h"
#include "ptx/opcodes.h"

namespace gpukit::ptx {

namespace {

template <class T>
using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <class T>
struct And {
  static T apply(T a, T b) { return a & b; }
};
template <class T>
struct Or {
  static T apply(T a, T b) { return a | b; }
};
template <class T>
struct Xor {
  static T apply(T a, T b) { return a ^ b; }
};
template <class T>
struct Not {
  static T apply(T a) { return static_cast<T>(~a); }
};
template <class T>
struct Cnot {
  static T apply(T a) { return a == 0 ? 1 : 0; }
};

// Shifts by more than the width give what a shift by the width would.
template <class T>
struct ShiftLeft {
  static T apply(T a, std::uint32_t b) {
    constexpr unsigned kWidth = 8 * sizeof(T);
    return b >= kWidth ? T{0} : static_cast<T>(static_cast<Bits<T>>(a) << (b & (kWidth - 1)));
  }
};
template <class T>
struct ShiftRight {
  static T apply(T a, std::uint32_t b) {
    constexpr unsigned kWidth = 8 * sizeof(T);
    if constexpr (std::is_signed_v<T>)
      return static_cast<T>(a >> std::min(b, kWidth - 1));
    else
      return b >= kWidth ? T{0} : static_cast<T>(a >> (b & (kWidth - 1)));
  }
};

template <bool kLeft, bool kWrap>
struct Funnel {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const unsigned n = kWrap ? c & 31 : std::min(c, 32u);
    const std::uint64_t both = std::uint64_t{b} << 32 | a;
    if constexpr (kLeft)
      return static_cast<std::uint32_t>((both << n) >> 32);
    else
      return static_cast<std::uint32_t>(both >> n);
  }
};

template <class T>
struct CountOnes {
  static std::uint32_t apply(T a) { return static_cast<std::uint32_t>(std::popcount(a)); }
};
template <class T>
struct LeadingZeros {
  static std::uint32_t apply(T a) { return static_cast<std::uint32_t>(std::countl_zero(a)); }
};
template <class T>
struct Reverse {
  static T apply(T a) {
    T result = 0;
    for (unsigned i = 0; i < 8 * sizeof(T); i++)
      result = static_cast<T>(result << 1 | (a >> i & 1));
    return result;
  }
};

template <class T, bool kShiftAmount>
struct FindLeading {
  static std::uint32_t apply(T value) {
    using U = std::make_unsigned_t<T>;
    auto a = static_cast<U>(value);
    if (std::is_signed_v<T> && value < 0) a = static_cast<U>(~a);
    if (a == 0) return 0xffffffffu;
    const auto bit = static_cast<std::uint32_t>(8 * sizeof(T) - 1) -
                     static_cast<std::uint32_t>(std::countl_zero(a));
    return kShiftAmount ? static_cast<std::uint32_t>(8 * sizeof(T) - 1) - bit : bit;
  }
};

struct FindNth {
  static std::uint32_t apply(std::uint32_t bits, std::uint32_t base, std::int32_t offset) {
    if (offset == std::numeric_limits<std::int32_t>::min()) return 0;  // as an H200 gives it
    if (base > 31) return 0xffffffffu;
    if (offset == 0) return (bits >> base & 1) != 0 ? base : 0xffffffffu;
    const int step = offset > 0 ? 1 : -1;
    std::int64_t left = offset > 0 ? offset : -std::int64_t{offset};
    for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step) {
      if ((bits >> at & 1) != 0 && --left == 0) return static_cast<std::uint32_t>(at);
    }
    return 0xffffffffu;
  }
};

constexpr std::uint8_t kJoinsByAnd = 1;
constexpr std::uint8_t kJoinsByOr = 2;

void lop3(Warp& warp, const Instruction& in, Mask mask) {
  const std::uint32_t* a = warp.lanes<std::uint32_t>(in.a);
  const std::uint32_t* b = warp.lanes<std::uint32_t>(in.b);
  const std::uint32_t* c = warp.lanes<std::uint32_t>(in.c);
  std::uint32_t* d = warp.lanes<std::uint32_t>(in.d);
  std::uint32_t terms[8];
  for (unsigned t = 0; t < 8; t++) terms[t] = (in.immediate >> t & 1) != 0 ? ~0u : 0u;
  for (unsigned i = 0; i < kLanes; i++) {
    const std::uint32_t x = a[i], y = b[i], z = c[i];
    const std::uint32_t low =
        (~y & ((~z & terms[0]) | (z & terms[1]))) | (y & ((~z & terms[2]) | (z & terms[3])));
    const std::uint32_t high =
        (~y & ((~z & terms[4]) | (z & terms[5]))) | (y & ((~z & terms[6]) | (z & terms[7])));
    const std::uint32_t r = (~x & low) | (x & high);
    d[i] = (mask >> i & 1) != 0 ? r : d[i];
  }
}

/// d|p: whether the result is not 0, joined with another predicate.
void run_lop3_with_predicate(Warp& warp, const Instruction& in, Mask mask) {
  const Mask other = warp.predicate(in.e);
  lop3(warp, in, mask);
  const std::uint32_t* d = warp.lanes<std::uint32_t>(in.d);
  Mask bits = 0;
  for (unsigned i = 0; i < kLanes; i++) bits |= Mask{d[i] != 0} << i;
  bits = in.flags == kJoinsByAnd ? bits & other : bits | other;
  write_second(warp, in, bits, mask);
}

std::uint32_t permute(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  const std::uint64_t both = std::uint64_t{b} << 32 | a;
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 4; i++) {
    const std::uint32_t chosen = selector >> (4 * i) & 0xf;
    auto byte = static_cast<std::uint32_t>(both >> (8 * (chosen & 7)) & 0xff);
    if ((chosen & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}

struct Permute {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return permute(a, b, c);
  }
};

/// The selectors of the modes f4e, b4e, rc8, ecl, ecr and rc16, by the low bits of c.
constexpr std::uint32_t kModes[6][4] = {
    {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
    {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
    {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};

template <unsigned kMode>
struct PermuteByMode {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return permute(a, b, kModes[kMode][c & 3]);
  }
};

// ---- decoding

template <template <class> class F>
Run unary(Decoder& decoder, Type type) {
  switch (bytes_of(type)) {
    case 2:
      return map1<F<std::uint16_t>, std::uint16_t, std::uint16_t>;
    case 4:
      return map1<F<std::uint32_t>, std::uint32_t, std::uint32_t>;
    case 8:
      return map1<F<std::uint64_t>, std::uint64_t, std::uint64_t>;
    default:
      decoder.fail("the type ." + std::string(name_of(type)) + " is none of this instruction");
  }
}

template <template <class> class F>
Run binary(Decoder& decoder, Type type) {
  switch (bytes_of(type)) {
    case 2:
      return map2<F<std::uint16_t>, std::uint16_t, std::uint16_t, std::uint16_t>;
    case 4:
      return map2<F<std::uint32_t>, std::uint32_t, std::uint32_t, std::uint32_t>;
    case 8:
      return map2<F<std::uint64_t>, std::uint64_t, std::uint64_t, std::uint64_t>;
    default:
      decoder.fail("the type ." + std::string(name_of(type)) + " is none of this instruction");
  }
}

template <template <class> class F>
void decode_logic(Decoder& decoder) {
  const Type type = decoder.take_type();
  if (type != Type::kPred) return set_binary(decoder, type, type, type, binary<F>(decoder, type));
  set_binary(decoder, type, type, type, [](Warp& warp, const Instruction& in, Mask mask) {
    write_predicate(warp, in.d, F<Mask>::apply(warp.predicate(in.a), warp.predicate(in.b)), mask);
  });
}

template <template <class> class F, class T>
constexpr Run kShift = map2<F<T>, T, T, std::uint32_t>;

template <class F>
constexpr Run kWords3 = map3<F, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

template <template <class> class F>
void decode_count(Decoder& decoder) {
  const Type type = decoder.take_type_of({4, 8});
  set_unary(decoder, Type::kU32, type,
            bytes_of(type) == 8 ? map1<F<std::uint64_t>, std::uint32_t, std::uint64_t>
                                : map1<F<std::uint32_t>, std::uint32_t, std::uint32_t>);
}

template <bool kAmount>
Run find_leading(Decoder& decoder, Type type) {
  switch (type) {
    case Type::kU32:
      return map1<FindLeading<std::uint32_t, kAmount>, std::uint32_t, std::uint32_t>;
    case Type::kS32:
      return map1<FindLeading<std::int32_t, kAmount>, std::uint32_t, std::int32_t>;
    case Type::kU64:
      return map1<FindLeading<std::uint64_t, kAmount>, std::uint32_t, std::uint64_t>;
    case Type::kS64:
      return map1<FindLeading<std::int64_t, kAmount>, std::uint32_t, std::int64_t>;
    default:
      decoder.fail("bfind is of 32- and 64-bit numbers");
  }
}

}  // namespace

template <>
void decode<"not">(Decoder& decoder) {
  const Type type = decoder.take_type();
  if (type != Type::kPred) return set_unary(decoder, type, type, unary<Not>(decoder, type));
  set_unary(decoder, type, type, [](Warp& warp, const Instruction& in, Mask mask) {
    write_predicate(warp, in.d, ~warp.predicate(in.a), mask);
  });
}

template <>
void decode<"cnot">(Decoder& decoder) {
  const Type type = decoder.take_type();
  set_unary(decoder, type, type, unary<Cnot>(decoder, type));
}

template <>
void decode<"shl">(Decoder& decoder) {
  const Type type = decoder.take_type_of({2, 4, 8});
  const unsigned bytes = bytes_of(type);
  set_binary(decoder, type, type, Type::kU32,
             bytes == 8   ? kShift<ShiftLeft, std::uint64_t>
             : bytes == 4 ? kShift<ShiftLeft, std::uint32_t>
                          : kShift<ShiftLeft, std::uint16_t>);
}

template <>
void decode<"shr">(Decoder& decoder) {
  const Type type = decoder.take_type_of({2, 4, 8});
  const unsigned bytes = bytes_of(type);
  const Run run = is_signed(type) ? (bytes == 8   ? kShift<ShiftRight, std::int64_t>
                                     : bytes == 4 ? kShift<ShiftRight, std::int32_t>
                                                  : kShift<ShiftRight, std::int16_t>)
                                  : (bytes == 8   ? kShift<ShiftRight, std::uint64_t>
                                     : bytes == 4 ? kShift<ShiftRight, std::uint32_t>
                                                  : kShift<ShiftRight, std::uint16_t>);
  set_binary(decoder, type, type, Type::kU32, run);
}

template <>
void decode<"shf">(Decoder& decoder) {
  const bool left = decoder.take("l");
  if (!left && !decoder.take("r")) decoder.fail("shf is .l or .r");
  const bool wrap = decoder.take("wrap");
  if (!wrap) decoder.take("clamp");
  const Type type = decoder.take_type();
  if (type != Type::kB32) decoder.fail("shf is of .b32");
  const Run run = left ? (wrap ? kWords3<Funnel<true, true>> : kWords3<Funnel<true, false>>)
                       : (wrap ? kWords3<Funnel<false, true>> : kWords3<Funnel<false, false>>);
  set_ternary(decoder, type, type, type, Type::kU32, run);
}

template <>
void decode<"brev">(Decoder& decoder) {
  const Type type = decoder.take_type();
  set_unary(decoder, type, type, unary<Reverse>(decoder, type));
}

template <>
void decode<"bfind">(Decoder& decoder) {
  const bool amount = decoder.take("shiftamt");
  const Type type = decoder.take_type();
  set_unary(decoder, Type::kU32, type,
            amount ? find_leading<true>(decoder, type) : find_leading<false>(decoder, type));
}

template <>
void decode<"fns">(Decoder& decoder) {
  const Type type = decoder.take_type_of({4});
  set_ternary(decoder, type, Type::kB32, Type::kB32, Type::kS32,
              map3<FindNth, std::uint32_t, std::uint32_t, std::uint32_t, std::int32_t>);
}

template <>
void decode<"lop3">(Decoder& decoder) {
  const std::string_view join = decoder.take_one_of({"and", "or"});
  const Type type = decoder.take_type();
  if (type != Type::kB32) decoder.fail("lop3 is of .b32");
  decoder.require_operands(join.empty() ? 5 : 6);
  Instruction& in = decoder.instruction();
  in.a = decoder.source(1, type);
  in.b = decoder.source(2, type);
  in.c = decoder.source(3, type);
  in.immediate = static_cast<std::int64_t>(decoder.integer(4) & 0xff);
  in.d = decoder.destination(0, type);
  in.run = lop3;
  if (join.empty()) return;
  set_second(decoder);
  in.e = decoder.predicate(5);
  in.flags = join == "and" ? kJoinsByAnd : kJoinsByOr;
  in.run = run_lop3_with_predicate;
}

template <>
void decode<"prmt">(Decoder& decoder) {
  constexpr std::string_view kNames[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
  constexpr Run kRuns[] = {kWords3<PermuteByMode<0>>, kWords3<PermuteByMode<1>>,
                           kWords3<PermuteByMode<2>>, kWords3<PermuteByMode<3>>,
                           kWords3<PermuteByMode<4>>, kWords3<PermuteByMode<5>>};
  const Type type = decoder.take_type();
  Run run = kWords3<Permute>;
  for (std::size_t i = 0; i < 6; i++) {
    if (decoder.take(kNames[i])) run = kRuns[i];
  }
  set_ternary(decoder, type, type, type, type, run);
}

template <>
std::span<const OpcodeRow> opcodes<Family::kBit>() {
  static constexpr OpcodeRow kRows[] = {{"and", decode_logic<And>},
                                        {"or", decode_logic<Or>},
                                        {"xor", decode_logic<Xor>},
                                        kRow<"not">,
                                        kRow<"cnot">,
                                        kRow<"shl">,
                                        kRow<"shr">,
                                        kRow<"shf">,
                                        {"popc", decode_count<CountOnes>},
                                        {"clz", decode_count<LeadingZeros>},
                                        kRow<"brev">,
                                        kRow<"bfind">,
                                        kRow<"bfe">,
                                        kRow<"bfi">,
                                        kRow<"bmsk">,
                                        kRow<"szext">,
                                        kRow<"fns">,
                                        kRow<"lop3">,
                                        kRow<"prmt">};
  return kRows;
}

}  // namespace gpukit::ptx
