#define GPUKIT_SIMD_LEVEL neon
#include "cpu/simd/vector_product_kernels.h"
