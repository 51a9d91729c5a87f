// Factorizations of matrices by LAPACK: a loop over the batch, each matrix on one thread.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "backend/linalg_args.h"
#include "base/check.h"
#include "base/error.h"
#include "cpu/blas_library.h"
#include "cpu/blocked_factors.h"
#include "cpu/blocked_qr.h"
#include "cpu/cpu_ops.h"
#include "cpu/lane_batches.h"
#include "cpu/lapack_library.h"
#include "cpu/scratch.h"
#include "cpu/thread_pool.h"

namespace gpukit::cpu {

namespace cpu_linalg {
namespace {

/// Multiplications of a matrix that are worth a thread.
constexpr double kGrain = 1 << 15;

std::int64_t grain_of(const LinalgArgs& args) {
  const double each = static_cast<double>(args.rows) * static_cast<double>(args.columns) *
                      static_cast<double>(std::max(args.smaller(), args.count));
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(kGrain / std::max(1.0, each)));
}

/// LAPACK's integer. ops/ has checked that sizes fit.
int whole(std::int64_t value) { return static_cast<int>(value); }
/// The distance of columns, which LAPACK wants to be 1 or more.
int lead(std::int64_t rows) { return whole(std::max<std::int64_t>(1, rows)); }

/// Both parts of complex elements.
template <class T>
bool all_finite(const T* values, std::int64_t count) {
  return std::all_of(values, values + count, [](T value) {
    return std::isfinite(std::real(value)) && std::isfinite(std::imag(value));
  });
}

/// The elements of one triangle of an n x n matrix are finite.
template <class T>
bool finite_triangle(const T* a, std::int64_t n, bool upper) {
  for (std::int64_t j = 0; j < n; ++j) {
    const std::int64_t begin = upper ? 0 : j, end = upper ? j + 1 : n;
    if (!all_finite(a + j * n + begin, end - begin)) return false;
  }
  return true;
}

template <class T>
void fill_nan(T* values, std::int64_t count) {
  using Real = typename LapackFunctions<T>::Real;
  constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();
  if (values == nullptr) return;
  if constexpr (is_complex_type<T>) {
    std::fill_n(values, count, T(kNaN, kNaN));
  } else {
    std::fill_n(values, count, kNaN);
  }
}

/// Working memory of calls: elements, whose number LAPACK tells as an element, real and whole ones.
struct WorkSizes {
  double elements = 0;
  std::int64_t real = 0, whole = 0;
};
template <class T>
struct Work {
  using Real = typename LapackFunctions<T>::Real;
  explicit Work(const WorkSizes& sizes)
      : size(static_cast<int>(std::clamp(std::ceil(sizes.elements) + 8, 16.0, 2.1e9))),
        elements_(nullptr, static_cast<std::size_t>(size) * sizeof(T)),
        real_(nullptr, static_cast<std::size_t>(sizes.real) * sizeof(Real)),
        whole_(nullptr, static_cast<std::size_t>(sizes.whole) * sizeof(int)) {}
  T* data() const { return elements_.template as<T>(); }
  Real* real() const { return real_.template as<Real>(); }
  int* whole() const { return whole_.as<int>(); }

  int size;

 private:
  Scratch elements_, real_, whole_;
};

/// Asks for the number of elements: `call(work, size)`, where the size -1 means a question.
template <class T, class Call>
double question(const Call& call) {
  T told = 0;
  call(&told, -1);
  return static_cast<double>(std::real(told));
}

template <class T>
class Loops {
  using Real = typename LapackFunctions<T>::Real;
  using Complex = std::complex<Real>;
  static constexpr bool kComplex = is_complex_type<T>;

 public:
  explicit Loops(const LinalgArgs& args) : args_(args), lapack_(lapack<T>()) {}

  void run() const {
    const bool in_lanes = fits_lanes(args_), in_blocks = !in_lanes && fits_blocks(args_);
    if ((in_lanes || in_blocks) && args_.routine == LinalgRoutine::kLuSolve)
      for (std::int64_t i = 0; i < args_.batch; ++i) check_pivots(args_.pivots + i * args_.rows);
    if (in_lanes) return run_in_lanes(args_);
    if (in_blocks) {
      run_in_blocks(args_);
      return args_.routine == LinalgRoutine::kCholesky ? finish_cholesky(0, info(0)) : void();
    }
    if (fits_blocked_qr(args_)) return run_blocked_qr(args_);
    switch (args_.routine) {
      case LinalgRoutine::kLu:
        return each([&](std::int64_t i) { lu(i); });
      case LinalgRoutine::kLuSolve:
        return each([&](std::int64_t i) { lu_solve(i); });
      case LinalgRoutine::kTriangularSolve:
        return each([&](std::int64_t i) { triangular_solve(i); });
      case LinalgRoutine::kCholesky:
        return each([&](std::int64_t i) { cholesky(i); });
      case LinalgRoutine::kQr:
        return qr();
      case LinalgRoutine::kHouseholder:
        return householder();
      case LinalgRoutine::kEigh:
        return eigh();
      case LinalgRoutine::kSvd:
        return svd();
      case LinalgRoutine::kEig:
        return eig();
      case LinalgRoutine::kLeastSquares:
        return least_squares();
      case LinalgRoutine::kSolve:
        return solve();
    }
  }

 private:
  T* a(std::int64_t i) const { return static_cast<T*>(args_.a) + i * args_.rows * args_.columns; }
  template <class Element = T>
  static Element* item(void* operand, std::int64_t i, std::int64_t count) {
    return operand == nullptr ? nullptr : static_cast<Element*>(operand) + i * count;
  }
  std::int32_t& info(std::int64_t i) const { return args_.info[i]; }

  /// body(i) for each matrix, on several threads.
  template <class Body>
  void each(const Body& body) const {
    parallel_for(args_.batch, grain_of(args_), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) body(i);
    });
  }
  /// body(i, work) for each matrix, with working memory of each thread.
  template <class Body>
  void for_each_matrix(const WorkSizes& sizes, const Body& body) const {
    parallel_for(args_.batch, grain_of(args_), [&](std::int64_t begin, std::int64_t end) {
      const Work<T> work(sizes);
      for (std::int64_t i = begin; i < end; ++i) body(i, work);
    });
  }
  template <class Call>
  static void guarded(const Call& call) {
    const LibraryGate::Pass pass(BlasLibrary::gate());
    call();
  }

  void lu(std::int64_t i) const {
    const int m = whole(args_.rows), n = whole(args_.columns), lda = lead(args_.rows);
    int failed = 0;
    guarded(
        [&] { lapack_.getrf(&m, &n, a(i), &lda, args_.pivots + i * args_.smaller(), &failed); });
    info(i) = failed;
  }

  /// A pivot of the user's that names no row would make LAPACK write outside the matrix.
  void check_pivots(const std::int32_t* pivots) const {
    for (std::int64_t k = 0; k < args_.rows; ++k)
      GPUKIT_CHECK(pivots[k] >= 1 && pivots[k] <= args_.rows, ValueError, "lu_solve: pivots hold ",
                   pivots[k], ", but rows are counted from 1 to ", args_.rows,
                   ". Pass those of lu_factor.");
  }

  void lu_solve(std::int64_t i) const {
    const int n = whole(args_.rows), count = whole(args_.count), ld = lead(args_.rows);
    const std::int32_t* pivots = args_.pivots + i * args_.rows;
    check_pivots(pivots);
    int failed = 0;
    guarded([&] {
      lapack_.getrs(args_.transposed ? "C" : "N", &n, &count, a(i), &ld, pivots,
                    item(args_.b, i, args_.rows * args_.count), &ld, &failed, 1);
    });
  }

  void solve() const {
    const auto pivots = static_cast<std::size_t>(args_.batch * args_.rows);
    const Scratch memory(nullptr, pivots * sizeof(std::int32_t));
    LinalgArgs args = args_;
    args.pivots = memory.as<std::int32_t>();
    for (const LinalgRoutine routine : {LinalgRoutine::kLu, LinalgRoutine::kLuSolve}) {
      args.routine = routine;
      Loops(args).run();
    }
  }

  void triangular_solve(std::int64_t i) const {
    const int n = whole(args_.rows), count = whole(args_.count), ld = lead(args_.rows);
    const T one = 1;
    guarded([&] {
      lapack_.trsm("L", args_.upper ? "U" : "L", args_.transposed ? "T" : "N",
                   args_.unit ? "U" : "N", &n, &count, &one, a(i), &ld,
                   item(args_.b, i, args_.rows * args_.count), &ld, 1, 1, 1, 1);
    });
  }

  void cholesky(std::int64_t i) const {
    const std::int64_t n = args_.rows;
    const int size = whole(n), lda = lead(n);
    int failed = 0;
    guarded([&] { lapack_.potrf(args_.upper ? "U" : "L", &size, a(i), &lda, &failed, 1); });
    finish_cholesky(i, failed);
  }

  void finish_cholesky(std::int64_t i, int failed) const {
    const std::int64_t n = args_.rows;
    T* matrix = a(i);
    for (std::int64_t j = 0; j < n && failed == 0; ++j) {
      if (!(std::real(matrix[j * n + j]) > 0)) failed = whole(j + 1);  // NaN is not positive either
    }
    for (std::int64_t j = 0; j < n; ++j) {
      const std::int64_t begin = args_.upper ? j + 1 : 0, end = args_.upper ? n : j;
      std::fill(matrix + j * n + begin, matrix + j * n + end, T{0});
    }
    info(i) = failed;
  }

  void qr() const {
    const int m = whole(args_.rows), n = whole(args_.columns), lda = lead(args_.rows);
    const auto call = [&](T* matrix, T* tau, T* work, int size, int* failed) {
      lapack_.geqrf(&m, &n, matrix, &lda, tau, work, &size, failed);
    };
    const double told = question<T>([&](T* work, int size) {
      int failed = 0;
      call(a(0), static_cast<T*>(args_.b), work, size, &failed);
    });
    for_each_matrix({.elements = told}, [&](std::int64_t i, const Work<T>& work) {
      int failed = 0;
      guarded(
          [&] { call(a(i), item(args_.b, i, args_.smaller()), work.data(), work.size, &failed); });
    });
  }

  void householder() const {
    const int m = whole(args_.rows), n = whole(args_.columns), k = whole(args_.count),
              lda = lead(args_.rows);
    const auto call = [&](std::int64_t i, T* work, int size, int* failed) {
      lapack_.orgqr(&m, &n, &k, a(i), &lda, item(args_.b, i, args_.count), work, &size, failed);
    };
    const double told = question<T>([&](T* work, int size) {
      int failed = 0;
      call(0, work, size, &failed);
    });
    for_each_matrix({.elements = told}, [&](std::int64_t i, const Work<T>& work) {
      int failed = 0;
      guarded([&] { call(i, work.data(), work.size, &failed); });
    });
  }

  void eigh() const {
    const std::int64_t n = args_.rows;
    const int size = whole(n), lda = lead(n);
    const char* job = args_.vectors ? "V" : "N";
    const char* triangle = args_.upper ? "U" : "L";
    WorkSizes sizes{.real = kComplex ? (args_.vectors ? 1 + 5 * n + 2 * n * n : n + 1) : 0,
                    .whole = args_.vectors ? 3 + 5 * n : 1};
    const int real_size = whole(sizes.real), whole_size = whole(sizes.whole);
    const auto call = [&](std::int64_t i, T* work, int work_size, Real* real_work, int* whole_work,
                          int* failed) {
      Real* values = item<Real>(args_.b, i, n);
      if constexpr (kComplex) {
        lapack_.syevd(job, triangle, &size, a(i), &lda, values, work, &work_size, real_work,
                      &real_size, whole_work, &whole_size, failed, 1, 1);
      } else {
        lapack_.syevd(job, triangle, &size, a(i), &lda, values, work, &work_size, whole_work,
                      &whole_size, failed, 1, 1);
      }
    };
    sizes.elements = question<T>([&](T* work, int asked) {
      Real real_told = 0;
      int whole_told = 0, failed = 0;
      call(0, work, asked, &real_told, &whole_told, &failed);
    });
    for_each_matrix(sizes, [&](std::int64_t i, const Work<T>& work) {
      int failed = LinalgArgs::kNotFinite;
      if (finite_triangle(a(i), n, args_.upper)) {
        guarded([&] { call(i, work.data(), work.size, work.real(), work.whole(), &failed); });
      }
      if (failed == LinalgArgs::kNotFinite) {
        fill_nan(a(i), n * n);
        fill_nan(item<Real>(args_.b, i, n), n);
      }
      info(i) = failed;
    });
  }

  void svd() const {
    const std::int64_t k = args_.smaller(), longer = args_.larger();
    const std::int64_t u_columns = args_.full ? args_.rows : k;
    const std::int64_t v_rows = args_.full ? args_.columns : k;
    const int m = whole(args_.rows), n = whole(args_.columns), lda = lead(args_.rows),
              ldvt = lead(v_rows);
    const char* job = !args_.vectors ? "N" : args_.full ? "A" : "S";
    const auto call = [&](std::int64_t i, T* work, int size, Real* real_work, int* whole_work,
                          int* failed) {
      Real* values = item<Real>(args_.b, i, k);
      T* u = item(args_.c, i, args_.rows * u_columns);
      T* vt = item(args_.d, i, v_rows * args_.columns);
      if constexpr (kComplex) {
        lapack_.gesdd(job, &m, &n, a(i), &lda, values, u, &lda, vt, &ldvt, work, &size, real_work,
                      whole_work, failed, 1);
      } else {
        lapack_.gesdd(job, &m, &n, a(i), &lda, values, u, &lda, vt, &ldvt, work, &size, whole_work,
                      failed, 1);
      }
    };
    WorkSizes sizes{.whole = 8 * k};
    if (kComplex)
      sizes.real = args_.vectors ? k * std::max(5 * k + 7, 2 * longer + 2 * k + 1) : 7 * k;
    sizes.elements = question<T>([&](T* work, int size) {
      Real real_told = 0;
      int whole_told = 0, failed = 0;
      call(0, work, size, &real_told, &whole_told, &failed);
    });
    for_each_matrix(sizes, [&](std::int64_t i, const Work<T>& work) {
      int failed = LinalgArgs::kNotFinite;
      if (all_finite(a(i), args_.rows * args_.columns))
        guarded([&] { call(i, work.data(), work.size, work.real(), work.whole(), &failed); });
      if (failed == LinalgArgs::kNotFinite) {
        fill_nan(item<Real>(args_.b, i, k), k);
        fill_nan(item(args_.c, i, args_.rows * u_columns), args_.rows * u_columns);
        fill_nan(item(args_.d, i, v_rows * args_.columns), v_rows * args_.columns);
      }
      info(i) = failed;
    });
  }

  /// The eigenvectors of a real matrix as geev gives them: for a pair of conjugate eigenvalues the
  /// real parts, then the imaginary ones.
  static void unpaired(const Real* pairs, const Real* imaginary, std::int64_t n, Complex* vectors) {
    for (std::int64_t j = 0; j < n; ++j) {
      const bool pair = imaginary[j] != 0 && j + 1 < n;
      for (std::int64_t i = 0; i < n; ++i) {
        const Real real = pairs[j * n + i], other = pair ? pairs[(j + 1) * n + i] : Real{0};
        vectors[j * n + i] = Complex(real, other);
        if (pair) vectors[(j + 1) * n + i] = Complex(real, -other);
      }
      if (pair) ++j;
    }
  }

  void eig() const {
    const std::int64_t n = args_.rows;
    const int size = whole(n), lda = lead(n), one = 1, ldv = args_.vectors ? lda : one;
    const char* job = args_.vectors ? "V" : "N";
    // Of real matrices the parts of the eigenvalues, then the vectors.
    WorkSizes sizes{.real = 2 * n + (args_.vectors && !kComplex ? n * n : 0)};
    const auto call = [&](std::int64_t i, T* work, int work_size, Real* real_work, int* failed) {
      if constexpr (kComplex) {
        lapack_.geev("N", job, &size, a(i), &lda, item(args_.c, i, n), nullptr, &one,
                     item(args_.d, i, n * n), &ldv, work, &work_size, real_work, failed, 1, 1);
      } else {
        lapack_.geev("N", job, &size, a(i), &lda, real_work, real_work + n, nullptr, &one,
                     real_work + 2 * n, &ldv, work, &work_size, failed, 1, 1);
      }
    };
    sizes.elements = question<T>([&](T* work, int asked) {
      int failed = 0;
      const Work<T> none(sizes);
      call(0, work, asked, none.real(), &failed);
    });
    for_each_matrix(sizes, [&](std::int64_t i, const Work<T>& work) {
      int failed = LinalgArgs::kNotFinite;
      Real* parts = work.real();
      auto* values = item<Complex>(args_.c, i, n);
      auto* vectors = item<Complex>(args_.d, i, n * n);
      if (all_finite(a(i), n * n))
        guarded([&] { call(i, work.data(), work.size, parts, &failed); });
      if (failed == LinalgArgs::kNotFinite) {
        fill_nan(values, n);
        fill_nan(vectors, n * n);
      } else if constexpr (!kComplex) {
        for (std::int64_t j = 0; j < n; ++j) values[j] = Complex(parts[j], parts[n + j]);
        if (vectors != nullptr) unpaired(parts + 2 * n, parts + n, n, vectors);
      }
      info(i) = failed;
    });
  }

  void least_squares() const {
    const std::int64_t length = args_.larger(), k = args_.smaller();
    const int m = whole(args_.rows), n = whole(args_.columns), count = whole(args_.count),
              lda = lead(args_.rows), ldb = lead(length);
    const Real tolerance = static_cast<Real>(args_.tolerance);
    const auto call = [&](std::int64_t i, T* work, int size, Real* real_work, int* whole_work,
                          int* failed) {
      T* right = item(args_.b, i, length * args_.count);
      Real* values = item<Real>(args_.c, i, k);
      std::int32_t* rank = args_.pivots + i;
      const auto gelsy = [&](auto... memory) {
        lapack_.gelsy(&m, &n, &count, a(i), &lda, right, &ldb, whole_work, &tolerance, rank, work,
                      &size, memory..., failed);
      };
      const auto gelss = [&](auto... memory) {
        lapack_.gelss(&m, &n, &count, a(i), &lda, right, &ldb, values, &tolerance, rank, work,
                      &size, memory..., failed);
      };
      const auto gelsd = [&](auto... memory) {
        lapack_.gelsd(&m, &n, &count, a(i), &lda, right, &ldb, values, &tolerance, rank, work,
                      &size, memory..., whole_work, failed);
      };
      const auto with_memory = [&](const auto& routine) {
        if constexpr (kComplex) {
          routine(real_work);
        } else {
          routine();
        }
      };
      switch (args_.driver) {
        case LeastSquaresDriver::kGels:
          return lapack_.gels("N", &m, &n, &count, a(i), &lda, right, &ldb, work, &size, failed, 1);
        case LeastSquaresDriver::kGelsy:
          return with_memory(gelsy);
        case LeastSquaresDriver::kGelsd:
          return with_memory(gelsd);
        case LeastSquaresDriver::kGelss:
          return with_memory(gelss);
      }
    };
    WorkSizes sizes;
    sizes.elements = question<T>([&](T* work, int size) {
      Real real_told = 0;
      int whole_told[2] = {0, 0}, failed = 0;  // gelsd tells the sizes of its other memory too
      call(0, work, size, &real_told, whole_told, &failed);
      sizes.real = std::max<std::int64_t>(static_cast<std::int64_t>(real_told) + 8, 5 * length);
      sizes.whole = std::max<std::int64_t>(whole_told[0], args_.columns);
    });
    for_each_matrix(sizes, [&](std::int64_t i, const Work<T>& work) {
      int failed = LinalgArgs::kNotFinite;
      args_.pivots[i] = 0;
      std::fill_n(work.whole(), args_.columns, 0);  // gelsy: no column is to come first
      T* right = item(args_.b, i, length * args_.count);
      if (all_finite(a(i), args_.rows * args_.columns) && all_finite(right, length * args_.count) &&
          !solve_by_blocked_qr<T>(args_, i, failed)) {
        guarded([&] { call(i, work.data(), work.size, work.real(), work.whole(), &failed); });
      }
      if (failed == LinalgArgs::kNotFinite) {
        fill_nan(right, length * args_.count);
        fill_nan(item<Real>(args_.c, i, k), k);
      }
      info(i) = failed;
    });
  }

  const LinalgArgs& args_;
  const LapackFunctions<T>& lapack_;
};

}  // namespace
}  // namespace cpu_linalg

void CpuOps::linalg(const LinalgArgs& args, StreamRef) {
  visit_floating(real_dtype(args.dtype), [&]<class T>() {
    if (is_complex(args.dtype)) return cpu_linalg::Loops<std::complex<T>>(args).run();
    cpu_linalg::Loops<T>(args).run();
  });
}

}  // namespace gpukit::cpu
