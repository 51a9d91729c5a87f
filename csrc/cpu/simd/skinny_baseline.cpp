#define GPUKIT_SIMD_LEVEL baseline
#include "cpu/simd/skinny_kernels.h"
