// Special functions in double. float32 and the half types are computed with them too and rounded
// once: the results are the nearest numbers, but for very few. On a GPU each is one function that
// all kernels of a family call, not code in every case.
#pragma once

#include "kernels/scalar_math.h"

#if defined(__CUDACC__)
#define GK_SPECIAL_FN static __device__ __noinline__
#define GK_TABLE static __device__ const double
#else
#define GK_SPECIAL_FN static inline
#define GK_TABLE static constexpr double
#endif

namespace gpukit {

GK_FN double infinity_64() { return largest_finite(0.0) * 2.0; }
GK_FN double nan_64() { return infinity_64() - infinity_64(); }

/// coefficients[0] + coefficients[1] T1(t) + ..., for t from -1 to 1 (Clenshaw).
GK_SPECIAL_FN double chebyshev_sum(const double* coefficients, int count, double t) {
  double next = 0.0, after = 0.0;
  for (int k = count - 1; k > 0; --k) {
    const double sum = 2.0 * t * next - after + coefficients[k];
    after = next;
    next = sum;
  }
  return t * next - after + coefficients[0];
}

/// coefficients[0] x^(count - 1) + ... + coefficients[count - 1].
GK_SPECIAL_FN double polynomial(const double* coefficients, int count, double x) {
  double sum = coefficients[0];
  for (int k = 1; k < count; ++k) sum = sum * x + coefficients[k];
  return sum;
}

GK_SPECIAL_FN double log_gamma(double x) {
#if defined(__CUDACC__)
  return lgamma(x);
#else
  int sign;  // lgamma() would write it to a variable that all threads share
  return lgamma_r(x, &sign);
#endif
}

/// digamma(x) / (x - its root) for x from 1 to 2, of t = 2 x - 3.
GK_TABLE kDigammaTable[] = {
    0.983570260441567,       -0.2270640863346444,     0.03336889902393011,
    -0.005320077271596548,   0.0008788656937820505,   -0.00014773492650606044,
    2.5060543468359146e-05,  -4.2721034029993324e-06, 7.302769272465923e-07,
    -1.2502886813559594e-07, 2.1425009322359472e-08,  -3.673295918565179e-09,
    6.299717236108931e-10,   -1.080593028883266e-10,  1.853735192053638e-11,
    -3.18023536582553e-12,   5.456147570322795e-13,   -9.360993131036438e-14,
    1.606064636295075e-14,   -2.7555431377438815e-15, 4.727736178601912e-16,
    -8.11148420346509e-17,   1.391707769474154e-17,   -2.3877901082188625e-18};

/// The derivative of log_gamma.
GK_SPECIAL_FN double digamma(double x) {
  const double pi = 3.14159265358979323846;
  if (x == 0.0) return gk_copysign(infinity_64(), -x);
  double reflected = 0.0;
  if (x < 0.0) {
    const double fraction = x - rint(x);
    if (fraction == 0.0) return nan_64();
    reflected = -pi / tan(pi * fraction);
    x = 1.0 - x;
  }
  if (x >= 10.0) {
    if (!is_finite(x)) return x + reflected;
    const double z = 1.0 / (x * x);
    const double series =
        z * (1.0 / 12 -
             z * (1.0 / 120 -
                  z * (1.0 / 252 -
                       z * (1.0 / 240 -
                            z * (1.0 / 132 -
                                 z * (691.0 / 32760 - z * (1.0 / 12 - z * (3617.0 / 8160))))))));
    return log(x) - 0.5 / x - series + reflected;
  }
  double shift = 0.0;
  if (x < 1.0) {
    shift = -1.0 / x;
    x += 1.0;
  }
  while (x > 2.0) {
    x -= 1.0;
    shift += 1.0 / x;
  }
  const double from_root = (x - 1.4616321449683622) - 9.5499954299656977e-17;
  return from_root * chebyshev_sum(kDigammaTable, 24, 2.0 * x - 3.0) + shift + reflected;
}

/// Sum of (q + k)^-s over k from 0 on, for q > 0 and s > 1 (Euler and Maclaurin).
GK_SPECIAL_FN double zeta_sum(double s, double q) {
  double sum = 0.0, lost = 0.0, term;
  for (int k = 0; k < 12 && q < 1e4; ++k, q += 1.0) {
    term = pow(q, -s);
    const double next = sum + term;
    lost += sum - next + term;
    sum = next;
    if (!(term > sum * 1e-18)) return sum;
  }
  // B(2j) / (2j)! for j from 1 on, each the previous one over -4 pi^2, nearly.
  const double power = pow(q, -s);
  double rest = lost + power * q / (s - 1.0) + 0.5 * power;
  double factor = s * power / q, j = 0.0;
  const double numbers[] = {1.0 / 12,
                            -1.0 / 720,
                            1.0 / 30240,
                            -1.0 / 1209600,
                            1.0 / 47900160,
                            -691.0 / 1307674368000.0,
                            1.0 / 74724249600.0,
                            -3617.0 / 10670622842880000.0};
  for (int k = 0; k < 8; ++k) {
    term = numbers[k] * factor;
    rest += term;
    if (fabs(term) < rest * 1e-17) break;
    factor *= (s + j + 1.0) * (s + j + 2.0) / (q * q);
    j += 2.0;
  }
  return sum + rest;
}

/// Hurwitz's zeta function: sum of (q + k)^-s over k from 0 on.
GK_SPECIAL_FN double zeta(double s, double q) {
  if (is_nan(s) || is_nan(q) || s < 1.0) return nan_64();
  if (s == 1.0) return infinity_64();
  if (q > 0.0) return is_finite(q) ? zeta_sum(s, q) : 0.0;
  if (q == floor(q)) return infinity_64();
  if (s != floor(s) || !is_finite(q)) return nan_64();
  double near = 0.0;
  if (q > -20.0) {
    for (; q < -1.0; q += 1.0) near += pow(q, -s);
    const double next = q + 1.0, lost = q - (next - 1.0);
    near += pow(q, -s) - s * lost * pow(next, -s - 1.0);
    return near + zeta_sum(s, next);
  }
  // The terms left of 0, by reflection: (-1)^s times those of 1 - fraction up to -q.
  const double fraction = q - floor(q);
  const double below = zeta_sum(s, 1.0 - fraction) - zeta_sum(s, 1.0 - q);
  return zeta_sum(s, fraction) + (fmod(s, 2.0) == 0.0 ? below : -below);
}

/// The derivative of order n of digamma.
GK_SPECIAL_FN double polygamma(double n, double x) {
  if (n == 0.0) return digamma(x);
  if (!(n > 0.0) || n != floor(n)) return nan_64();
  double factor = fmod(n, 2.0) == 0.0 ? -1.0 : 1.0;
  for (double k = 2.0; k <= n && is_finite(factor); k += 1.0) factor *= k;
  return factor * zeta(n + 1.0, x);
}

/// Rational approximations of the normal distribution's quantiles (M. Wichura, "Algorithm AS 241:
/// The percentage points of the normal distribution", 1988): near the middle, and of the tails.
GK_TABLE kMiddleAbove[] = {2509.0809287301226727, 33430.575583588128105, 67265.770927008700853,
                           45921.953931549871457, 13731.693765509461125, 1971.5909503065514427,
                           133.14166789178437745, 3.387132872796366608};
GK_TABLE kMiddleBelow[] = {
    5226.495278852854561,  28729.085735721942674, 39307.89580009271061,  21213.794301586595867,
    5394.1960214247511077, 687.1870074920579083,  42.313330701600911252, 1.0};
GK_TABLE kTailAbove[] = {7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177,
                         1.27045825245236838258,   3.64784832476320460504,   5.7694972214606914055,
                         4.6303378461565452959,    1.42343711074968357734};
GK_TABLE kTailBelow[] = {1.05075007164441684324e-9, 5.475938084995344946e-4,
                         0.0151986665636164571966,  0.14810397642748007459,
                         0.68976733498510000455,    1.6763848301838038494,
                         2.05319162663775882187,    1.0};
GK_TABLE kFarTailAbove[] = {2.01033439929228813265e-7, 2.71155556874348757815e-5,
                            0.0012426609473880784386,  0.026532189526576123093,
                            0.29656057182850489123,    1.7848265399172913358,
                            5.4637849111641143699,     6.6579046435011037772};
GK_TABLE kFarTailBelow[] = {2.04426310338993978564e-15, 1.4215117583164458887e-7,
                            1.8463183175100546818e-5,   7.868691311456132591e-4,
                            0.0148753612908506148525,   0.13692988092273580531,
                            0.59983220655588793769,     1.0};

/// The standard normal quantile of 0.5 + middle, of which tail is the smaller part of the whole.
GK_SPECIAL_FN double normal_quantile(double middle, double tail) {
  if (fabs(middle) <= 0.425) {
    const double r = 0.180625 - middle * middle;
    return middle * polynomial(kMiddleAbove, 8, r) / polynomial(kMiddleBelow, 8, r);
  }
  const double r = sqrt(-log(tail));
  const double size =
      r <= 5.0 ? polynomial(kTailAbove, 8, r - 1.6) / polynomial(kTailBelow, 8, r - 1.6)
               : polynomial(kFarTailAbove, 8, r - 5.0) / polynomial(kFarTailBelow, 8, r - 5.0);
  return gk_copysign(size, middle);
}

/// The inverse of erf at x, of which rest is 1 - |x|: the quantile, and a step of Newton's method
/// with erf or, where that is near 1, erfc.
GK_SPECIAL_FN double erf_inverse(double x, double rest) {
  if (!(rest >= 0.0)) return nan_64();
  if (rest == 0.0) return gk_copysign(infinity_64(), x);
  const double y = normal_quantile(0.5 * x, 0.5 * rest) * 0.70710678118654752440;
  if (rest < 1e-290) return y;
  const double error = fabs(x) < 0.5 ? erf(y) - x : (rest - erfc(fabs(y))) * gk_copysign(1.0, x);
  return y - error * 0.88622692545275801365 * exp(y * y);
}

GK_SPECIAL_FN double erf_inverse(double x) { return erf_inverse(x, 1.0 - fabs(x)); }

GK_SPECIAL_FN double normal_cdf_inverse(double p) {
  const double rest = p < 0.5 ? 2.0 * p : 2.0 * (1.0 - p);
  return erf_inverse(2.0 * (p - 0.5), rest) * 1.41421356237309504880;
}

GK_SPECIAL_FN double normal_cdf(double x) { return 0.5 * erfc(x * -0.70710678118654752440); }

GK_SPECIAL_FN double log_normal_cdf(double x) {
  if (x > -1.0) return log1p(-0.5 * erfc(x * 0.70710678118654752440));
  if (!(x < -36.0)) return log(normal_cdf(x));
  const double z = 1.0 / (x * x);
  const double series = log1p(-z * (1.0 - z * (3.0 - z * (15.0 - z * 105.0))));
  return -0.5 * x * x - log(-x) - 0.91893853320467274178 + series;
}

/// exp(x^2) erfc(x), without overflow or underflow where the product has neither.
GK_SPECIAL_FN double scaled_erfc(double x) {
  if (x > 25.0) {
    const double z = -0.5 / (x * x);
    const double more = 1.0 + 9.0 * z * (1.0 + 11.0 * z * (1.0 + 13.0 * z));
    const double series = z * (1.0 + 3.0 * z * (1.0 + 5.0 * z * (1.0 + 7.0 * z * more)));
    return 0.56418958354775628695 / x * (1.0 + series);
  }
  const double squared = rounded_product(x, x);
  if (squared > 710.0) return infinity_64();
  return (1.0 + fma(x, x, -squared)) * exp(squared) * erfc(x);
}

/// Modified Bessel functions, scaled by exp(-|x|): of order 0, times 1 + |x| for |x| up to 8 and
/// sqrt(|x|) beyond; of order 1, the first divided by x and times (1 + |x|)^2. No sum is then small
/// beside its terms.
GK_TABLE kBessel0Near[] = {1.0826228413372934,      0.17341899014737772,     0.05893696882855179,
                           -0.032653113716479255,   0.009249397490459317,    0.0010164152390340696,
                           -0.003391147628925098,   0.0027503220478197884,   -0.0016039930544716377,
                           0.000774079131381443,    -0.00032532062379959855, 0.00012219291582903592,
                           -4.167513656491509e-05,  1.3047979427404248e-05,  -3.780697792105105e-06,
                           1.0203180517207398e-06,  -2.5780951986075134e-07, 6.125829740089075e-08,
                           -1.3739340696640081e-08, 2.9182658292546064e-09,  -5.887051943872218e-10,
                           1.1308497146164624e-10,  -2.0732551869805302e-11, 3.635405644675414e-12,
                           -6.10850747448126e-13,   9.852782815324172e-14,   -1.527996529752083e-14,
                           2.2817585382127336e-15,  -3.285469266614377e-16,  4.567301774543236e-17,
                           -6.1372363033470766e-18};
GK_TABLE kBessel0Far[] = {0.4022452055070544,      0.0033691164782556943,   6.889758346916825e-05,
                          2.8913705208347567e-06,  2.0489185894690638e-07,  2.266668990498178e-08,
                          3.3962320257083865e-09,  4.94060238822497e-10,    1.1889147107846439e-11,
                          -3.1499165279632416e-11, -1.3215811840447713e-11, -1.7941785315068062e-12,
                          7.180124451383666e-13,   3.8527783827421426e-13,  1.54008621752141e-14,
                          -4.150569347287222e-14,  -9.554846698828307e-15,  3.8116806693526224e-15,
                          1.7725601330565263e-15,  -3.425485619677219e-16,  -2.8276239805165836e-16,
                          3.461222867697461e-17,   4.46562142029676e-17,    -4.830504485944182e-18,
                          -7.233180487874754e-18,  9.921475412173699e-19,   1.193650890845982e-18};
GK_TABLE kBessel1Near[] = {
    1.0499328439226625,     0.365421798597375,       -0.09075471265658609,   0.05226236153249651,
    -0.027028177507108803,  0.011204423341218583,    -0.0034362497956433465, 0.0005229042969895451,
    0.0002157256059735574,  -0.00024345723452223663, 0.00014026172575964808, -6.276710438600214e-05,
    2.3981501721786787e-05, -8.135618192946756e-06,  2.5029517136685683e-06, -7.076863625536756e-07,
    1.8560205049411322e-07, -4.54662182546269e-08,   1.0459849241143645e-08, -2.269982224155994e-09,
    4.664423451749204e-10,  -9.104111877680419e-11,  1.6925740984118488e-11, -3.00464077762507e-12,
    5.104123409873028e-13,  -8.3135626502778e-14,    1.3006611098342774e-14, -1.957751226661135e-15,
    2.8393171450914343e-16, -3.973095253709405e-17,  5.370980347220712e-18};
GK_TABLE kBessel1Far[] = {0.38928811750914005,     -0.009761097491361469,   -0.00011058893876262371,
                          -3.882564808877691e-06,  -2.512236237870209e-07,  -2.6314688468895196e-08,
                          -3.835380385964237e-09,  -5.589743462196584e-10,  -1.8974958123505413e-11,
                          3.2526035830154884e-11,  1.4125807436613782e-11,  2.0356285441470896e-12,
                          -7.198551776245908e-13,  -4.0835511110921974e-13, -2.1015418427726643e-14,
                          4.272440016711951e-14,   1.0420276984128802e-14,  -3.8144030724370075e-15,
                          -1.8803547755107825e-15, 3.3082023109209285e-16,  2.96262899764595e-16,
                          -3.209525921993424e-17,  -4.6503053684893586e-17, 4.414348323071708e-18,
                          7.517296310842105e-18,   -9.314178867326884e-19,  -1.242193275194891e-18};

GK_SPECIAL_FN double bessel_i0e(double x) {
  const double size = fabs(x);
  if (size <= 8.0) return chebyshev_sum(kBessel0Near, 31, size / 4.0 - 1.0) / (1.0 + size);
  return chebyshev_sum(kBessel0Far, 27, 16.0 / size - 1.0) / sqrt(size);
}

GK_SPECIAL_FN double bessel_i1e(double x) {
  const double size = fabs(x), scale = 1.0 + size;
  if (size <= 8.0) return x * chebyshev_sum(kBessel1Near, 31, size / 4.0 - 1.0) / (scale * scale);
  return gk_copysign(chebyshev_sum(kBessel1Far, 27, 16.0 / size - 1.0) / sqrt(size), x);
}

/// scaled exp(|x|) in two steps, the first of which does not overflow.
GK_SPECIAL_FN double unscaled_bessel(double scaled, double x) {
  if (fabs(x) > 1000.0) return gk_copysign(infinity_64(), scaled);
  const double half = exp(0.5 * fabs(x));
  return fabs(x) < 700.0 ? scaled * exp(fabs(x)) : scaled * half * half;
}

GK_SPECIAL_FN double bessel_i0(double x) { return unscaled_bessel(bessel_i0e(x), x); }
GK_SPECIAL_FN double bessel_i1(double x) { return unscaled_bessel(bessel_i1e(x), x); }

/// sin(pi x) / (pi x). The fraction of x is exact, and so are the zeros.
GK_SPECIAL_FN double sinc(double x) {
  const double pi = 3.14159265358979323846;
  const double whole = rint(x);
  if (x == whole) return x == 0.0 ? 1.0 : x - x;  // NaN of infinities
  const double wave = sin(pi * (x - whole));
  return (fmod(whole, 2.0) == 0.0 ? wave : -wave) / (pi * x);
}

/// -x log(x): what an outcome of probability x adds to an entropy.
GK_SPECIAL_FN double entropy_term(double x) {
  if (x > 0.0) return -x * log(x);
  return x == 0.0 ? 0.0 : is_nan(x) ? x : -infinity_64();
}

/// log(x / (1 - x)).
GK_SPECIAL_FN double logit(double x) {
  const double twice = 2.0 * (x - 0.5);  // exact near 0.5
  if (fabs(twice) < 0.5) return log1p(twice) - log1p(-twice);
  return log(x / (1.0 - x));
}

#undef GK_SPECIAL_FN
#undef GK_TABLE

}  // namespace gpukit
