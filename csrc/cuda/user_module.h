// Modules of the user's own code on one device. What is not used any more is unloaded when nothing
// that was queued can still run it.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backend/device_code.h"
#include "cuda/cuda_context.h"

namespace gpukit::cuda {

/// Thread safe. Lives as long as its device; the codes it makes do not outlive it.
class UserModules {
 public:
  explicit UserModules(CudaContext& context) : context_(context) {}
  ~UserModules();
  UserModules(const UserModules&) = delete;
  UserModules& operator=(const UserModules&) = delete;

  /// PTX, a cubin or a fat binary. `name` is for messages. Throws CompileError with the driver's
  /// log where the driver does not take the code; its detail "status" is the driver's.
  std::unique_ptr<DeviceCode> load(const std::string& image, const std::string& name);

  /// True when it is time to wait for the device and call unload_retired().
  bool has_many_retired() const;
  /// Only when the device has done all that was queued.
  void unload_retired() noexcept;
  /// The module is not used any more, except by work that is queued.
  void retire(CUmodule module) noexcept;

 private:
  CudaContext& context_;
  mutable std::mutex mutex_;
  std::vector<CUmodule> retired_;
};

}  // namespace gpukit::cuda
