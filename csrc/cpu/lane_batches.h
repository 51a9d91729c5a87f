// Batches of small matrices, as many at a time as a vector has lanes, in LAPACK's place.
#pragma once

#include "backend/linalg_args.h"

namespace gpukit::cpu {

/// Whether run_in_lanes() takes the call: LU, what is solved with it or with a triangle, Cholesky,
/// QR, eigenvalues and singular values of a few small real matrices or more.
bool fits_lanes(const LinalgArgs& args) noexcept;

/// As LAPACK does it. Pivots of a solution name rows.
void run_in_lanes(const LinalgArgs& args);

}  // namespace gpukit::cpu
