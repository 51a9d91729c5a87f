// Arguments of discrete Fourier transforms.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backend/op_args.h"

namespace gpukit {

enum class FftKind : std::uint8_t {
  kComplex,   ///< all numbers of complex lines, or of real ones
  kHalf,      ///< the first size / 2 + 1 numbers, of real lines
  kFromHalf,  ///< real lines, of their first size / 2 + 1 numbers
};

/// out[k] = scale * sum over j < size of in[j] * exp(-+ 2 pi i j k / size), along lines that begin
/// where the strides of `lines` lead. Elements from `read` on count as 0. kFromHalf adds the
/// conjugate numbers that are not there, and ignores the imaginary parts that have none. `out` may
/// be `in`, element for element, where all of a line is read.
struct FftArgs {
  FftKind kind = FftKind::kComplex;
  bool inverse = false;  ///< exp(+ 2 pi i j k / size)
  double scale = 1;
  std::int64_t size = 0, read = 0;
  std::int64_t in_step = 1, out_step = 1;  ///< between neighbours of a line, in elements
  Shape lines;
  Operand in, out;  ///< complex64 or complex128, or the dtype of their parts

  std::int64_t written() const noexcept { return kind == FftKind::kHalf ? size / 2 + 1 : size; }
  bool real_in() const noexcept { return !is_complex(in.dtype); }
};

/// Sizes of these prime factors are transformed in passes, all others by Bluestein's convolution.
inline constexpr int kFftRadices[] = {4, 2, 3, 5, 7, 11, 13};

inline bool has_small_factors(std::int64_t size) noexcept {
  for (const int radix : kFftRadices) {
    while (size % radix == 0) size /= radix;
  }
  return size == 1;
}

/// The smallest size from `least` on that is a multiple of 16 and has the prime factors 2, 3 and 5.
inline std::int64_t smooth_size(std::int64_t least) noexcept {
  std::int64_t best = 16;
  while (best < least) best *= 2;
  for (std::int64_t fives = 16; fives < best; fives *= 5) {
    for (std::int64_t threes = fives; threes < best; threes *= 3) {
      std::int64_t size = threes;
      while (size < least) size *= 2;
      best = std::min(best, size);
    }
  }
  return best;
}

}  // namespace gpukit
