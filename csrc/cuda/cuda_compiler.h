// The compiler of users' CUDA sources: NVRTC, opened at the first one.
#pragma once

#include <memory>
#include <mutex>

#include "backend/device_code.h"
#include "driver/nvrtc_library.h"

namespace gpukit::cuda {

/// Thread safe.
class CudaCompiler {
 public:
  /// `driver_cuda_major` is the newest CUDA that the driver takes code of.
  explicit CudaCompiler(int driver_cuda_major) : driver_cuda_major_(driver_cuda_major) {}

  /// A source with errors is a result with its log. Throws CompileError, with the command that
  /// installs it, where there is no NVRTC; and where it makes no code for the device.
  CompiledCode compile(const SourceCode& source);

 private:
  const driver::NvrtcLibrary& library();

  int driver_cuda_major_;
  std::mutex mutex_;
  std::unique_ptr<driver::NvrtcLibrary> library_;
};

}  // namespace gpukit::cuda
