#define GPUKIT_SIMD_LEVEL avx2
#include "cpu/simd/elementwise_kernels.h"
