#define GPUKIT_SIMD_LEVEL baseline
#include "cpu/simd/block_kernels.h"
