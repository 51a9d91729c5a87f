// One pass of Stockham's algorithm over separate real and imaginary parts. Vectors go over the
// lanes: `stride` neighbours that all have the same factors.
#pragma once

#include "cpu/simd/fft_stages.h"

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {
namespace {

/// The transform of R numbers, in place; forward. R is 2, 3, 4 or 5.
template <int R, class T>
[[gnu::always_inline]] inline void small_transform(T (&re)[R], T (&im)[R]) {
  if constexpr (R == 2) {
    const T a = re[0], b = im[0];
    re[0] = a + re[1], im[0] = b + im[1];
    re[1] = a - re[1], im[1] = b - im[1];
  } else if constexpr (R == 3) {
    constexpr T kSine = static_cast<T>(0.86602540378443864676);
    const T a = re[1] + re[2], b = im[1] + im[2];
    const T c = kSine * (im[1] - im[2]), d = kSine * (re[2] - re[1]);
    const T e = re[0] - T{0.5} * a, f = im[0] - T{0.5} * b;
    re[0] += a, im[0] += b;
    re[1] = e + c, im[1] = f + d;
    re[2] = e - c, im[2] = f - d;
  } else if constexpr (R == 4) {
    const T a = re[0] + re[2], b = im[0] + im[2], c = re[0] - re[2], d = im[0] - im[2];
    const T e = re[1] + re[3], f = im[1] + im[3], g = re[1] - re[3], h = im[1] - im[3];
    re[0] = a + e, im[0] = b + f;
    re[1] = c + h, im[1] = d - g;
    re[2] = a - e, im[2] = b - f;
    re[3] = c - h, im[3] = d + g;
  } else {
    constexpr T kCos1 = static_cast<T>(0.30901699437494742410);
    constexpr T kSin1 = static_cast<T>(0.95105651629515357212);
    constexpr T kCos2 = static_cast<T>(-0.80901699437494742410);
    constexpr T kSin2 = static_cast<T>(0.58778525229247312917);
    const T a = re[1] + re[4], b = im[1] + im[4], c = re[1] - re[4], d = im[1] - im[4];
    const T e = re[2] + re[3], f = im[2] + im[3], g = re[2] - re[3], h = im[2] - im[3];
    const T p = re[0] + kCos1 * a + kCos2 * e, q = im[0] + kCos1 * b + kCos2 * f;
    const T r = kSin1 * d + kSin2 * h, s = kSin1 * c + kSin2 * g;
    const T t = re[0] + kCos2 * a + kCos1 * e, u = im[0] + kCos2 * b + kCos1 * f;
    const T v = kSin2 * d - kSin1 * h, w = kSin2 * c - kSin1 * g;
    re[0] += a + e, im[0] += b + f;
    re[1] = p + r, im[1] = q - s;
    re[2] = t + v, im[2] = u - w;
    re[3] = t - v, im[3] = u + w;
    re[4] = p - r, im[4] = q + s;
  }
}

template <int R, class T>
void pass(const FftPass<T>& pass) {
  const std::int64_t m = pass.groups, s = pass.stride;
  for (std::int64_t p = 0; p < m; ++p) {
    const T* __restrict in_re = pass.in_re + s * p, * __restrict in_im = pass.in_im + s * p;
    T* __restrict out_re = pass.out_re + s * R * p, * __restrict out_im = pass.out_im + s * R * p;
    T wr[R], wi[R];
    for (int k = 1; k < R; ++k) {
      wr[k] = pass.factors[(2 * k - 2) * m + p];
      wi[k] = pass.factors[(2 * k - 1) * m + p];
    }
    for (std::int64_t q = 0; q < s; ++q) {
      T re[R], im[R];
      for (int k = 0; k < R; ++k) re[k] = in_re[q + k * s * m], im[k] = in_im[q + k * s * m];
      small_transform<R>(re, im);
      out_re[q] = re[0], out_im[q] = im[0];
      for (int k = 1; k < R; ++k) {
        out_re[q + k * s] = re[k] * wr[k] - im[k] * wi[k];
        out_im[q + k * s] = re[k] * wi[k] + im[k] * wr[k];
      }
    }
  }
}

/// Of a prime radix that has no formula here: its own factors stand before those of the pass.
template <class T>
void prime_pass(const FftPass<T>& pass) {
  const std::int64_t m = pass.groups, s = pass.stride;
  const int radix = pass.radix;
  const T* factors = pass.factors + 2 * radix;
  for (std::int64_t p = 0; p < m; ++p) {
    for (int k = 0; k < radix; ++k) {
      T* __restrict out_re = pass.out_re + s * (radix * p + k);
      T* __restrict out_im = pass.out_im + s * (radix * p + k);
      for (int j = 0; j < radix; ++j) {
        const T* __restrict in_re = pass.in_re + s * (p + j * m);
        const T* __restrict in_im = pass.in_im + s * (p + j * m);
        const int turn = j * k % radix;
        T wr = pass.factors[2 * turn], wi = pass.factors[2 * turn + 1];
        if (k > 0) {
          const T fr = factors[(2 * k - 2) * m + p], fi = factors[(2 * k - 1) * m + p];
          const T both = wr * fr - wi * fi;
          wi = wr * fi + wi * fr;
          wr = both;
        }
        for (std::int64_t q = 0; q < s; ++q) {
          out_re[q] = (j > 0 ? out_re[q] : T{0}) + in_re[q] * wr - in_im[q] * wi;
          out_im[q] = (j > 0 ? out_im[q] : T{0}) + in_re[q] * wi + in_im[q] * wr;
        }
      }
    }
  }
}

template <class T>
void any_pass(const FftPass<T>& step) {
  switch (step.radix) {
    case 2:
      return pass<2>(step);
    case 3:
      return pass<3>(step);
    case 4:
      return pass<4>(step);
    case 5:
      return pass<5>(step);
    default:
      return prime_pass(step);
  }
}

}  // namespace

void fft_pass(const FftPass<float>& step) { any_pass(step); }
void fft_pass(const FftPass<double>& step) { any_pass(step); }

}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
