// The BLAS library for matrix products, opened by absolute path on first use; absent, gpukit's
// own kernel serves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/dynamic_library.h"
#include "cpu/library_gate.h"

namespace gpukit::cpu {

/// Row-major c = alpha * op(a) * op(b) + beta * c, by one call of the library. Strides of rows in
/// elements.
template <class T>
struct GemmCall {
  std::int64_t m, n, k;
  T alpha;
  const T* a;
  std::int64_t a_stride;
  bool a_transposed;  ///< a is stored (k, m)
  const T* b;
  std::int64_t b_stride;
  bool b_transposed;  ///< b is stored (n, k)
  T beta;
  T* c;
  std::int64_t c_stride;
};

class BlasLibrary {
 public:
  /// The library, or nullptr when there is none (or GPUKIT_BLAS says "own"). Loaded once.
  static const BlasLibrary* get();
  /// What was tried, for reports.
  static const std::vector<LoadAttempt>& attempts();

  const std::string& path() const noexcept { return path_; }
  /// True when a call runs on the calling thread only, so that gpukit's own threads may share a
  /// product out.
  bool single_threaded() const noexcept { return single_threaded_; }

  /// Multiply-adds up to which a float32 product of matrices as stored runs without packing, which
  /// is the library's fastest way; 0 where it has none.
  std::int64_t unpacked_limit() const noexcept { return unpacked_limit_; }

  /// True when the library's integers can hold the sizes of the call.
  bool fits(std::int64_t largest_size) const noexcept { return wide_ || largest_size <= INT32_MAX; }
  void gemm(const GemmCall<float>& call) const;
  void gemm(const GemmCall<double>& call) const;

  /// True of scipy-openblas32: LAPACK with 32-bit integers, whose calls run on one thread.
  bool has_lapack() const noexcept { return single_threaded_ && !wide_; }
  /// A function by its name in BLAS or LAPACK ("sgetrf_"), or null. Its calls need a pass.
  void* function(const std::string& name) const {
    return file_.symbol((prefix_ + name + suffix_).c_str());
  }
  static LibraryGate& gate() noexcept;

 private:
  friend struct BlasLoader;

  std::string path_;
  DynamicLibrary file_;
  std::string prefix_, suffix_;  ///< around the names of functions
  bool single_threaded_ = false;
  std::int64_t unpacked_limit_ = 0;
  bool wide_ = false;  ///< 64-bit integers in the interface
  void* sgemm_ = nullptr;
  void* dgemm_ = nullptr;
};

}  // namespace gpukit::cpu
