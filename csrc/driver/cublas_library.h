// The cuBLAS library: the release that suits card and driver, opened and resolved into a table.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/dynamic_library.h"
#include "driver/cublas_abi.h"
#include "driver/cublas_functions.h"
#include "driver/fn_table.h"
#include "driver/load_report.h"

namespace gpukit::driver {

#define GPUKIT_DECLARE_SLOT(member, symbol, type, since, presence) type member = nullptr;

struct CublasTable {
  GPUKIT_CUBLAS_FUNCTIONS(GPUKIT_DECLARE_SLOT)
};

#undef GPUKIT_DECLARE_SLOT

/// The entries of CublasTable in the order of the X-list.
std::span<const FnEntry> cublas_entries() noexcept;

/// What the library must suit.
struct CublasChoice {
  std::string driver_path;     // file of the opened driver
  int driver_cuda_major = 0;   // CudaLibrary::cuda_major()
  int compute_capability = 0;  // lowest of the cards that will use it, 75 for 7.5
};

/// An opened cuBLAS without any handle. It stays mapped for the life of the process.
class CublasLibrary {
 public:
  /// The library, or null when none suits; the report says why. No handle is made and no context
  /// needed.
  static std::unique_ptr<CublasLibrary> open(const CublasChoice& choice, LoadReport& report);

  const CublasTable& table() const noexcept { return table_; }
  /// 120903 is 12.9.3.
  int version() const noexcept { return version_; }
  const std::string& path() const noexcept { return library_.path(); }

 private:
  CublasLibrary() = default;

  std::string prepare();

  DynamicLibrary light_;  // libcublasLt of the same folder, opened first
  DynamicLibrary library_;
  CublasTable table_;
  int version_ = 0;
};

/// Why a cuBLAS of that major does not suit, or an empty string. 0 is an unknown major and suits
/// for now.
std::string unsuitable_major(int major, const CublasChoice& choice);

}  // namespace gpukit::driver
