#define GPUKIT_SIMD_LEVEL avx512bf16
#include "cpu/simd/bfloat16_kernels.h"
