#define GPUKIT_SIMD_LEVEL neon
#include "cpu/simd/math_kernels.h"
