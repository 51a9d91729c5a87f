#include "cpu/blas_library.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <string_view>

#include "base/dynamic_library.h"
#include "base/env.h"
#include "base/fork_hooks.h"
#include "base/log.h"
#include "cpu/core_mask.h"
#include "cpu/library_gate.h"

namespace gpukit {
namespace blas_library {
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
}  // namespace blas_library

void set_cpu_blas_path(std::string path) {
  blas_library::BlasPath& named = blas_library::blas_path();
  std::lock_guard lock(named.mutex);
  named.path = std::move(path);
}

}  // namespace gpukit

namespace gpukit::cpu {
namespace blas_library {
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
std::int64_t unpacked_limit(std::string_view core) {
  const bool wide_vectors = core == "SkylakeX" || core == "Cooperlake" || core == "SapphireRapids";
  return wide_vectors ? 1'000'000 : 0;
}

// The package scipy-openblas32, as opposed to the OpenBLAS that NumPy computes with.
bool is_own(const std::string& path) {
  return path.find("/scipy_openblas32/") != std::string::npos;
}

// OpenBLAS starts a thread for each core it may use when it is loaded, and each spins for about 0.1
// s during the first products.
DynamicLibrary open(const std::string& path, std::string& message) {
  const NarrowedMask one_core = NarrowedMask::only(is_own(path) ? current_core() : -1);
  return DynamicLibrary::open(path, message);
}

// How a library calls its functions: prefix + "cblas_sgemm" + suffix.
struct Naming {
  const char* prefix;
  const char* suffix;
  bool own;   ///< gpukit's alone: its threads may be switched off
  bool wide;  ///< 64-bit integers
};

// scipy-openblas32 is gpukit's alone; the 64-bit form is the copy inside NumPy.
constexpr Naming kNamings[] = {
    {"scipy_", "", true, false},
    {"scipy_", "64_", false, true},
    {"", "64_", false, true},
    {"", "", false, false},
};

void* find(const DynamicLibrary& file, const Naming& naming, const char* name) {
  return file.symbol((std::string(naming.prefix) + name + naming.suffix).c_str());
}

template <class Integer, class T>
void call(void* function, const GemmCall<T>& call) {
  reinterpret_cast<GemmFunction<Integer, T>>(function)(
      kRowMajor, call.a_transposed ? kTransposed : kAsStored,
      call.b_transposed ? kTransposed : kAsStored, static_cast<Integer>(call.m),
      static_cast<Integer>(call.n), static_cast<Integer>(call.k), call.alpha, call.a,
      static_cast<Integer>(call.a_stride), call.b, static_cast<Integer>(call.b_stride), call.beta,
      call.c, static_cast<Integer>(call.c_stride));
}

}  // namespace
}  // namespace blas_library

struct BlasLoader {
  std::vector<LoadAttempt> attempts;
  std::optional<BlasLibrary> library;

  BlasLoader() {
    const std::string wanted = env::text("GPUKIT_BLAS");
    if (wanted == "own") {
      attempts.push_back({"", "GPUKIT_BLAS", kRefused, "GPUKIT_BLAS=own"});
      return;
    }
    const bool searched = wanted.empty() || wanted == "auto";
    const char* origin = searched ? "Python packages" : "GPUKIT_BLAS";
    std::string path = wanted;
    if (searched) {
      std::lock_guard lock(gpukit::blas_library::blas_path().mutex);
      path = gpukit::blas_library::blas_path().path;
    }
    if (path.empty()) {
      attempts.push_back({"", origin, kNotFound, "scipy-openblas32 is not installed"});
    } else if (!open(path, origin) && path == wanted) {
      log::warning("GPUKIT_BLAS=", path, " cannot be used (", attempts.back().reason,
                   "); matrix products on the "
                   "CPU use gpukit's own kernel");
    }
  }

  bool open(const std::string& path, const char* origin) {
    std::string message;
    DynamicLibrary file = blas_library::open(path, message);
    if (!file) {
      attempts.push_back({path, origin, kFailed, message});
      return false;
    }
    for (const blas_library::Naming& naming : blas_library::kNamings) {
      if (take(file, naming)) {
        attempts.push_back({path, origin, kOpened, ""});
        file.keep_forever();
        library->file_ = std::move(file);
        return true;
      }
    }
    attempts.push_back(
        {path, origin, kRefused, "it does not export the cblas functions for products"});
    return false;
  }

  bool take(const DynamicLibrary& file, const blas_library::Naming& naming) {
    BlasLibrary found;
    found.sgemm_ = blas_library::find(file, naming, "cblas_sgemm");
    found.dgemm_ = blas_library::find(file, naming, "cblas_dgemm");
    if (found.sgemm_ == nullptr || found.dgemm_ == nullptr) return false;
    found.path_ = file.path();
    found.wide_ = naming.wide;
    found.prefix_ = naming.prefix;
    found.suffix_ = naming.suffix;
    void* set_threads = blas_library::find(file, naming, "openblas_set_num_threads");
    if (naming.own && set_threads != nullptr) {
      reinterpret_cast<blas_library::SetThreads>(set_threads)(1);
      found.single_threaded_ = true;
    }
    void* core = blas_library::find(file, naming, "openblas_get_corename");
    if (naming.own && core != nullptr) {
      found.unpacked_limit_ =
          blas_library::unpacked_limit(reinterpret_cast<blas_library::GetCoreName>(core)());
    }
    library = std::move(found);
    return true;
  }

  static const BlasLoader& get();
};

// Not local to a function: a fork has to find the loading over or not begun.
constinit std::atomic<const BlasLoader*> loaded{nullptr};
constinit std::mutex loading;
constinit LibraryGate library_gate;

const BlasLoader& BlasLoader::get() {
  if (const BlasLoader* ready = loaded.load(std::memory_order_acquire)) return *ready;
  set_fork_hooks(ForkLevel::kLibraries, {.prepare =
                                             [] {
                                               loading.lock();
                                               library_gate.close();
                                             },
                                         .parent =
                                             [] {
                                               library_gate.open();
                                               loading.unlock();
                                             },
                                         .child =
                                             [] {
                                               library_gate.open_in_child();
                                               loading.unlock();
                                             }});
  const std::lock_guard lock(loading);
  if (loaded.load(std::memory_order_relaxed) == nullptr)
    loaded.store(new BlasLoader, std::memory_order_release);
  return *loaded.load(std::memory_order_relaxed);
}

const BlasLibrary* BlasLibrary::get() {
  const BlasLoader& loader = BlasLoader::get();
  return loader.library ? &*loader.library : nullptr;
}

LibraryGate& BlasLibrary::gate() noexcept { return library_gate; }

const std::vector<LoadAttempt>& BlasLibrary::attempts() { return BlasLoader::get().attempts; }

void BlasLibrary::gemm(const GemmCall<float>& call) const {
  const LibraryGate::Pass pass(library_gate);
  wide_ ? blas_library::call<std::int64_t>(sgemm_, call)
        : blas_library::call<std::int32_t>(sgemm_, call);
}
void BlasLibrary::gemm(const GemmCall<double>& call) const {
  const LibraryGate::Pass pass(library_gate);
  wide_ ? blas_library::call<std::int64_t>(dgemm_, call)
        : blas_library::call<std::int32_t>(dgemm_, call);
}

}  // namespace gpukit::cpu
