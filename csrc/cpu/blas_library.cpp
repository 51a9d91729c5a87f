#include "cpu/blas_library.h"

#include <mutex>
#include <optional>
#include <string_view>

#include "base/dynamic_library.h"
#include "base/env.h"
#include "base/log.h"

namespace gpukit {
namespace {

struct BlasPath {
  std::mutex mutex;
  std::string path;
};
BlasPath& blas_path() {
  static BlasPath* path = new BlasPath;
  return *path;
}

}  // namespace

void set_cpu_blas_path(std::string path) {
  BlasPath& place = blas_path();
  std::lock_guard lock(place.mutex);
  place.path = std::move(path);
}

}  // namespace gpukit

namespace gpukit::cpu {
namespace {

// cblas.h's numbers.
enum : int { kRowMajor = 101, kAsStored = 111, kTransposed = 112 };

template <class Integer, class T>
using GemmFunction = void (*)(int order, int trans_a, int trans_b, Integer m, Integer n, Integer k,
                              T alpha, const T* a, Integer lda, const T* b, Integer ldb, T beta,
                              T* c, Integer ldc);
using SetThreads = void (*)(int);
using GetCoreName = const char* (*)();

// OpenBLAS multiplies up to 100^3 without packing on the cores of its AVX-512 kernels.
std::int64_t unpacked_limit_of(std::string_view core) {
  const bool wide_vectors = core == "SkylakeX" || core == "Cooperlake" || core == "SapphireRapids";
  return wide_vectors ? 1'000'000 : 0;
}

struct SymbolNames {
  const char* sgemm;
  const char* dgemm;
  const char* set_threads;  ///< null: the library is another package's, its threads are left alone
  const char* core;         ///< tells which kernels the library chose
  bool wide;
};

// scipy-openblas32 is gpukit's alone; the 64-bit form is the copy inside NumPy.
constexpr SymbolNames kNames[] = {
    {"scipy_cblas_sgemm", "scipy_cblas_dgemm", "scipy_openblas_set_num_threads",
     "scipy_openblas_get_corename", false},
    {"scipy_cblas_sgemm64_", "scipy_cblas_dgemm64_", nullptr, nullptr, true},
    {"cblas_sgemm64_", "cblas_dgemm64_", nullptr, nullptr, true},
    {"cblas_sgemm", "cblas_dgemm", nullptr, nullptr, false},
};

template <class Integer, class T>
void call_gemm(void* function, const GemmCall<T>& call) {
  reinterpret_cast<GemmFunction<Integer, T>>(function)(
      kRowMajor, call.a_transposed ? kTransposed : kAsStored,
      call.b_transposed ? kTransposed : kAsStored, static_cast<Integer>(call.m),
      static_cast<Integer>(call.n), static_cast<Integer>(call.k), call.alpha, call.a,
      static_cast<Integer>(call.a_stride), call.b, static_cast<Integer>(call.b_stride), call.beta,
      call.c, static_cast<Integer>(call.c_stride));
}

}  // namespace

struct BlasLoader {
  std::vector<LoadAttempt> attempts;
  std::optional<BlasLibrary> library;

  BlasLoader() {
    const std::string wanted = env::text("GPUKIT_BLAS");
    if (wanted == "own") {
      attempts.push_back({"", "refused", "GPUKIT_BLAS=own"});
      return;
    }
    std::string path = wanted;
    if (wanted.empty() || wanted == "auto") {
      std::lock_guard lock(blas_path().mutex);
      path = blas_path().path;
    }
    if (path.empty()) {
      attempts.push_back({"", "not found", "scipy-openblas32 is not installed"});
    } else if (!open(path) && path == wanted) {
      log::warning("GPUKIT_BLAS=", path, " cannot be used (", attempts.back().reason,
                   "); matrix products on the "
                   "CPU use gpukit's own kernel");
    }
  }

  bool open(const std::string& path) {
    std::string message;
    DynamicLibrary file = DynamicLibrary::open(path, message);
    if (!file) {
      attempts.push_back({path, "failed", message});
      return false;
    }
    for (const SymbolNames& names : kNames) {
      if (take(file, names)) {
        attempts.push_back({path, "opened", ""});
        file.keep_forever();
        return true;
      }
    }
    attempts.push_back({path, "refused", "it exports no cblas_sgemm and cblas_dgemm"});
    return false;
  }

  bool take(const DynamicLibrary& file, const SymbolNames& names) {
    BlasLibrary found;
    found.sgemm_ = file.symbol(names.sgemm);
    found.dgemm_ = file.symbol(names.dgemm);
    if (found.sgemm_ == nullptr || found.dgemm_ == nullptr) return false;
    found.path_ = file.path();
    found.wide_ = names.wide;
    if (void* set_threads =
            names.set_threads == nullptr ? nullptr : file.symbol(names.set_threads)) {
      reinterpret_cast<SetThreads>(set_threads)(1);
      found.single_threaded_ = true;
    }
    if (void* core = names.core == nullptr ? nullptr : file.symbol(names.core)) {
      found.unpacked_limit_ = unpacked_limit_of(reinterpret_cast<GetCoreName>(core)());
    }
    library = std::move(found);
    return true;
  }

  static const BlasLoader& get() {
    static const BlasLoader* loader = new BlasLoader;
    return *loader;
  }
};

const BlasLibrary* BlasLibrary::get() {
  static const BlasLibrary* library =
      BlasLoader::get().library ? &*BlasLoader::get().library : nullptr;
  return library;
}

const std::vector<LoadAttempt>& BlasLibrary::attempts() { return BlasLoader::get().attempts; }

void BlasLibrary::gemm(const GemmCall<float>& call) const {
  wide_ ? call_gemm<std::int64_t>(sgemm_, call) : call_gemm<std::int32_t>(sgemm_, call);
}
void BlasLibrary::gemm(const GemmCall<double>& call) const {
  wide_ ? call_gemm<std::int64_t>(dgemm_, call) : call_gemm<std::int32_t>(dgemm_, call);
}

}  // namespace gpukit::cpu
