#define GPUKIT_SIMD_LEVEL avx512
#include "cpu/simd/window_kernels.h"
