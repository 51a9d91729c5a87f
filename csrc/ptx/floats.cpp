// Arithmetic of f32 and f64.
#include "ptx/float_math.h"
#include "ptx/lanes.h"
#include "ptx/opcodes.h"

namespace gpukit::ptx {

namespace {

// Flags of an instruction: the rounding mode.
constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

template <Run kRun>
void rounded(Warp& warp, const Instruction& in, Mask mask) {
  const RoundingScope scope(kModes[in.flags]);
  kRun(warp, in, mask);
}

struct Modifiers {
  int rounding = 0;
  bool flush = false;
  bool saturate = false;
  bool approximate = false;
};

Modifiers take_modifiers(Decoder& decoder) {
  Modifiers modifiers;
  const std::string_view rounding = decoder.take_one_of({"rn", "rz", "rm", "rp"});
  modifiers.rounding = rounding == "rz" ? 1 : rounding == "rm" ? 2 : rounding == "rp" ? 3 : 0;
  modifiers.flush = decoder.take("ftz");
  modifiers.saturate = decoder.take("sat");
  modifiers.approximate = decoder.take("approx") || decoder.take("full");
  return modifiers;
}

#define GPUKIT_PTX_FLOAT2(Name, expression)                         \
  template <class T, bool kFlush, bool kSaturate>                   \
  struct Name {                                                     \
    static T apply(T a, T b) {                                      \
      a = flushed<kFlush>(a);                                       \
      b = flushed<kFlush>(b);                                       \
      return saturated<kSaturate>(finished<kFlush, T>(expression)); \
    }                                                               \
  }
GPUKIT_PTX_FLOAT2(Add, a + b);
GPUKIT_PTX_FLOAT2(Sub, a - b);
GPUKIT_PTX_FLOAT2(Mul, a* b);
GPUKIT_PTX_FLOAT2(Div, a / b);
GPUKIT_PTX_FLOAT2(Min, (smaller<false, T>(a, b)));
GPUKIT_PTX_FLOAT2(Max, (larger<false, T>(a, b)));
GPUKIT_PTX_FLOAT2(MinNan, (smaller<true, T>(a, b)));
GPUKIT_PTX_FLOAT2(MaxNan, (larger<true, T>(a, b)));
// .xorsign.abs: of the magnitudes, with the sign of the product.
GPUKIT_PTX_FLOAT2(MinSigned,
                  with_sign_of_product(smaller<false, T>(std::fabs(a), std::fabs(b)), a, b));
GPUKIT_PTX_FLOAT2(MaxSigned,
                  with_sign_of_product(larger<false, T>(std::fabs(a), std::fabs(b)), a, b));
GPUKIT_PTX_FLOAT2(MinNanSigned,
                  with_sign_of_product(smaller<true, T>(std::fabs(a), std::fabs(b)), a, b));
GPUKIT_PTX_FLOAT2(MaxNanSigned,
                  with_sign_of_product(larger<true, T>(std::fabs(a), std::fabs(b)), a, b));
#undef GPUKIT_PTX_FLOAT2

/// min and max of three.
template <bool kMin, bool kPropagate, bool kFlush, bool kAbsolute>
struct OfThree {
  static float pick(float a, float b) {
    return kMin ? smaller<kPropagate>(a, b) : larger<kPropagate>(a, b);
  }
  static float part(float a) {
    const float value = flushed<kFlush>(a);
    return kAbsolute ? std::fabs(value) : value;
  }
  static float apply(float a, float b, float c) { return pick(pick(part(a), part(b)), part(c)); }
};

template <class T, bool kFlush, bool kSaturate>
struct Fma {
  static T apply(T a, T b, T c) {
    return saturated<kSaturate>(
        finished<kFlush, T>(std::fma(flushed<kFlush>(a), flushed<kFlush>(b), flushed<kFlush>(c))));
  }
};

#define GPUKIT_PTX_FLOAT1(Name, expression)                         \
  template <class T, bool kFlush, bool kSaturate>                   \
  struct Name {                                                     \
    static T apply(T a) {                                           \
      a = flushed<kFlush>(a);                                       \
      return saturated<kSaturate>(finished<kFlush, T>(expression)); \
    }                                                               \
  }
GPUKIT_PTX_FLOAT1(Abs, std::fabs(a));
GPUKIT_PTX_FLOAT1(Neg, -a);
GPUKIT_PTX_FLOAT1(Reciprocal, T{1} / a);
GPUKIT_PTX_FLOAT1(SquareRoot, std::sqrt(a));
// The approximate ones are computed more exactly than a card does.
GPUKIT_PTX_FLOAT1(ReciprocalRoot, static_cast<T>(1.0 / std::sqrt(static_cast<double>(a))));
GPUKIT_PTX_FLOAT1(Sine, static_cast<T>(std::sin(static_cast<double>(a))));
GPUKIT_PTX_FLOAT1(Cosine, static_cast<T>(std::cos(static_cast<double>(a))));
GPUKIT_PTX_FLOAT1(Log2, std::log2(a));
GPUKIT_PTX_FLOAT1(Exp2, std::exp2(a));
GPUKIT_PTX_FLOAT1(Tanh, std::tanh(a));
#undef GPUKIT_PTX_FLOAT1

/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: the upper half of the number alone.
template <bool kRoot>
struct UpperHalf {
  static double apply(double a) {
    constexpr std::uint64_t kUpper = 0xffffffff00000000u;
    double x = std::bit_cast<double>(std::bit_cast<std::uint64_t>(a) & kUpper);
    if (std::fabs(x) < std::numeric_limits<double>::min()) x = std::copysign(0.0, x);
    double r = kRoot ? 1 / std::sqrt(x) : 1 / x;
    if (std::fabs(r) < std::numeric_limits<double>::min()) r = std::copysign(0.0, r);
    // Rounded to the nearest number with 32 bits; infinities and NaNs stay as they are.
    const auto bits = std::bit_cast<std::uint64_t>(r);
    if (!std::isfinite(r)) return std::bit_cast<double>(bits & kUpper);
    return std::bit_cast<double>((bits + 0x80000000u) & kUpper);
  }
};

template <template <class, bool, bool> class F, class T, bool kFlush, bool kSaturate>
constexpr Run kRun1 = map1<F<T, kFlush, kSaturate>, T, T>;
template <template <class, bool, bool> class F, class T, bool kFlush, bool kSaturate>
constexpr Run kRun2 = map2<F<T, kFlush, kSaturate>, T, T, T>;
template <template <class, bool, bool> class F, class T, bool kFlush, bool kSaturate>
constexpr Run kRun3 = map3<F<T, kFlush, kSaturate>, T, T, T, T>;

template <template <class, bool, bool> class F>
Run unary_run(Decoder& decoder, Type type, const Modifiers& m) {
  if (type == Type::kF64) return kRun1<F, double, false, false>;
  if (type != Type::kF32)
    decoder.fail("the type ." + std::string(name_of(type)) + " is none of this instruction");
  return m.flush ? kRun1<F, float, true, false> : kRun1<F, float, false, false>;
}

template <template <class, bool, bool> class F>
Run binary_run(Type type, const Modifiers& m) {
  if (type == Type::kF64)
    return m.rounding != 0 ? rounded<kRun2<F, double, false, false>>
                           : kRun2<F, double, false, false>;
  if (m.rounding != 0) {
    if (m.saturate)
      return m.flush ? rounded<kRun2<F, float, true, true>> : rounded<kRun2<F, float, false, true>>;
    return m.flush ? rounded<kRun2<F, float, true, false>> : rounded<kRun2<F, float, false, false>>;
  }
  if (m.saturate) return m.flush ? kRun2<F, float, true, true> : kRun2<F, float, false, true>;
  return m.flush ? kRun2<F, float, true, false> : kRun2<F, float, false, false>;
}

Run fma_run(Type type, const Modifiers& m) {
  if (type == Type::kF64)
    return m.rounding != 0 ? rounded<kRun3<Fma, double, false, false>>
                           : kRun3<Fma, double, false, false>;
  if (m.rounding != 0) {
    if (m.saturate)
      return m.flush ? rounded<kRun3<Fma, float, true, true>>
                     : rounded<kRun3<Fma, float, false, true>>;
    return m.flush ? rounded<kRun3<Fma, float, true, false>>
                   : rounded<kRun3<Fma, float, false, false>>;
  }
  if (m.saturate) return m.flush ? kRun3<Fma, float, true, true> : kRun3<Fma, float, false, true>;
  return m.flush ? kRun3<Fma, float, true, false> : kRun3<Fma, float, false, false>;
}

void require_plain_float(Decoder& decoder, Type type) {
  if (type != Type::kF32 && type != Type::kF64)
    decoder.fail("the type ." + std::string(name_of(type)) + " is none of this instruction");
}

void set_with_mode(Decoder& decoder, const Modifiers& m) {
  decoder.instruction().flags = static_cast<std::uint8_t>(m.rounding);
}

template <bool kMin, bool kPropagate>
Run run_of_three(bool flush, bool absolute) {
  using Float = float;
  if (flush)
    return absolute ? map3<OfThree<kMin, kPropagate, true, true>, Float, Float, Float, Float>
                    : map3<OfThree<kMin, kPropagate, true, false>, Float, Float, Float, Float>;
  return absolute ? map3<OfThree<kMin, kPropagate, false, true>, Float, Float, Float, Float>
                  : map3<OfThree<kMin, kPropagate, false, false>, Float, Float, Float, Float>;
}

void decode_minimum_of_three(Decoder& decoder, bool is_min, Type type, bool propagates,
                             const Modifiers& m) {
  const bool absolute = decoder.take("abs");
  if (type != Type::kF32) decoder.fail("min and max of three are of .f32");
  Run run = nullptr;
  if (is_min)
    run = propagates ? run_of_three<true, true>(m.flush, absolute)
                     : run_of_three<true, false>(m.flush, absolute);
  else
    run = propagates ? run_of_three<false, true>(m.flush, absolute)
                     : run_of_three<false, false>(m.flush, absolute);
  set_ternary(decoder, type, type, type, type, run);
}

void decode_signed_minimum(Decoder& decoder, bool is_min, Type type, bool propagates,
                           const Modifiers& m) {
  if (!decoder.take("abs") || type != Type::kF32) decoder.fail(".xorsign is .xorsign.abs of .f32");
  Run run = nullptr;
  if (is_min)
    run = propagates ? binary_run<MinNanSigned>(type, m) : binary_run<MinSigned>(type, m);
  else
    run = propagates ? binary_run<MaxNanSigned>(type, m) : binary_run<MaxSigned>(type, m);
  set_binary(decoder, type, type, type, run);
}

void decode_minimum(Decoder& decoder, bool is_min, Type type, const Modifiers& m) {
  const bool propagates = decoder.take("NaN");
  if (decoder.take("xorsign")) return decode_signed_minimum(decoder, is_min, type, propagates, m);
  if (decoder.operand_count() == 4)
    return decode_minimum_of_three(decoder, is_min, type, propagates, m);
  Run run = nullptr;
  if (is_min)
    run = propagates ? binary_run<MinNan>(type, m) : binary_run<Min>(type, m);
  else
    run = propagates ? binary_run<MaxNan>(type, m) : binary_run<Max>(type, m);
  set_binary(decoder, type, type, type, run);
}

template <template <class, bool, bool> class F>
void decode_function(Decoder& decoder) {
  const Type type = decoder.take_type();
  if (is_half(type)) return decode_half(decoder, decoder.opcode(), type);
  const Modifiers m = take_modifiers(decoder);
  Run run = unary_run<F>(decoder, type, m);
  if (type == Type::kF64 && m.approximate && m.flush)
    run = decoder.opcode() == "rcp" ? map1<UpperHalf<false>, double, double>
                                    : map1<UpperHalf<true>, double, double>;
  set_unary(decoder, type, type, run);
}

template <template <class, bool, bool> class F>
void decode_rounded_function(Decoder& decoder) {
  const Type type = decoder.take_type();
  const Modifiers m = take_modifiers(decoder);
  Run run = unary_run<F>(decoder, type, m);
  if (m.rounding != 0) {
    if (type == Type::kF64)
      run = rounded<kRun1<F, double, false, false>>;
    else
      run =
          m.flush ? rounded<kRun1<F, float, true, false>> : rounded<kRun1<F, float, false, false>>;
  }
  if (type == Type::kF64 && m.approximate && m.flush) run = map1<UpperHalf<false>, double, double>;
  set_unary(decoder, type, type, run);
  set_with_mode(decoder, m);
}

template <class T, class U>
struct CopySign {
  static U apply(U a, U b) {
    constexpr U kSign = U{1} << (8 * sizeof(U) - 1);
    return (b & ~kSign) | (a & kSign);
  }
};

// The tests of testp, by number.
template <class T>
bool holds(int test, T value) {
  switch (test) {
    case 0:
      return std::isfinite(value);
    case 1:
      return std::isinf(value);
    case 2:
      return !std::isnan(value);
    case 3:
      return std::isnan(value);
    case 4:
      return std::isnormal(value) || value == 0;
    default:
      return std::fpclassify(value) == FP_SUBNORMAL;
  }
}

template <class T>
void test(Warp& warp, const Instruction& in, Mask mask) {
  Mask bits = 0;
  for_each_lane(mask,
                [&](unsigned i) { bits |= Mask{holds(in.flags, warp.lanes<T>(in.a)[i])} << i; });
  write_predicate(warp, in.d, bits, mask);
}

}  // namespace

template <>
void decode<"fma">(Decoder& decoder) {
  const Type type = decoder.take_type();
  if (type == Type::kF32 || type == Type::kF64) return decode_float(decoder, "fma", type);
  decode_half(decoder, "fma", type);
}

template <>
void decode<"copysign">(Decoder& decoder) {
  const Type type = decoder.take_type();
  require_plain_float(decoder, type);
  set_binary(
      decoder, type, type, type,
      type == Type::kF64
          ? map2<CopySign<double, std::uint64_t>, std::uint64_t, std::uint64_t, std::uint64_t>
          : map2<CopySign<float, std::uint32_t>, std::uint32_t, std::uint32_t, std::uint32_t>);
}

template <>
void decode<"testp">(Decoder& decoder) {
  constexpr std::string_view kTests[] = {"finite",     "infinite", "number",
                                         "notanumber", "normal",   "subnormal"};
  int kind = -1;
  for (int i = 0; i < 6; i++) {
    if (decoder.take(kTests[i])) kind = i;
  }
  if (kind < 0) decoder.fail("testp names no test");
  const Type type = decoder.take_type();
  require_plain_float(decoder, type);
  set_unary(decoder, Type::kPred, type, type == Type::kF64 ? test<double> : test<float>);
  decoder.instruction().flags = static_cast<std::uint8_t>(kind);
}

void decode_float(Decoder& decoder, std::string_view opcode, Type type) {
  require_plain_float(decoder, type);
  const Modifiers m = take_modifiers(decoder);
  set_with_mode(decoder, m);
  if (opcode == "add") return set_binary(decoder, type, type, type, binary_run<Add>(type, m));
  if (opcode == "sub") return set_binary(decoder, type, type, type, binary_run<Sub>(type, m));
  if (opcode == "mul") return set_binary(decoder, type, type, type, binary_run<Mul>(type, m));
  if (opcode == "div") return set_binary(decoder, type, type, type, binary_run<Div>(type, m));
  if (opcode == "min" || opcode == "max") return decode_minimum(decoder, opcode == "min", type, m);
  if (opcode == "abs") return set_unary(decoder, type, type, unary_run<Abs>(decoder, type, m));
  if (opcode == "neg") return set_unary(decoder, type, type, unary_run<Neg>(decoder, type, m));
  set_ternary(decoder, type, type, type, type, fma_run(type, m));
}

template <>
std::span<const OpcodeRow> opcodes<Family::kFloat>() {
  static constexpr OpcodeRow kRows[] = {kRow<"fma">,
                                        {"rcp", decode_rounded_function<Reciprocal>},
                                        {"sqrt", decode_rounded_function<SquareRoot>},
                                        {"rsqrt", decode_function<ReciprocalRoot>},
                                        {"sin", decode_function<Sine>},
                                        {"cos", decode_function<Cosine>},
                                        {"lg2", decode_function<Log2>},
                                        {"ex2", decode_function<Exp2>},
                                        {"tanh", decode_function<Tanh>},
                                        kRow<"copysign">,
                                        kRow<"testp">};
  return kRows;
}

}  // namespace gpukit::ptx
