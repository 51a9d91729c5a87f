// How Fourier transforms of one size are computed: factors of passes, made once and kept.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backend/device_ops.h"

namespace gpukit::cpu {

enum class FftForm : std::uint8_t {
  kLanes,  ///< several lines side by side
  kLine,   ///< one line, as columns and rows of a matrix
  kRoots,  ///< the first half of the roots of unity, for real lines
};

/// Separate real and imaginary parts.
template <class T>
struct FftParts {
  T* re = nullptr;
  T* im = nullptr;
  FftParts exchanged() const noexcept { return {im, re}; }
};

template <class T>
class FftPlan {
 public:
  /// The plan from the cache, or made. Thread safe.
  static std::shared_ptr<const FftPlan> get(std::int64_t size, FftForm form);

  FftPlan(std::int64_t size, FftForm form);

  /// Forward transforms of `lanes` lines, number by number. Both arrays have places() * lanes
  /// numbers; the result is in `data`, which may have been exchanged for `work`.
  void run(FftParts<T>& data, FftParts<T>& work, std::int64_t lanes, Workspace* workspace) const;

  /// Whether run_in_turn can be called: for long lines.
  bool runs_in_turn() const noexcept;
  /// The transform of numbers whose parts are in turn, times `scale`. `out` may be `in`.
  void run_in_turn(const T* in, T* out, T scale, bool inverse, Workspace* workspace) const;

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

  void make_passes();
  void make_matrix();
  void make_chirp(FftForm form);
  void run_passes(FftParts<T>& data, FftParts<T>& work, std::int64_t lanes) const;
  void run_chirp(FftParts<T>& data, FftParts<T>& work, std::int64_t lanes,
                 Workspace* workspace) const;
  void run_matrix(FftParts<T>& data, FftParts<T>& work, Workspace* workspace) const;
  /// Transforms of `lines` columns, some of them side by side at a time, which `load` fetches and
  /// `store` takes: (parts, first line, how many).
  template <class Load, class Store>
  void each_column(std::int64_t lines, Workspace* workspace, const Load& load,
                   const Store& store) const;
  /// Of the columns of the matrix, which `load` fetches, to rows of their transposed.
  template <class Load>
  void run_columns(FftParts<T> transposed, Workspace* workspace, const Load& load) const;

  std::int64_t size_;
  std::vector<Pass> passes_;
  std::vector<T> factors_;
  /// A matrix of columns_->size_ rows and rows_->size_ columns: transforms of its columns, factors,
  /// transforms of its rows.
  std::shared_ptr<const FftPlan> columns_, rows_;
  /// Bluestein: a convolution with a chirp, by transforms of a size that has small prime factors.
  std::shared_ptr<const FftPlan> inner_;
  std::vector<T> chirp_, spectrum_;
};

/// The largest size that is transformed side by side with others.
inline constexpr std::int64_t kMostLaneSize = 4096;
/// Lines that are transformed together.
inline constexpr std::int64_t kFftLanes = 16;

extern template class FftPlan<float>;
extern template class FftPlan<double>;

}  // namespace gpukit::cpu
