// Arguments of the factorizations of matrices and of what is solved with them, as LAPACK defines
// them.
#pragma once

#include <cstdint>

#include "core/dtype.h"

namespace gpukit {

enum class LinalgRoutine : std::uint8_t {
  kLu,               ///< a = P L U in place; pivots, counted from 1
  kLuSolve,          ///< b = inverse(a) b in place, of kLu's a and pivots
  kTriangularSolve,  ///< b = inverse(a) b in place, of one triangle of a
  kCholesky,         ///< one triangle of a in place, the other becomes 0
  kQr,               ///< a = reflectors below R, in place; b: their factors
  kHouseholder,      ///< a = Q in place, of `count` reflectors with the factors b
  kEigh,             ///< a = eigenvectors in place, if asked for; b: eigenvalues, ascending
  kSvd,              ///< b: singular values, descending; c: U; d: the other factor transposed
  kEig,              ///< c: eigenvalues and d: eigenvectors, both complex
  kLeastSquares,     ///< b = solutions in place, max(rows, columns) long; c: singular values
  kSolve             ///< b = inverse(a) b in place, by kLu's pivots; a is destroyed
};

enum class LeastSquaresDriver : std::uint8_t { kGels, kGelsy, kGelsd, kGelss };

/// `batch` problems, each operand's one after the other without gaps. Matrices lie by columns. `a`
/// is destroyed where it holds no result. Eigenvalues of kEigh and singular values are real.
struct LinalgArgs {
  LinalgRoutine routine = LinalgRoutine::kLu;
  DType dtype = DType::kFloat32;
  std::int64_t batch = 0, rows = 0, columns = 0;
  std::int64_t count = 0;  ///< columns of b, or reflectors
  void* a = nullptr;
  void* b = nullptr;
  void* c = nullptr;
  void* d = nullptr;
  std::int32_t* pivots = nullptr;  ///< of kLeastSquares the rank of each matrix
  /// One a matrix: 0, the index from 1 of what failed, or kNotFinite (the results are NaN then).
  std::int32_t* info = nullptr;
  bool upper = false;       ///< the triangle that is read
  bool transposed = false;  ///< solve with the transposed matrix; kLuSolve: the adjoint one
  bool unit = false;        ///< the diagonal is 1 and not read
  bool vectors = true;
  bool full = false;      ///< all rows and columns of U and of the other factor
  double tolerance = -1;  ///< of kLeastSquares, beside the largest singular value; < 0: the dtype's
  LeastSquaresDriver driver = LeastSquaresDriver::kGelsy;

  static constexpr std::int32_t kNotFinite = -1;
  std::int64_t smaller() const noexcept { return rows < columns ? rows : columns; }
  std::int64_t larger() const noexcept { return rows < columns ? columns : rows; }
};

/// torch's name of a routine, for errors.
constexpr const char* name_of(LinalgRoutine routine) {
  constexpr const char* kNames[] = {"lu_factor", "lu_solve", "solve_triangular",
                                    "cholesky",  "qr",       "householder_product",
                                    "eigh",      "svd",      "eig",
                                    "lstsq",     "solve"};
  return kNames[static_cast<int>(routine)];
}

}  // namespace gpukit
