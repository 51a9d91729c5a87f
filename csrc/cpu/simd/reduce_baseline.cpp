#define GPUKIT_SIMD_LEVEL baseline
#include "cpu/simd/reduce_kernels.h"
