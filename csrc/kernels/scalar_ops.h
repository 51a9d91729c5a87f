// One function per operation of op_codes.h, shared by the kernels and the CPU backend, so that both
// give the same answer. Values have the compute type: bool, the integers, float and double; half
// types are computed in float.
//
// Everything here has internal linkage on purpose: cpu/simd compiles this header at several ISA
// levels.
#pragma once

#include "kernels/op_codes.h"
#include "kernels/portable.h"
#include "kernels/scalar_arithmetic.h"

namespace gpukit {

/// What an operation is defined for; all else is refused above the backends.
GK_CONSTEXPR bool unary_supports(UnaryOp op, ScalarKind kind) {
  if (op >= UnaryOp::kLogicalNot) return true;
  if (op == UnaryOp::kBitwiseNot) return kind != ScalarKind::kFloating;
  if (kind == ScalarKind::kFloating) return true;
  if (op == UnaryOp::kNeg) return kind == ScalarKind::kInteger;
  return op == UnaryOp::kAbs || op == UnaryOp::kSign || op == UnaryOp::kSquare ||
         op == UnaryOp::kRelu || (op >= UnaryOp::kFloor && op <= UnaryOp::kTrunc);
}

GK_CONSTEXPR bool binary_supports(BinaryOp op, ScalarKind kind) {
  if (op >= BinaryOp::kEq) return true;
  if (op >= BinaryOp::kShiftLeft) return kind == ScalarKind::kInteger;
  if (op >= BinaryOp::kBitwiseAnd) return kind != ScalarKind::kFloating;
  if (op >= BinaryOp::kAtan2) return kind == ScalarKind::kFloating;
  if (kind != ScalarKind::kBool) return true;
  return op == BinaryOp::kAdd || op == BinaryOp::kMul || op == BinaryOp::kMaximum ||
         op == BinaryOp::kMinimum;
}

template <UnaryOp op, class T>
GK_FN T floating_unary(T x) {
  if constexpr (op == UnaryOp::kSqrt)
    return gk_sqrt(x);
  else if constexpr (op == UnaryOp::kRsqrt)
    return static_cast<T>(1) / gk_sqrt(x);
  else if constexpr (op == UnaryOp::kReciprocal)
    return static_cast<T>(1) / x;
  else if constexpr (op == UnaryOp::kExp)
    return gk_exp(x);
  else if constexpr (op == UnaryOp::kExpm1)
    return gk_expm1(x);
  else if constexpr (op == UnaryOp::kLog)
    return gk_log(x);
  else if constexpr (op == UnaryOp::kLog1p)
    return gk_log1p(x);
  else if constexpr (op == UnaryOp::kLog2)
    return gk_log2(x);
  else if constexpr (op == UnaryOp::kLog10)
    return gk_log10(x);
  else if constexpr (op == UnaryOp::kSin)
    return gk_sin(x);
  else if constexpr (op == UnaryOp::kCos)
    return gk_cos(x);
  else if constexpr (op == UnaryOp::kTan)
    return gk_tan(x);
  else if constexpr (op == UnaryOp::kAsin)
    return gk_asin(x);
  else if constexpr (op == UnaryOp::kAcos)
    return gk_acos(x);
  else if constexpr (op == UnaryOp::kAtan)
    return gk_atan(x);
  else if constexpr (op == UnaryOp::kSinh)
    return gk_sinh(x);
  else if constexpr (op == UnaryOp::kCosh)
    return gk_cosh(x);
  else if constexpr (op == UnaryOp::kTanh)
    return gk_tanh(x);
  else if constexpr (op == UnaryOp::kAsinh)
    return gk_asinh(x);
  else if constexpr (op == UnaryOp::kAcosh)
    return gk_acosh(x);
  else if constexpr (op == UnaryOp::kAtanh)
    return gk_atanh(x);
  else if constexpr (op == UnaryOp::kSigmoid)
    return sigmoid(x);
  else if constexpr (op == UnaryOp::kGelu)
    return gelu(x);
  else if constexpr (op == UnaryOp::kErf)
    return gk_erf(x);
  else if constexpr (op == UnaryOp::kFloor)
    return gk_floor(x);
  else if constexpr (op == UnaryOp::kCeil)
    return gk_ceil(x);
  else if constexpr (op == UnaryOp::kRound)
    return gk_rint(x);  // halves to even
  else {
    static_assert(op == UnaryOp::kTrunc);
    return gk_trunc(x);
  }
}

/// op(x): T, or bool where gives_bool(op). Only for pairs that unary_supports.
template <UnaryOp op, class T>
GK_FN auto apply_unary(T x) {
  static_assert(unary_supports(op, ScalarTraits<T>::kind));
  if constexpr (op == UnaryOp::kNeg)
    return negate(x);
  else if constexpr (op == UnaryOp::kAbs)
    return absolute(x);
  else if constexpr (op == UnaryOp::kSign)
    return sign(x);
  else if constexpr (op == UnaryOp::kSquare)
    return multiply(x, x);
  else if constexpr (op == UnaryOp::kRelu)
    return relu(x);
  else if constexpr (op == UnaryOp::kBitwiseNot)
    return bitwise_not(x);
  else if constexpr (op == UnaryOp::kLogicalNot)
    return x == static_cast<T>(0);
  else if constexpr (op == UnaryOp::kIsNan)
    return is_nan(x);
  else if constexpr (op == UnaryOp::kIsInf)
    return is_infinite(x);
  else if constexpr (op == UnaryOp::kIsFinite)
    return is_finite(x);
  else if constexpr (op == UnaryOp::kSignbit)
    return is_negative_sign(x);
  else if constexpr (is_floating_scalar<T>)
    return floating_unary<op>(x);
  else
    return x;  // an integer is its own floor, ceiling, rounded and truncated value
}

/// op(a, b): T, or bool where gives_bool(op). Only for pairs that binary_supports.
template <BinaryOp op, class T>
GK_FN auto apply_binary(T a, T b) {
  static_assert(binary_supports(op, ScalarTraits<T>::kind));
  if constexpr (op == BinaryOp::kAdd)
    return add(a, b);
  else if constexpr (op == BinaryOp::kSub)
    return subtract(a, b);
  else if constexpr (op == BinaryOp::kMul)
    return multiply(a, b);
  else if constexpr (op == BinaryOp::kDiv)
    return divide(a, b);
  else if constexpr (op == BinaryOp::kFloorDivide)
    return floor_divide(a, b);
  else if constexpr (op == BinaryOp::kRemainder)
    return remainder(a, b);
  else if constexpr (op == BinaryOp::kPow)
    return power(a, b);
  else if constexpr (op == BinaryOp::kMaximum)
    return maximum(a, b);
  else if constexpr (op == BinaryOp::kMinimum)
    return minimum(a, b);
  else if constexpr (op == BinaryOp::kAtan2)
    return gk_atan2(a, b);
  else if constexpr (op == BinaryOp::kHypot)
    return gk_hypot(a, b);
  else if constexpr (op == BinaryOp::kCopysign)
    return gk_copysign(a, b);
  else if constexpr (op == BinaryOp::kLogaddexp)
    return logaddexp(a, b);
  else if constexpr (op == BinaryOp::kNextafter)
    return gk_nextafter(a, b);
  else if constexpr (op == BinaryOp::kReluGradient)
    return b <= static_cast<T>(0) ? static_cast<T>(0) : a;
  else if constexpr (op == BinaryOp::kBitwiseAnd)
    return static_cast<T>(a & b);
  else if constexpr (op == BinaryOp::kBitwiseOr)
    return static_cast<T>(a | b);
  else if constexpr (op == BinaryOp::kBitwiseXor)
    return static_cast<T>(a ^ b);
  else if constexpr (op == BinaryOp::kShiftLeft)
    return shift_left(a, b);
  else if constexpr (op == BinaryOp::kShiftRight)
    return shift_right(a, b);
  else if constexpr (op == BinaryOp::kEq)
    return a == b;
  else if constexpr (op == BinaryOp::kNe)
    return a != b;
  else if constexpr (op == BinaryOp::kLt)
    return a < b;
  else if constexpr (op == BinaryOp::kLe)
    return a <= b;
  else if constexpr (op == BinaryOp::kGt)
    return a > b;
  else if constexpr (op == BinaryOp::kGe)
    return a >= b;
  else if constexpr (op == BinaryOp::kLogicalAnd)
    return a != static_cast<T>(0) && b != static_cast<T>(0);
  else if constexpr (op == BinaryOp::kLogicalOr)
    return a != static_cast<T>(0) || b != static_cast<T>(0);
  else
    return (a != static_cast<T>(0)) != (b != static_cast<T>(0));
}

/// nextafter for a 16-bit format, by its bits: the neighbour of `from` towards `to`, where the
/// values of both are given as float. float would round the step away.
GK_FN gk_u16 next_after_16(gk_u16 from, float from_value, gk_u16 to, float to_value) {
  if (is_nan(from_value)) return from;
  if (is_nan(to_value) || from_value == to_value) return to;
  if (from_value == 0.0f) return static_cast<gk_u16>((to & 0x8000u) | 1u);
  const bool away_from_zero = (from_value < to_value) == (from_value > 0.0f);
  return static_cast<gk_u16>(away_from_zero ? from + 1 : from - 1);
}

GK_FN gk_i32 float_to_i32(double x) {
  if (!(x >= -2147483648.0)) return x != x ? 0 : -2147483647 - 1;
  return x >= 2147483648.0 ? 2147483647 : static_cast<gk_i32>(x);
}
GK_FN gk_i32 float_to_i32(float x) {
  if (!(x >= -2147483648.0f)) return x != x ? 0 : -2147483647 - 1;
  return x >= 2147483648.0f ? 2147483647 : static_cast<gk_i32>(x);
}
template <class T>
GK_FN gk_i64 float_to_i64(T x) {
  const T limit = static_cast<T>(9223372036854775808.0);
  if (!(x >= -limit)) return x != x ? 0 : -9223372036854775807LL - 1;
  return x >= limit ? 9223372036854775807LL : static_cast<gk_i64>(x);
}

/// Negative values keep the bits of their int64.
template <class T>
GK_FN gk_u64 float_to_u64(T x) {
  if (!(x >= static_cast<T>(9223372036854775808.0))) return static_cast<gk_u64>(float_to_i64(x));
  return x >= static_cast<T>(18446744073709551616.0) ? ~0ULL : static_cast<gk_u64>(x);
}

/// Conversion between compute types. Floating to integer truncates, NaN gives 0, and values out of
/// range saturate to int64, uint64 or int32; narrower integers keep the low bits of that int32,
/// uint32 those of the int64. Anything but zero is true.
template <class To, class From>
GK_FN To convert_scalar(From x) {
  if constexpr (is_bool_scalar<To>) {
    return x != static_cast<From>(0);
  } else if constexpr (is_floating_scalar<From> && !is_floating_scalar<To>) {
    constexpr bool is_unsigned = !ScalarTraits<To>::is_signed;
    if constexpr (sizeof(To) == 8 && is_unsigned) {
      return float_to_u64(x);
    } else if constexpr (sizeof(To) == 8 || (sizeof(To) == 4 && is_unsigned)) {
      return static_cast<To>(float_to_i64(x));
    } else {
      return static_cast<To>(float_to_i32(x));
    }
  } else {
    return static_cast<To>(x);
  }
}

template <UnaryOp op>
struct UnaryTag {
  static constexpr UnaryOp value = op;
};
template <BinaryOp op>
struct BinaryTag {
  static constexpr BinaryOp value = op;
};

/// Calls `visitor(UnaryTag<op>{})`, so that the switch stands outside the loop over elements. Only
/// operations that are defined for the compute type T are instantiated; false when `op` is not one
/// of them.
template <class T, class Visitor>
GK_FN bool visit_unary(UnaryOp op, Visitor&& visitor) {
#define GK_CASE(name)                                                     \
  case UnaryOp::name:                                                     \
    if constexpr (unary_supports(UnaryOp::name, ScalarTraits<T>::kind)) { \
      visitor(UnaryTag<UnaryOp::name>{});                                 \
      return true;                                                        \
    }                                                                     \
    return false
  switch (op) {
    GK_CASE(kNeg);
    GK_CASE(kAbs);
    GK_CASE(kSign);
    GK_CASE(kSquare);
    GK_CASE(kSqrt);
    GK_CASE(kRsqrt);
    GK_CASE(kReciprocal);
    GK_CASE(kExp);
    GK_CASE(kExpm1);
    GK_CASE(kLog);
    GK_CASE(kLog1p);
    GK_CASE(kLog2);
    GK_CASE(kLog10);
    GK_CASE(kSin);
    GK_CASE(kCos);
    GK_CASE(kTan);
    GK_CASE(kAsin);
    GK_CASE(kAcos);
    GK_CASE(kAtan);
    GK_CASE(kSinh);
    GK_CASE(kCosh);
    GK_CASE(kTanh);
    GK_CASE(kAsinh);
    GK_CASE(kAcosh);
    GK_CASE(kAtanh);
    GK_CASE(kSigmoid);
    GK_CASE(kRelu);
    GK_CASE(kGelu);
    GK_CASE(kErf);
    GK_CASE(kFloor);
    GK_CASE(kCeil);
    GK_CASE(kRound);
    GK_CASE(kTrunc);
    GK_CASE(kBitwiseNot);
    GK_CASE(kLogicalNot);
    GK_CASE(kIsNan);
    GK_CASE(kIsInf);
    GK_CASE(kIsFinite);
    GK_CASE(kSignbit);
    default:
      return false;
  }
#undef GK_CASE
}

/// As visit_unary, with BinaryTag<op>{}.
template <class T, class Visitor>
GK_FN bool visit_binary(BinaryOp op, Visitor&& visitor) {
#define GK_CASE(name)                                                       \
  case BinaryOp::name:                                                      \
    if constexpr (binary_supports(BinaryOp::name, ScalarTraits<T>::kind)) { \
      visitor(BinaryTag<BinaryOp::name>{});                                 \
      return true;                                                          \
    }                                                                       \
    return false
  switch (op) {
    GK_CASE(kAdd);
    GK_CASE(kSub);
    GK_CASE(kMul);
    GK_CASE(kDiv);
    GK_CASE(kFloorDivide);
    GK_CASE(kRemainder);
    GK_CASE(kPow);
    GK_CASE(kMaximum);
    GK_CASE(kMinimum);
    GK_CASE(kAtan2);
    GK_CASE(kHypot);
    GK_CASE(kCopysign);
    GK_CASE(kLogaddexp);
    GK_CASE(kNextafter);
    GK_CASE(kReluGradient);
    GK_CASE(kBitwiseAnd);
    GK_CASE(kBitwiseOr);
    GK_CASE(kBitwiseXor);
    GK_CASE(kShiftLeft);
    GK_CASE(kShiftRight);
    GK_CASE(kEq);
    GK_CASE(kNe);
    GK_CASE(kLt);
    GK_CASE(kLe);
    GK_CASE(kGt);
    GK_CASE(kGe);
    GK_CASE(kLogicalAnd);
    GK_CASE(kLogicalOr);
    GK_CASE(kLogicalXor);
    default:
      return false;
  }
#undef GK_CASE
}

}  // namespace gpukit
