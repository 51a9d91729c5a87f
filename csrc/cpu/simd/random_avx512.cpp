#define GPUKIT_SIMD_LEVEL avx512
#include "cpu/simd/random_kernels.h"
