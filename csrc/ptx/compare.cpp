// Comparisons, and choices by their results.
#include <cmath>

#include "ptx/float_math.h"
#include "ptx/half_math.h"
#include "ptx/lanes.h"
#include "ptx/opcodes.h"

namespace gpukit::ptx {

namespace {

enum class Test : std::uint8_t {
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kEqu,
  kNeu,
  kLtu,
  kLeu,
  kGtu,
  kGeu,
  kNum,
  kNan
};

constexpr std::string_view kTests[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                       "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
// Of unsigned numbers.
constexpr std::string_view kUnsignedTests[] = {"lo", "ls", "hi", "hs"};
constexpr Test kUnsignedMeaning[] = {Test::kLt, Test::kLe, Test::kGt, Test::kGe};

template <Test kTest, bool kFlush>
struct Compare {
  template <class T>
  static bool holds(T a, T b) {
    if constexpr (kFlush && sizeof(T) == 4) {
      a = flushed<true>(a);
      b = flushed<true>(b);
    }
    constexpr auto kUnordered = static_cast<int>(kTest) >= static_cast<int>(Test::kEqu);
    if constexpr (kTest == Test::kNum) return a == a && b == b;
    if constexpr (kTest == Test::kNan) return a != a || b != b;
    if constexpr (kTest == Test::kEq) return a == b;
    if constexpr (kTest == Test::kNe) return a == a && b == b && a != b;
    if constexpr (kTest == Test::kLt) return a < b;
    if constexpr (kTest == Test::kLe) return a <= b;
    if constexpr (kTest == Test::kGt) return a > b;
    if constexpr (kTest == Test::kGe) return a >= b;
    if constexpr (kUnordered) {
      if constexpr (kTest == Test::kEqu) return !(a < b) && !(a > b);
      if constexpr (kTest == Test::kNeu) return !(a == b);
      if constexpr (kTest == Test::kLtu) return !(a >= b);
      if constexpr (kTest == Test::kLeu) return !(a > b);
      if constexpr (kTest == Test::kGtu) return !(a <= b);
      if constexpr (kTest == Test::kGeu) return !(a < b);
    }
    return false;
  }
};

using Lanes = Mask (*)(const Warp&, const Instruction&);

template <class T, bool kFlush>
Lanes compare_of(Test test) {
  switch (test) {
    case Test::kEq:
      return compare_lanes<Compare<Test::kEq, kFlush>, T>;
    case Test::kNe:
      return compare_lanes<Compare<Test::kNe, kFlush>, T>;
    case Test::kLt:
      return compare_lanes<Compare<Test::kLt, kFlush>, T>;
    case Test::kLe:
      return compare_lanes<Compare<Test::kLe, kFlush>, T>;
    case Test::kGt:
      return compare_lanes<Compare<Test::kGt, kFlush>, T>;
    case Test::kGe:
      return compare_lanes<Compare<Test::kGe, kFlush>, T>;
    default:
      break;
  }
  if constexpr (std::is_floating_point_v<T>) {
    switch (test) {
      case Test::kEqu:
        return compare_lanes<Compare<Test::kEqu, kFlush>, T>;
      case Test::kNeu:
        return compare_lanes<Compare<Test::kNeu, kFlush>, T>;
      case Test::kLtu:
        return compare_lanes<Compare<Test::kLtu, kFlush>, T>;
      case Test::kLeu:
        return compare_lanes<Compare<Test::kLeu, kFlush>, T>;
      case Test::kGtu:
        return compare_lanes<Compare<Test::kGtu, kFlush>, T>;
      case Test::kGeu:
        return compare_lanes<Compare<Test::kGeu, kFlush>, T>;
      case Test::kNum:
        return compare_lanes<Compare<Test::kNum, kFlush>, T>;
      case Test::kNan:
        return compare_lanes<Compare<Test::kNan, kFlush>, T>;
      default:
        break;
    }
  }
  return nullptr;
}

/// f16 and bf16 are compared as numbers of 64 bits; `kHalf` is the half of a pair.
template <class Format, class Word, unsigned kHalf, Test kTest>
Mask compare_halves(const Warp& warp, const Instruction& in) {
  Mask bits = 0;
  for (unsigned i = 0; i < kLanes; i++) {
    const auto part = [&](std::uint32_t offset) {
      return widened<Format>(
          static_cast<std::uint16_t>(warp.lanes<Word>(offset)[i] >> (16 * kHalf)));
    };
    bits |= Mask{Compare<kTest, false>::holds(part(in.a), part(in.b))} << i;
  }
  return bits;
}

template <class Format, class Word, unsigned kHalf, int kNext = 0>
Lanes half_compare_of(Test test) {
  if constexpr (kNext <= static_cast<int>(Test::kNan)) {
    if (static_cast<int>(test) == kNext)
      return compare_halves<Format, Word, kHalf, static_cast<Test>(kNext)>;
    return half_compare_of<Format, Word, kHalf, kNext + 1>(test);
  } else {
    return nullptr;
  }
}

Lanes lanes_of(Type type, Test test, bool flush, unsigned half) {
  switch (type) {
    case Type::kB16:
    case Type::kU16:
      return compare_of<std::uint16_t, false>(test);
    case Type::kS16:
      return compare_of<std::int16_t, false>(test);
    case Type::kB32:
    case Type::kU32:
      return compare_of<std::uint32_t, false>(test);
    case Type::kS32:
      return compare_of<std::int32_t, false>(test);
    case Type::kB64:
    case Type::kU64:
      return compare_of<std::uint64_t, false>(test);
    case Type::kS64:
      return compare_of<std::int64_t, false>(test);
    case Type::kF32:
      return flush ? compare_of<float, true>(test) : compare_of<float, false>(test);
    case Type::kF64:
      return compare_of<double, false>(test);
    case Type::kF16:
      return half_compare_of<F16, std::uint16_t, 0>(test);
    case Type::kBF16:
      return half_compare_of<BF16, std::uint16_t, 0>(test);
    case Type::kF16x2:
      return half == 0 ? half_compare_of<F16, std::uint32_t, 0>(test)
                       : half_compare_of<F16, std::uint32_t, 1>(test);
    case Type::kBF16x2:
      return half == 0 ? half_compare_of<BF16, std::uint32_t, 0>(test)
                       : half_compare_of<BF16, std::uint32_t, 1>(test);
    default:
      return nullptr;
  }
}

// How the result is joined with a third predicate.
constexpr std::uint8_t kAnd = 1;
constexpr std::uint8_t kOr = 2;
constexpr std::uint8_t kXor = 3;

Mask joined(const Warp& warp, const Instruction& in, Mask bits) {
  switch (in.flags & 3) {
    case kAnd:
      return bits & warp.predicate(in.c);
    case kOr:
      return bits | warp.predicate(in.c);
    case kXor:
      return bits ^ warp.predicate(in.c);
    default:
      return bits;
  }
}

Lanes function_of(const Instruction& in) { return reinterpret_cast<Lanes>(in.immediate); }

void run_setp(Warp& warp, const Instruction& in, Mask mask) {
  const Mask bits = function_of(in)(warp, in);
  // Both destinations are made before one is written: the third predicate may be one of them.
  const Mask first = joined(warp, in, bits), second = joined(warp, in, ~bits);
  write_predicate(warp, in.d, first, mask);
  if (in.e != kNowhere) write_predicate(warp, in.e, second, mask);
}

/// Of pairs: the first predicate is of the lower halves, the second of the upper ones.
void run_setp_pair(Warp& warp, const Instruction& in, Mask mask) {
  const auto upper =
      reinterpret_cast<Lanes>(static_cast<std::uintptr_t>(warp.kernel().lists[in.target][0]) |
                              static_cast<std::uintptr_t>(warp.kernel().lists[in.target][1]) << 32);
  const Mask low = joined(warp, in, function_of(in)(warp, in));
  const Mask high = joined(warp, in, upper(warp, in));
  write_predicate(warp, in.d, low, mask);
  if (in.e != kNowhere) write_predicate(warp, in.e, high, mask);
}

template <class T>
void run_set(Warp& warp, const Instruction& in, Mask mask) {
  const Mask bits = joined(warp, in, function_of(in)(warp, in));
  T* d = warp.lanes<T>(in.d);
  const T one = static_cast<T>(in.target);
  for_each_lane(mask, [&](unsigned i) { d[i] = (bits >> i & 1) != 0 ? one : T{0}; });
}

void run_set_pair(Warp& warp, const Instruction& in, Mask mask) {
  const std::vector<std::uint32_t>& list = warp.kernel().lists[in.target];
  const auto upper = reinterpret_cast<Lanes>(static_cast<std::uintptr_t>(list[0]) |
                                             static_cast<std::uintptr_t>(list[1]) << 32);
  const Mask low = joined(warp, in, function_of(in)(warp, in));
  const Mask high = joined(warp, in, upper(warp, in));
  std::uint32_t* d = warp.lanes<std::uint32_t>(in.d);
  for_each_lane(mask, [&](unsigned i) {
    d[i] = ((low >> i & 1) != 0 ? list[2] : 0) | ((high >> i & 1) != 0 ? list[2] << 16 : 0);
  });
}

struct Comparison {
  Test test = Test::kEq;
  bool flush = false;
};

Comparison take_comparison(Decoder& decoder) {
  Comparison comparison;
  bool found = false;
  for (std::size_t i = 0; i < std::size(kTests) && !found; i++) {
    found = decoder.take(kTests[i]);
    if (found) comparison.test = static_cast<Test>(i);
  }
  for (std::size_t i = 0; i < std::size(kUnsignedTests) && !found; i++) {
    found = decoder.take(kUnsignedTests[i]);
    if (found) comparison.test = kUnsignedMeaning[i];
  }
  if (!found) decoder.fail("the instruction names no comparison");
  comparison.flush = decoder.take("ftz");
  return comparison;
}

void take_join(Decoder& decoder, std::size_t at) {
  const std::string_view join = decoder.take_one_of({"and", "or", "xor"});
  Instruction& in = decoder.instruction();
  decoder.require_operands(join.empty() ? at : at + 1);
  if (join.empty()) return;
  in.flags = join == "and" ? kAnd : join == "or" ? kOr : kXor;
  in.c = decoder.predicate(at);
}

Lanes require_lanes(Decoder& decoder, Type type, const Comparison& comparison, unsigned half) {
  const Lanes lanes = lanes_of(type, comparison.test, comparison.flush, half);
  if (lanes == nullptr)
    decoder.fail("this comparison has no form of ." + std::string(name_of(type)));
  return lanes;
}

std::vector<std::uint32_t> in_list(Lanes lanes) {
  const auto address = reinterpret_cast<std::uintptr_t>(lanes);
  return {static_cast<std::uint32_t>(address),
          static_cast<std::uint32_t>(std::uint64_t{address} >> 32)};
}

bool is_pair(Type type) { return type == Type::kF16x2 || type == Type::kBF16x2; }

template <class T>
void run_selp(Warp& warp, const Instruction& in, Mask mask) {
  const T* a = warp.lanes<T>(in.a);
  const T* b = warp.lanes<T>(in.b);
  T* d = warp.lanes<T>(in.d);
  const Mask chosen = warp.predicate(in.c);
#pragma GCC ivdep
  for (unsigned i = 0; i < kLanes; i++) {
    const T r = (chosen >> i & 1) != 0 ? a[i] : b[i];
    d[i] = (mask >> i & 1) != 0 ? r : d[i];
  }
}

template <class T, class C>
struct ByThird {
  static T apply(T a, T b, C c) { return c >= 0 ? a : b; }
};

template <class C>
Run slct_run(Type type) {
  switch (bytes_of(type)) {
    case 8:
      return map3<ByThird<std::uint64_t, C>, std::uint64_t, std::uint64_t, std::uint64_t, C>;
    case 4:
      return map3<ByThird<std::uint32_t, C>, std::uint32_t, std::uint32_t, std::uint32_t, C>;
    default:
      return map3<ByThird<std::uint16_t, C>, std::uint16_t, std::uint16_t, std::uint16_t, C>;
  }
}

}  // namespace

template <>
void decode<"setp">(Decoder& decoder) {
  const Comparison comparison = take_comparison(decoder);
  const Type type = decoder.take_type();
  take_join(decoder, 3);
  Instruction& in = decoder.instruction();
  in.a = decoder.source(1, type);
  in.b = decoder.source(2, type);
  in.immediate = static_cast<std::int64_t>(
      reinterpret_cast<std::uintptr_t>(require_lanes(decoder, type, comparison, 0)));
  in.run = run_setp;
  if (is_pair(type)) {
    in.run = run_setp_pair;
    in.target = decoder.list(in_list(require_lanes(decoder, type, comparison, 1)));
  }
  const Operand& to = decoder.operand(0);
  in.d = to.kind == Operand::Kind::kSink ? decoder.scratch(4) : decoder.predicate_named(to.name);
  if (!to.second.empty() && to.second != "_") in.e = decoder.predicate_named(to.second);
}

template <>
void decode<"set">(Decoder& decoder) {
  const Comparison comparison = take_comparison(decoder);
  const Type to = decoder.take_type(), type = decoder.take_type();
  take_join(decoder, 3);
  Instruction& in = decoder.instruction();
  in.a = decoder.source(1, type);
  in.b = decoder.source(2, type);
  in.immediate = static_cast<std::int64_t>(
      reinterpret_cast<std::uintptr_t>(require_lanes(decoder, type, comparison, 0)));
  in.d = decoder.destination(0, to);
  const std::uint32_t half_one = to == Type::kBF16 || to == Type::kBF16x2 ? 0x3f80 : 0x3c00;
  if (is_pair(type)) {
    if (bytes_of(to) != 4) decoder.fail("set of a pair gives 32 bits");
    std::vector<std::uint32_t> list = in_list(require_lanes(decoder, type, comparison, 1));
    list.push_back(is_float(to) ? half_one : 0xffff);
    in.target = decoder.list(std::move(list));
    in.run = run_set_pair;
    return;
  }
  if (bytes_of(to) == 2) {
    in.target = is_float(to) ? half_one : 0xffff;
    in.run = run_set<std::uint16_t>;
  } else if (bytes_of(to) == 4) {
    in.target = to == Type::kF32 ? 0x3f800000u : 0xffffffffu;
    in.run = run_set<std::uint32_t>;
  } else {
    decoder.fail("set gives 16 or 32 bits");
  }
}

template <>
void decode<"selp">(Decoder& decoder) {
  const Type type = decoder.take_type_of({2, 4, 8});
  decoder.require_operands(4);
  Instruction& in = decoder.instruction();
  in.a = decoder.source(1, type);
  in.b = decoder.source(2, type);
  in.c = decoder.predicate(3);
  in.d = decoder.destination(0, type);
  in.run = bytes_of(type) == 8   ? run_selp<std::uint64_t>
           : bytes_of(type) == 4 ? run_selp<std::uint32_t>
                                 : run_selp<std::uint16_t>;
}

template <>
void decode<"slct">(Decoder& decoder) {
  decoder.take("ftz");  // -0 and what is flushed to it count as not below 0
  const Type type = decoder.take_type_of({2, 4, 8}), by = decoder.take_type();
  if (by != Type::kS32 && by != Type::kF32) decoder.fail("slct chooses by .s32 or .f32");
  set_ternary(decoder, type, type, type, by,
              by == Type::kF32 ? slct_run<float>(type) : slct_run<std::int32_t>(type));
}

template <>
std::span<const OpcodeRow> opcodes<Family::kCompare>() {
  static constexpr OpcodeRow kRows[] = {kRow<"setp">, kRow<"set">, kRow<"selp">, kRow<"slct">};
  return kRows;
}

}  // namespace gpukit::ptx
