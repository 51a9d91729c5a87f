#include "cpu/blocked_qr.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "cpu/blas_library.h"
#include "cpu/lapack_library.h"
#include "cpu/scratch.h"
#include "cpu/thread_pool.h"

namespace gpukit::cpu {
namespace blocked_qr {
namespace {

constexpr std::int64_t kBlock = 64;   ///< columns of a panel
constexpr std::int64_t kLeaf = 8;     ///< columns of a panel that LAPACK factors one by one
constexpr std::int64_t kPiece = 128;  ///< at least so many of the other columns are a thread's work
constexpr std::int64_t kLeast = 96;   ///< reflectors; fewer are LAPACK's
constexpr int kLead = static_cast<int>(kBlock);

int whole(std::int64_t value) { return static_cast<int>(value); }

template <class T>
T conjugate(T value) {
  if constexpr (is_complex_type<T>) return std::conj(value);
  return value;
}

/// One matrix. The reflectors of the columns [j, k) are I - V T V^H together: V is the part of
/// these columns below the diagonal, with ones on it, and T an upper triangle ("compact WY":
/// Schreiber and Van Loan, 1989). A panel is halved until LAPACK takes its columns (Elmroth and
/// Gustavson, 2000).
template <class T>
class BlockedQr {
 public:
  /// Matrix i of the batch, whose factors of reflectors are in or go to `tau`.
  BlockedQr(const LinalgArgs& args, std::int64_t i, T* tau)
      : lapack_(lapack<T>()),
        rows_(args.rows),
        columns_(args.columns),
        steps_(args.routine == LinalgRoutine::kHouseholder ? args.count : args.smaller()),
        lead_(whole(args.rows)),
        a_(static_cast<T*>(args.a) + i * rows_ * columns_),
        tau_(tau),
        triangles_(nullptr, static_cast<std::size_t>(kBlock * steps_) * sizeof(T)),
        work_(nullptr,
              static_cast<std::size_t>(kBlock * std::max(columns_, args.count)) * sizeof(T)) {}

  void factor() const {
    panel(0, end_of(0), true);
    for (std::int64_t j = 0; j < steps_; j += kBlock) {
      const std::int64_t next = end_of(j);
      pieces(next, end_of(next), columns_, [&](std::int64_t begin, std::int64_t end, bool first) {
        reflect(j, next, "C", a_, begin, end);
        if (first) panel(begin, end, true);  // while the others still work with panel j
      });
    }
  }

  /// Q in place of the reflectors.
  void multiply_out() const {
    for (std::int64_t column = steps_; column < columns_; ++column) {
      std::fill_n(at(0, column), rows_, T{0});
      *at(column, column) = T{1};
    }
    const std::int64_t panels = (steps_ + kBlock - 1) / kBlock;
    parallel_pieces(panels, false, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) panel(i * kBlock, end_of(i * kBlock), false);
    });
    for (std::int64_t j = (panels - 1) * kBlock; j >= 0; j -= kBlock) {
      const std::int64_t next = end_of(j);
      pieces(next, end_of(next), columns_, [&](std::int64_t begin, std::int64_t end, bool first) {
        if (first) own_columns(begin, end);  // nobody needs these reflectors any more
        reflect(j, next, "N", a_, begin, end);
      });
    }
    own_columns(0, end_of(0));
  }

  /// After factor(): b = the least squares of R x = Q^H b. The first column whose part of R is
  /// zero, counted from 1, or 0.
  int solve(T* b, std::int64_t count) const {
    pieces(0, 0, count, [&](std::int64_t begin, std::int64_t end, bool) {
      for (std::int64_t j = 0; j < steps_; j += kBlock) reflect(j, end_of(j), "C", b, begin, end);
    });
    for (std::int64_t j = 0; j < steps_; ++j)
      if (*at(j, j) == T{0}) return whole(j + 1);
    pieces(0, 0, count, [&](std::int64_t begin, std::int64_t end, bool) {
      const int n = whole(steps_), width = whole(end - begin);
      const T one{1};
      guarded([&] {
        lapack_.trsm("L", "U", "N", "N", &n, &width, &one, a_, &lead_, b + begin * rows_, &lead_, 1,
                     1, 1, 1);
      });
    });
    return 0;
  }

 private:
  T* at(std::int64_t row, std::int64_t column) const { return a_ + column * rows_ + row; }
  /// The T of the columns from j in the panel's.
  T* triangle(std::int64_t j) const { return triangles_.as<T>() + j * kBlock + j % kBlock; }
  T* work(std::int64_t column) const { return work_.as<T>() + column * kBlock; }
  std::int64_t end_of(std::int64_t j) const { return std::min(j + kBlock, steps_); }

  template <class Call>
  static void guarded(const Call& call) {
    const LibraryGate::Pass pass(BlasLibrary::gate());
    call();
  }

  /// body(begin, end, first) for the columns [begin, end): first those up to `rest`, the next
  /// panel's, then the others in two pieces a thread.
  template <class Body>
  void pieces(std::int64_t begin, std::int64_t rest, std::int64_t end, const Body& body) const {
    const std::int64_t firsts = rest > begin ? 1 : 0, shares = 2 * available_threads();
    const std::int64_t width = std::max(kPiece, (end - rest + shares - 1) / shares);
    const std::int64_t count = firsts + (end - rest + width - 1) / width;
    if (count == 0) return;
    parallel_pieces(count, false, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t i = from; i < to; ++i) {
        const std::int64_t start = rest + (i - firsts) * width;
        if (i < firsts) body(begin, rest, true);
        if (i >= firsts) body(start, std::min(start + width, end), false);
      }
    });
  }

  void gemm(const char* trans, std::int64_t m, std::int64_t n, std::int64_t k, T alpha, const T* a,
            const T* b, int ldb, T* c, int ldc) const {
    const int rows = whole(m), columns = whole(n), depth = whole(k);
    const T one{1};
    if (rows > 0 && depth > 0)
      lapack_.gemm(trans, "N", &rows, &columns, &depth, &alpha, a, &lead_, b, &ldb, &one, c, &ldc,
                   1, 1);
  }
  /// b = alpha op(a) b or alpha b op(a) of a triangle a.
  void trmm(const char* side, const char* upper, const char* trans, const char* unit,
            std::int64_t m, std::int64_t n, T alpha, const T* a, int lda, T* b, int ldb) const {
    const int rows = whole(m), columns = whole(n);
    if (rows > 0)
      lapack_.trmm(side, upper, trans, unit, &rows, &columns, &alpha, a, &lda, b, &ldb, 1, 1, 1, 1);
  }

  /// The columns [begin, end) of `matrix` from row j on, times I - V T V^H of the columns [j,
  /// next), or with trans "C" its adjoint.
  void reflect(std::int64_t j, std::int64_t next, const char* trans, T* matrix, std::int64_t begin,
               std::int64_t end) const {
    const std::int64_t k = next - j, width = end - begin, below = rows_ - next;
    T *c = matrix + begin * rows_ + j, *w = work(begin);
    for (std::int64_t i = 0; i < width; ++i) std::copy_n(c + i * rows_, k, w + i * kBlock);
    guarded([&] {
      trmm("L", "L", "C", "U", k, width, T{1}, at(j, j), lead_, w, kLead);
      gemm("C", k, width, below, T{1}, at(next, j), c + k, lead_, w, kLead);
      trmm("L", "U", trans, "N", k, width, T{1}, triangle(j), kLead, w, kLead);
      gemm("N", below, width, k, T{-1}, at(next, j), w, kLead, c + k, lead_);
      trmm("L", "L", "N", "U", k, width, T{1}, at(j, j), lead_, w, kLead);
    });
    for (std::int64_t i = 0; i < width; ++i)
      for (std::int64_t r = 0; r < k; ++r) c[i * rows_ + r] -= w[i * kBlock + r];
  }

  /// The triangle T of the columns [j, next); before, with `factor`, their reflectors and R.
  void panel(std::int64_t j, std::int64_t next, bool factor) const {
    const int rows = whole(rows_ - j), k = whole(next - j), size = kLead * k;
    if (k <= kLeaf) {
      int failed = 0;
      guarded([&] {
        if (factor) lapack_.geqrf(&rows, &k, at(j, j), &lead_, tau_ + j, work(j), &size, &failed);
        lapack_.larft("F", "C", &rows, &k, at(j, j), &lead_, tau_ + j, triangle(j), &kLead, 1, 1);
      });
      return;
    }
    const std::int64_t middle = j + (k / 2 + kLeaf - 1) / kLeaf * kLeaf;
    panel(j, middle, factor);
    if (factor) reflect(j, middle, "C", a_, middle, next);
    panel(middle, next, factor);
    merge(j, middle, next);
  }

  /// The corner of T beside those of two halves: -T1 V1^H V2 T2.
  void merge(std::int64_t j, std::int64_t middle, std::int64_t next) const {
    const std::int64_t m = middle - j, n = next - middle;
    T* corner = triangles_.as<T>() + middle * kBlock + j % kBlock;
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t r = 0; r < m; ++r)
        corner[i * kBlock + r] = conjugate(*at(middle + i, j + r));
    guarded([&] {
      trmm("R", "L", "N", "U", m, n, T{1}, at(middle, middle), lead_, corner, kLead);
      gemm("C", m, n, rows_ - next, T{1}, at(next, j), at(next, middle), lead_, corner, kLead);
      trmm("L", "U", "N", "N", m, n, T{-1}, triangle(j), kLead, corner, kLead);
      trmm("R", "U", "N", "N", m, n, T{1}, triangle(middle), kLead, corner, kLead);
    });
  }

  /// The columns [j, next) of Q as their own reflectors make them: those of I - V T V^H.
  void own_columns(std::int64_t j, std::int64_t next) const {
    const std::int64_t k = next - j;
    T *x = work(j), *v = at(j, j);
    for (std::int64_t i = 0; i < k; ++i) {
      std::copy_n(triangle(j) + i * kBlock, i + 1, x + i * kBlock);
      std::fill(x + i * kBlock + i + 1, x + i * kBlock + k, T{0});
      std::fill_n(at(0, j + i), j, T{0});
    }
    guarded([&] {
      trmm("R", "L", "C", "U", k, k, T{-1}, v, lead_, x, kLead);  // both are upper triangles
      trmm("R", "U", "N", "N", rows_ - next, k, T{1}, x, kLead, at(next, j), lead_);
      trmm("L", "L", "N", "U", k, k, T{1}, v, lead_, x, kLead);
    });
    for (std::int64_t i = 0; i < k; ++i) {
      std::copy_n(x + i * kBlock, k, v + i * rows_);
      v[i * rows_ + i] += T{1};
    }
  }

  const LapackFunctions<T>& lapack_;
  std::int64_t rows_, columns_, steps_;
  int lead_;  ///< the distance of columns
  T *a_, *tau_;
  Scratch triangles_, work_;
};

template <class T>
void run(const LinalgArgs& args) {
  const std::int64_t count = args.routine == LinalgRoutine::kQr ? args.smaller() : args.count;
  const auto each = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const BlockedQr<T> matrix(args, i, static_cast<T*>(args.b) + i * count);
      args.routine == LinalgRoutine::kQr ? matrix.factor() : matrix.multiply_out();
    }
  };
  // Few matrices: all threads share each one.
  if (args.batch < 2 * static_cast<std::int64_t>(available_threads())) return each(0, args.batch);
  parallel_for(args.batch, 1, each);
}

/// No sum of products leaves the range; LAPACK scales the matrices for which one could.
template <class T>
bool is_moderate(const T* values, std::int64_t count) {
  using Real = typename LapackFunctions<T>::Real;
  Real largest = 0;
  for (std::int64_t i = 0; i < count; ++i)
    largest = std::max({largest, std::abs(std::real(values[i])), std::abs(std::imag(values[i]))});
  return largest < std::ldexp(Real{1}, std::numeric_limits<Real>::max_exponent / 2);
}

}  // namespace
}  // namespace blocked_qr

bool fits_blocked_qr(const LinalgArgs& args) noexcept {
  if (args.routine == LinalgRoutine::kQr) return args.smaller() >= blocked_qr::kLeast;
  return args.routine == LinalgRoutine::kHouseholder && args.count >= blocked_qr::kLeast;
}

template <class T>
bool solve_by_blocked_qr(const LinalgArgs& args, std::int64_t i, int& failed) {
  if (args.driver != LeastSquaresDriver::kGels || args.rows < args.columns ||
      args.columns < blocked_qr::kLeast)
    return false;
  T* b = static_cast<T*>(args.b) + i * args.rows * args.count;
  const T* a = static_cast<const T*>(args.a) + i * args.rows * args.columns;
  if (!blocked_qr::is_moderate(a, args.rows * args.columns) ||
      !blocked_qr::is_moderate(b, args.rows * args.count))
    return false;
  const Scratch tau(nullptr, static_cast<std::size_t>(args.columns) * sizeof(T));
  const blocked_qr::BlockedQr<T> matrix(args, i, tau.as<T>());
  matrix.factor();
  failed = matrix.solve(b, args.count);
  return true;
}
template bool solve_by_blocked_qr<float>(const LinalgArgs&, std::int64_t, int&);
template bool solve_by_blocked_qr<double>(const LinalgArgs&, std::int64_t, int&);
template bool solve_by_blocked_qr<std::complex<float>>(const LinalgArgs&, std::int64_t, int&);
template bool solve_by_blocked_qr<std::complex<double>>(const LinalgArgs&, std::int64_t, int&);

void run_blocked_qr(const LinalgArgs& args) {
  switch (args.dtype) {
    case DType::kFloat32:
      return blocked_qr::run<float>(args);
    case DType::kFloat64:
      return blocked_qr::run<double>(args);
    case DType::kComplex64:
      return blocked_qr::run<std::complex<float>>(args);
    default:
      return blocked_qr::run<std::complex<double>>(args);
  }
}

}  // namespace gpukit::cpu
