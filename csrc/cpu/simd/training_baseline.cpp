#define GPUKIT_SIMD_LEVEL baseline
#include "cpu/simd/training_kernels.h"
