// Modules, and the kernels in them.
#include <string>

#include "sim/function_call.h"

using namespace gpukit::sim;

GPUKIT_SIM_EXPORT CUresult cuModuleLoadData(CUmodule* result, const void* image) {
  static CallSite site(__func__);
  return context_call(
      site, [&](SimDevice& device) { return load_image(device, result, image, nullptr); });
}

// Of the options the logs and the time count.
GPUKIT_SIM_EXPORT CUresult cuModuleLoadDataEx(CUmodule* result, const void* image, unsigned count,
                                              CUjit_option* options, void** values) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice& device) {
    if (!JitLog::is_valid(count, options, values)) return CUDA_ERROR_INVALID_VALUE;
    JitLog log(count, options, values);
    return load_image(device, result, image, &log);
  });
}

GPUKIT_SIM_EXPORT CUresult cuModuleLoadFatBinary(CUmodule* result, const void* image) {
  static CallSite site(__func__);
  return context_call(
      site, [&](SimDevice& device) { return load_image(device, result, image, nullptr); });
}

GPUKIT_SIM_EXPORT CUresult cuModuleLoad(CUmodule* result, const char* path) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice& device) {
    if (path == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::string content;
    const CUresult status = read_image_file(path, content, nullptr);
    if (status != CUDA_SUCCESS) return status;
    return load_image(device, result, content.c_str(), nullptr, content.size());
  });
}

GPUKIT_SIM_EXPORT CUresult cuModuleUnload(CUmodule handle) {
  static CallSite site(__func__);
  return context_call(
      site, [&](SimDevice& current) { return unload_module(current.simulation(), handle); });
}

GPUKIT_SIM_EXPORT CUresult cuModuleGetFunction(CUfunction* result, CUmodule handle,
                                               const char* name) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice& current) {
    if (result == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    Simulation& simulation = current.simulation();
    const auto module = simulation.modules.find(handle);
    if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    return find_function(simulation, *module, name, result);
  });
}

GPUKIT_SIM_EXPORT CUresult cuModuleGetGlobal_v2(CUdeviceptr* address, std::size_t* bytes,
                                                CUmodule handle, const char* name) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice& current) {
    if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto module = current.simulation().modules.find(handle);
    if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    return find_variable(*module, name, address, bytes);
  });
}

GPUKIT_SIM_EXPORT CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation&) {
    if (mode == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *mode = CU_MODULE_LAZY_LOADING;
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuFuncLoad(CUfunction handle) {
  static CallSite site(__func__);
  return call(site, handle, [](SimFunction&) { return CUDA_SUCCESS; });
}

GPUKIT_SIM_EXPORT CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute,
                                              CUfunction handle) {
  static CallSite site(__func__);
  return call(site, handle, [&](SimFunction& function) {
    return value == nullptr ? CUDA_ERROR_INVALID_VALUE : function.attribute(attribute, *value);
  });
}

GPUKIT_SIM_EXPORT CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute,
                                              int value) {
  static CallSite site(__func__);
  return call(site, handle,
              [&](SimFunction& function) { return function.set_attribute(attribute, value); });
}

GPUKIT_SIM_EXPORT CUresult cuModuleGetFunctionCount(unsigned* count, CUmodule handle) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation& simulation) {
    const auto module = simulation.modules.find(handle);
    if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *count = static_cast<unsigned>(module->image().kernels.size());
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned room,
                                                      CUmodule handle) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation& simulation) {
    const auto module = simulation.modules.find(handle);
    if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (functions == nullptr || room == 0) return CUDA_ERROR_INVALID_VALUE;
    unsigned i = 0;
    for (const KernelInfo& kernel : module->image().kernels) {
      if (i == room) break;
      const CUresult status = find_function(simulation, *module, kernel.name, &functions[i++]);
      if (status != CUDA_SUCCESS) return status;
    }
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuFuncGetModule(CUmodule* result, CUfunction handle) {
  static CallSite site(__func__);
  return call(site, handle, [&](SimFunction& function) {
    if (result == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *result = module_of(function);
    return *result == nullptr ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuFuncGetName(const char** name, CUfunction handle) {
  static CallSite site(__func__);
  return call(site, handle, [&](SimFunction& function) {
    if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *name = function.info().name.c_str();
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuFuncGetParamInfo(CUfunction handle, std::size_t index,
                                              std::size_t* offset, std::size_t* bytes) {
  static CallSite site(__func__);
  return call(site, handle,
              [&](SimFunction& function) { return function.parameter(index, offset, bytes); });
}

GPUKIT_SIM_EXPORT CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction handle) {
  static CallSite site(__func__);
  return call(site, handle, [&](SimFunction&) {
    if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *state = CU_FUNCTION_LOADING_STATE_LOADED;
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuFuncSetCacheConfig(CUfunction handle, CUfunc_cache config) {
  static CallSite site(__func__);
  return call(site, handle, [&](SimFunction&) { return check_cache_config(config); });
}

// Banks of shared memory have one width.
GPUKIT_SIM_EXPORT CUresult cuFuncSetSharedMemConfig(CUfunction handle, CUsharedconfig) {
  static CallSite site(__func__);
  return call(site, handle, [](SimFunction&) { return CUDA_SUCCESS; });
}
