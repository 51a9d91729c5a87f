#define GPUKIT_SIMD_LEVEL avx512
#include "cpu/simd/reduce_kernels.h"
