// Contexts that a program makes itself, what a context can be told, and the profiler's switch.
#include "sim/function_call.h"

using namespace gpukit::sim;

namespace exports_context {
namespace {

// Flags of a context: how the host waits, which here is always the same, and what may be mapped.
constexpr unsigned kContextFlags = 0xff;

CUresult create(CallSite& site, CUcontext* result, unsigned flags, CUdevice ordinal) {
  return driver_call(site, [&](Simulation& simulation) {
    SimDevice* device = simulation.device(ordinal);
    if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    if (result == nullptr || (flags & ~kContextFlags) != 0) return CUDA_ERROR_INVALID_VALUE;
    device->retain_context();
    *result = simulation.contexts.add(std::make_shared<SimContext>(*device, flags));
    context_stack(simulation).push_back(*result);
    return CUDA_SUCCESS;
  });
}

CUresult destroy(CallSite& site, CUcontext context) {
  return driver_call(site, [&](Simulation& simulation) {
    const auto made = simulation.contexts.remove(context);
    if (made == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    auto& stack = context_stack(simulation);
    if (!stack.empty() && stack.back() == context) stack.pop_back();
    return made->device->release_context();
  });
}

CUresult check(CUlimit limit) {
  const int number = static_cast<int>(limit);
  if (number < 0 || number >= CU_LIMIT_MAX) return CUDA_ERROR_INVALID_VALUE;
  return number < SimDevice::kLimitCount ? CUDA_SUCCESS : CUDA_ERROR_UNSUPPORTED_LIMIT;
}

/// body(context): the one that is named, or the current one.
template <class Body>
CUresult with_context(CallSite& site, CUcontext context, Body body) noexcept {
  return driver_call(site, [&](Simulation& simulation) {
    const auto& stack = context_stack(simulation);
    if (context == nullptr && !stack.empty()) context = stack.back();
    if (simulation.device_of(context) == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    return body(context);
  });
}

}  // namespace
}  // namespace exports_context

GPUKIT_SIM_EXPORT CUresult cuCtxCreate_v2(CUcontext* result, unsigned flags, CUdevice ordinal) {
  static CallSite site(__func__);
  return exports_context::create(site, result, flags, ordinal);
}

GPUKIT_SIM_EXPORT CUresult cuCtxCreate_v3(CUcontext* result, CUexecAffinityParam*, int parameters,
                                          unsigned flags, CUdevice ordinal) {
  static CallSite site(__func__);
  if (parameters != 0) return CUDA_ERROR_NOT_SUPPORTED;  // multiprocessors are not shared out
  return exports_context::create(site, result, flags, ordinal);
}

#if CUDA_VERSION >= 12050
GPUKIT_SIM_EXPORT CUresult cuCtxCreate_v4(CUcontext* result, CUctxCreateParams* parameters,
                                          unsigned flags, CUdevice ordinal) {
  static CallSite site(__func__);
  if (parameters != nullptr &&
      (parameters->numExecAffinityParams != 0 || parameters->cigParams != nullptr))
    return CUDA_ERROR_NOT_SUPPORTED;
  return exports_context::create(site, result, flags, ordinal);
}
#endif

GPUKIT_SIM_EXPORT CUresult cuCtxDestroy_v2(CUcontext context) {
  static CallSite site(__func__);
  return exports_context::destroy(site, context);
}

GPUKIT_SIM_EXPORT CUresult cuCtxDetach(CUcontext context) {
  static CallSite site(__func__);
  return exports_context::destroy(site, context);
}

GPUKIT_SIM_EXPORT CUresult cuCtxGetFlags(unsigned* flags) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation& simulation) {
    SimDevice* device = nullptr;
    const CUresult status = find_current_device(simulation, device);
    if (status != CUDA_SUCCESS) return status;
    if (flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto made = simulation.contexts.find(context_stack(simulation).back());
    *flags = made == nullptr ? device->context_flags() : made->flags;
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuCtxGetApiVersion(CUcontext context, unsigned* version) {
  static CallSite site(__func__);
  return exports_context::with_context(site, context, [&](CUcontext) {
    if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *version = 3020;
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuCtxGetId(CUcontext context, unsigned long long* id) {
  static CallSite site(__func__);
  return exports_context::with_context(site, context, [&](CUcontext told) {
    if (id == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *id = reinterpret_cast<std::uintptr_t>(told);
    return CUDA_SUCCESS;
  });
}

// ---- limits and preferences: stored and returned; the executor has its own limits

GPUKIT_SIM_EXPORT CUresult cuCtxGetLimit(std::size_t* value, CUlimit limit) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice& device) {
    const CUresult status =
        value == nullptr ? CUDA_ERROR_INVALID_VALUE : exports_context::check(limit);
    if (status != CUDA_SUCCESS) return status;
    *value = device.limit(limit);
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuCtxSetLimit(CUlimit limit, std::size_t value) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice& device) {
    const CUresult status = exports_context::check(limit);
    if (status != CUDA_SUCCESS) return status;
    device.set_limit(limit, value);
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuCtxGetCacheConfig(CUfunc_cache* config) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice&) {
    if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *config = CU_FUNC_CACHE_PREFER_NONE;
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice&) { return check_cache_config(config); });
}

GPUKIT_SIM_EXPORT CUresult cuDevicePrimaryCtxReset_v2(CUdevice ordinal) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation& simulation) {
    SimDevice* device = simulation.device(ordinal);
    if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    device->reset_context();
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice ordinal, unsigned flags) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation& simulation) {
    SimDevice* device = simulation.device(ordinal);
    if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    if ((flags & ~exports_context::kContextFlags) != 0) return CUDA_ERROR_INVALID_VALUE;
    device->set_context_flags(flags);
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice ordinal) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation& simulation) {
    const SimDevice* device = simulation.device(ordinal);
    if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    if (major == nullptr || minor == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *major = device->capability() / 10;
    *minor = device->capability() % 10;
    return CUDA_SUCCESS;
  });
}

// ---- no profiler listens

GPUKIT_SIM_EXPORT CUresult cuProfilerStart() {
  static CallSite site(__func__);
  return context_call(site, [](SimDevice&) { return CUDA_SUCCESS; });
}

GPUKIT_SIM_EXPORT CUresult cuProfilerStop() {
  static CallSite site(__func__);
  return context_call(site, [](SimDevice&) { return CUDA_SUCCESS; });
}
