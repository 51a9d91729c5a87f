#define GPUKIT_SIMD_LEVEL baseline
#include "cpu/simd/vector_product_kernels.h"
