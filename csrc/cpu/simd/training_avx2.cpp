#define GPUKIT_SIMD_LEVEL avx2
#include "cpu/simd/training_kernels.h"
