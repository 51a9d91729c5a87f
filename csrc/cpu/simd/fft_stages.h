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

/// Complex numbers lie in two arrays, or in turn.
template <class T>
struct FftLoops {
  void (*pass)(const FftPass<T>& pass);
  /// `rows` times `count` numbers; rows in turn are `step` elements apart, those of arrays follow
  /// each other.
  void (*split)(const T* in, std::int64_t step, T* re, T* im, std::int64_t count,
                std::int64_t rows);
  void (*join)(const T* re, const T* im, T scale, T* out, std::int64_t step, std::int64_t count,
               std::int64_t rows);
  /// (re, im) *= (wr, wi), element by element.
  void (*multiply)(T* re, T* im, const T* wr, const T* wi, std::int64_t count);
};

/// Those of the best level that runs here.
template <class T>
const FftLoops<T>& fft_loops();

#define GPUKIT_DECLARE_FFT(level)             \
  namespace level {                           \
  const FftLoops<float>& fft_loops_float();   \
  const FftLoops<double>& fft_loops_double(); \
  }
GPUKIT_DECLARE_FFT(baseline)
GPUKIT_DECLARE_FFT(neon)
GPUKIT_DECLARE_FFT(avx2)
GPUKIT_DECLARE_FFT(avx512)
#undef GPUKIT_DECLARE_FFT

}  // namespace gpukit::cpu
