#define GPUKIT_SIMD_LEVEL avx2
#include "cpu/simd/skinny_kernels.h"
