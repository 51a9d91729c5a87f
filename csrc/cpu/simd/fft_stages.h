// The inner loop of Fourier transforms, at each level.
#pragma once

#include <cstdint>

namespace gpukit::cpu {

/// A pass of Stockham's algorithm: `groups` times `radix` times `stride` complex numbers, in two
/// arrays. Numbers p + k * groups, of `stride` lanes each, become numbers radix * p + k.
template <class T>
struct FftPass {
  int radix;
  std::int64_t groups, stride;
  const T *in_re, *in_im;
  T *out_re, *out_im;
  /// For k = 1 … radix - 1 the real parts for each group, then the imaginary ones. Of radices
  /// above 5 the powers of the radix' own root come before, in pairs.
  const T* factors;
};

#define GPUKIT_DECLARE_FFT(level)             \
  namespace level {                           \
  void fft_pass(const FftPass<float>& pass);  \
  void fft_pass(const FftPass<double>& pass); \
  }
GPUKIT_DECLARE_FFT(baseline)
GPUKIT_DECLARE_FFT(avx2)
GPUKIT_DECLARE_FFT(avx512)
#undef GPUKIT_DECLARE_FFT

}  // namespace gpukit::cpu
