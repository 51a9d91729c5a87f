#define GPUKIT_SIMD_LEVEL neon
#include "cpu/simd/block_kernels.h"
