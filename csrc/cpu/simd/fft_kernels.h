// One pass of Stockham's algorithm over separate real and imaginary parts. Vectors go over the
// lanes: `stride` neighbours that all have the same factors.
#pragma once

#include "cpu/simd/fft_stages.h"

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {
namespace {

#if defined(__AVX512F__)
constexpr int kFftBytes = 64;
#elif defined(__AVX2__)
constexpr int kFftBytes = 32;
#else
constexpr int kFftBytes = 16;
#endif

/// A vector of so many bytes; of sizeof(S) bytes a number.
template <class S, int bytes>
struct FftVector {
  typedef S type __attribute__((vector_size(bytes)));
};
template <>
struct FftVector<float, sizeof(float)> {
  typedef float type;
};
template <>
struct FftVector<double, sizeof(double)> {
  typedef double type;
};

/// The transform of R numbers, in place; forward. R is 2, 3, 4, 5 or 8. T is a vector of S.
template <int R, class S, class T>
[[gnu::always_inline]] inline void small_transform(T (&re)[R], T (&im)[R]) {
  if constexpr (R == 2) {
    const T a = re[0], b = im[0];
    re[0] = a + re[1], im[0] = b + im[1];
    re[1] = a - re[1], im[1] = b - im[1];
  } else if constexpr (R == 3) {
    constexpr S kHalf = static_cast<S>(0.5);
    constexpr S kSine = static_cast<S>(0.86602540378443864676);
    const T a = re[1] + re[2], b = im[1] + im[2];
    const T c = kSine * (im[1] - im[2]), d = kSine * (re[2] - re[1]);
    const T e = re[0] - kHalf * a, f = im[0] - kHalf * b;
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
  } else if constexpr (R == 8) {
    constexpr S kRoot = static_cast<S>(0.70710678118654752440);
    T er[4] = {re[0], re[2], re[4], re[6]}, ei[4] = {im[0], im[2], im[4], im[6]};
    T odd_re[4] = {re[1], re[3], re[5], re[7]}, odd_im[4] = {im[1], im[3], im[5], im[7]};
    small_transform<4, S>(er, ei);
    small_transform<4, S>(odd_re, odd_im);
    const T a = kRoot * (odd_re[1] + odd_im[1]), b = kRoot * (odd_im[1] - odd_re[1]);
    const T c = kRoot * (odd_im[3] - odd_re[3]), d = -kRoot * (odd_re[3] + odd_im[3]);
    re[0] = er[0] + odd_re[0], im[0] = ei[0] + odd_im[0];
    re[1] = er[1] + a, im[1] = ei[1] + b;
    re[2] = er[2] + odd_im[2], im[2] = ei[2] - odd_re[2];
    re[3] = er[3] + c, im[3] = ei[3] + d;
    re[4] = er[0] - odd_re[0], im[4] = ei[0] - odd_im[0];
    re[5] = er[1] - a, im[5] = ei[1] - b;
    re[6] = er[2] - odd_im[2], im[6] = ei[2] + odd_re[2];
    re[7] = er[3] - c, im[7] = ei[3] - d;
  } else {
    constexpr S kCos1 = static_cast<S>(0.30901699437494742410);
    constexpr S kSin1 = static_cast<S>(0.95105651629515357212);
    constexpr S kCos2 = static_cast<S>(-0.80901699437494742410);
    constexpr S kSin2 = static_cast<S>(0.58778525229247312917);
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

/// The lanes from `q` on of one group, as many bytes at a time. The lane that is left.
template <int R, int bytes, class T>
[[gnu::always_inline]] inline std::int64_t pass_lanes(const FftPass<T>& pass, std::int64_t p,
                                                      std::int64_t q, const T* wr, const T* wi) {
  using V = typename FftVector<T, bytes>::type;
  constexpr std::int64_t kLanes = bytes / sizeof(T);
  const std::int64_t s = pass.stride, apart = s * pass.groups;
  const T *in_re = pass.in_re + s * p, *in_im = pass.in_im + s * p;
  T *out_re = pass.out_re + s * R * p, *out_im = pass.out_im + s * R * p;
  for (; q + kLanes <= s; q += kLanes) {
    V re[R], im[R];
#pragma GCC unroll 8
    for (int k = 0; k < R; ++k) {
      __builtin_memcpy(&re[k], in_re + q + k * apart, bytes);
      __builtin_memcpy(&im[k], in_im + q + k * apart, bytes);
    }
    small_transform<R, T>(re, im);
    __builtin_memcpy(out_re + q, &re[0], bytes);
    __builtin_memcpy(out_im + q, &im[0], bytes);
#pragma GCC unroll 8
    for (int k = 1; k < R; ++k) {
      const V a = re[k] * wr[k] - im[k] * wi[k], b = re[k] * wi[k] + im[k] * wr[k];
      __builtin_memcpy(out_re + q + k * s, &a, bytes);
      __builtin_memcpy(out_im + q + k * s, &b, bytes);
    }
  }
  return q;
}

template <int R, class T>
void radix_pass(const FftPass<T>& pass) {
  const std::int64_t m = pass.groups;
  for (std::int64_t p = 0; p < m; ++p) {
    T wr[R], wi[R];
#pragma GCC unroll 8
    for (int k = 1; k < R; ++k) {
      wr[k] = pass.factors[(2 * k - 2) * m + p];
      wi[k] = pass.factors[(2 * k - 1) * m + p];
    }
    std::int64_t q = pass_lanes<R, kFftBytes>(pass, p, 0, wr, wi);
    if constexpr (kFftBytes > 32) q = pass_lanes<R, 32>(pass, p, q, wr, wi);
    if constexpr (kFftBytes > 16) q = pass_lanes<R, 16>(pass, p, q, wr, wi);
    pass_lanes<R, sizeof(T)>(pass, p, q, wr, wi);
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
      return radix_pass<2>(step);
    case 3:
      return radix_pass<3>(step);
    case 4:
      return radix_pass<4>(step);
    case 5:
      return radix_pass<5>(step);
#if defined(__AVX512F__)
    case 8:
      return radix_pass<8>(step);
#endif
    default:
      return prime_pass(step);
  }
}

template <class T>
void split(const T* __restrict in, std::int64_t step, T* __restrict re, T* __restrict im,
           std::int64_t count, std::int64_t rows) {
  for (; rows > 0; --rows, in += step, re += count, im += count) {
    for (std::int64_t i = 0; i < count; ++i) re[i] = in[2 * i], im[i] = in[2 * i + 1];
  }
}

template <class T>
void join(const T* __restrict re, const T* __restrict im, T scale, T* __restrict out,
          std::int64_t step, std::int64_t count, std::int64_t rows) {
  for (; rows > 0; --rows, out += step, re += count, im += count) {
    for (std::int64_t i = 0; i < count; ++i)
      out[2 * i] = re[i] * scale, out[2 * i + 1] = im[i] * scale;
  }
}

template <class T>
void multiply(T* __restrict re, T* __restrict im, const T* __restrict wr, const T* __restrict wi,
              std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const T value = re[i] * wr[i] - im[i] * wi[i];
    im[i] = re[i] * wi[i] + im[i] * wr[i];
    re[i] = value;
  }
}

template <class T>
constexpr FftLoops<T> kFftLoops = {any_pass<T>, split<T>, join<T>, multiply<T>};

}  // namespace

const FftLoops<float>& fft_loops_float() { return kFftLoops<float>; }
const FftLoops<double>& fft_loops_double() { return kFftLoops<double>; }

}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
