// The order in which blocks take the tiles of a product.
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

}  // namespace gpukit
