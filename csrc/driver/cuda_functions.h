// The driver functions in use, as data. One line each:
//   X(member, "exported literal", type of the literal, first CUDA version with it, presence)
// where presence is kRequired (gpukit cannot work without it) or kOptional (a capability).
// The literal is what the library exports, suffix included; the type is the versioned one of
// cudaTypedefs.h, because unsuffixed names there change their meaning from one header release to
// the next. Suffixes _ptsz and _ptds (per-thread default stream) are never used. This file includes
// nothing, so that sim/ may read it too.
#pragma once

// Starting, versions, error texts.
#define GPUKIT_CUDA_GENERAL(X)                                                               \
  X(cuInit, "cuInit", PFN_cuInit_v2000, 2000, kRequired)                                     \
  X(cuDriverGetVersion, "cuDriverGetVersion", PFN_cuDriverGetVersion_v2020, 2020, kRequired) \
  X(cuGetProcAddress, "cuGetProcAddress_v2", PFN_cuGetProcAddress_v12000, 12000, kOptional)  \
  X(cuGetErrorName, "cuGetErrorName", PFN_cuGetErrorName_v6000, 6000, kRequired)             \
  X(cuGetErrorString, "cuGetErrorString", PFN_cuGetErrorString_v6000, 6000, kRequired)

#define GPUKIT_CUDA_DEVICE(X)                                                                      \
  X(cuDeviceGetCount, "cuDeviceGetCount", PFN_cuDeviceGetCount_v2000, 2000, kRequired)             \
  X(cuDeviceGet, "cuDeviceGet", PFN_cuDeviceGet_v2000, 2000, kRequired)                            \
  X(cuDeviceGetName, "cuDeviceGetName", PFN_cuDeviceGetName_v2000, 2000, kRequired)                \
  X(cuDeviceGetUuid, "cuDeviceGetUuid_v2", PFN_cuDeviceGetUuid_v11040, 11040, kRequired)           \
  X(cuDeviceTotalMem, "cuDeviceTotalMem_v2", PFN_cuDeviceTotalMem_v3020, 3020, kRequired)          \
  X(cuDeviceGetAttribute, "cuDeviceGetAttribute", PFN_cuDeviceGetAttribute_v2000, 2000, kRequired) \
  X(cuDeviceGetPCIBusId, "cuDeviceGetPCIBusId", PFN_cuDeviceGetPCIBusId_v4010, 4010, kRequired)    \
  X(cuDeviceCanAccessPeer, "cuDeviceCanAccessPeer", PFN_cuDeviceCanAccessPeer_v4000, 4000,         \
    kRequired)

#define GPUKIT_CUDA_CONTEXT(X)                                                                \
  X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", PFN_cuDevicePrimaryCtxRetain_v7000, \
    7000, kRequired)                                                                          \
  X(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2",                                \
    PFN_cuDevicePrimaryCtxRelease_v11000, 11000, kRequired)                                   \
  X(cuCtxGetCurrent, "cuCtxGetCurrent", PFN_cuCtxGetCurrent_v4000, 4000, kRequired)           \
  X(cuCtxPushCurrent, "cuCtxPushCurrent_v2", PFN_cuCtxPushCurrent_v4000, 4000, kRequired)     \
  X(cuCtxPopCurrent, "cuCtxPopCurrent_v2", PFN_cuCtxPopCurrent_v4000, 4000, kRequired)        \
  X(cuCtxSynchronize, "cuCtxSynchronize", PFN_cuCtxSynchronize_v2000, 2000, kRequired)        \
  X(cuCtxGetStreamPriorityRange, "cuCtxGetStreamPriorityRange",                               \
    PFN_cuCtxGetStreamPriorityRange_v5050, 5050, kOptional)                                   \
  X(cuCtxEnablePeerAccess, "cuCtxEnablePeerAccess", PFN_cuCtxEnablePeerAccess_v4000, 4000,    \
    kRequired)

#define GPUKIT_CUDA_MEMORY(X)                                                                      \
  X(cuMemGetInfo, "cuMemGetInfo_v2", PFN_cuMemGetInfo_v3020, 3020, kRequired)                      \
  X(cuMemAlloc, "cuMemAlloc_v2", PFN_cuMemAlloc_v3020, 3020, kRequired)                            \
  X(cuMemFree, "cuMemFree_v2", PFN_cuMemFree_v3020, 3020, kRequired)                               \
  X(cuMemHostAlloc, "cuMemHostAlloc", PFN_cuMemHostAlloc_v2020, 2020, kRequired)                   \
  X(cuMemFreeHost, "cuMemFreeHost", PFN_cuMemFreeHost_v2000, 2000, kRequired)                      \
  X(cuPointerGetAttribute, "cuPointerGetAttribute", PFN_cuPointerGetAttribute_v4000, 4000,         \
    kRequired)                                                                                     \
  X(cuMemAllocAsync, "cuMemAllocAsync", PFN_cuMemAllocAsync_v11020, 11020, kOptional)              \
  X(cuMemFreeAsync, "cuMemFreeAsync", PFN_cuMemFreeAsync_v11020, 11020, kOptional)                 \
  X(cuMemAllocFromPoolAsync, "cuMemAllocFromPoolAsync", PFN_cuMemAllocFromPoolAsync_v11020, 11020, \
    kOptional)                                                                                     \
  X(cuMemPoolCreate, "cuMemPoolCreate", PFN_cuMemPoolCreate_v11020, 11020, kOptional)              \
  X(cuMemPoolDestroy, "cuMemPoolDestroy", PFN_cuMemPoolDestroy_v11020, 11020, kOptional)           \
  X(cuMemPoolTrimTo, "cuMemPoolTrimTo", PFN_cuMemPoolTrimTo_v11020, 11020, kOptional)              \
  X(cuMemPoolSetAttribute, "cuMemPoolSetAttribute", PFN_cuMemPoolSetAttribute_v11020, 11020,       \
    kOptional)                                                                                     \
  X(cuMemPoolGetAttribute, "cuMemPoolGetAttribute", PFN_cuMemPoolGetAttribute_v11020, 11020,       \
    kOptional)

#define GPUKIT_CUDA_COPY(X)                                                                  \
  X(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", PFN_cuMemcpyHtoDAsync_v3020, 3020, kRequired) \
  X(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", PFN_cuMemcpyDtoHAsync_v3020, 3020, kRequired) \
  X(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", PFN_cuMemcpyDtoDAsync_v3020, 3020, kRequired) \
  X(cuMemcpyPeerAsync, "cuMemcpyPeerAsync", PFN_cuMemcpyPeerAsync_v4000, 4000, kRequired)    \
  X(cuMemsetD8Async, "cuMemsetD8Async", PFN_cuMemsetD8Async_v3020, 3020, kRequired)

// cuEventElapsedTime is the first form on purpose: its successor exists from driver 12.8 on only.
#define GPUKIT_CUDA_STREAM(X)                                                                   \
  X(cuStreamCreateWithPriority, "cuStreamCreateWithPriority",                                   \
    PFN_cuStreamCreateWithPriority_v5050, 5050, kRequired)                                      \
  X(cuStreamDestroy, "cuStreamDestroy_v2", PFN_cuStreamDestroy_v4000, 4000, kRequired)          \
  X(cuStreamSynchronize, "cuStreamSynchronize", PFN_cuStreamSynchronize_v2000, 2000, kRequired) \
  X(cuStreamQuery, "cuStreamQuery", PFN_cuStreamQuery_v2000, 2000, kRequired)                   \
  X(cuStreamWaitEvent, "cuStreamWaitEvent", PFN_cuStreamWaitEvent_v3020, 3020, kRequired)       \
  X(cuEventCreate, "cuEventCreate", PFN_cuEventCreate_v2000, 2000, kRequired)                   \
  X(cuEventDestroy, "cuEventDestroy_v2", PFN_cuEventDestroy_v4000, 4000, kRequired)             \
  X(cuEventRecord, "cuEventRecord", PFN_cuEventRecord_v2000, 2000, kRequired)                   \
  X(cuEventQuery, "cuEventQuery", PFN_cuEventQuery_v2000, 2000, kRequired)                      \
  X(cuEventElapsedTime, "cuEventElapsedTime", PFN_cuEventElapsedTime_v2000, 2000, kRequired)

#define GPUKIT_CUDA_CODE(X)                                                                      \
  X(cuModuleLoadData, "cuModuleLoadData", PFN_cuModuleLoadData_v2000, 2000, kRequired)           \
  X(cuModuleLoadDataEx, "cuModuleLoadDataEx", PFN_cuModuleLoadDataEx_v2010, 2010, kRequired)     \
  X(cuModuleUnload, "cuModuleUnload", PFN_cuModuleUnload_v2000, 2000, kRequired)                 \
  X(cuModuleGetFunction, "cuModuleGetFunction", PFN_cuModuleGetFunction_v2000, 2000, kRequired)  \
  X(cuModuleGetGlobal, "cuModuleGetGlobal_v2", PFN_cuModuleGetGlobal_v3020, 3020, kRequired)     \
  X(cuFuncSetAttribute, "cuFuncSetAttribute", PFN_cuFuncSetAttribute_v9000, 9000, kRequired)     \
  X(cuFuncGetAttribute, "cuFuncGetAttribute", PFN_cuFuncGetAttribute_v2020, 2020, kRequired)     \
  X(cuFuncGetParamInfo, "cuFuncGetParamInfo", PFN_cuFuncGetParamInfo_v12040, 12040, kOptional)   \
  X(cuFuncLoad, "cuFuncLoad", PFN_cuFuncLoad_v12040, 12040, kOptional)                           \
  X(cuLaunchKernel, "cuLaunchKernel", PFN_cuLaunchKernel_v4000, 4000, kRequired)                 \
  X(cuLaunchCooperativeKernel, "cuLaunchCooperativeKernel", PFN_cuLaunchCooperativeKernel_v9000, \
    9000, kOptional)

// The type of cuGraphInstantiateWithFlags is that of 11.4: older ones of cuGraphInstantiate take
// five arguments.
#define GPUKIT_CUDA_GRAPH(X)                                                                      \
  X(cuStreamBeginCapture, "cuStreamBeginCapture_v2", PFN_cuStreamBeginCapture_v10010, 10010,      \
    kOptional)                                                                                    \
  X(cuStreamEndCapture, "cuStreamEndCapture", PFN_cuStreamEndCapture_v10000, 10000, kOptional)    \
  X(cuStreamIsCapturing, "cuStreamIsCapturing", PFN_cuStreamIsCapturing_v10000, 10000, kOptional) \
  X(cuThreadExchangeStreamCaptureMode, "cuThreadExchangeStreamCaptureMode",                       \
    PFN_cuThreadExchangeStreamCaptureMode_v10010, 10010, kOptional)                               \
  X(cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags",                                   \
    PFN_cuGraphInstantiateWithFlags_v11040, 11040, kOptional)                                     \
  X(cuGraphGetNodes, "cuGraphGetNodes", PFN_cuGraphGetNodes_v10000, 10000, kOptional)             \
  X(cuGraphLaunch, "cuGraphLaunch", PFN_cuGraphLaunch_v10000, 10000, kOptional)                   \
  X(cuGraphExecDestroy, "cuGraphExecDestroy", PFN_cuGraphExecDestroy_v10000, 10000, kOptional)    \
  X(cuGraphDestroy, "cuGraphDestroy", PFN_cuGraphDestroy_v10000, 10000, kOptional)

#define GPUKIT_CUDA_FUNCTIONS(X) \
  GPUKIT_CUDA_GENERAL(X)         \
  GPUKIT_CUDA_DEVICE(X)          \
  GPUKIT_CUDA_CONTEXT(X)         \
  GPUKIT_CUDA_MEMORY(X)          \
  GPUKIT_CUDA_COPY(X)            \
  GPUKIT_CUDA_STREAM(X)          \
  GPUKIT_CUDA_CODE(X)            \
  GPUKIT_CUDA_GRAPH(X)
