#define GPUKIT_SIMD_LEVEL neon
#include "cpu/simd/training_kernels.h"
