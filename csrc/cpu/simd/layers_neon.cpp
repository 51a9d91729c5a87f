#define GPUKIT_SIMD_LEVEL neon
#include "cpu/simd/layer_kernels.h"
