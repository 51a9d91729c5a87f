// Factorizations of the matrices in the last two dimensions, on devices that have LAPACK's
// routines. Shapes were checked in Python; matrices of results lie by columns where that spares a
// copy. `info` is int32, one for each matrix: 0 is success (backend/linalg_args.h).
#pragma once

#include <vector>

#include "backend/linalg_args.h"
#include "tensor/tensor.h"

namespace gpukit::ops {

/// LU, pivots, info.
std::vector<Tensor> lu_factor(const Tensor& a);
/// X of A X = B, info, for equal leading sizes.
std::vector<Tensor> solve(const Tensor& a, const Tensor& b);
/// X of A X = B of LU, or with `adjoint` of its conjugate transpose, for equal leading sizes.
Tensor lu_solve(const Tensor& lu, const Tensor& pivots, const Tensor& b, bool adjoint);
Tensor solve_triangular(const Tensor& a, const Tensor& b, bool upper, bool unit);
/// L or its transpose, info.
std::vector<Tensor> cholesky(const Tensor& a, bool upper);
/// The reflectors below R, and their factors.
std::vector<Tensor> geqrf(const Tensor& a);
Tensor householder_product(const Tensor& a, const Tensor& tau);
/// Eigenvalues, vectors (without them undefined contents), info.
std::vector<Tensor> eigh(const Tensor& a, bool upper, bool vectors);
/// U, S, Vh, info; with vectors false S, info.
std::vector<Tensor> svd(const Tensor& a, bool full, bool vectors);
/// Eigenvalues, vectors (without them none), info; the first two are complex.
std::vector<Tensor> eig(const Tensor& a, bool vectors);
/// Solutions with max(m, n) rows, rank, singular values (of gelsd and gelss), info.
std::vector<Tensor> least_squares(const Tensor& a, const Tensor& b, double tolerance,
                                  LeastSquaresDriver driver);

}  // namespace gpukit::ops
