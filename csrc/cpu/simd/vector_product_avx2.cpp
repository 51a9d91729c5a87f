#define GPUKIT_SIMD_LEVEL avx2
#include "cpu/simd/vector_product_kernels.h"
