// gpukit's own matrix product for float and double: packed panels and a register-blocked core. Used
// without a BLAS.
#pragma once

#include "cpu/blas_library.h"

namespace gpukit::cpu {

/// c = alpha * op(a) * op(b) + beta * c on the calling thread. With beta == 0, c is not read.
void own_gemm(const GemmCall<float>& call);
void own_gemm(const GemmCall<double>& call);

}  // namespace gpukit::cpu
