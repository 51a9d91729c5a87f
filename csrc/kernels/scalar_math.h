// Properties of the compute types and the C library by type: what scalar_ops.h is built from.
#pragma once

#include "kernels/portable.h"

#if !defined(__CUDACC__)
#include <math.h>
#endif

namespace gpukit {

/// The kinds of base/dtypes.def.
enum class ScalarKind : int {
#define GK_DTYPE_KIND(Kind) k##Kind,
#include "base/dtypes.def"
};

/// One of the answers; a parameter for each kind, as of_kind of core/dtype.h.
// clang-format off
GK_CONSTEXPR bool by_kind(ScalarKind kind
#define GK_DTYPE_KIND(Kind) , bool for##Kind
#include "base/dtypes.def"
) {
  switch (kind) {
#define GK_DTYPE_KIND(Kind) case ScalarKind::k##Kind: return for##Kind;
#include "base/dtypes.def"
  }
  return false;
}
// clang-format on

/// Integers: of what else comes here the division says so.
template <class T>
struct ScalarTraits {
  static_assert(static_cast<T>(3) / static_cast<T>(2) == static_cast<T>(1));
  static constexpr ScalarKind kind = ScalarKind::kInteger;
  static constexpr bool is_signed = static_cast<T>(-1) < static_cast<T>(0);
};
template <>
struct ScalarTraits<bool> {
  static constexpr ScalarKind kind = ScalarKind::kBool;
  static constexpr bool is_signed = false;
};
template <>
struct ScalarTraits<float> {
  static constexpr ScalarKind kind = ScalarKind::kFloating;
  static constexpr bool is_signed = true;
};
template <>
struct ScalarTraits<double> {
  static constexpr ScalarKind kind = ScalarKind::kFloating;
  static constexpr bool is_signed = true;
};

/// Code that tests for one kind treats the other two differently. Types of a new kind therefore
/// have no value: a compile error wherever they are not handled.
template <class T>
struct KnownKind {
  typedef ScalarTraits<T> type;
  static_assert(type::kind == ScalarKind::kBool || type::kind == ScalarKind::kInteger ||
                type::kind == ScalarKind::kFloating);
};
template <class T>
inline constexpr bool is_floating_scalar = KnownKind<T>::type::kind == ScalarKind::kFloating;
template <class T>
inline constexpr bool is_bool_scalar = KnownKind<T>::type::kind == ScalarKind::kBool;

/// Unsigned type of at least the size of T in which overflow wraps without promotion to int.
template <int kBytes>
struct WrappingOf {
  typedef gk_u32 type;
};
template <>
struct WrappingOf<8> {
  typedef gk_u64 type;
};
template <class T>
using wrapping_t = typename WrappingOf<static_cast<int>(sizeof(T))>::type;

// The C library by type: gk_exp(float) is expf, gk_exp(double) is exp.
#define GK_MATH_FUNCTION(name)                          \
  GK_FN float gk_##name(float x) { return name##f(x); } \
  GK_FN double gk_##name(double x) { return name(x); }
#define GK_MATH_FUNCTION_2(name)                                    \
  GK_FN float gk_##name(float x, float y) { return name##f(x, y); } \
  GK_FN double gk_##name(double x, double y) { return name(x, y); }

GK_MATH_FUNCTION(fabs)
GK_MATH_FUNCTION(sqrt)
GK_MATH_FUNCTION(exp)
GK_MATH_FUNCTION(expm1)
GK_MATH_FUNCTION(log)
GK_MATH_FUNCTION(log1p)
GK_MATH_FUNCTION(log2)
GK_MATH_FUNCTION(log10)
GK_MATH_FUNCTION(sin)
GK_MATH_FUNCTION(cos)
GK_MATH_FUNCTION(tan)
GK_MATH_FUNCTION(asin)
GK_MATH_FUNCTION(acos)
GK_MATH_FUNCTION(atan)
GK_MATH_FUNCTION(sinh)
GK_MATH_FUNCTION(cosh)
GK_MATH_FUNCTION(tanh)
GK_MATH_FUNCTION(asinh)
GK_MATH_FUNCTION(acosh)
GK_MATH_FUNCTION(atanh)
GK_MATH_FUNCTION(erf)
GK_MATH_FUNCTION(exp2)
GK_MATH_FUNCTION(erfc)
GK_MATH_FUNCTION(floor)
GK_MATH_FUNCTION(ceil)
GK_MATH_FUNCTION(rint)
GK_MATH_FUNCTION(trunc)
GK_MATH_FUNCTION_2(fmod)
GK_MATH_FUNCTION_2(pow)
GK_MATH_FUNCTION_2(atan2)
GK_MATH_FUNCTION_2(copysign)
GK_MATH_FUNCTION_2(nextafter)

// The library's hypot is called nowhere. glibc 2.35 renewed the symbol, which would bind the wheel
// to that release; libdevice's takes the processor's approximate reciprocal root for granted near
// the largest numbers.

/// Rounded, whatever is subtracted from it later.
GK_FN double rounded_product(double x, double y) {
#if defined(__CUDACC__)
  return __dmul_rn(x, y);
#else
  return x * y;
#endif
}

template <class T>
GK_FN bool is_infinite(T x);

/// sqrt(x^2 + y^2) without overflow in between; infinite if either is. In double the squares of
/// floats are exact, so the result is rounded twice at most.
GK_FN float gk_hypot(float x, float y) {
  if (is_infinite(x) || is_infinite(y)) return gk_fabs(is_infinite(x) ? x : y);
  const double wide_x = x;
  const double wide_y = y;
  return static_cast<float>(sqrt(wide_x * wide_x + wide_y * wide_y));
}

/// The same for doubles within 1 ulp: squares near 1 by a scale of 2^±600, then one Newton step on
/// the root whose residual is exact through fma (C. Borges, "An improved algorithm for hypot(a,
/// b)", 2019).
GK_FN double gk_hypot(double x, double y) {
  if (is_infinite(x) || is_infinite(y)) return gk_fabs(is_infinite(x) ? x : y);
  if (x != x || y != y) return x + y;
  const double larger = fmax(fabs(x), fabs(y));
  const double smaller = fmin(fabs(x), fabs(y));
  if (smaller <= larger * 0x1p-54) return larger + smaller;
  const double scale = larger > 0x1p500 ? 0x1p-600 : smaller < 0x1p-450 ? 0x1p600 : 1.0;
  const double a = larger * scale;
  const double b = smaller * scale;
  const double root = sqrt(fma(a, a, b * b));
  const double root_squared = rounded_product(root, root);
  const double a_squared = rounded_product(a, a);
  const double residual =
      fma(-b, b, root_squared - a_squared) + fma(root, root, -root_squared) - fma(a, a, -a_squared);
  return (root - residual / (2.0 * root)) / scale;
}

#undef GK_MATH_FUNCTION
#undef GK_MATH_FUNCTION_2

GK_FN float largest_finite(float) { return 3.402823466e+38f; }
GK_FN double largest_finite(double) { return 1.7976931348623157e+308; }

template <class T>
GK_FN bool is_nan(T x) {
  if constexpr (is_floating_scalar<T>) {
    return x != x;
  } else {
    return false;
  }
}

template <class T>
GK_FN bool is_infinite(T x) {
  if constexpr (is_floating_scalar<T>) {
    return gk_fabs(x) > largest_finite(x);
  } else {
    return false;
  }
}

template <class T>
GK_FN bool is_finite(T x) {
  if constexpr (is_floating_scalar<T>) {
    return gk_fabs(x) <= largest_finite(x);
  } else {
    return true;
  }
}

template <class T>
GK_FN bool is_negative_sign(T x) {
  if constexpr (is_floating_scalar<T>) {
    return gk_copysign(static_cast<T>(1), x) < static_cast<T>(0);
  } else if constexpr (ScalarTraits<T>::is_signed) {
    return x < static_cast<T>(0);
  } else {
    return false;
  }
}

}  // namespace gpukit
