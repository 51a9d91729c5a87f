#define GPUKIT_SIMD_LEVEL avx2
#include "cpu/simd/reduce_kernels.h"
