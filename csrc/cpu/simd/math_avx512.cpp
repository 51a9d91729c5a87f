#define GPUKIT_SIMD_LEVEL avx512
#include "cpu/simd/math_kernels.h"
