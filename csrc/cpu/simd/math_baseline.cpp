#define GPUKIT_SIMD_LEVEL baseline
#include "cpu/simd/math_kernels.h"
