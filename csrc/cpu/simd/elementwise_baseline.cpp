#define GPUKIT_SIMD_LEVEL baseline
#include "cpu/simd/elementwise_kernels.h"
