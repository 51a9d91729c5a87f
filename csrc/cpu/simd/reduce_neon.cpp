#define GPUKIT_SIMD_LEVEL neon
#include "cpu/simd/reduce_kernels.h"
