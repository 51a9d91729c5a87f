#define GPUKIT_SIMD_LEVEL avx512
#include "cpu/simd/training_kernels.h"
