#define GPUKIT_SIMD_LEVEL neon
#include "cpu/simd/convert_kernels.h"
