#define GPUKIT_SIMD_LEVEL neon
#include "cpu/simd/skinny_kernels.h"
