#define GPUKIT_SIMD_LEVEL neon
#include "cpu/simd/elementwise_kernels.h"
