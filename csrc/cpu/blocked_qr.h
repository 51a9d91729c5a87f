// QR of large matrices, and Q of its reflectors, by blocks of columns: most of the work is products
// of matrices, which the threads share out.
#pragma once

#include <cstdint>

#include "backend/linalg_args.h"

namespace gpukit::cpu {

/// Whether run_blocked_qr() takes the call: QR or Q, of matrices large enough.
bool fits_blocked_qr(const LinalgArgs& args) noexcept;

/// As LAPACK's geqrf and orgqr (ungqr), each matrix of the batch.
void run_blocked_qr(const LinalgArgs& args);

/// Problem i of kLeastSquares, whose matrices are finite, by the driver gels: `failed` is LAPACK's
/// info. False, and nothing done, of other drivers, of small or wide matrices, and of elements so
/// large that LAPACK scales them.
template <class T>
bool solve_by_blocked_qr(const LinalgArgs& args, std::int64_t i, int& failed);

}  // namespace gpukit::cpu
