#define GPUKIT_SIMD_LEVEL avx2
#include "cpu/simd/layer_kernels.h"
