#define GPUKIT_SIMD_LEVEL baseline
#include "cpu/simd/window_kernels.h"
