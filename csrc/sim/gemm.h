// Column-major matrix product on packed panels, blocked for the caches; one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "base/x86_features.h"

#if defined(__clang__)
#define GPUKIT_SIM_UNROLL _Pragma("clang loop unroll(full)")
#else
#define GPUKIT_SIM_UNROLL _Pragma("GCC unroll 6")
#endif

namespace gpukit::sim {

/// One operand as op() sees it: element (row, column) of the product's operand, whatever the
/// transpose.
struct GemmOperand {
  const void* data;
  std::ptrdiff_t row_stride;
  std::ptrdiff_t column_stride;
};

struct GemmShape {
  int m;
  int n;
  int k;
};

namespace gemm_detail {

constexpr int kColumns = 6;
constexpr int kDepth = 256;
constexpr int kMostRows = 32;

template <class T, int Bytes>
struct VectorOf {
  typedef T Type __attribute__((vector_size(Bytes)));
};

/// tile[column][row] = sum over depth of a[depth][row] * b[depth][column]; a and b are packed
/// panels.
template <class T, int Bytes>
inline __attribute__((always_inline)) void multiply_panels(int depth, const T* a, const T* b,
                                                           T* tile) {
  using Vector = typename VectorOf<T, Bytes>::Type;
  constexpr int kLanes = Bytes / static_cast<int>(sizeof(T));
  Vector sum[kColumns][2] = {};
  for (int p = 0; p < depth; p++) {
    Vector low, high;
    std::memcpy(&low, a, sizeof low);
    std::memcpy(&high, a + kLanes, sizeof high);
    GPUKIT_SIM_UNROLL
    for (int j = 0; j < kColumns; j++) {
      sum[j][0] += low * b[j];
      sum[j][1] += high * b[j];
    }
    a += 2 * kLanes;
    b += kColumns;
  }
  std::memcpy(tile, sum, sizeof sum);
}

template <class T>
struct PanelKernel {
  int rows;
  void (*multiply)(int depth, const T* a, const T* b, T* tile);
};

template <class T>
void multiply_baseline(int depth, const T* a, const T* b, T* tile) {
  multiply_panels<T, 16>(depth, a, b, tile);
}

#if defined(__x86_64__)
template <class T>
__attribute__((target("avx2,fma"))) void multiply_avx2(int depth, const T* a, const T* b, T* tile) {
  multiply_panels<T, 32>(depth, a, b, tile);
}
#endif

template <class T>
PanelKernel<T> best_kernel() {
#if defined(__x86_64__)
  static const bool wide = x86::has_avx2_and_fma();
  if (wide) {
    return {2 * 32 / static_cast<int>(sizeof(T)), &multiply_avx2<T>};
  }
#endif
  return {2 * 16 / static_cast<int>(sizeof(T)), &multiply_baseline<T>};
}

// Panels of `width` lines, each `depth` deep; lines that do not exist are zero.
template <class T, class In>
void pack(const In* data, std::ptrdiff_t line_stride, std::ptrdiff_t depth_stride, int lines,
          int depth, int width, T* packed) {
  for (int first = 0; first < lines; first += width) {
    const int here = std::min(width, lines - first);
    for (int p = 0; p < depth; p++, packed += width) {
      const In* from = data + first * line_stride + p * depth_stride;
      for (int i = 0; i < here; i++) packed[i] = static_cast<T>(from[i * line_stride]);
      for (int i = here; i < width; i++) packed[i] = T(0);
    }
  }
}

inline std::size_t rounded_up(int value, int unit) {
  return static_cast<std::size_t>((value + unit - 1) / unit) * static_cast<std::size_t>(unit);
}

}  // namespace gemm_detail

/// product[i + j * m] = sum over p of a(i, p) * b(p, j), in the arithmetic of T.
template <class T, class In>
std::vector<T> gemm_product(const GemmShape& shape, const GemmOperand& a, const GemmOperand& b) {
  using namespace gemm_detail;
  const int m = shape.m, n = shape.n, k = shape.k;
  const PanelKernel<T> kernel = best_kernel<T>();
  constexpr int kBlockRows = 192;
  std::vector<T> product(static_cast<std::size_t>(m) * static_cast<std::size_t>(n), T(0));
  std::vector<T> packed_a(rounded_up(std::min(m, kBlockRows), kernel.rows) * kDepth);
  std::vector<T> packed_b(rounded_up(n, kColumns) * kDepth);
  alignas(64) T tile[kMostRows * kColumns];
  const auto* a_data = static_cast<const In*>(a.data);
  const auto* b_data = static_cast<const In*>(b.data);

  const auto add_tile = [&](int row, int column) {
    const int rows = std::min(kernel.rows, m - row);
    const int columns = std::min(kColumns, n - column);
    for (int j = 0; j < columns; j++) {
      T* to =
          product.data() + row + static_cast<std::size_t>(column + j) * static_cast<std::size_t>(m);
      for (int i = 0; i < rows; i++) to[i] += tile[j * kernel.rows + i];
    }
  };

  for (int p = 0; p < k; p += kDepth) {
    const int depth = std::min(kDepth, k - p);
    pack(b_data + p * b.row_stride, b.column_stride, b.row_stride, n, depth, kColumns,
         packed_b.data());
    for (int block = 0; block < m; block += kBlockRows) {
      const int rows = std::min(kBlockRows, m - block);
      pack(a_data + block * a.row_stride + p * a.column_stride, a.row_stride, a.column_stride, rows,
           depth, kernel.rows, packed_a.data());
      for (int column = 0; column < n; column += kColumns) {
        const T* panel_b =
            packed_b.data() + static_cast<std::size_t>(column) * static_cast<std::size_t>(depth);
        for (int row = 0; row < rows; row += kernel.rows) {
          const T* panel_a =
              packed_a.data() + static_cast<std::size_t>(row) * static_cast<std::size_t>(depth);
          kernel.multiply(depth, panel_a, panel_b, tile);
          add_tile(block + row, column);
        }
      }
    }
  }
  return product;
}

}  // namespace gpukit::sim
