#define GPUKIT_SIMD_LEVEL neon
#include "cpu/simd/random_kernels.h"
