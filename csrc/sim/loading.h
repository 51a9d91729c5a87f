// From an image to a module's handle, and from a name to a kernel's.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sim/cuda_abi.h"
#include "sim/fat_binary.h"
#include "sim/jit_log.h"
#include "sim/sim_module.h"

namespace gpukit::sim {

class Simulation;

/// What was wrong with an image: told, written to the caller's log, and its status.
CUresult refuse_image(CUresult status, const std::string& what, JitLog* log);

/// Status 301 where there is no such file, 200 where it is too large for an image.
CUresult read_image_file(const std::string& path, std::string& content, JitLog* log);
/// `size`: of the image, if known.
CUresult load_image(SimDevice& device, CUmodule* result, const void* image, JitLog* log,
                    std::size_t size = kAnySize);
CUresult load_text_image(SimDevice& device, CUmodule* result, const std::string& text, JitLog* log);
CUresult unload_module(Simulation& simulation, CUmodule handle);
/// Takes the simulation's lock for objects that are made when they are asked for.
CUresult find_function(Simulation& simulation, SimModule& module, const std::string& name,
                       CUfunction* result);
/// The handle of the module that has the function; null when it is gone.
CUmodule module_of(const SimFunction& function);
CUresult find_variable(SimModule& module, const char* name, CUdeviceptr* address,
                       std::size_t* bytes);

/// A PTX text that each device loads when it needs it.
class SimLibrary {
 public:
  explicit SimLibrary(std::string text);

  const std::vector<KernelInfo>& kernels() const { return info_.kernels; }
  const KernelInfo* kernel(const std::string& name) const;
  /// The module on that device; loaded at the first call.
  CUresult module_on(SimDevice& device, CUmodule* result, JitLog* log = nullptr);
  void unload(Simulation& simulation);

  /// Handles already given out, by kernel name; guarded by the simulation's lock.
  std::map<std::string, CUkernel> handles;

 private:
  const std::string text_;
  const ImageInfo info_;
  std::mutex mutex_;
  std::map<int, CUmodule> modules_;  ///< by device
};

/// A kernel of a library: a function on each device.
struct SimKernel {
  std::shared_ptr<SimLibrary> library;
  CUlibrary library_handle = nullptr;
  std::string name;
};

/// The function of a handle of either kind, on that device; null with the status otherwise.
std::shared_ptr<SimFunction> function_on(SimDevice& device, CUfunction handle, CUresult& status);
CUresult function_handle_on(SimDevice& device, const SimKernel& kernel, CUfunction* result);

}  // namespace gpukit::sim
