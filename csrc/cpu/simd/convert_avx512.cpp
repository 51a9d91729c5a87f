#define GPUKIT_SIMD_LEVEL avx512
#include "cpu/simd/convert_kernels.h"
