// Functions of complex numbers, shared by the CPU and the kernels: C99's Annex G decides what
// infinities, NaN and signed zeros give. The products are computed in the type of the parts, the
// other functions in double for both complex dtypes.
#pragma once

#include "kernels/op_codes.h"
#include "kernels/scalar_math.h"

namespace gpukit {

// In a kernel these are called: inlined, each of them would be there many times.
#if defined(__CUDACC__)
#define GK_CALLED static __device__ __noinline__
#else
#define GK_CALLED static inline
#endif

template <class T>
struct Complex {
  T re, im;
};
typedef Complex<double> Complex128;

inline constexpr double kComplexPi = 3.14159265358979323846;
inline constexpr double kComplexLn2 = 0.69314718055994530942;
inline constexpr double kComplexLn10 = 2.30258509299404568402;
/// Sizes from which squares and sums overflow or vanish beside 1.
inline constexpr double kComplexHuge = 0x1p500;

GK_FN double complex_infinity() {
#if defined(__CUDACC__)
  return __longlong_as_double(0x7ff0000000000000LL);
#else
  return __builtin_inf();
#endif
}

/// Products that the compiler does not join with a sum: z * conj(z) is real.
GK_FN float single_product(float x, float y) {
#if defined(__CUDACC__)
  return __fmul_rn(x, y);
#else
  return x * y;
#endif
}
GK_FN double single_product(double x, double y) { return rounded_product(x, y); }

GK_FN bool is_finite(Complex128 z) { return is_finite(z.re) && is_finite(z.im); }

template <class T>
GK_FN Complex<T> complex_product(Complex<T> a, Complex<T> b) {
  return {single_product(a.re, b.re) - single_product(a.im, b.im),
          single_product(a.re, b.im) + single_product(a.im, b.re)};
}

/// R. Smith's quotient, which does not square the divisor.
template <class T>
GK_FN Complex<T> complex_quotient(Complex<T> a, Complex<T> b) {
  const T re = gk_fabs(b.re), im = gk_fabs(b.im);
  if (re == static_cast<T>(0) && im == static_cast<T>(0)) return {a.re / re, a.im / re};
  if (re >= im) {
    const T ratio = b.im / b.re;
    const T scale = static_cast<T>(1) / (b.re + b.im * ratio);
    return {(a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale};
  }
  const T ratio = b.re / b.im;
  const T scale = static_cast<T>(1) / (b.im + b.re * ratio);
  return {(a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale};
}

/// The functions that several of those below use.
GK_CALLED double called_exp(double x) { return gk_exp(x); }
GK_CALLED double called_log(double x) { return gk_log(x); }
GK_CALLED double called_log1p(double x) { return gk_log1p(x); }
GK_CALLED double called_asinh(double x) { return gk_asinh(x); }
GK_CALLED double called_sin(double x) { return gk_sin(x); }
GK_CALLED double called_cos(double x) { return gk_cos(x); }
GK_CALLED double called_sinh(double x) { return gk_sinh(x); }
GK_CALLED double called_cosh(double x) { return gk_cosh(x); }
GK_CALLED double called_atan2(double y, double x) { return gk_atan2(y, x); }
GK_CALLED double called_hypot(double x, double y) { return gk_hypot(x, y); }
GK_CALLED Complex128 called_quotient(Complex128 a, Complex128 b) { return complex_quotient(a, b); }

/// i * z and -i * z, by which circular functions are hyperbolic ones.
GK_FN Complex128 times_i(Complex128 z) { return {-z.im, z.re}; }
GK_FN Complex128 over_i(Complex128 z) { return {z.im, -z.re}; }
GK_FN Complex128 scaled(Complex128 z, double factor) { return {z.re * factor, z.im * factor}; }

/// e^x times a number of size 1 at most, also where e^x alone overflows.
GK_CALLED double exp_times(double x, double factor) {
  if (x < 700.0) return called_exp(x) * factor;
  const double half = called_exp(x * 0.5);
  return half * factor * half;
}

GK_CALLED Complex128 complex_exp(Complex128 z) {
  if (z.im == 0.0) return {called_exp(z.re), z.im};
  if (!is_finite(z.im)) {
    if (z.re == -complex_infinity()) return {0.0, gk_copysign(0.0, z.im)};
    if (z.re == complex_infinity()) return {z.re, z.im - z.im};
    return {z.im - z.im, z.im - z.im};
  }
  return {exp_times(z.re, called_cos(z.im)), exp_times(z.re, called_sin(z.im))};
}

/// log |z|, accurate where that is near 0.
GK_CALLED double log_of_size(Complex128 z) {
  const double x = gk_fabs(z.re), y = gk_fabs(z.im);
  const double larger = x > y ? x : y, smaller = x > y ? y : x;
  if (larger > 0x1p1000 && is_finite(z)) {
    return called_log(called_hypot(x * 0x1p-100, y * 0x1p-100)) + 100.0 * kComplexLn2;
  }
  if (larger > 0.0 && larger < 0x1p-900)
    return called_log(called_hypot(x * 0x1p200, y * 0x1p200)) - 200.0 * kComplexLn2;
  if (larger > 0.5 && larger < 2.0) {
    const double distance = (larger - 1.0) * (larger + 1.0) + smaller * smaller;
    if (gk_fabs(distance) < 0.5) return 0.5 * called_log1p(distance);
  }
  return called_log(called_hypot(x, y));
}

GK_CALLED Complex128 complex_log(Complex128 z) {
  return {log_of_size(z), called_atan2(z.im, z.re)};
}

GK_CALLED Complex128 complex_log1p(Complex128 z) {
  const Complex128 sum = {1.0 + z.re, z.im};
  if (gk_fabs(z.re) < 0.5 && gk_fabs(z.im) < 0.5)
    return {0.5 * called_log1p(z.re * (2.0 + z.re) + z.im * z.im), called_atan2(z.im, sum.re)};
  return complex_log(sum);
}

GK_CALLED Complex128 complex_expm1(Complex128 z) {
  if (!is_finite(z) || z.re > 700.0) {
    const Complex128 power = complex_exp(z);
    return {power.re - 1.0, power.im};
  }
  if (z.re == 0.0 && z.im == 0.0) return z;
  const double half = called_sin(z.im * 0.5);
  return {gk_expm1(z.re) * called_cos(z.im) - 2.0 * half * half,
          called_exp(z.re) * called_sin(z.im)};
}

GK_CALLED Complex128 complex_sqrt(Complex128 z) {
  if (z.re == 0.0 && z.im == 0.0) return {0.0, z.im};
  if (is_infinite(z.im)) return {complex_infinity(), z.im};
  if (is_nan(z.re)) return {z.re, z.re};
  if (is_infinite(z.re)) {
    const double other = is_nan(z.im) ? z.im : 0.0;
    if (z.re > 0.0) return {z.re, gk_copysign(other, z.im)};
    return {gk_fabs(other), gk_copysign(complex_infinity(), z.im)};
  }
  if (is_nan(z.im)) return {z.im, z.im};
  double scale = 1.0;
  if (gk_fabs(z.re) > kComplexHuge || gk_fabs(z.im) > kComplexHuge) {
    z = scaled(z, 0x1p-600);
    scale = 0x1p300;
  } else if (gk_fabs(z.re) < 0x1p-500 && gk_fabs(z.im) < 0x1p-500) {
    z = scaled(z, 0x1p600);
    scale = 0x1p-300;
  }
  const double root = gk_sqrt(0.5 * (gk_fabs(z.re) + called_hypot(z.re, z.im)));
  const double other = 0.5 * gk_fabs(z.im) / root;
  if (z.re >= 0.0) return {root * scale, gk_copysign(other * scale, z.im)};
  return {other * scale, gk_copysign(root * scale, z.im)};
}

/// cosh(x) and sinh(x) times what comes with them, for a finite or infinite x and an angle y.
GK_CALLED Complex128 complex_cosh(Complex128 z) {
  const double x = z.re, y = z.im;
  if (is_finite(x) && is_finite(y)) {
    const double cosine = called_cos(y), sine = y == 0.0 ? y : called_sin(y);
    if (gk_fabs(x) < 700.0) return {called_cosh(x) * cosine, called_sinh(x) * sine};
    const double size = gk_fabs(x);
    return {0.5 * exp_times(size, cosine), gk_copysign(0.5, x) * exp_times(size, sine)};
  }
  if (x == 0.0) return {y - y, gk_copysign(0.0, is_nan(y) ? y : x)};
  if (y == 0.0)
    return {is_nan(x) ? x : complex_infinity(),
            is_nan(x) ? y : gk_copysign(0.0, x) * gk_copysign(1.0, y)};
  if (is_infinite(x)) {
    if (!is_finite(y)) return {complex_infinity(), y - y};
    return {complex_infinity() * called_cos(y), x * called_sin(y)};
  }
  const double none = x * (y - y);
  return {none, none};
}

GK_CALLED Complex128 complex_sinh(Complex128 z) {
  const double x = z.re, y = z.im;
  if (is_finite(x) && is_finite(y)) {
    const double cosine = called_cos(y), sine = y == 0.0 ? y : called_sin(y);
    if (gk_fabs(x) < 700.0) return {called_sinh(x) * cosine, called_cosh(x) * sine};
    const double size = gk_fabs(x);
    return {gk_copysign(0.5, x) * exp_times(size, cosine), 0.5 * exp_times(size, sine)};
  }
  if (x == 0.0) return {x, y - y};
  if (y == 0.0) return {x, y};
  if (is_infinite(x)) {
    if (!is_finite(y)) return {x, y - y};
    return {x * called_cos(y), complex_infinity() * called_sin(y)};
  }
  const double none = x * (y - y);
  return {none, none};
}

/// W. Kahan's form, which neither overflows nor loses the small part.
GK_CALLED Complex128 complex_tanh(Complex128 z) {
  const double x = z.re, y = z.im;
  if (is_nan(x)) return {x, y == 0.0 ? y : x};
  if (gk_fabs(x) >= 22.0) {
    const double twice = is_finite(y) ? called_sin(y) * called_cos(y) : 0.0;
    if (is_infinite(x)) return {gk_copysign(1.0, x), gk_copysign(0.0, is_finite(y) ? twice : y)};
    if (!is_finite(y)) return {y - y, y - y};
    const double small = called_exp(-gk_fabs(x));
    return {gk_copysign(1.0, x), 4.0 * twice * small * small};
  }
  if (!is_finite(y)) return {x == 0.0 ? x : y - y, y - y};
  const double tangent = gk_tan(y), sine = called_sinh(x);
  const double beta = 1.0 + tangent * tangent, rho = gk_sqrt(1.0 + sine * sine);
  if (is_infinite(tangent)) return {rho / sine, 1.0 / tangent};
  const double divisor = 1.0 + beta * sine * sine;
  return {beta * rho * sine / divisor, tangent / divisor};
}

/// True beyond the range of the formulas that follow, also of what is not finite.
GK_FN bool is_beyond(Complex128 z) {
  return !(gk_fabs(z.re) < kComplexHuge && gk_fabs(z.im) < kComplexHuge);
}
GK_FN double log_of_twice(Complex128 z) { return log_of_size(z) + kComplexLn2; }

/// W. Kahan, "Branch cuts for complex elementary functions", 1987.
GK_CALLED Complex128 complex_asin(Complex128 z) {
  if (is_beyond(z)) {
    if (is_nan(z.im) && z.re == 0.0) return z;
    return {gk_copysign(called_atan2(gk_fabs(z.re), gk_fabs(z.im)), z.re),
            gk_copysign(log_of_twice(z), z.im)};
  }
  const Complex128 below = complex_sqrt({1.0 - z.re, -z.im});
  const Complex128 above = complex_sqrt({1.0 + z.re, z.im});
  return {called_atan2(z.re, below.re * above.re - below.im * above.im),
          called_asinh(below.re * above.im - below.im * above.re)};
}

GK_CALLED Complex128 complex_acos(Complex128 z) {
  if (is_beyond(z)) {
    if (is_nan(z.im) && z.re == 0.0) return {kComplexPi / 2, z.im};
    return {called_atan2(gk_fabs(z.im), z.re), gk_copysign(log_of_twice(z), -z.im)};
  }
  const Complex128 below = complex_sqrt({1.0 - z.re, -z.im});
  const Complex128 above = complex_sqrt({1.0 + z.re, z.im});
  return {2.0 * called_atan2(below.re, above.re),
          called_asinh(above.re * below.im - above.im * below.re)};
}

/// acos times i or -i, on the side where the real part is not negative.
GK_CALLED Complex128 complex_acosh(Complex128 z) {
  const Complex128 angle = complex_acos(z);
  if (is_nan(angle.re) || is_nan(angle.im)) {
    if (is_nan(z.re) || is_nan(z.im)) return {gk_fabs(angle.im), angle.re};
  }
  return is_negative_sign(z.im) ? Complex128{gk_fabs(angle.im), -angle.re}
                                : Complex128{gk_fabs(angle.im), angle.re};
}

GK_CALLED Complex128 complex_atanh(Complex128 z) {
  const double x = gk_fabs(z.re), y = z.im;
  if (is_nan(x) || is_nan(y)) {
    if (is_infinite(y)) return {gk_copysign(0.0, z.re), gk_copysign(kComplexPi / 2, y)};
    if (x == 0.0) return z;
    if (is_infinite(x)) return {gk_copysign(0.0, z.re), y};
    return {x + y, x + y};
  }
  if (is_beyond(z)) {
    const double size = called_hypot(x, y);
    const double re = is_infinite(size) ? 0.0 : x / size / size;
    return {gk_copysign(re, z.re), gk_copysign(kComplexPi / 2, y)};
  }
  const double distance = (1.0 - x) * (1.0 - x) + y * y;
  double re = 0.25 * called_log1p(4.0 * x / distance);
  if (x == 1.0 && y != 0.0 && gk_fabs(y) < 0x1p-100)
    re = 0.5 * (kComplexLn2 - called_log(gk_fabs(y)));
  const double im = 0.5 * called_atan2(2.0 * y, (1.0 - x) * (1.0 + x) - y * y);
  return {gk_copysign(re, z.re), im};
}

/// A whole power of a size that repeated squares reach, as NumPy has it.
GK_CALLED Complex128 whole_power(Complex128 z, int power) {
  Complex128 result = {1.0, 0.0};
  for (int rest = power < 0 ? -power : power; rest > 0; rest /= 2) {
    if (rest % 2 != 0) result = complex_product(result, z);
    z = complex_product(z, z);
  }
  return power < 0 ? called_quotient(Complex128{1.0, 0.0}, result) : result;
}

GK_CALLED Complex128 complex_power(Complex128 a, Complex128 b) {
  if (b.re == 0.0 && b.im == 0.0) return {1.0, 0.0};
  if (a.re == 0.0 && a.im == 0.0) {
    if (b.re > 0.0 && b.im == 0.0) return {0.0, 0.0};
    return {complex_infinity() - complex_infinity(), complex_infinity() - complex_infinity()};
  }
  if (b.im == 0.0 && gk_fabs(b.re) < 100.0 && b.re == gk_trunc(b.re))
    return whole_power(a, static_cast<int>(b.re));
  if (b.im == 0.0 && b.re == 0.5) return complex_sqrt(a);
  return complex_exp(complex_product(b, complex_log(a)));
}

GK_CALLED Complex128 complex_sigmoid(Complex128 z) {
  const Complex128 power = complex_exp({-z.re, -z.im});
  return called_quotient(Complex128{1.0, 0.0}, Complex128{1.0 + power.re, power.im});
}

/// `b` is read by kPow only; the products have their own functions.
GK_FN Complex128 complex_value(ComplexOp op, Complex128 a, Complex128 b) {
  switch (op) {
    case ComplexOp::kMul:
      return complex_product(a, b);
    case ComplexOp::kDiv:
      return called_quotient(a, b);
    case ComplexOp::kPow:
      return complex_power(a, b);
    case ComplexOp::kReciprocal:
      return called_quotient(Complex128{1.0, 0.0}, a);
    case ComplexOp::kSqrt:
      return complex_sqrt(a);
    case ComplexOp::kRsqrt:
      return called_quotient(Complex128{1.0, 0.0}, complex_sqrt(a));
    case ComplexOp::kExp:
      return complex_exp(a);
    case ComplexOp::kExp2:
      return complex_exp(scaled(a, kComplexLn2));
    case ComplexOp::kExpm1:
      return complex_expm1(a);
    case ComplexOp::kLog:
      return complex_log(a);
    case ComplexOp::kLog1p:
      return complex_log1p(a);
    case ComplexOp::kLog2:
      return scaled(complex_log(a), 1.0 / kComplexLn2);
    case ComplexOp::kLog10:
      return scaled(complex_log(a), 1.0 / kComplexLn10);
    case ComplexOp::kSin:
      return over_i(complex_sinh(times_i(a)));
    case ComplexOp::kCos:
      return complex_cosh(times_i(a));
    case ComplexOp::kTan:
      return over_i(complex_tanh(times_i(a)));
    case ComplexOp::kAsin:
      return complex_asin(a);
    case ComplexOp::kAcos:
      return complex_acos(a);
    case ComplexOp::kAtan:
      // The sign of a NaN is copied, not computed with: a GPU's negation does not keep it.
      if (is_nan(a.im) && is_infinite(a.re)) {
        return {gk_copysign(kComplexPi / 2, a.re), gk_copysign(0.0, a.im)};
      }
      return over_i(complex_atanh(times_i(a)));
    case ComplexOp::kSinh:
      return complex_sinh(a);
    case ComplexOp::kCosh:
      return complex_cosh(a);
    case ComplexOp::kTanh:
      return complex_tanh(a);
    case ComplexOp::kAsinh:
      return over_i(complex_asin(times_i(a)));
    case ComplexOp::kAcosh:
      return complex_acosh(a);
    case ComplexOp::kAtanh:
      return complex_atanh(a);
    case ComplexOp::kSigmoid:
      return complex_sigmoid(a);
    case ComplexOp::kCount:
      break;
  }
  return a;
}

#undef GK_CALLED

}  // namespace gpukit
