#define GPUKIT_SIMD_LEVEL avx2
#include "cpu/simd/random_kernels.h"
