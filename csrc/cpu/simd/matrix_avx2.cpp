#define GPUKIT_SIMD_LEVEL avx2
#include "cpu/simd/matrix_kernels.h"
