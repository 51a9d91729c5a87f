#define GPUKIT_SIMD_LEVEL neon
#include "cpu/simd/fft_kernels.h"
