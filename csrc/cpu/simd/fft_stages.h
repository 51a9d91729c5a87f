// The inner loop of Fourier transforms, at each level.
#pragma once

#include <cstdint>

namespace gpukit::cpu {

/// Where a pass reads or writes: number k of group p begins at p * group + k * part. Real and
/// imaginary parts are in turn where the two addresses are neighbours.
template <class T>
struct FftSide {
  T *re = nullptr, *im = nullptr;
  std::int64_t group = 0, part = 0;
};

/// A pass of Stockham's algorithm: transforms of `radix` numbers, for each of `groups` and each of
/// `lanes` neighbours.
template <class T>
struct FftPass {
  int radix;
  std::int64_t groups, lanes;
  FftSide<const T> in;
  FftSide<T> out;
  /// Of a radix above 5 but 8: the powers of its own root, in pairs.
  const T* roots;
  /// Factors of the results, or none. For k = 1 … radix - 1 the real parts for each group, then the
  /// imaginary ones.
  const T* factors;
  /// In their place, factors for each lane of its own.
  FftSide<const T> twist;
  T scale;  ///< another factor, of results in turn
};

/// Bytes of a line that stay in the first-level cache, with a second place for them.
inline constexpr int kFftBlockBytes = 1 << 14;

/// Parts of the transform of a line, one after the other; pieces of one are independent.
enum class FftStage : std::uint8_t {
  kSplit,   ///< groups of the first pass
  kBlocks,  ///< the blocks that it leaves
  kRows,    ///< rows, as many as a vector has lanes together
};

/// The transform of a line whose numbers lie in turn, times `scale`. `out` may be `in`.
template <class T>
struct FftLine {
  const T* in;
  T* out;
  T* room;  ///< for `size` numbers and a row of `lanes` for each block of the first pass
  std::int64_t size;
  /// 4 or 8, of the passes over columns; their product is size / lanes.
  const std::uint8_t* radices;
  /// So many passes leave blocks of rows, which are transformed one by one: the rest fits the
  /// first-level cache.
  int splits;
  /// The powers of the root of `lanes`, then the factors of the passes but the last one.
  const T* factors;
  /// Those of the last pass over columns, a row each, in the order of their use.
  const T* twist;
  T scale;
  bool inverse;
  /// What the caches fetch meanwhile, of `size` numbers, or none: what is written, and what the
  /// next call reads.
  const T *written, *next;
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
  /// Or none, where the registers are too few.
  void (*line)(const FftLine<T>& line);
  /// Pieces of a line that has splits.
  void (*line_stage)(const FftLine<T>& line, FftStage stage, std::int64_t begin, std::int64_t end);
  /// Columns that `line` takes, and the elements of 16 bytes.
  std::int64_t line_lanes, line_part;
};

/// Whether there is a formula for this radix.
inline constexpr bool has_formula(int radix) noexcept { return radix <= 5 || radix == 8; }

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
