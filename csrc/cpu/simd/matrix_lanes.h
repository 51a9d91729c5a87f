// Factorizations of small matrices in the lanes of vectors: one matrix a lane. At each level.
#pragma once

#include <cstdint>

namespace gpukit::cpu {

/// The side up to which matrices are computed so: of larger ones LAPACK's blocks pay.
inline constexpr std::int64_t kMostLaneRows = 32;

/// Which triangle of n x n matrices is read, and how.
struct LaneTriangle {
  std::int64_t n;
  bool upper;       ///< the triangle that is read
  bool transposed;  ///< solve with the transposed matrix
  bool unit;        ///< the diagonal is 1 and not read
};

/// Singular values of matrices with at least as many rows as columns.
template <class T>
struct LaneSvd {
  std::int64_t rows, columns;
  std::int64_t u_columns;  ///< `columns`, or `rows` for all of U
  bool vectors;
  T* a;       ///< is destroyed
  T* values;  ///< descending
  T* u;       ///< rows x u_columns, where vectors are asked for
  T* v;       ///< columns x columns
  T* tau;     ///< working memory of (columns + 1) * columns vectors, where rows exceed columns
  std::int32_t* info;
};

/// Element (row, column) of m x n matrices is a vector at (column * m + row) * lanes. Memory is
/// aligned to 64 bytes.
template <class T>
struct MatrixLanes {
  std::int64_t lanes;
  /// Up to so many rows eigenvectors and singular vectors take less time than LAPACK's where all
  /// lanes are used; values alone up to half of them.
  std::int64_t spectral_rows;
  /// a = P L U in place. pivots[k * lanes + lane], counted from 1; info as LAPACK's, one a lane.
  void (*lu)(T* a, std::int64_t m, std::int64_t n, std::int32_t* pivots, std::int32_t* info);
  /// b = inverse(a) b in place, of one triangle of a; b has `count` columns.
  void (*solve)(const T* a, const LaneTriangle& triangle, T* b, std::int64_t count);
  /// The rows of b exchanged as the pivots say, or back; a pivot 0 moves nothing.
  void (*exchange)(T* b, std::int64_t n, std::int64_t count, const std::int32_t* pivots, bool back);
  /// One triangle of a in place, the other becomes 0.
  void (*cholesky)(T* a, std::int64_t n, bool upper, std::int32_t* info);
  /// Reflectors below R in place, as LAPACK's geqrf, and their factors.
  void (*qr)(T* a, std::int64_t m, std::int64_t n, T* tau);
  /// The m x n matrix of orthonormal columns of `count` reflectors, in place.
  void (*product)(T* a, std::int64_t m, std::int64_t n, const T* tau, std::int64_t count);
  /// Eigenvalues, ascending, of one triangle of a, which is destroyed; vectors may be null. info:
  /// 0, n where the iteration does not converge, -1 where an element is not finite.
  void (*eigh)(T* a, std::int64_t n, bool upper, T* values, T* vectors, std::int32_t* info);
  void (*svd)(const LaneSvd<T>& svd);
};

/// Those of the best level that runs here.
template <class T>
const MatrixLanes<T>& matrix_lanes();

#define GPUKIT_DECLARE_MATRIX_LANES(level)          \
  namespace level {                                 \
  const MatrixLanes<float>& matrix_lanes_float();   \
  const MatrixLanes<double>& matrix_lanes_double(); \
  }
GPUKIT_DECLARE_MATRIX_LANES(baseline)
GPUKIT_DECLARE_MATRIX_LANES(neon)
GPUKIT_DECLARE_MATRIX_LANES(avx2)
GPUKIT_DECLARE_MATRIX_LANES(avx512)
#undef GPUKIT_DECLARE_MATRIX_LANES

}  // namespace gpukit::cpu
