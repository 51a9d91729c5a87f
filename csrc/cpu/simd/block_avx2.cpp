#define GPUKIT_SIMD_LEVEL avx2
#include "cpu/simd/block_kernels.h"
