#include "cpu/lapack_library.h"

#include <atomic>
#include <memory>
#include <string>

#include "base/check.h"
#include "base/error.h"
#include "base/install_command.h"
#include "cpu/blas_library.h"

namespace gpukit::cpu {

namespace lapack_library {
namespace {

[[noreturn]] void throw_no_lapack(const std::string& reason) {
  throw NotSupportedError(
      concat("linear algebra on the CPU needs the LAPACK of the package scipy-openblas32: ", reason,
             ". Install it with 'pip install scipy-openblas32', and leave GPUKIT_BLAS unset"))
      .with_fix("pip install scipy-openblas32")
      .with_detail("operator", std::string("linalg"));
}

/// The library, which runs each call on one thread: on two, eigenvalues did not end.
const BlasLibrary& library() {
  const BlasLibrary* found = BlasLibrary::get();
  if (found == nullptr) {
    const auto& attempts = BlasLibrary::attempts();
    throw_no_lapack(attempts.empty() ? "it was not found" : attempts.back().reason);
  }
  if (!found->has_lapack())
    throw_no_lapack(concat("GPUKIT_BLAS names another library, ", found->path()));
  return *found;
}

template <class Function>
void load(Function& slot, const BlasLibrary& from, char letter, const char* name) {
  void* found = from.function(concat(letter, name, '_'));
  if (found == nullptr) throw_no_lapack(concat(from.path(), " does not export ", letter, name));
  slot = reinterpret_cast<Function>(found);
}

template <class T>
LapackFunctions<T> loaded(char letter) {
  const BlasLibrary& from = library();
  LapackFunctions<T> table;
  const bool complex = letter == 'c' || letter == 'z';
#define GPUKIT_LAPACK(function) load(table.function, from, letter, #function)
  GPUKIT_LAPACK(getrf);
  GPUKIT_LAPACK(getrs);
  GPUKIT_LAPACK(trsm);
  GPUKIT_LAPACK(trmm);
  GPUKIT_LAPACK(gemm);
  GPUKIT_LAPACK(potrf);
  GPUKIT_LAPACK(geqrf);
  GPUKIT_LAPACK(larft);
  load(table.orgqr, from, letter, complex ? "ungqr" : "orgqr");
  load(table.syevd, from, letter, complex ? "heevd" : "syevd");
  GPUKIT_LAPACK(gesdd);
  GPUKIT_LAPACK(geev);
  GPUKIT_LAPACK(gels);
  GPUKIT_LAPACK(gelsy);
  GPUKIT_LAPACK(gelsd);
  GPUKIT_LAPACK(gelss);
#undef GPUKIT_LAPACK
  return table;
}

/// The table, made once. Without a lock, which a child made by fork might find taken.
template <class T>
const LapackFunctions<T>& kept(char letter) {
  static constinit std::atomic<const LapackFunctions<T>*> ready{nullptr};
  if (const LapackFunctions<T>* table = ready.load(std::memory_order_acquire)) return *table;
  auto made = std::make_unique<const LapackFunctions<T>>(loaded<T>(letter));
  const LapackFunctions<T>* none = nullptr;
  if (ready.compare_exchange_strong(none, made.get(), std::memory_order_acq_rel))
    return *made.release();
  return *none;
}

}  // namespace
}  // namespace lapack_library

template <>
const LapackFunctions<float>& lapack() {
  return lapack_library::kept<float>('s');
}
template <>
const LapackFunctions<double>& lapack() {
  return lapack_library::kept<double>('d');
}
template <>
const LapackFunctions<std::complex<float>>& lapack() {
  return lapack_library::kept<std::complex<float>>('c');
}
template <>
const LapackFunctions<std::complex<double>>& lapack() {
  return lapack_library::kept<std::complex<double>>('z');
}

}  // namespace gpukit::cpu
