// Scalar operations with the semantics of NumPy and the array API, for every compute type
// that supports them.
#pragma once

#include "kernels/portable.h"
#include "kernels/scalar_math.h"
#include "kernels/special_math.h"

namespace gpukit {

// Integer arithmetic wraps around; it is done in an unsigned type because signed overflow is
// undefined.

template <class T>
GK_FN T wrap_add(T a, T b) {
  return static_cast<T>(static_cast<wrapping_t<T>>(a) + static_cast<wrapping_t<T>>(b));
}
template <class T>
GK_FN T wrap_sub(T a, T b) {
  return static_cast<T>(static_cast<wrapping_t<T>>(a) - static_cast<wrapping_t<T>>(b));
}
template <class T>
GK_FN T wrap_mul(T a, T b) {
  return static_cast<T>(static_cast<wrapping_t<T>>(a) * static_cast<wrapping_t<T>>(b));
}

template <class T>
GK_FN T add(T a, T b) {
  if constexpr (is_floating_scalar<T>) {
    return a + b;
  } else if constexpr (is_bool_scalar<T>) {
    return a || b;
  } else {
    return wrap_add(a, b);
  }
}

template <class T>
GK_FN T subtract(T a, T b) {
  if constexpr (is_floating_scalar<T>) {
    return a - b;
  } else {
    return wrap_sub(a, b);
  }
}

template <class T>
GK_FN T multiply(T a, T b) {
  if constexpr (is_floating_scalar<T>) {
    return a * b;
  } else if constexpr (is_bool_scalar<T>) {
    return a && b;
  } else {
    return wrap_mul(a, b);
  }
}

/// a * b + c. Of floating numbers it is rounded once, which is what compilers make of the two
/// operations on GPUs and what host compilers do not do unasked.
template <class T>
GK_FN T multiply_add(T a, T b, T c) {
  if constexpr (is_floating_scalar<T>) {
    if constexpr (sizeof(T) == 4) {
      return fmaf(a, b, c);
    } else {
      return fma(a, b, c);
    }
  } else {
    return add(c, multiply(a, b));
  }
}

/// True if a / b is undefined in C: division by zero, or the smallest integer by -1.
template <class T>
GK_FN bool divides_badly(T b) {
  if constexpr (ScalarTraits<T>::is_signed) {
    return b == static_cast<T>(0) || b == static_cast<T>(-1);
  } else {
    return b == static_cast<T>(0);
  }
}

/// Integers: rounds towards zero; x / 0 is 0 on every backend; the smallest integer divided by -1
/// wraps to itself.
template <class T>
GK_FN T divide(T a, T b) {
  if constexpr (is_floating_scalar<T>) {
    return a / b;
  } else {
    if (divides_badly(b))
      return b == static_cast<T>(0) ? static_cast<T>(0) : wrap_sub(static_cast<T>(0), a);
    return static_cast<T>(a / b);
  }
}

/// Python's %: the result has the sign of b. Integers: x % 0 is 0. Floating: x % 0 is NaN.
template <class T>
GK_FN T remainder(T a, T b) {
  if constexpr (is_floating_scalar<T>) {
    T rest = gk_fmod(a, b);
    if (b == static_cast<T>(0)) return rest;
    if (rest == static_cast<T>(0)) return gk_copysign(static_cast<T>(0), b);
    return (b < static_cast<T>(0)) != (rest < static_cast<T>(0)) ? rest + b : rest;
  } else {
    if (divides_badly(b)) return static_cast<T>(0);
    const T rest = static_cast<T>(a % b);
    if constexpr (ScalarTraits<T>::is_signed) {
      if (rest != static_cast<T>(0) && (rest < static_cast<T>(0)) != (b < static_cast<T>(0))) {
        return static_cast<T>(rest + b);
      }
    }
    return rest;
  }
}

/// Python's //: rounds towards minus infinity. Integers: x // 0 is 0. Floating: as NumPy, so that a
/// == (a
/// // b) * b + a % b.
template <class T>
GK_FN T floor_divide(T a, T b) {
  if constexpr (is_floating_scalar<T>) {
    if (b == static_cast<T>(0)) return a / b;
    const T rest = gk_fmod(a, b);
    T quotient = (a - rest) / b;
    if (rest != static_cast<T>(0) && (b < static_cast<T>(0)) != (rest < static_cast<T>(0))) {
      quotient -= static_cast<T>(1);
    }
    if (quotient == static_cast<T>(0)) return gk_copysign(static_cast<T>(0), a / b);
    const T lower = gk_floor(quotient);
    return quotient - lower > static_cast<T>(0.5) ? lower + static_cast<T>(1) : lower;
  } else {
    const T quotient = divide(a, b);
    if constexpr (ScalarTraits<T>::is_signed) {
      if (!divides_badly(b) && (a < static_cast<T>(0)) != (b < static_cast<T>(0)) &&
          a % b != static_cast<T>(0)) {
        return static_cast<T>(quotient - 1);
      }
    }
    return quotient;
  }
}

/// Integers: wraps around. A negative exponent gives 0, except for bases 1 and -1.
template <class T>
GK_FN T power(T a, T b) {
  if constexpr (is_floating_scalar<T>) {
    return gk_pow(a, b);
  } else {
    if constexpr (ScalarTraits<T>::is_signed) {
      if (b < static_cast<T>(0)) {
        if (a == static_cast<T>(1)) return a;
        if (a == static_cast<T>(-1)) return (b & static_cast<T>(1)) != 0 ? a : static_cast<T>(1);
        return static_cast<T>(0);
      }
    }
    wrapping_t<T> factor = static_cast<wrapping_t<T>>(a);
    wrapping_t<T> exponent = static_cast<wrapping_t<T>>(b);
    wrapping_t<T> result = 1;
    while (exponent != 0) {
      if ((exponent & 1u) != 0) result *= factor;
      factor *= factor;
      exponent >>= 1;
    }
    return static_cast<T>(result);
  }
}

/// Propagates NaN, as in NumPy.
template <class T>
GK_FN T maximum(T a, T b) {
  return a > b || is_nan(a) ? a : b;
}
template <class T>
GK_FN T minimum(T a, T b) {
  return a < b || is_nan(a) ? a : b;
}

template <class T>
GK_FN T logaddexp(T a, T b) {
  if (a == b) return a + static_cast<T>(0.69314718055994530942);
  const T difference = a - b;
  if (is_nan(difference)) return difference;
  const T larger = difference > static_cast<T>(0) ? a : b;
  return larger + gk_log1p(gk_exp(-gk_fabs(difference)));
}

/// A double and its bits.
union DoubleBits {
  double value;
  gk_u64 bits;
};

/// Divides the exponent by 3 in the bit pattern: within 5 % of the cube root of a normal number.
GK_FN double cube_root_estimate(double x) {
  DoubleBits number = {x};
  number.bits = ((number.bits >> 32) / 3 + 715094163) << 32;
  return number.value;
}

/// One step of Halley's method for the cube root of x: triples the correct digits.
GK_FN double nearer_cube_root(double x, double root) {
  const double cube = root * root * root;
  return root * ((cube + (x + x)) / (cube + cube + x));
}

/// The last step, from a root with 23 correct bits or more, whose square is exact (as in FreeBSD's
/// cbrt.c).
GK_FN double exact_cube_root(double x, double root) {
  DoubleBits number = {root};
  number.bits = (number.bits + 0x80000000ULL) & 0xffffffffc0000000ULL;
  const double short_root = number.value;
  const double quotient = x / (short_root * short_root);
  const double error = (quotient - short_root) / (short_root + short_root + quotient);
  return short_root + short_root * error;
}

/// Not the math library's cbrt: CUDA's uses an approximate reciprocal root for extreme inputs.
template <class T>
GK_FN T cube_root(T x) {
  if (x == static_cast<T>(0) || !is_finite(x)) return x;
  double size = static_cast<double>(gk_fabs(x)), scale = 1.0;
  if (size < 0x1p-1022) {  // subnormal
    size *= 0x1p54;
    scale = 0x1p-18;
  } else if (size > 0x1p1000) {  // three times x may overflow
    size *= 0x1p-54;
    scale = 0x1p18;
  }
  double root = nearer_cube_root(size, nearer_cube_root(size, cube_root_estimate(size)));
  if constexpr (sizeof(T) == 8) root = exact_cube_root(size, root);
  return gk_copysign(static_cast<T>(root * scale), x);
}

template <class T>
GK_FN T logaddexp2(T a, T b) {
  if (a == b) return a + static_cast<T>(1);
  const T difference = a - b;
  if (is_nan(difference)) return difference;
  const T larger = difference > static_cast<T>(0) ? a : b;
  return larger + gk_log1p(gk_exp2(-gk_fabs(difference))) * static_cast<T>(1.44269504088896340736);
}

/// a times a logarithm, and 0 where a is 0 unless b, of which it is, is NaN.
template <class T>
GK_FN T times_logarithm(T a, T b, T logarithm) {
  return a == static_cast<T>(0) && !is_nan(b) ? static_cast<T>(0) : a * logarithm;
}

/// A shift by the width or more, or by a negative count, moves every bit out.
template <class T>
GK_FN T shift_left(T a, T b) {
  const wrapping_t<T> count = static_cast<wrapping_t<T>>(b);
  if (count >= sizeof(T) * 8) return static_cast<T>(0);
  return static_cast<T>(static_cast<wrapping_t<T>>(a) << count);
}
template <class T>
GK_FN T shift_right(T a, T b) {
  const wrapping_t<T> count = static_cast<wrapping_t<T>>(b);
  if (count >= sizeof(T) * 8) return is_negative_sign(a) ? static_cast<T>(-1) : static_cast<T>(0);
  return static_cast<T>(a >> count);
}

template <class T>
GK_FN T negate(T x) {
  if constexpr (is_floating_scalar<T>) {
    return -x;
  } else {
    return wrap_sub(static_cast<T>(0), x);
  }
}

/// The smallest integer has no positive counterpart and stays as it is.
template <class T>
GK_FN T absolute(T x) {
  if constexpr (is_floating_scalar<T>) {
    return gk_fabs(x);
  } else if constexpr (ScalarTraits<T>::is_signed) {
    return x < static_cast<T>(0) ? negate(x) : x;
  } else {
    return x;
  }
}

template <class T>
GK_FN T sign(T x) {
  if constexpr (is_bool_scalar<T>) {
    return x;
  } else if constexpr (ScalarTraits<T>::is_signed) {
    if (is_nan(x)) return x;
    return static_cast<T>((x > static_cast<T>(0) ? 1 : 0) - (x < static_cast<T>(0) ? 1 : 0));
  } else {
    return static_cast<T>(x != static_cast<T>(0) ? 1 : 0);
  }
}

/// NaN stays NaN; -0 becomes 0.
template <class T>
GK_FN T relu(T x) {
  if constexpr (ScalarTraits<T>::is_signed) {
    return x <= static_cast<T>(0) ? static_cast<T>(0) : x;
  } else {
    return x;
  }
}

template <class T>
GK_FN T sigmoid(T x) {
  return static_cast<T>(1) / (static_cast<T>(1) + gk_exp(-x));
}

/// x times the normal cumulative distribution function (exact, with erf).
template <class T>
GK_FN T gelu(T x) {
  return static_cast<T>(0.5) * x *
         (static_cast<T>(1) + gk_erf(x * static_cast<T>(0.70710678118654752440)));
}

template <class T>
GK_FN T bitwise_not(T x) {
  if constexpr (is_bool_scalar<T>) {
    return !x;
  } else {
    return static_cast<T>(~x);
  }
}

}  // namespace gpukit
