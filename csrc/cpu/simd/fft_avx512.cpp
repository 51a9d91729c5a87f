#define GPUKIT_SIMD_LEVEL avx512
#include "cpu/simd/fft_kernels.h"
