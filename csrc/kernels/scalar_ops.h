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

struct OfScalarKind {
  ScalarKind kind;
  template <class... Answers>
  GK_CONSTEXPR bool operator()(Answers... answers) const {
    return by_kind(kind, answers...);
  }
};

/// What a domain is defined for; all else is converted or refused above the backends.
GK_CONSTEXPR bool supports(Domain domain, ScalarKind kind) {
  return takes(domain, OfScalarKind{kind});
}

/// op(x): T, or bool where gives_bool(op). Only for types that its domain supports.
template <UnaryOp op, class T>
GK_FN auto apply_unary(T x) {
  static_assert(supports(domain_of(op), ScalarTraits<T>::kind));
#define GK_UNARY(code, name, parameters, domain, sign, cost, forms, sampled, value, ...) \
  if constexpr (op == UnaryOp::code) {                                                   \
    return value;                                                                        \
  } else
#include "kernels/elementwise.def"
  static_assert(op < UnaryOp::kCount);
}

/// op(a, b): T, or bool where gives_bool(op). Only for types that its domain supports.
template <BinaryOp op, class T>
GK_FN auto apply_binary(T a, T b) {
  static_assert(supports(domain_of(op), ScalarTraits<T>::kind));
#define GK_BINARY(code, name, parameters, domain, sign, cost, forms, left, right, value, ...) \
  if constexpr (op == BinaryOp::code) {                                                       \
    return value;                                                                             \
  } else
#include "kernels/elementwise.def"
  static_assert(op < BinaryOp::kCount);
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

/// Calls `visitor(UnaryTag<op>{})`, so that the switch is outside the loop over elements. Only
/// operations that are defined for the compute type T are instantiated; false when `op` is not one
/// of them.
template <class T, class Visitor>
GK_FN bool visit_unary(UnaryOp op, Visitor&& visitor) {
  switch (op) {
#define GK_UNARY(code, name, parameters, domain, ...)                \
  case UnaryOp::code:                                                \
    if constexpr (supports(Domain::domain, ScalarTraits<T>::kind)) { \
      visitor(UnaryTag<UnaryOp::code>{});                            \
      return true;                                                   \
    }                                                                \
    return false;
#include "kernels/elementwise.def"
    case UnaryOp::kCount:
      break;
  }
  return false;
}

/// As visit_unary, with BinaryTag<op>{}.
template <class T, class Visitor>
GK_FN bool visit_binary(BinaryOp op, Visitor&& visitor) {
  switch (op) {
#define GK_BINARY(code, name, parameters, domain, ...)               \
  case BinaryOp::code:                                               \
    if constexpr (supports(Domain::domain, ScalarTraits<T>::kind)) { \
      visitor(BinaryTag<BinaryOp::code>{});                          \
      return true;                                                   \
    }                                                                \
    return false;
#include "kernels/elementwise.def"
    case BinaryOp::kCount:
      break;
  }
  return false;
}

}  // namespace gpukit
