#define GPUKIT_SIMD_LEVEL neon
#include "cpu/simd/window_kernels.h"
