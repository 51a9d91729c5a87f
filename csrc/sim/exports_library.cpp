// Libraries: images that belong to no context, and kernels that every device loads when it first
// needs them.
#include <string>

#include "sim/function_call.h"

using namespace gpukit::sim;

namespace exports_library {
namespace {

/// The device whose context is current; without one, the first: a library needs none.
SimDevice& device_to_ask(Simulation& simulation) {
  const auto& stack = context_stack(simulation);
  SimDevice* current = stack.empty() ? nullptr : simulation.device_of(stack.back());
  return current != nullptr ? *current : *simulation.device(0);
}

CUresult load(Simulation& simulation, CUlibrary* result, const void* image, JitLog& log,
              std::size_t size = kAnySize) {
  if (result == nullptr || image == nullptr) return CUDA_ERROR_INVALID_VALUE;
  SimDevice& device = device_to_ask(simulation);
  try {
    if (is_cubin(image)) {
      CUmodule module = nullptr;
      const CUresult status = load_image(device, &module, image, &log, size);
      if (status != CUDA_SUCCESS) return status;
      unload_module(simulation, module);
      return refuse_image(CUDA_ERROR_NOT_SUPPORTED,
                          "libraries of cubins are not run by the simulator; use modules, or PTX",
                          &log);
    }
    auto library = std::make_shared<SimLibrary>(ptx_of_image(image, device.capability(), size));
    CUmodule module = nullptr;
    const CUresult status = library->module_on(device, &module, &log);
    if (status != CUDA_SUCCESS) return status;
    // Without its context a device keeps nothing.
    if (!device.context_is_alive()) library->unload(simulation);
    *result = simulation.libraries.add(std::move(library));
    return CUDA_SUCCESS;
  } catch (const ImageError& error) {
    return refuse_image(error.status(), error.what(), &log);
  }
}

/// body(library), for calls on a library.
template <class Body>
CUresult library_call(CallSite& site, CUlibrary handle, Body body) noexcept {
  return driver_call(site, [&](Simulation& simulation) {
    const auto library = simulation.libraries.find(handle);
    return library == nullptr ? CUDA_ERROR_INVALID_HANDLE : body(simulation, library);
  });
}

/// body(kernel), for calls on a kernel of a library.
template <class Body>
CUresult call(CallSite& site, CUkernel handle, Body body) noexcept {
  return driver_call(site, [&](Simulation& simulation) {
    const auto kernel = simulation.kernels.find(handle);
    return kernel == nullptr ? CUDA_ERROR_INVALID_HANDLE : body(simulation, *kernel);
  });
}

/// body(function), for calls on a kernel and a device.
template <class Body>
CUresult kernel_on_device_call(CallSite& site, CUkernel handle, CUdevice ordinal,
                               Body body) noexcept {
  return call(site, handle, [&](Simulation& simulation, SimKernel&) {
    SimDevice* device = simulation.device(ordinal);
    if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    CUresult status = CUDA_SUCCESS;
    const auto function = function_on(*device, reinterpret_cast<CUfunction>(handle), status);
    return function == nullptr ? status : body(*function);
  });
}

CUkernel handle_of(Simulation& simulation, const std::shared_ptr<SimLibrary>& library,
                   CUlibrary library_handle, const std::string& name) {
  const std::lock_guard lock(simulation.lazy_objects_mutex);
  CUkernel& handle = library->handles[name];
  if (handle == nullptr)
    handle = simulation.kernels.add(
        std::make_shared<SimKernel>(SimKernel{library, library_handle, name}));
  return handle;
}

CUresult find_global(Simulation& simulation, SimLibrary& library, const char* name,
                     CUdeviceptr* address, std::size_t* bytes) {
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  SimDevice* device = nullptr;
  CUresult status = find_current_device(simulation, device);
  if (status != CUDA_SUCCESS) return status;
  CUmodule handle = nullptr;
  status = library.module_on(*device, &handle);
  if (status != CUDA_SUCCESS) return status;
  const auto module = simulation.modules.find(handle);
  return module == nullptr ? CUDA_ERROR_INVALID_HANDLE
                           : find_variable(*module, name, address, bytes);
}

}  // namespace
}  // namespace exports_library

GPUKIT_SIM_EXPORT CUresult cuLibraryLoadData(CUlibrary* result, const void* image,
                                             CUjit_option* jit_options, void** jit_values,
                                             unsigned jit_count, CUlibraryOption* options,
                                             void** values, unsigned count) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation& simulation) {
    if (!JitLog::is_valid(jit_count, jit_options, jit_values)) return CUDA_ERROR_INVALID_VALUE;
    if (count != 0 && options == nullptr) return CUDA_ERROR_INVALID_VALUE;
    static_cast<void>(values);  // the location of the image, which is always copied
    JitLog log(jit_count, jit_options, jit_values);
    return exports_library::load(simulation, result, image, log);
  });
}

GPUKIT_SIM_EXPORT CUresult cuLibraryLoadFromFile(CUlibrary* result, const char* path,
                                                 CUjit_option* jit_options, void** jit_values,
                                                 unsigned jit_count, CUlibraryOption* options,
                                                 void**, unsigned count) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation& simulation) {
    if (path == nullptr || !JitLog::is_valid(jit_count, jit_options, jit_values))
      return CUDA_ERROR_INVALID_VALUE;
    if (count != 0 && options == nullptr) return CUDA_ERROR_INVALID_VALUE;
    JitLog log(jit_count, jit_options, jit_values);
    std::string content;
    const CUresult status = read_image_file(path, content, &log);
    if (status != CUDA_SUCCESS) return status;
    return exports_library::load(simulation, result, content.c_str(), log, content.size());
  });
}

GPUKIT_SIM_EXPORT CUresult cuLibraryUnload(CUlibrary handle) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation& simulation) {
    const auto library = simulation.libraries.remove(handle);
    if (library == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    simulation.kernels.remove_if(
        [&](const SimKernel& kernel) { return kernel.library == library; });
    library->unload(simulation);
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuLibraryGetKernel(CUkernel* result, CUlibrary handle,
                                              const char* name) {
  static CallSite site(__func__);
  return exports_library::library_call(
      site, handle, [&](Simulation& simulation, const std::shared_ptr<SimLibrary>& library) {
        if (result == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
        if (library->kernel(name) == nullptr) return CUDA_ERROR_NOT_FOUND;
        *result = exports_library::handle_of(simulation, library, handle, name);
        return CUDA_SUCCESS;
      });
}

GPUKIT_SIM_EXPORT CUresult cuLibraryGetKernelCount(unsigned* count, CUlibrary handle) {
  static CallSite site(__func__);
  return exports_library::library_call(
      site, handle, [&](Simulation&, const std::shared_ptr<SimLibrary>& library) {
        if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
        *count = static_cast<unsigned>(library->kernels().size());
        return CUDA_SUCCESS;
      });
}

GPUKIT_SIM_EXPORT CUresult cuLibraryEnumerateKernels(CUkernel* kernels, unsigned room,
                                                     CUlibrary handle) {
  static CallSite site(__func__);
  return exports_library::library_call(
      site, handle, [&](Simulation& simulation, const std::shared_ptr<SimLibrary>& library) {
        if (kernels == nullptr || room == 0) return CUDA_ERROR_INVALID_VALUE;
        unsigned i = 0;
        for (const KernelInfo& kernel : library->kernels()) {
          if (i == room) break;
          kernels[i++] = exports_library::handle_of(simulation, library, handle, kernel.name);
        }
        return CUDA_SUCCESS;
      });
}

GPUKIT_SIM_EXPORT CUresult cuLibraryGetModule(CUmodule* result, CUlibrary handle) {
  static CallSite site(__func__);
  return exports_library::library_call(
      site, handle, [&](Simulation& simulation, const std::shared_ptr<SimLibrary>& library) {
        if (result == nullptr) return CUDA_ERROR_INVALID_VALUE;
        SimDevice* device = nullptr;
        const CUresult status = find_current_device(simulation, device);
        return status != CUDA_SUCCESS ? status : library->module_on(*device, result);
      });
}

GPUKIT_SIM_EXPORT CUresult cuLibraryGetGlobal(CUdeviceptr* address, std::size_t* bytes,
                                              CUlibrary handle, const char* name) {
  static CallSite site(__func__);
  return exports_library::library_call(
      site, handle, [&](Simulation& simulation, const std::shared_ptr<SimLibrary>& library) {
        return exports_library::find_global(simulation, *library, name, address, bytes);
      });
}

// Device memory here is memory that the host can touch, so a managed variable is one like the
// others.
GPUKIT_SIM_EXPORT CUresult cuLibraryGetManaged(CUdeviceptr* address, std::size_t* bytes,
                                               CUlibrary handle, const char* name) {
  static CallSite site(__func__);
  return exports_library::library_call(
      site, handle, [&](Simulation& simulation, const std::shared_ptr<SimLibrary>& library) {
        return exports_library::find_global(simulation, *library, name, address, bytes);
      });
}

GPUKIT_SIM_EXPORT CUresult cuKernelGetFunction(CUfunction* result, CUkernel handle) {
  static CallSite site(__func__);
  return exports_library::call(site, handle, [&](Simulation& simulation, const SimKernel& kernel) {
    if (result == nullptr) return CUDA_ERROR_INVALID_VALUE;
    SimDevice* device = nullptr;
    const CUresult status = find_current_device(simulation, device);
    return status != CUDA_SUCCESS ? status : function_handle_on(*device, kernel, result);
  });
}

GPUKIT_SIM_EXPORT CUresult cuKernelGetLibrary(CUlibrary* result, CUkernel handle) {
  static CallSite site(__func__);
  return exports_library::call(site, handle, [&](Simulation&, const SimKernel& kernel) {
    if (result == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *result = kernel.library_handle;
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute,
                                                CUkernel handle, CUdevice ordinal) {
  static CallSite site(__func__);
  return exports_library::kernel_on_device_call(site, handle, ordinal, [&](SimFunction& function) {
    return value == nullptr ? CUDA_ERROR_INVALID_VALUE : function.attribute(attribute, *value);
  });
}

GPUKIT_SIM_EXPORT CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value,
                                                CUkernel handle, CUdevice ordinal) {
  static CallSite site(__func__);
  return exports_library::kernel_on_device_call(site, handle, ordinal, [&](SimFunction& function) {
    return function.set_attribute(attribute, value);
  });
}

// There are no caches to divide.
GPUKIT_SIM_EXPORT CUresult cuKernelSetCacheConfig(CUkernel handle, CUfunc_cache config,
                                                  CUdevice ordinal) {
  static CallSite site(__func__);
  return exports_library::kernel_on_device_call(
      site, handle, ordinal, [&](SimFunction&) { return check_cache_config(config); });
}

GPUKIT_SIM_EXPORT CUresult cuKernelGetName(const char** name, CUkernel handle) {
  static CallSite site(__func__);
  return exports_library::call(site, handle, [&](Simulation&, const SimKernel& kernel) {
    if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *name = kernel.name.c_str();
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuKernelGetParamInfo(CUkernel handle, std::size_t index,
                                                std::size_t* offset, std::size_t* bytes) {
  static CallSite site(__func__);
  return exports_library::call(site, handle, [&](Simulation& simulation, SimKernel&) {
    CUresult status = CUDA_SUCCESS;
    const auto function = function_on(exports_library::device_to_ask(simulation),
                                      reinterpret_cast<CUfunction>(handle), status);
    return function == nullptr ? status : function->parameter(index, offset, bytes);
  });
}
