#include "cpu/lane_batches.h"

#include <algorithm>
#include <cstring>
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

/// Multiplications that are worth a thread: waking one takes as long as 1000 matrices of 8 x 8.
constexpr std::int64_t kGrain = 1 << 19;
/// Elements of right-hand sides up to which vectors exchange all rows sooner than those that move
/// one by one.
constexpr std::int64_t kMostExchanged = 64;
/// Right-hand sides of a block that fit the caches.
constexpr std::int64_t kMostColumns = 2 * kMostLaneRows;

template <class T>
class Blocks {
 public:
  explicit Blocks(const LinalgArgs& args)
      : args_(args),
        lanes_(matrix_lanes<T>()),
        width_(lanes_.lanes),
        size_(args.rows * args.columns),
        right_(args.b != nullptr ? args.rows * args.count : 0) {}

  void run() const {
    const std::int64_t work = size_ * std::max(args_.smaller(), args_.count) * width_;
    const std::int64_t grain = std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, work));
    parallel_for((args_.batch + width_ - 1) / width_, grain,
                 [&](std::int64_t begin, std::int64_t end) {
                   const auto bytes = static_cast<std::size_t>((size_ + right_) * width_);
                   const Scratch numbers(nullptr, bytes * sizeof(T));
                   const auto counts = static_cast<std::size_t>((kMostLaneRows + 1) * width_);
                   const Scratch indices(nullptr, counts * sizeof(std::int32_t));
                   for (std::int64_t i = begin; i < end; ++i)
                     block(i * width_, numbers.as<T>(), indices.as<std::int32_t>());
                 });
  }

 private:
  T* a(std::int64_t i) const { return static_cast<T*>(args_.a) + i * size_; }
  T* b(std::int64_t i) const { return static_cast<T*>(args_.b) + i * right_; }

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
    if (in_lanes && !back) lanes_.exchange(rights, n, args_.count, pivots, false);
    lanes_.solve(matrices, {n, back, back, !back}, rights, args_.count);
    lanes_.solve(matrices, {n, !back, back, back}, rights, args_.count);
    if (in_lanes && back) lanes_.exchange(rights, n, args_.count, pivots, true);
    take(b(first), rights, right_, count);
    if (!in_lanes && back) exchange(first, count);
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

}  // namespace
}  // namespace lane_batches

bool fits_lanes(const LinalgArgs& args) noexcept {
  const bool triangular =
      args.routine == LinalgRoutine::kLuSolve || args.routine == LinalgRoutine::kTriangularSolve;
  if (!triangular && args.routine != LinalgRoutine::kLu && args.routine != LinalgRoutine::kCholesky)
    return false;
  if (args.rows > kMostLaneRows || args.columns > kMostLaneRows) return false;
  if (triangular && args.count > lane_batches::kMostColumns) return false;
  // A vector costs the same with lanes that are empty.
  if (args.batch < 2) return false;
  if (args.dtype == DType::kFloat32) return 4 * args.batch >= matrix_lanes<float>().lanes;
  return args.dtype == DType::kFloat64 && 4 * args.batch >= matrix_lanes<double>().lanes;
}

void run_in_lanes(const LinalgArgs& args) {
  if (args.dtype == DType::kFloat32) return lane_batches::Blocks<float>(args).run();
  lane_batches::Blocks<double>(args).run();
}

}  // namespace gpukit::cpu
