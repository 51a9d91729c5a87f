#define GPUKIT_SIMD_LEVEL neon
#include "cpu/simd/matrix_kernels.h"
