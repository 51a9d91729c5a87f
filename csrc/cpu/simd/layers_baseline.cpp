#define GPUKIT_SIMD_LEVEL baseline
#include "cpu/simd/layer_kernels.h"
