// How Fourier transforms of one size are computed: factors of passes, made once and kept.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backend/device_ops.h"
#include "cpu/simd/fft_stages.h"

namespace gpukit::cpu {

enum class FftForm : std::uint8_t {
  kLanes,  ///< several lines side by side
  kLine,   ///< one line, as columns and rows of a matrix
  kTurn,   ///< one line whose numbers lie in turn, of a size that runs_whole() says
  kRoots,  ///< the first half of the roots of unity, for real lines
};

/// Separate real and imaginary parts.
template <class T>
struct FftParts {
  T* re = nullptr;
  T* im = nullptr;
  FftParts exchanged() const noexcept { return {im, re}; }
};

/// Lines of so many numbers that lie in turn are transformed one by one.
inline constexpr std::int64_t kLeastOwnSize = 256;
/// From so many on they are read and written in turn; fewer stay in the first-level cache.
inline constexpr std::int64_t kLeastTurnSize = 2048;
/// The largest line in turn that is taken as a whole.
inline constexpr std::int64_t kMostWholeBytes = std::int64_t{1} << 28;
/// The largest size that is transformed side by side with others.
inline constexpr std::int64_t kMostLaneSize = 4096;
/// Lines that are transformed together.
inline constexpr std::int64_t kFftLanes = 16;
/// Numbers that are worth a thread.
inline constexpr std::int64_t kFftGrain = 1 << 14;

template <class T>
class FftPlan {
 public:
  /// The plan from the cache, or made. Thread safe.
  static std::shared_ptr<const FftPlan> get(std::int64_t size, FftForm form);

  FftPlan(std::int64_t size, FftForm form);

  /// Forward transforms of `lanes` lines, number by number. Both arrays have places() * lanes
  /// numbers; the result is in `data`, which may have been exchanged for `work`.
  void run(FftParts<T>& data, FftParts<T>& work, std::int64_t lanes, Workspace* workspace) const;

  /// Whether a plan for lines in turn, kTurn, is there for this size, and is the fastest.
  static bool runs_whole(std::int64_t size) noexcept;
  /// A line in turn by such a plan, times `scale`. `next`, or none, is what the next call reads.
  /// `room` is for whole_room() elements.
  void run_whole(const T* in, T* out, T scale, bool inverse, const T* next, T* room) const;
  std::int64_t whole_room() const noexcept;

  /// Whether run_in_turn is the faster way for lines that lie in turn.
  bool runs_in_turn() const noexcept { return rows_ != nullptr && size_ >= kLeastTurnSize; }
  /// The transform of numbers whose parts are in turn, times `scale`. `out` may be `in`. `next`, or
  /// none, is what the next call reads.
  void run_in_turn(const T* in, T* out, T scale, bool inverse, const T* next,
                   Workspace* workspace) const;

  /// Whether run_side_by_side is there.
  bool runs_side_by_side() const noexcept { return passes_.size() > 1; }
  /// Transforms, times `scale`, of `lanes` lines whose first numbers lie in turn; the next ones are
  /// `in_step` and `out_step` numbers further. `out` may be `in`. `room` is for 2 * size * lanes
  /// numbers.
  void run_side_by_side(const T* in, std::int64_t in_step, T* out, std::int64_t out_step,
                        std::int64_t lanes, T scale, bool inverse, T* room) const;

  /// How many numbers a line needs room for: more than its size where it is padded.
  std::int64_t places() const noexcept { return inner_ != nullptr ? inner_->size_ : size_; }
  std::int64_t bytes() const noexcept;
  /// exp(-2 pi i k / size) for k up to size / 2, real and imaginary part in turn.
  const T* roots() const noexcept { return factors_.data(); }

 private:
  struct Pass {
    int radix;
    std::int64_t groups;
    std::size_t factors;
  };

  /// Lines side by side: the address of their first numbers, and the step to the next ones.
  template <class N>
  struct Lines {
    FftParts<N> first;
    std::int64_t step;
  };

  void make_passes();
  void make_line();
  void make_matrix();
  void make_chirp(FftForm form);
  /// Passes from `in` by way of `spare` to `out`, whose numbers are multiplied by `scale` if they
  /// are in turn, or by those of `twist`.
  void run_passes(Lines<const T> in, Lines<T> out, std::int64_t lanes, FftParts<T> spare[2],
                  T scale, FftSide<const T> twist) const;
  void run_chirp(FftParts<T>& data, FftParts<T>& work, std::int64_t lanes,
                 Workspace* workspace) const;
  /// Meanwhile the caches fetch `ahead`: what is written, and what is read next.
  void run_matrix(Lines<const T> in, Lines<T> out, T scale, FftParts<T> transposed, T* room,
                  const T* const (&ahead)[2], Workspace* workspace) const;
  /// Blocks of `lines` transforms, which `run` makes: (first line, how many, two buffers). The
  /// thread of the first ones uses `room`, others get their own.
  template <class Run>
  void each_block(std::int64_t lines, T* room, Workspace* workspace, const Run& run) const;
  /// Factors of a matrix for the results of some columns.
  FftSide<const T> twist_of(std::int64_t column, std::int64_t lanes) const noexcept;
  /// How many numbers the buffers of a block take.
  std::int64_t block_room() const noexcept;

  std::int64_t size_;
  std::vector<Pass> passes_;
  std::vector<std::uint8_t> radices_;  ///< of a line in turn
  int splits_ = 0;                     ///< how many of them leave blocks
  std::size_t twist_ = 0;              ///< where the factors of its rows begin
  std::vector<T> factors_;
  /// A matrix of columns_->size_ rows and rows_->size_ columns: transforms of its columns, factors,
  /// transforms of its rows.
  std::shared_ptr<const FftPlan> columns_, rows_;
  /// Bluestein: a convolution with a chirp, by transforms of a size that has small prime factors.
  std::shared_ptr<const FftPlan> inner_;
  std::vector<T> chirp_, spectrum_;
};

extern template class FftPlan<float>;
extern template class FftPlan<double>;

}  // namespace gpukit::cpu
