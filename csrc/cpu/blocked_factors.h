// Large LU and Cholesky factorizations, and solutions with many columns, on several threads:
// LAPACK's blocks and products of one thread each, shared out by columns.
#pragma once

#include "backend/linalg_args.h"

namespace gpukit::cpu {

/// Whether run_in_blocks() takes the call: one large real matrix, and threads for it.
bool fits_blocks(const LinalgArgs& args) noexcept;

/// As LAPACK does it. Pivots of a solution name rows. Cholesky leaves anything in the triangle
/// that is not read.
void run_in_blocks(const LinalgArgs& args);

}  // namespace gpukit::cpu
