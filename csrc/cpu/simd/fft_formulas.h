// Transforms of a few numbers in registers.
#pragma once

#include "cpu/simd/fft_stages.h"
#include "cpu/simd/vector.h"

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {
namespace {

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

template <class T>
GPUKIT_SIMD_FN void multiply_by(Vec<T>& re, Vec<T>& im, Vec<T> wr, Vec<T> wi) {
  const Vec<T> value = re * wr - im * wi;
  im = re * wi + im * wr;
  re = value;
}

}  // namespace
}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
