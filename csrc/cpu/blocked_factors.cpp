#include "cpu/blocked_factors.h"

#include <algorithm>
#include <utility>

#include "cpu/blas_library.h"
#include "cpu/lapack_library.h"
#include "cpu/thread_pool.h"

namespace gpukit::cpu {
namespace blocked_factors {
namespace {

constexpr std::int64_t kBlock = 128;      ///< columns of a panel, and of a piece of the rest
constexpr std::int64_t kLeastRows = 512;  ///< smaller ones are LAPACK's
constexpr std::int64_t kLeastColumns = 2 * kBlock;  ///< of a solution

int whole(std::int64_t value) { return static_cast<int>(value); }

template <class T>
class Blocked {
 public:
  explicit Blocked(const LinalgArgs& args)
      : args_(args), lapack_(lapack<T>()), lead_(whole(args.rows)) {}

  void run() const {
    switch (args_.routine) {
      case LinalgRoutine::kLu:
        return lu();
      case LinalgRoutine::kCholesky:
        return cholesky();
      case LinalgRoutine::kLuSolve:
        return pieces(0, args_.count, 1, [&](std::int64_t begin, std::int64_t end) {
          const int count = whole(end - begin);
          int failed = 0;
          guarded([&] {
            lapack_.getrs(args_.transposed ? "C" : "N", &lead_, &count, at(0, 0), &lead_,
                          args_.pivots, b(begin), &lead_, &failed, 1);
          });
        });
      default:
        return pieces(0, args_.count, 1, [&](std::int64_t begin, std::int64_t end) {
          solve(args_.upper, args_.transposed, args_.unit, args_.rows, at(0, 0), b(begin),
                end - begin);
        });
    }
  }

 private:
  T* at(std::int64_t row, std::int64_t column) const {
    return static_cast<T*>(args_.a) + column * args_.rows + row;
  }
  T* b(std::int64_t column) const { return static_cast<T*>(args_.b) + column * args_.rows; }

  template <class Call>
  static void guarded(const Call& call) {
    const LibraryGate::Pass pass(BlasLibrary::gate());
    call();
  }

  /// body(begin, end) for pieces of the columns, `each` a thread; the last columns come first.
  template <class Body>
  static void pieces(std::int64_t begin, std::int64_t end, std::int64_t each, const Body& body) {
    if (begin >= end) return;
    const std::int64_t shares = each * available_threads();
    const std::int64_t width = std::max(kBlock, (end - begin + shares - 1) / shares);
    const std::int64_t count = (end - begin + width - 1) / width;
    parallel_pieces(count, false, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        const std::int64_t from = begin + (count - 1 - i) * width;
        body(from, std::min(from + width, end));
      }
    });
  }

  /// right = the inverse of a triangle times right, `columns` of the matrix' rows apart.
  void solve(bool upper, bool transposed, bool unit, std::int64_t rows, const T* triangle, T* right,
             std::int64_t columns) const {
    const int n = whole(rows), count = whole(columns);
    const T one = 1;
    guarded([&] {
      lapack_.trsm("L", upper ? "U" : "L", transposed ? "T" : "N", unit ? "U" : "N", &n, &count,
                   &one, triangle, &lead_, right, &lead_, 1, 1, 1, 1);
    });
  }

  /// (m x n) c -= left * right over `depth`, all by columns of the matrix.
  void subtract(std::int64_t m, std::int64_t n, std::int64_t depth, const T* left,
                bool left_transposed, const T* right, T* c) const {
    if (m == 0) return;
    // A matrix by columns is its transpose by rows.
    BlasLibrary::get()->gemm(GemmCall<T>{.m = n,
                                         .n = m,
                                         .k = depth,
                                         .alpha = -1,
                                         .a = right,
                                         .a_stride = args_.rows,
                                         .a_transposed = false,
                                         .b = left,
                                         .b_stride = args_.rows,
                                         .b_transposed = left_transposed,
                                         .beta = 1,
                                         .c = c,
                                         .c_stride = args_.rows});
  }

  void exchange(std::int64_t first, std::int64_t last, std::int64_t begin, std::int64_t end) const {
    for (std::int64_t column = begin; column < end; ++column) {
      T* rows = at(0, column);
      for (std::int64_t k = first; k < last; ++k) std::swap(rows[k], rows[args_.pivots[k] - 1]);
    }
  }

  void lu() const {
    const std::int64_t m = args_.rows, n = args_.columns, steps = args_.smaller();
    args_.info[0] = 0;
    for (std::int64_t j = 0; j < steps; j += kBlock) {
      const std::int64_t next = std::min(j + kBlock, steps);
      const int rows = whole(m - j), columns = whole(next - j);
      int failed = 0;
      guarded([&] { lapack_.getrf(&rows, &columns, at(j, j), &lead_, args_.pivots + j, &failed); });
      if (failed > 0 && args_.info[0] == 0) args_.info[0] = whole(j) + failed;
      for (std::int64_t k = j; k < next; ++k) args_.pivots[k] += whole(j);
      pieces(0, j, 1, [&](std::int64_t begin, std::int64_t end) { exchange(j, next, begin, end); });
      pieces(next, n, 2, [&](std::int64_t begin, std::int64_t end) {
        exchange(j, next, begin, end);
        solve(false, false, true, next - j, at(j, j), at(j, begin), end - begin);
        subtract(m - next, end - begin, next - j, at(next, j), false, at(j, begin),
                 at(next, begin));
      });
    }
  }

  /// The upper triangle of a = its transpose times itself.
  void cholesky() const {
    const std::int64_t n = args_.rows;
    args_.info[0] = 0;
    for (std::int64_t j = 0; j < n && args_.info[0] == 0; j += kBlock) {
      const std::int64_t next = std::min(j + kBlock, n);
      const int size = whole(next - j);
      int failed = 0;
      guarded([&] { lapack_.potrf("U", &size, at(j, j), &lead_, &failed, 1); });
      if (failed > 0) args_.info[0] = whole(j) + failed;
      if (failed > 0) return;
      pieces(next, n, 2, [&](std::int64_t begin, std::int64_t end) {
        solve(true, true, false, next - j, at(j, j), at(j, begin), end - begin);
      });
      pieces(next, n, 2, [&](std::int64_t begin, std::int64_t end) {
        subtract(end - next, end - begin, next - j, at(j, next), true, at(j, begin),
                 at(next, begin));
      });
    }
  }

  const LinalgArgs& args_;
  const LapackFunctions<T>& lapack_;
  int lead_;  ///< the distance of columns
};

}  // namespace
}  // namespace blocked_factors

bool fits_blocks(const LinalgArgs& args) noexcept {
  if (args.batch != 1 || is_complex(args.dtype) || available_threads() == 1) return false;
  if (args.smaller() < blocked_factors::kLeastRows) return false;
  switch (args.routine) {
    case LinalgRoutine::kLu:
      return true;
    case LinalgRoutine::kCholesky:
      return args.upper;
    case LinalgRoutine::kLuSolve:
    case LinalgRoutine::kTriangularSolve:
      return args.count >= blocked_factors::kLeastColumns;
    default:
      return false;
  }
}

void run_in_blocks(const LinalgArgs& args) {
  if (args.dtype == DType::kFloat32) return blocked_factors::Blocked<float>(args).run();
  blocked_factors::Blocked<double>(args).run();
}

}  // namespace gpukit::cpu
