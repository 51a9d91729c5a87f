// Factorizations of matrices by LAPACK: a loop over the batch, each matrix on one thread.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "backend/linalg_args.h"
#include "base/check.h"
#include "base/error.h"
#include "cpu/blas_library.h"
#include "cpu/cpu_ops.h"
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

template <class T>
bool all_finite(const T* values, std::int64_t count) {
  return std::all_of(values, values + count, [](T value) { return std::isfinite(value); });
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
  if (values != nullptr) std::fill_n(values, count, std::numeric_limits<T>::quiet_NaN());
}

/// Working memory of calls, whose size LAPACK tells as a floating number.
template <class T>
struct Work {
  explicit Work(T told) : size(sized(told)), memory(nullptr, bytes(size)) {}
  static int sized(T told) {
    return static_cast<int>(std::clamp(std::ceil(static_cast<double>(told)) + 8, 16.0, 2.1e9));
  }
  static std::size_t bytes(int size) { return static_cast<std::size_t>(size) * sizeof(T); }
  T* data() const { return memory.template as<T>(); }

  int size;
  Scratch memory;
};

struct WholeWork {
  explicit WholeWork(std::int64_t count)
      : memory(nullptr, static_cast<std::size_t>(count) * sizeof(int)) {}
  int* data() const { return memory.as<int>(); }
  Scratch memory;
};

/// Asks for the size of the working memory: `call(work, size, whole_work, info)`, where the size -1
/// means a question.
template <class T, class Call>
T question(const Call& call) {
  T told = 0;
  int whole_told = 0, info = 0;
  call(&told, -1, &whole_told, &info);
  return told;
}

template <class T>
class Loops {
 public:
  explicit Loops(const LinalgArgs& args) : args_(args), lapack_(lapack<T>()) {}

  void run() const {
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
    }
  }

 private:
  T* a(std::int64_t i) const { return static_cast<T*>(args_.a) + i * args_.rows * args_.columns; }
  static T* item(void* operand, std::int64_t i, std::int64_t count) {
    return operand == nullptr ? nullptr : static_cast<T*>(operand) + i * count;
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
  void each_with_work(T told, const Body& body) const {
    parallel_for(args_.batch, grain_of(args_), [&](std::int64_t begin, std::int64_t end) {
      const Work<T> work(told);
      for (std::int64_t i = begin; i < end; ++i) body(i, work);
    });
  }
  template <class Body>
  void each_with_work(T told, std::int64_t whole_count, const Body& body) const {
    parallel_for(args_.batch, grain_of(args_), [&](std::int64_t begin, std::int64_t end) {
      const Work<T> work(told);
      const WholeWork whole_work(whole_count);
      for (std::int64_t i = begin; i < end; ++i) body(i, work, whole_work.data());
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
      lapack_.getrs(args_.transposed ? "T" : "N", &n, &count, a(i), &ld, pivots,
                    item(args_.b, i, args_.rows * args_.count), &ld, &failed, 1);
    });
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
    T* matrix = a(i);
    int failed = 0;
    guarded([&] { lapack_.potrf(args_.upper ? "U" : "L", &size, matrix, &lda, &failed, 1); });
    for (std::int64_t j = 0; j < n && failed == 0; ++j) {
      if (!(matrix[j * n + j] > 0)) failed = whole(j + 1);  // NaN is not positive either
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
    const T told = question<T>([&](T* work, int size, int*, int* failed) {
      call(a(0), static_cast<T*>(args_.b), work, size, failed);
    });
    each_with_work(told, [&](std::int64_t i, const Work<T>& work) {
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
    const T told =
        question<T>([&](T* work, int size, int*, int* failed) { call(0, work, size, failed); });
    each_with_work(told, [&](std::int64_t i, const Work<T>& work) {
      int failed = 0;
      guarded([&] { call(i, work.data(), work.size, &failed); });
    });
  }

  void eigh() const {
    const std::int64_t n = args_.rows;
    const int size = whole(n), lda = lead(n);
    const char* job = args_.vectors ? "V" : "N";
    const char* triangle = args_.upper ? "U" : "L";
    const std::int64_t whole_count = args_.vectors ? 3 + 5 * n : 1;
    const auto call = [&](std::int64_t i, T* work, int work_size, int* whole_work, int count,
                          int* failed) {
      lapack_.syevd(job, triangle, &size, a(i), &lda, item(args_.b, i, n), work, &work_size,
                    whole_work, &count, failed, 1, 1);
    };
    const T told = question<T>([&](T* work, int asked, int* whole_work, int* failed) {
      call(0, work, asked, whole_work, -1, failed);
    });
    each_with_work(told, whole_count, [&](std::int64_t i, const Work<T>& work, int* whole_work) {
      int failed = LinalgArgs::kNotFinite;
      if (finite_triangle(a(i), n, args_.upper)) {
        guarded([&] { call(i, work.data(), work.size, whole_work, whole(whole_count), &failed); });
      }
      if (failed == LinalgArgs::kNotFinite) {
        fill_nan(a(i), n * n);
        fill_nan(item(args_.b, i, n), n);
      }
      info(i) = failed;
    });
  }

  void svd() const {
    const std::int64_t k = args_.smaller();
    const std::int64_t u_columns = args_.full ? args_.rows : k;
    const std::int64_t v_rows = args_.full ? args_.columns : k;
    const int m = whole(args_.rows), n = whole(args_.columns), lda = lead(args_.rows),
              ldvt = lead(v_rows);
    const char* job = !args_.vectors ? "N" : args_.full ? "A" : "S";
    const auto call = [&](std::int64_t i, T* work, int size, int* whole_work, int* failed) {
      lapack_.gesdd(job, &m, &n, a(i), &lda, item(args_.b, i, k),
                    item(args_.c, i, args_.rows * u_columns), &lda,
                    item(args_.d, i, v_rows * args_.columns), &ldvt, work, &size, whole_work,
                    failed, 1);
    };
    const T told = question<T>([&](T* work, int size, int* whole_work, int* failed) {
      call(0, work, size, whole_work, failed);
    });
    each_with_work(told, 8 * k, [&](std::int64_t i, const Work<T>& work, int* whole_work) {
      int failed = LinalgArgs::kNotFinite;
      if (all_finite(a(i), args_.rows * args_.columns))
        guarded([&] { call(i, work.data(), work.size, whole_work, &failed); });
      if (failed == LinalgArgs::kNotFinite) {
        fill_nan(item(args_.b, i, k), k);
        fill_nan(item(args_.c, i, args_.rows * u_columns), args_.rows * u_columns);
        fill_nan(item(args_.d, i, v_rows * args_.columns), v_rows * args_.columns);
      }
      info(i) = failed;
    });
  }

  void eig() const {
    const std::int64_t n = args_.rows;
    const int size = whole(n), lda = lead(n), one = 1;
    const auto call = [&](std::int64_t i, T* work, int work_size, int* failed) {
      lapack_.geev("N", args_.vectors ? "V" : "N", &size, a(i), &lda, item(args_.b, i, n),
                   item(args_.c, i, n), nullptr, &one, item(args_.d, i, n * n),
                   args_.vectors ? &lda : &one, work, &work_size, failed, 1, 1);
    };
    const T told =
        question<T>([&](T* work, int asked, int*, int* failed) { call(0, work, asked, failed); });
    each_with_work(told, [&](std::int64_t i, const Work<T>& work) {
      int failed = LinalgArgs::kNotFinite;
      if (all_finite(a(i), n * n)) guarded([&] { call(i, work.data(), work.size, &failed); });
      if (failed == LinalgArgs::kNotFinite) {
        fill_nan(item(args_.b, i, n), n);
        fill_nan(item(args_.c, i, n), n);
        fill_nan(item(args_.d, i, n * n), n * n);
      }
      info(i) = failed;
    });
  }

  void least_squares() const {
    const std::int64_t length = args_.larger(), k = args_.smaller();
    const int m = whole(args_.rows), n = whole(args_.columns), count = whole(args_.count),
              lda = lead(args_.rows), ldb = lead(length);
    const T tolerance = static_cast<T>(args_.tolerance);
    const auto call = [&](std::int64_t i, T* work, int size, int* whole_work, int* failed) {
      T* right = item(args_.b, i, length * args_.count);
      T* values = item(args_.c, i, k);
      std::int32_t* rank = args_.pivots + i;
      switch (args_.driver) {
        case LeastSquaresDriver::kGels:
          return lapack_.gels("N", &m, &n, &count, a(i), &lda, right, &ldb, work, &size, failed, 1);
        case LeastSquaresDriver::kGelsy:
          return lapack_.gelsy(&m, &n, &count, a(i), &lda, right, &ldb, whole_work, &tolerance,
                               rank, work, &size, failed);
        case LeastSquaresDriver::kGelsd:
          return lapack_.gelsd(&m, &n, &count, a(i), &lda, right, &ldb, values, &tolerance, rank,
                               work, &size, whole_work, failed);
        case LeastSquaresDriver::kGelss:
          return lapack_.gelss(&m, &n, &count, a(i), &lda, right, &ldb, values, &tolerance, rank,
                               work, &size, failed);
      }
    };
    int whole_told[2] = {0, 0};  // gelsd tells the size of its whole numbers too
    const T told = question<T>(
        [&](T* work, int size, int*, int* failed) { call(0, work, size, whole_told, failed); });
    const std::int64_t whole_count = std::max<std::int64_t>(whole_told[0], args_.columns);
    each_with_work(told, whole_count, [&](std::int64_t i, const Work<T>& work, int* whole_work) {
      int failed = LinalgArgs::kNotFinite;
      args_.pivots[i] = 0;
      std::fill_n(whole_work, args_.columns, 0);  // gelsy: no column is to come first
      T* right = item(args_.b, i, length * args_.count);
      if (all_finite(a(i), args_.rows * args_.columns) && all_finite(right, length * args_.count)) {
        guarded([&] { call(i, work.data(), work.size, whole_work, &failed); });
      }
      if (failed == LinalgArgs::kNotFinite) {
        fill_nan(right, length * args_.count);
        fill_nan(item(args_.c, i, k), k);
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
  visit_floating(args.dtype, [&]<class T>() { cpu_linalg::Loops<T>(args).run(); });
}

}  // namespace gpukit::cpu
