#define GPUKIT_SIMD_LEVEL avx2
#include "cpu/simd/fft_kernels.h"
