#define GPUKIT_SIMD_LEVEL avx512
#include "cpu/simd/layer_kernels.h"
