// LAPACK's functions in the BLAS library of matrix products, as a table for each element type.
#pragma once

#include <complex>
#include <cstddef>

namespace gpukit::cpu {

/// Fortran's functions that are the same for real and for complex elements: all arguments by
/// address, matrices by columns, and the length of each text at the end. `info` < 0 is an argument
/// that LAPACK refuses. orgqr is ungqr for complex elements.
template <class T>
struct SharedLapack {
  using Int = const int*;
  using Text = const char*;
  using Length = std::size_t;

  void (*getrf)(Int m, Int n, T* a, Int lda, int* pivots, int* info);
  void (*getrs)(Text trans, Int n, Int count, const T* a, Int lda, Int pivots, T* b, Int ldb,
                int* info, Length);
  void (*trsm)(Text side, Text triangle, Text trans, Text diagonal, Int m, Int n, const T* alpha,
               const T* a, Int lda, T* b, Int ldb, Length, Length, Length, Length);
  void (*trmm)(Text side, Text triangle, Text trans, Text diagonal, Int m, Int n, const T* alpha,
               const T* a, Int lda, T* b, Int ldb, Length, Length, Length, Length);
  void (*gemm)(Text trans_a, Text trans_b, Int m, Int n, Int k, const T* alpha, const T* a, Int lda,
               const T* b, Int ldb, const T* beta, T* c, Int ldc, Length, Length);
  void (*potrf)(Text triangle, Int n, T* a, Int lda, int* info, Length);
  void (*geqrf)(Int m, Int n, T* a, Int lda, T* tau, T* work, Int size, int* info);
  void (*orgqr)(Int m, Int n, Int k, T* a, Int lda, const T* tau, T* work, Int size, int* info);
  void (*larft)(Text direction, Text storage, Int n, Int k, const T* v, Int ldv, const T* tau, T* t,
                Int ldt, Length, Length);
  void (*gels)(Text trans, Int m, Int n, Int count, T* a, Int lda, T* b, Int ldb, T* work, Int size,
               int* info, Length);
};

/// The others, of real elements.
template <class T>
struct LapackFunctions : SharedLapack<T> {
  using Real = T;
  using typename SharedLapack<T>::Int, typename SharedLapack<T>::Text,
      typename SharedLapack<T>::Length;

  void (*syevd)(Text job, Text triangle, Int n, T* a, Int lda, T* values, T* work, Int size,
                int* whole_work, Int whole_size, int* info, Length, Length);
  void (*gesdd)(Text job, Int m, Int n, T* a, Int lda, T* values, T* u, Int ldu, T* vt, Int ldvt,
                T* work, Int size, int* whole_work, int* info, Length);
  void (*geev)(Text left, Text right, Int n, T* a, Int lda, T* real, T* imaginary, T* vl, Int ldvl,
               T* vr, Int ldvr, T* work, Int size, int* info, Length, Length);
  void (*gelsy)(Int m, Int n, Int count, T* a, Int lda, T* b, Int ldb, int* pivots,
                const T* tolerance, int* rank, T* work, Int size, int* info);
  void (*gelsd)(Int m, Int n, Int count, T* a, Int lda, T* b, Int ldb, T* values,
                const T* tolerance, int* rank, T* work, Int size, int* whole_work, int* info);
  void (*gelss)(Int m, Int n, Int count, T* a, Int lda, T* b, Int ldb, T* values,
                const T* tolerance, int* rank, T* work, Int size, int* info);
};

/// The same of complex elements, which take real working memory too. syevd is heevd.
template <class R>
struct LapackFunctions<std::complex<R>> : SharedLapack<std::complex<R>> {
  using Real = R;
  using T = std::complex<R>;
  using typename SharedLapack<T>::Int, typename SharedLapack<T>::Text,
      typename SharedLapack<T>::Length;

  void (*syevd)(Text job, Text triangle, Int n, T* a, Int lda, R* values, T* work, Int size,
                R* real_work, Int real_size, int* whole_work, Int whole_size, int* info, Length,
                Length);
  void (*gesdd)(Text job, Int m, Int n, T* a, Int lda, R* values, T* u, Int ldu, T* vt, Int ldvt,
                T* work, Int size, R* real_work, int* whole_work, int* info, Length);
  void (*geev)(Text left, Text right, Int n, T* a, Int lda, T* values, T* vl, Int ldvl, T* vr,
               Int ldvr, T* work, Int size, R* real_work, int* info, Length, Length);
  void (*gelsy)(Int m, Int n, Int count, T* a, Int lda, T* b, Int ldb, int* pivots,
                const R* tolerance, int* rank, T* work, Int size, R* real_work, int* info);
  void (*gelsd)(Int m, Int n, Int count, T* a, Int lda, T* b, Int ldb, R* values,
                const R* tolerance, int* rank, T* work, Int size, R* real_work, int* whole_work,
                int* info);
  void (*gelss)(Int m, Int n, Int count, T* a, Int lda, T* b, Int ldb, R* values,
                const R* tolerance, int* rank, T* work, Int size, R* real_work, int* info);
};

/// Of float, double and their complex types. Throws NotSupportedError, which names the package to
/// install, where the library is missing. Calls need a LibraryGate::Pass of BlasLibrary::gate().
template <class T>
const LapackFunctions<T>& lapack();

}  // namespace gpukit::cpu
