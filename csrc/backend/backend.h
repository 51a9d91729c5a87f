// A kind of device: how many there are, and how to open one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/device_code.h"
#include "backend/device_ops.h"
#include "backend/device_runtime.h"
#include "base/error.h"
#include "base/load_attempt.h"

namespace gpukit {

/// What a backend says of the software below it; strings are empty and numbers 0 where unknown.
struct BackendReport {
  std::string library;         ///< file of the opened driver
  int driver_version = 0;      ///< 12080 = CUDA 12.8 is the newest that the driver supports
  std::string matmul_library;  ///< file of cuBLAS, or "" when gpukit's own product is used
  int matmul_version = 0;      ///< 120901
  bool simulated = false;
  std::string failure;  ///< why nothing is usable
  std::string fix;
  Details details;  ///< of the failure, for programs
  std::vector<LoadAttempt> attempts;
  std::vector<LoadAttempt> matmul_attempts;
};

class Backend {
 public:
  virtual ~Backend() = default;

  virtual DeviceType type() const noexcept = 0;
  /// Devices that the driver shows. Throws DriverError when there is no usable driver.
  virtual int device_count() = 0;
  /// Properties without opening the device (no context is made).
  virtual DeviceProperties properties(int index) = 0;
  /// Opened on first use and kept. Throws DeviceNotFoundError for an index that does not exist.
  virtual DeviceRuntime& runtime(int index) = 0;
  virtual DeviceOps& ops(int index) = 0;
  virtual BackendReport report() = 0;
  /// Compiles a source of the user's. One with errors is a result with its log. NotSupportedError
  /// where there is no compiler.
  virtual CompiledCode compile(const SourceCode& source);
  /// Waits for nothing, frees nothing that a caller holds; after it no driver call is made any
  /// more.
  virtual void shut_down() noexcept = 0;
};

/// Absolute path of the one-thread BLAS for the CPU backend, or "" for none. Set by bindings before
/// first use.
void set_cpu_blas_path(std::string path);

}  // namespace gpukit
