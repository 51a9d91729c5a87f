#define GPUKIT_SIMD_LEVEL avx2
#include "cpu/simd/window_kernels.h"
