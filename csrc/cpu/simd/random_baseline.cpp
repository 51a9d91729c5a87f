#define GPUKIT_SIMD_LEVEL baseline
#include "cpu/simd/random_kernels.h"
