#define GPUKIT_SIMD_LEVEL avx512
#include "cpu/simd/block_kernels.h"
