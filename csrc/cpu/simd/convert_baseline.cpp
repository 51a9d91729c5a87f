#define GPUKIT_SIMD_LEVEL baseline
#include "cpu/simd/convert_kernels.h"
