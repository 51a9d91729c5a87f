// Matrix products without a vendor library: shared-memory tiles, register blocks, any strides, any dtype. Half types
// are multiplied and summed in float, bool and short integers in int32. A block of 256 threads makes one tile of
// 64 x 64 (or 128 x 128) results.
#include "kernels/element.h"

namespace gpukit {

inline constexpr int kMatmulThreads = 256;
inline constexpr int kMatmulSide = 16;  ///< threads per tile row and column
inline constexpr int kMatmulDepth = 8;  ///< inner elements per step
inline constexpr int kMatmulGroup = 4;  ///< neighbouring results of a thread

/// A piece of an operand, as [inner element][row or column of the result]; the padding spreads the stores over banks.
template <class A, int kSide>
struct GK_ALIGN(16) MatmulTile {
  A at[kMatmulDepth][kSide + 4];
};

/// What load_piece needs to know of an operand; "row" is the direction of the result.
struct OperandView {
  const void* data;
  gk_i64 offset, rows, row_stride, depths, depth_stride;
  gk_i32 dtype;
};

/// T is the storage type, or int32 for all that is computed in it.
template <class T>
GK_FN Computed<T> load_item(const OperandView& view, gk_i64 offset) {
  if constexpr (is_same_type<T, gk_i32>) {
    return load_dtype<Computed, gk_i32>(view.dtype, view.data, offset);
  } else {
    return load_as<T, Computed<T>>(view.data, offset);
  }
}

/// The thread's share of the piece at (row0, depth0), zero beyond the edges. Threads run along the direction in which
/// the operand is contiguous.
template <class T, int kSide, int kPerThread>
GK_FN void load_piece(const OperandView& view, gk_i64 row0, gk_i64 depth0, Computed<T> (&values)[kPerThread]) {
  const bool along_rows = view.row_stride == 1;
  GK_UNROLL
  for (int step = 0; step < kPerThread; ++step) {
    const int number = static_cast<int>(threadIdx.x) + step * kMatmulThreads;
    const gk_i64 row = row0 + (along_rows ? number % kSide : number / kMatmulDepth);
    const gk_i64 depth = depth0 + (along_rows ? number / kSide : number % kMatmulDepth);
    values[step] = static_cast<Computed<T>>(0);
    if (row < view.rows && depth < view.depths) {
      values[step] = load_item<T>(view, view.offset + row * view.row_stride + depth * view.depth_stride);
    }
  }
}

template <class A, int kSide, int kPerThread>
GK_FN void keep_piece(MatmulTile<A, kSide>& tile, bool along_rows, const A (&values)[kPerThread]) {
  GK_UNROLL
  for (int step = 0; step < kPerThread; ++step) {
    const int number = static_cast<int>(threadIdx.x) + step * kMatmulThreads;
    const int row = along_rows ? number % kSide : number / kMatmulDepth;
    const int depth = along_rows ? number / kSide : number % kMatmulDepth;
    tile.at[depth][row] = values[step];
  }
}

/// Position in the tile of a thread's result number `i`: groups of four, kMatmulSide groups apart.
GK_FN int result_position(int thread, int i) {
  return (i / kMatmulGroup * kMatmulSide + thread) * kMatmulGroup + i % kMatmulGroup;
}

template <class A, int kBlock, int kSide>
GK_FN void multiply_pieces(const MatmulTile<A, kSide>& a_tile, const MatmulTile<A, kSide>& b_tile,
                           A (&sums)[kBlock][kBlock]) {
  const int y = static_cast<int>(threadIdx.x) / kMatmulSide, x = static_cast<int>(threadIdx.x) % kMatmulSide;
  GK_NO_UNROLL
  for (int d = 0; d < kMatmulDepth; ++d) {
    A left[kBlock], right[kBlock];
    GK_UNROLL
    for (int i = 0; i < kBlock; ++i) left[i] = a_tile.at[d][result_position(y, i)];
    GK_UNROLL
    for (int j = 0; j < kBlock; ++j) right[j] = b_tile.at[d][result_position(x, j)];
    GK_UNROLL
    for (int i = 0; i < kBlock; ++i) {
      GK_UNROLL
      for (int j = 0; j < kBlock; ++j) sums[i][j] = add(sums[i][j], multiply(left[i], right[j]));
    }
  }
}

template <class T>
GK_FN void store_item(const MatmulKernelArgs& args, gk_i64 offset, Computed<T> value) {
  typedef Computed<T> A;
  const A beta = scalar_as<A>(args.beta);
  value = multiply(scalar_as<A>(args.alpha), value);
  if (beta != static_cast<A>(0)) {
    const OperandView c{args.c, 0, 0, 0, 0, 0, args.dtype};
    value = add(value, multiply(beta, load_item<T>(c, offset)));
  }
  if constexpr (is_same_type<T, gk_i32>) {
    visit_storage<Computed, gk_i32>(args.dtype, ElementStore<gk_i32>{args.c, offset, value});
  } else {
    store_as<T>(args.c, offset, value);
  }
}

template <class T, int kBlock>
GK_FN void store_tile(const MatmulKernelArgs& args, gk_i64 start, gk_i64 row0, gk_i64 column0,
                      const Computed<T> (&sums)[kBlock][kBlock]) {
  const int y = static_cast<int>(threadIdx.x) / kMatmulSide, x = static_cast<int>(threadIdx.x) % kMatmulSide;
  GK_UNROLL
  for (int i = 0; i < kBlock; ++i) {
    const gk_i64 row = row0 + result_position(y, i);
    GK_UNROLL
    for (int j = 0; j < kBlock; ++j) {
      const gk_i64 column = column0 + result_position(x, j);
      if (row < args.m && column < args.n) store_item<T>(args, start + row * args.c_row_stride + column, sums[i][j]);
    }
  }
}

/// kBlock x kBlock results a thread, so a tile has 16 * kBlock rows and columns. The next pieces are on their way from
/// memory while the present ones are multiplied.
template <class T, int kBlock>
GK_FN void matmul(const MatmulKernelArgs& args) {
  typedef Computed<T> A;
  constexpr int kSide = kMatmulSide * kBlock;
  constexpr int kPerThread = kSide * kMatmulDepth / kMatmulThreads;
  typedef MatmulTile<A, kSide> Tile;
  GK_SHARED(Tile, tiles, [2]);
  const gk_i64 number = static_cast<gk_i64>(blockIdx.x);
  const gk_i64 row0 = number / args.column_tiles * kSide, column0 = number % args.column_tiles * kSide;
  GK_NO_UNROLL
  for (gk_i64 product = blockIdx.y; product < args.batch; product += gridDim.y) {
    const OperandView a{args.a.data, product * args.a.batch_stride, args.m, args.a.row_stride,
                        args.k,      args.a.column_stride,          args.dtype};
    const OperandView b{args.b.data, product * args.b.batch_stride, args.n, args.b.column_stride,
                        args.k,      args.b.row_stride,             args.dtype};
    A sums[kBlock][kBlock];
    GK_UNROLL
    for (int i = 0; i < kBlock; ++i) {
      GK_UNROLL
      for (int j = 0; j < kBlock; ++j) sums[i][j] = static_cast<A>(0);
    }
    A a_values[kPerThread], b_values[kPerThread];
    load_piece<T, kSide>(a, row0, 0, a_values);
    load_piece<T, kSide>(b, column0, 0, b_values);
    GK_NO_UNROLL
    for (gk_i64 depth = 0; depth < args.k; depth += kMatmulDepth) {
      keep_piece(tiles[0], a.row_stride == 1, a_values);
      keep_piece(tiles[1], b.row_stride == 1, b_values);
      __syncthreads();
      load_piece<T, kSide>(a, row0, depth + kMatmulDepth, a_values);
      load_piece<T, kSide>(b, column0, depth + kMatmulDepth, b_values);
      multiply_pieces<A, kBlock>(tiles[0], tiles[1], sums);
      __syncthreads();
    }
    store_tile<T, kBlock>(args, product * args.c_batch_stride, row0, column0, sums);
  }
}

#define GK_MATMUL(suffix, T)                                                                          \
  GK_KERNEL_BOUNDS(gk_matmul_##suffix, kMatmulThreads, const MatmulKernelArgs args) { matmul<T, 4>(args); }
GK_MATMUL(i32, gk_i32)
GK_MATMUL(i64, gk_i64)
GK_FOR_FLOATS(GK_MATMUL)

GK_KERNEL_BOUNDS(gk_matmul_large_f32, kMatmulThreads, const MatmulKernelArgs args) { matmul<float, 8>(args); }

}  // namespace gpukit
