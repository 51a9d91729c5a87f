#define GPUKIT_SIMD_LEVEL avx512
#include "cpu/simd/vector_product_kernels.h"
