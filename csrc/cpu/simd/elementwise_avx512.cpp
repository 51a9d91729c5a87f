#define GPUKIT_SIMD_LEVEL avx512
#include "cpu/simd/elementwise_kernels.h"
