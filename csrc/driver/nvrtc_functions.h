// The NVRTC functions in use, as data, in the columns of cuda_functions.h; types of nvrtc_abi.h.
#pragma once

#define GPUKIT_NVRTC_FUNCTIONS(X)                                                                 \
  X(nvrtcVersion, "nvrtcVersion", nvrtcVersion_t, 7000, kRequired)                                \
  X(nvrtcGetErrorString, "nvrtcGetErrorString", nvrtcGetErrorString_t, 7000, kRequired)           \
  X(nvrtcGetNumSupportedArchs, "nvrtcGetNumSupportedArchs", nvrtcGetNumSupportedArchs_t, 11020,   \
    kRequired)                                                                                    \
  X(nvrtcGetSupportedArchs, "nvrtcGetSupportedArchs", nvrtcGetSupportedArchs_t, 11020, kRequired) \
  X(nvrtcCreateProgram, "nvrtcCreateProgram", nvrtcCreateProgram_t, 7000, kRequired)              \
  X(nvrtcDestroyProgram, "nvrtcDestroyProgram", nvrtcDestroyProgram_t, 7000, kRequired)           \
  X(nvrtcCompileProgram, "nvrtcCompileProgram", nvrtcCompileProgram_t, 7000, kRequired)           \
  X(nvrtcAddNameExpression, "nvrtcAddNameExpression", nvrtcAddNameExpression_t, 8000, kRequired)  \
  X(nvrtcGetLoweredName, "nvrtcGetLoweredName", nvrtcGetLoweredName_t, 8000, kRequired)           \
  X(nvrtcGetPTXSize, "nvrtcGetPTXSize", nvrtcGetSize_t, 7000, kRequired)                          \
  X(nvrtcGetPTX, "nvrtcGetPTX", nvrtcGetBytes_t, 7000, kRequired)                                 \
  X(nvrtcGetCUBINSize, "nvrtcGetCUBINSize", nvrtcGetSize_t, 11010, kRequired)                     \
  X(nvrtcGetCUBIN, "nvrtcGetCUBIN", nvrtcGetBytes_t, 11010, kRequired)                            \
  X(nvrtcGetProgramLogSize, "nvrtcGetProgramLogSize", nvrtcGetSize_t, 7000, kRequired)            \
  X(nvrtcGetProgramLog, "nvrtcGetProgramLog", nvrtcGetBytes_t, 7000, kRequired)
