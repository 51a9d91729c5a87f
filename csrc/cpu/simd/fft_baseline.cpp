#define GPUKIT_SIMD_LEVEL baseline
#include "cpu/simd/fft_kernels.h"
