#define GPUKIT_SIMD_LEVEL avx512
#include "cpu/simd/skinny_kernels.h"
