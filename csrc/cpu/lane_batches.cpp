#include "cpu/lane_batches.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "cpu/cpu_features.h"
#include "cpu/scratch.h"
#include "cpu/simd/matrix_lanes.h"
#include "cpu/simd/simd_table.h"
#include "cpu/thread_pool.h"

namespace gpukit::cpu {

template <class T>
const MatrixLanes<T>& matrix_lanes() {
  const auto of = [](const MatrixLanes<float>& narrow,
                     const MatrixLanes<double>& wide) -> const MatrixLanes<T>& {
    if constexpr (sizeof(T) == sizeof(float))
      return narrow;
    else
      return wide;
  };
#if defined(__x86_64__)
  if (simd_level() >= SimdLevel::kAvx512)
    return of(avx512::matrix_lanes_float(), avx512::matrix_lanes_double());
  if (simd_level() == SimdLevel::kAvx2)
    return of(avx2::matrix_lanes_float(), avx2::matrix_lanes_double());
#endif
#if defined(__aarch64__)
  return of(neon::matrix_lanes_float(), neon::matrix_lanes_double());
#else
  return of(baseline::matrix_lanes_float(), baseline::matrix_lanes_double());
#endif
}

namespace lane_batches {
namespace {

static_assert(LinalgArgs::kNotFinite == -1);  // as MatrixLanes tells it

/// Multiplications that are worth a thread: waking one takes as long as 1000 matrices of 8 x 8.
constexpr std::int64_t kGrain = 1 << 19;
/// Elements of right-hand sides up to which vectors exchange all rows sooner than those that move
/// one by one.
constexpr std::int64_t kMostExchanged = 64;
/// Right-hand sides of a block that fit the caches.
constexpr std::int64_t kMostColumns = 2 * kMostLaneRows;

/// Multiplications that are worth a thread in the loop over LAPACK.
constexpr std::int64_t kLoopGrain = 1 << 15;
/// Sweeps of rotations, each of about four products of matrices.
constexpr std::int64_t kSweepWork = 32;

bool is_spectral(LinalgRoutine routine) {
  return routine == LinalgRoutine::kEigh || routine == LinalgRoutine::kSvd;
}
bool is_solution(LinalgRoutine routine) {
  return routine == LinalgRoutine::kLuSolve || routine == LinalgRoutine::kTriangularSolve ||
         routine == LinalgRoutine::kSolve;
}

template <class T>
class Blocks {
 public:
  explicit Blocks(const LinalgArgs& args)
      : args_(args),
        lanes_(matrix_lanes<T>()),
        width_(lanes_.lanes),
        size_(args.rows * args.columns),
        right_(right_size(args)) {}

  void run() const {
    const std::int64_t work = size_ * std::max(args_.smaller(), args_.count) * width_ *
                              (is_spectral(args_.routine) ? kSweepWork : 1);
    const std::int64_t grain = std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, work));
    parallel_for((args_.batch + width_ - 1) / width_, grain,
                 [&](std::int64_t begin, std::int64_t end) {
                   const auto elements = static_cast<std::size_t>(elements_of_block() * width_);
                   const Scratch numbers(nullptr, elements * sizeof(T));
                   const auto counts = static_cast<std::size_t>((kMostLaneRows + 1) * width_);
                   const Scratch indices(nullptr, counts * sizeof(std::int32_t));
                   for (std::int64_t i = begin; i < end; ++i)
                     block(i * width_, numbers.as<T>(), indices.as<std::int32_t>());
                 });
  }

 private:
  T* a(std::int64_t i) const { return static_cast<T*>(args_.a) + i * size_; }
  T* b(std::int64_t i) const { return static_cast<T*>(args_.b) + i * right_; }
  T* c(std::int64_t i) const { return static_cast<T*>(args_.c) + i * c_size(); }
  T* d(std::int64_t i) const { return static_cast<T*>(args_.d) + i * d_size(); }

  /// Elements of b of each matrix.
  static std::int64_t right_size(const LinalgArgs& args) {
    if (is_solution(args.routine)) return args.rows * args.count;
    if (args.routine == LinalgRoutine::kHouseholder) return args.count;
    const bool without =
        args.routine == LinalgRoutine::kLu || args.routine == LinalgRoutine::kCholesky;
    return without ? 0 : args.smaller();
  }
  std::int64_t u_columns() const { return args_.full ? args_.larger() : args_.smaller(); }
  std::int64_t c_size() const { return args_.rows * (args_.full ? args_.rows : args_.smaller()); }
  std::int64_t d_size() const {
    return args_.columns * (args_.full ? args_.columns : args_.smaller());
  }
  /// Elements of the working memory of each matrix.
  std::int64_t elements_of_block() const {
    if (args_.routine == LinalgRoutine::kEigh) return 2 * size_ + right_;
    if (args_.routine != LinalgRoutine::kSvd) return size_ + right_;
    const std::int64_t k = args_.smaller(), vectors = args_.larger() * u_columns();
    return 2 * size_ + k * (k + 2) + (args_.vectors ? 2 * vectors + k * k : 0);
  }

  void block(std::int64_t first, T* matrices, std::int32_t* infos) const {
    const std::int64_t count = std::min(width_, args_.batch - first);
    T* rights = matrices + size_ * width_;
    std::int32_t* pivots = infos + width_;
    put(matrices, a(first), size_, count);
    switch (args_.routine) {
      case LinalgRoutine::kLu:
        lanes_.lu(matrices, args_.rows, args_.columns, pivots, infos);
        take(a(first), matrices, size_, count);
        simd_table().transpose[sizeof(*pivots)](args_.pivots + first * args_.smaller(),
                                                args_.smaller(), pivots, width_, count,
                                                args_.smaller());
        break;
      case LinalgRoutine::kCholesky:
        lanes_.cholesky(matrices, args_.rows, args_.upper, infos);
        take(a(first), matrices, size_, count);
        break;
      case LinalgRoutine::kLuSolve:
        return lu_solve(first, count, matrices, rights, pivots);
      case LinalgRoutine::kSolve:
        lanes_.lu(matrices, args_.rows, args_.rows, pivots, infos);
        put(rights, b(first), right_, count);
        substitute(matrices, rights, pivots);
        take(b(first), rights, right_, count);
        break;
      case LinalgRoutine::kQr:
        lanes_.qr(matrices, args_.rows, args_.columns, rights);
        take(a(first), matrices, size_, count);
        take(b(first), rights, right_, count);
        return;
      case LinalgRoutine::kHouseholder:
        put(rights, b(first), right_, count);
        lanes_.product(matrices, args_.rows, args_.columns, rights, right_);
        take(a(first), matrices, size_, count);
        return;
      case LinalgRoutine::kEigh:
        eigh(first, count, matrices, rights, infos);
        break;
      case LinalgRoutine::kSvd:
        svd(first, count, matrices, rights, infos);
        break;
      default:
        put(rights, b(first), right_, count);
        lanes_.solve(matrices, {args_.rows, args_.upper, args_.transposed, args_.unit}, rights,
                     args_.count);
        take(b(first), rights, right_, count);
        return;
    }
    std::copy_n(infos, count, args_.info + first);
  }

  void lu_solve(std::int64_t first, std::int64_t count, const T* matrices, T* rights,
                std::int32_t* pivots) const {
    const std::int64_t n = args_.rows;
    const bool back = args_.transposed, in_lanes = right_ <= kMostExchanged;
    if (in_lanes) put(pivots, args_.pivots + first * n, n, count);
    if (!in_lanes && !back) exchange(first, count);
    put(rights, b(first), right_, count);
    substitute(matrices, rights, in_lanes ? pivots : nullptr);
    take(b(first), rights, right_, count);
    if (!in_lanes && back) exchange(first, count);
  }

  /// Solves with the factors in lanes; without pivots the rows are in order.
  void substitute(const T* matrices, T* rights, const std::int32_t* pivots) const {
    const std::int64_t n = args_.rows;
    const bool back = args_.transposed;
    if (pivots != nullptr && !back) lanes_.exchange(rights, n, args_.count, pivots, false);
    lanes_.solve(matrices, {n, back, back, !back}, rights, args_.count);
    lanes_.solve(matrices, {n, !back, back, back}, rights, args_.count);
    if (pivots != nullptr && back) lanes_.exchange(rights, n, args_.count, pivots, true);
  }

  void eigh(std::int64_t first, std::int64_t count, T* matrices, T* values,
            std::int32_t* infos) const {
    T* vectors = args_.vectors ? values + right_ * width_ : nullptr;
    lanes_.eigh(matrices, args_.rows, args_.upper, values, vectors, infos);
    take(b(first), values, right_, count);
    if (args_.vectors) take(a(first), vectors, size_, count);
    for (std::int64_t i = 0; i < count; ++i) {
      if (infos[i] != LinalgArgs::kNotFinite) continue;
      fill_nan(b(first + i), right_);
      fill_nan(a(first + i), size_);
    }
  }

  /// Wide matrices are transposed: their factors change places.
  void svd(std::int64_t first, std::int64_t count, T* matrices, T* values,
           std::int32_t* infos) const {
    const bool wide = args_.rows < args_.columns;
    const std::int64_t k = args_.smaller(), longer = args_.larger(), square = k * k;
    T* work = values + k * width_;
    T* flipped = work + (square + k) * width_;
    T* u = flipped + size_ * width_;
    T* v = u + longer * u_columns() * width_;
    if (wide) transpose_lanes(flipped, matrices, args_.rows, args_.columns);
    lanes_.svd({longer, k, u_columns(), args_.vectors, wide ? flipped : matrices, values, u, v,
                work, infos});
    take(b(first), values, k, count);
    if (args_.vectors) {
      T* other = v + square * width_;
      if (wide) {
        transpose_lanes(other, u, longer, u_columns());
      } else {
        transpose_lanes(other, v, k, k);
      }
      take(c(first), wide ? v : u, c_size(), count);
      take(d(first), other, d_size(), count);
    }
    for (std::int64_t i = 0; i < count; ++i) {
      if (infos[i] != LinalgArgs::kNotFinite) continue;
      fill_nan(b(first + i), right_);
      if (args_.vectors) fill_nan(c(first + i), c_size());
      if (args_.vectors) fill_nan(d(first + i), d_size());
    }
  }

  static void fill_nan(T* values, std::int64_t count) {
    std::fill_n(values, count, std::numeric_limits<T>::quiet_NaN());
  }
  void transpose_lanes(T* out, const T* in, std::int64_t rows, std::int64_t columns) const {
    for (std::int64_t c = 0; c < columns; ++c)
      for (std::int64_t r = 0; r < rows; ++r)
        std::copy_n(in + (c * rows + r) * width_, width_, out + (r * columns + c) * width_);
  }

  /// Matrices one after the other into lanes; those that the last block lacks are 0.
  template <class N>
  void put(N* out, const N* in, std::int64_t size, std::int64_t count) const {
    if (count < width_) std::memset(out, 0, static_cast<std::size_t>(size * width_) * sizeof(N));
    simd_table().transpose[sizeof(N)](out, width_, in, size, size, count);
  }
  void take(T* out, const T* in, std::int64_t size, std::int64_t count) const {
    simd_table().transpose[sizeof(T)](out, size, in, width_, count, size);
  }

  /// The rows of right-hand sides exchanged as the pivots say, or back.
  void exchange(std::int64_t first, std::int64_t count) const {
    const std::int64_t n = args_.rows;
    for (std::int64_t i = first; i < first + count; ++i) {
      const std::int32_t* pivots = args_.pivots + i * n;
      for (std::int64_t step = 0; step < n; ++step) {
        const std::int64_t k = args_.transposed ? n - 1 - step : step, row = pivots[k] - 1;
        if (row == k) continue;
        for (std::int64_t q = 0; q < args_.count; ++q)
          std::swap(b(i)[q * n + k], b(i)[q * n + row]);
      }
    }
  }

  const LinalgArgs& args_;
  const MatrixLanes<T>& lanes_;
  std::int64_t width_, size_, right_;  ///< lanes; elements of a matrix and of its right-hand sides
};

/// Whether rotations take less time than LAPACK, which shares out each matrix to another thread.
template <class T>
bool rotations_pay(const LinalgArgs& args) {
  const MatrixLanes<T>& lanes = matrix_lanes<T>();
  const std::int64_t n = args.smaller(), blocks = (args.batch + lanes.lanes - 1) / lanes.lanes;
  const std::int64_t pieces =
      std::min<std::int64_t>(args.batch, 1 + args.batch * n * n * n / kLoopGrain);
  const std::int64_t threads = std::min<std::int64_t>(pieces, available_threads());
  const std::int64_t slower = std::max<std::int64_t>(blocks, threads) * lanes.lanes;
  return n * slower <= lanes.spectral_rows / (args.vectors ? 1 : 2) * args.batch;
}

template <class T>
bool fits(const LinalgArgs& args) {
  constexpr std::int64_t kMost = kMostLaneRows;
  // A vector costs the same with lanes that are empty.
  if (args.batch < 2 || 4 * args.batch < matrix_lanes<T>().lanes) return false;
  const bool few = args.smaller() <= kMost && args.rows * args.columns <= kMost * kMost;
  switch (args.routine) {
    case LinalgRoutine::kQr:
    case LinalgRoutine::kHouseholder:
      return few;
    case LinalgRoutine::kEigh:
      return few && rotations_pay<T>(args);
    case LinalgRoutine::kSvd:
      return few && (!args.full || args.larger() <= kMost) && rotations_pay<T>(args);
    case LinalgRoutine::kLu:
    case LinalgRoutine::kCholesky:
      return args.larger() <= kMost;
    case LinalgRoutine::kSolve:
      return args.rows <= kMost && args.rows * args.count <= kMostExchanged;
    default:
      return is_solution(args.routine) && args.rows <= kMost && args.count <= kMostColumns;
  }
}

}  // namespace
}  // namespace lane_batches

bool fits_lanes(const LinalgArgs& args) noexcept {
  if (args.dtype == DType::kFloat32) return lane_batches::fits<float>(args);
  return args.dtype == DType::kFloat64 && lane_batches::fits<double>(args);
}

void run_in_lanes(const LinalgArgs& args) {
  if (args.dtype == DType::kFloat32) return lane_batches::Blocks<float>(args).run();
  lane_batches::Blocks<double>(args).run();
}

}  // namespace gpukit::cpu
