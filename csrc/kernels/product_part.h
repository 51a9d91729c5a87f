// What kernels for products share: which part of which product a block makes, and what becomes of
// its sums.
#pragma once

#include "kernels/element.h"

namespace gpukit {

inline constexpr int kTileGroup = 8;  ///< rows of tiles that follow each other

/// The tile of this block: neighbouring blocks share rows and columns, which stay in the cache.
template <int kRows, int kColumns>
GK_FN void tile_position(const MatmulKernelArgs& args, gk_i64& row0, gk_i64& column0) {
  const gk_i64 number = static_cast<gk_i64>(blockIdx.x);
  const gk_i64 row_tiles = (args.m + kRows - 1) / kRows;
  const gk_i64 group = number / (kTileGroup * args.column_tiles);
  const gk_i64 first = group * kTileGroup;
  const gk_i64 inside = number - first * args.column_tiles;
  const gk_i64 rows = row_tiles - first < kTileGroup ? row_tiles - first : kTileGroup;
  row0 = (first + inside % rows) * kRows;
  column0 = inside / rows * kColumns;
}

/// Some inner elements of one product.
struct ProductPart {
  gk_i64 product, depth0, depths;
};

/// Number of parts of all products; only few products are split.
GK_FN gk_i64 count_parts(const MatmulKernelArgs& args) {
  return args.splits > 1 ? args.splits * args.batch : args.batch;
}

GK_FN ProductPart product_part(const MatmulKernelArgs& args, gk_i64 number) {
  if (args.splits <= 1) return {number, 0, args.k};
  const gk_u32 batch = static_cast<gk_u32>(args.batch);
  const gk_u32 split = static_cast<gk_u32>(number) / batch;
  const gk_i64 depth0 = split * args.split_depth, left = args.k - depth0;
  return {static_cast<gk_u32>(number) - split * batch, depth0,
          left < args.split_depth ? left : args.split_depth};
}

/// Where a part's operand begins.
template <class T>
GK_FN const T* part_data(const MatrixKernelRef& matrix, const ProductPart& part,
                         gk_i64 depth_stride) {
  return static_cast<const T*>(matrix.data) + part.product * matrix.batch_stride +
         part.depth0 * depth_stride;
}

/// alpha times a sum; in a layer's product with the bias of the column, and the activation.
template <class T>
GK_FN Computed<T> product_value(const MatmulKernelArgs& args, gk_i64 column, Computed<T> sum) {
  typedef Computed<T> A;
  A value = multiply(scalar_as<A>(args.alpha), sum);
  if constexpr (is_floating_scalar<A>) {
    if (args.bias != nullptr) value += load_as<T, A>(args.bias, column);
    if (args.relu != 0) value = relu(value);
  }
  return value;
}

/// One result, `offset` elements into c.
template <class T>
GK_FN void store_product(const MatmulKernelArgs& args, gk_i64 offset, gk_i64 column,
                         Computed<T> sum) {
  typedef Computed<T> A;
  A value = product_value<T>(args, column, sum);
  const A beta = scalar_as<A>(args.beta);
  if (beta != static_cast<A>(0)) value = multiply_add(beta, load_as<T, A>(args.c, offset), value);
  store_as<T>(args.c, offset, value);
}

}  // namespace gpukit
