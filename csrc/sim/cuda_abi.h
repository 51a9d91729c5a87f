// The driver's types from <cuda.h>, with the header's renaming taken back: the simulator defines
// the exported literals themselves, suffix included, whatever release the header is of.
#pragma once

#include <cuda.h>

#undef cuDeviceGetUuid
#undef cuDeviceTotalMem
#undef cuDevicePrimaryCtxRelease
#undef cuEventElapsedTime
#undef cuGetProcAddress

#define GPUKIT_SIM_EXPORT extern "C" __attribute__((visibility("default")))
