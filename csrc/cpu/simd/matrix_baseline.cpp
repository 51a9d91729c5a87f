#define GPUKIT_SIMD_LEVEL baseline
#include "cpu/simd/matrix_kernels.h"
