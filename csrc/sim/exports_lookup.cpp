// cuGetProcAddress: the newest form of a function that both the caller and the driver know.
#include <algorithm>
#include <string_view>

#include "sim/driver_call.h"

using namespace gpukit::sim;

GPUKIT_SIM_EXPORT CUresult cuGetProcAddress(const char* name, void** function, int version,
                                            cuuint64_t flags);

namespace {

struct Symbol {
  const char* name;
  /// First CUDA version of this form.
  int since;
  const char* literal;
  void* function;
};

#define GPUKIT_SIM_SYMBOL(name, since, literal) \
  {#name, since, #literal, reinterpret_cast<void*>(&literal)}
#define GPUKIT_SIM_PLAIN(name, since) GPUKIT_SIM_SYMBOL(name, since, name)
// A function with several forms stands here once per form.
const Symbol kSymbols[] = {
    GPUKIT_SIM_PLAIN(cuInit, 2000),
    GPUKIT_SIM_PLAIN(cuDriverGetVersion, 2020),
    GPUKIT_SIM_PLAIN(cuGetExportTable, 3000),
    GPUKIT_SIM_PLAIN(cuGetProcAddress, 11030),
    GPUKIT_SIM_SYMBOL(cuGetProcAddress, 12000, cuGetProcAddress_v2),
    GPUKIT_SIM_PLAIN(cuGetErrorName, 6000),
    GPUKIT_SIM_PLAIN(cuGetErrorString, 6000),
    GPUKIT_SIM_PLAIN(cuDeviceGetCount, 2000),
    GPUKIT_SIM_PLAIN(cuDeviceGet, 2000),
    GPUKIT_SIM_PLAIN(cuDeviceGetName, 2000),
    GPUKIT_SIM_PLAIN(cuDeviceGetUuid, 9020),
    GPUKIT_SIM_SYMBOL(cuDeviceGetUuid, 11040, cuDeviceGetUuid_v2),
    GPUKIT_SIM_SYMBOL(cuDeviceTotalMem, 3020, cuDeviceTotalMem_v2),
    GPUKIT_SIM_PLAIN(cuDeviceGetAttribute, 2000),
    GPUKIT_SIM_PLAIN(cuDeviceGetPCIBusId, 4010),
    GPUKIT_SIM_PLAIN(cuDeviceCanAccessPeer, 4000),
    GPUKIT_SIM_PLAIN(cuDeviceGetP2PAttribute, 8000),
    GPUKIT_SIM_PLAIN(cuDevicePrimaryCtxRetain, 7000),
    GPUKIT_SIM_SYMBOL(cuDevicePrimaryCtxRelease, 11000, cuDevicePrimaryCtxRelease_v2),
    GPUKIT_SIM_PLAIN(cuDevicePrimaryCtxGetState, 7000),
    GPUKIT_SIM_PLAIN(cuCtxSetCurrent, 4000),
    GPUKIT_SIM_PLAIN(cuCtxGetCurrent, 4000),
    GPUKIT_SIM_SYMBOL(cuCtxPushCurrent, 4000, cuCtxPushCurrent_v2),
    GPUKIT_SIM_SYMBOL(cuCtxPopCurrent, 4000, cuCtxPopCurrent_v2),
    GPUKIT_SIM_PLAIN(cuCtxGetDevice, 2000),
    GPUKIT_SIM_PLAIN(cuCtxSynchronize, 2000),
    GPUKIT_SIM_PLAIN(cuCtxGetStreamPriorityRange, 5050),
    GPUKIT_SIM_PLAIN(cuCtxEnablePeerAccess, 4000),
    GPUKIT_SIM_PLAIN(cuCtxDisablePeerAccess, 4000),
    GPUKIT_SIM_SYMBOL(cuMemGetInfo, 3020, cuMemGetInfo_v2),
    GPUKIT_SIM_SYMBOL(cuMemAlloc, 3020, cuMemAlloc_v2),
    GPUKIT_SIM_SYMBOL(cuMemFree, 3020, cuMemFree_v2),
    GPUKIT_SIM_SYMBOL(cuMemGetAddressRange, 3020, cuMemGetAddressRange_v2),
    GPUKIT_SIM_PLAIN(cuPointerGetAttribute, 4000),
    GPUKIT_SIM_PLAIN(cuMemHostAlloc, 2020),
    GPUKIT_SIM_PLAIN(cuMemFreeHost, 2000),
    GPUKIT_SIM_SYMBOL(cuMemHostRegister, 6050, cuMemHostRegister_v2),
    GPUKIT_SIM_PLAIN(cuMemHostUnregister, 4000),
    GPUKIT_SIM_SYMBOL(cuMemHostGetDevicePointer, 3020, cuMemHostGetDevicePointer_v2),
    GPUKIT_SIM_PLAIN(cuMemAllocAsync, 11020),
    GPUKIT_SIM_PLAIN(cuMemFreeAsync, 11020),
    GPUKIT_SIM_PLAIN(cuMemAllocFromPoolAsync, 11020),
    GPUKIT_SIM_PLAIN(cuDeviceGetDefaultMemPool, 11020),
    GPUKIT_SIM_PLAIN(cuMemPoolCreate, 11020),
    GPUKIT_SIM_PLAIN(cuMemPoolDestroy, 11020),
    GPUKIT_SIM_PLAIN(cuMemPoolTrimTo, 11020),
    GPUKIT_SIM_PLAIN(cuMemPoolSetAttribute, 11020),
    GPUKIT_SIM_PLAIN(cuMemPoolGetAttribute, 11020),
    GPUKIT_SIM_SYMBOL(cuMemcpyHtoDAsync, 3020, cuMemcpyHtoDAsync_v2),
    GPUKIT_SIM_SYMBOL(cuMemcpyDtoHAsync, 3020, cuMemcpyDtoHAsync_v2),
    GPUKIT_SIM_SYMBOL(cuMemcpyDtoDAsync, 3020, cuMemcpyDtoDAsync_v2),
    GPUKIT_SIM_PLAIN(cuMemcpyPeerAsync, 4000),
    GPUKIT_SIM_SYMBOL(cuMemcpy2DAsync, 3020, cuMemcpy2DAsync_v2),
    GPUKIT_SIM_SYMBOL(cuMemcpyHtoD, 3020, cuMemcpyHtoD_v2),
    GPUKIT_SIM_SYMBOL(cuMemcpyDtoH, 3020, cuMemcpyDtoH_v2),
    GPUKIT_SIM_PLAIN(cuMemsetD8Async, 3020),
    GPUKIT_SIM_PLAIN(cuMemsetD16Async, 3020),
    GPUKIT_SIM_PLAIN(cuMemsetD32Async, 3020),
    GPUKIT_SIM_PLAIN(cuStreamCreate, 2000),
    GPUKIT_SIM_PLAIN(cuStreamCreateWithPriority, 5050),
    GPUKIT_SIM_SYMBOL(cuStreamDestroy, 4000, cuStreamDestroy_v2),
    GPUKIT_SIM_PLAIN(cuStreamSynchronize, 2000),
    GPUKIT_SIM_PLAIN(cuStreamQuery, 2000),
    GPUKIT_SIM_PLAIN(cuStreamWaitEvent, 3020),
    GPUKIT_SIM_PLAIN(cuStreamGetCtx, 9020),
    GPUKIT_SIM_PLAIN(cuStreamGetFlags, 5050),
    GPUKIT_SIM_PLAIN(cuStreamGetPriority, 5050),
    GPUKIT_SIM_PLAIN(cuEventCreate, 2000),
    GPUKIT_SIM_SYMBOL(cuEventDestroy, 4000, cuEventDestroy_v2),
    GPUKIT_SIM_PLAIN(cuEventRecord, 2000),
    GPUKIT_SIM_PLAIN(cuEventQuery, 2000),
    GPUKIT_SIM_PLAIN(cuEventSynchronize, 2000),
    GPUKIT_SIM_PLAIN(cuEventElapsedTime, 2000),
    GPUKIT_SIM_SYMBOL(cuEventElapsedTime, 12080, cuEventElapsedTime_v2),
    GPUKIT_SIM_PLAIN(cuLaunchHostFunc, 10000),
    GPUKIT_SIM_PLAIN(cuModuleLoadData, 2000),
    GPUKIT_SIM_PLAIN(cuModuleLoadDataEx, 2010),
    GPUKIT_SIM_PLAIN(cuModuleUnload, 2000),
    GPUKIT_SIM_PLAIN(cuModuleGetFunction, 2000),
    GPUKIT_SIM_SYMBOL(cuModuleGetGlobal, 3020, cuModuleGetGlobal_v2),
    GPUKIT_SIM_PLAIN(cuModuleGetLoadingMode, 11070),
    GPUKIT_SIM_PLAIN(cuFuncLoad, 12040),
    GPUKIT_SIM_PLAIN(cuFuncGetAttribute, 2020),
    GPUKIT_SIM_PLAIN(cuFuncSetAttribute, 9000),
    GPUKIT_SIM_PLAIN(cuOccupancyMaxActiveBlocksPerMultiprocessor, 6050),
    GPUKIT_SIM_PLAIN(cuLaunchKernel, 4000),
    GPUKIT_SIM_PLAIN(cuLaunchKernelEx, 11060),
    GPUKIT_SIM_SYMBOL(cuStreamBeginCapture, 10010, cuStreamBeginCapture_v2),
    GPUKIT_SIM_PLAIN(cuStreamEndCapture, 10000),
    GPUKIT_SIM_PLAIN(cuStreamIsCapturing, 10000),
    GPUKIT_SIM_PLAIN(cuThreadExchangeStreamCaptureMode, 10010),
    GPUKIT_SIM_SYMBOL(cuGraphInstantiate, 12000, cuGraphInstantiateWithFlags),
    GPUKIT_SIM_PLAIN(cuGraphInstantiateWithFlags, 11040),
    GPUKIT_SIM_PLAIN(cuGraphGetNodes, 10000),
    GPUKIT_SIM_PLAIN(cuGraphLaunch, 10000),
    GPUKIT_SIM_PLAIN(cuGraphUpload, 11010),
    GPUKIT_SIM_SYMBOL(cuGraphExecUpdate, 12000, cuGraphExecUpdate_v2),
    GPUKIT_SIM_PLAIN(cuGraphExecDestroy, 10000),
    GPUKIT_SIM_PLAIN(cuGraphDestroy, 10000),
};
#undef GPUKIT_SIM_PLAIN
#undef GPUKIT_SIM_SYMBOL

const Symbol* newest_form(std::string_view name, int version) {
  const Symbol* best = nullptr;
  for (const Symbol& symbol : kSymbols) {
    if (name == symbol.name && symbol.since <= version &&
        (best == nullptr || symbol.since > best->since)) {
      best = &symbol;
    }
  }
  return best;
}

bool is_known_name(std::string_view name) {
  for (const Symbol& symbol : kSymbols) {
    if (name == symbol.name) return true;
  }
  return false;
}

}  // namespace

GPUKIT_SIM_EXPORT CUresult cuGetProcAddress_v2(const char* name, void** function, int version,
                                               cuuint64_t, CUdriverProcAddressQueryResult* found) {
  static CallSite site(__func__);
  site.count();
  if (name == nullptr || function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return guarded([&] {
    const auto simulation = current_simulation();
    const int newest = std::min(version, simulation->driver_version());
    const Symbol* symbol = newest_form(name, newest);
    const bool hidden = simulation->faults().hides(name) ||
                        (symbol != nullptr && simulation->faults().hides(symbol->literal));
    *function = symbol == nullptr || hidden ? nullptr : symbol->function;
    if (found != nullptr) {
      *found = *function != nullptr             ? CU_GET_PROC_ADDRESS_SUCCESS
               : is_known_name(name) && !hidden ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                                : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    }
    return *function != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
  });
}

GPUKIT_SIM_EXPORT CUresult cuGetProcAddress(const char* name, void** function, int version,
                                            cuuint64_t flags) {
  return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}
