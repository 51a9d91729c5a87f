#define GPUKIT_SIMD_LEVEL avx2
#include "cpu/simd/convert_kernels.h"
