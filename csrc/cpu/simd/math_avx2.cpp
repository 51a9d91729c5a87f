#define GPUKIT_SIMD_LEVEL avx2
#include "cpu/simd/math_kernels.h"
