// The embedded kernel images of one device: chosen by its capability, loaded once per family,
// functions by name.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/cuda_context.h"
#include "kernels/images.h"

namespace gpukit::cuda {

/// The image that a device of this capability runs: the cubin of its major with the highest minor
/// that is not above its own, else PTX that is not newer than the device. nullptr when there is
/// none.
const KernelImage* choose_image(std::string_view family, int major, int minor) noexcept;

/// Thread safe. Unloads its images at the end of its life, if the device may still be called then.
class CudaModule {
 public:
  explicit CudaModule(CudaContext& context) : context_(context) {}
  ~CudaModule();
  CudaModule(const CudaModule&) = delete;
  CudaModule& operator=(const CudaModule&) = delete;

  /// Kernel `kernel_name` of `family`.cu, ready to launch (its code is on the device). Loads the
  /// image on first use. Throws DeviceError when no image fits the device, and what the driver says
  /// otherwise.
  CUfunction function(const char* family, const char* kernel_name);

 private:
  struct LoadedFamily {
    std::string name;
    CUmodule module;
  };

  CUmodule load_family(std::string_view family);
  CUmodule load_image(const KernelImage& image);

  CudaContext& context_;
  std::mutex mutex_;
  std::vector<LoadedFamily> families_;
};

}  // namespace gpukit::cuda
