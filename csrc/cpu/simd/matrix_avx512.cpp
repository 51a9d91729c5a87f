#define GPUKIT_SIMD_LEVEL avx512
#include "cpu/simd/matrix_kernels.h"
