// Matrix products without a vendor library: shared-memory tiles, register blocks, any strides, any
// dtype but float. Half types are multiplied and summed in float, bool and short integers in int32.
// A block of 256 threads makes one tile of 64 x 64 results. Float has matmul_wide.cu and
// matmul_thin.cu on all cards; half types and double have kernels of their own on newer ones.
#include "kernels/product_part.h"

namespace gpukit {

inline constexpr int kMatmulThreads = 256;
inline constexpr int kMatmulSide = 16;  ///< threads per tile row and column
inline constexpr int kMatmulDepth = 8;  ///< inner elements per step
inline constexpr int kMatmulGroup = 4;  ///< neighbouring results of a thread

/// A piece of an operand, as [inner element][row or column of the result]; the padding spreads the
/// stores over banks.
template <class A, int kSide>
struct GK_ALIGN(16) MatmulTile {
  A at[kMatmulDepth][kSide + 4];
};

/// One operand as a thread sees it; "row" is the direction of the result. The thread's items of a
/// piece are `row_step` rows or `depth_step` inner elements apart: threads run along the direction
/// in which the operand is contiguous.
struct OperandView {
  const void* data;
  gk_i64 offset;  ///< of the thread's first item in the piece at depth 0
  gk_i64 step;    ///< to its next item
  gk_i64 depth_stride;
  gk_i64 rows_left,
      depths;  ///< rows from the thread's first one to the edge; inner elements in all
  gk_i32 row, depth, row_step, depth_step;
  gk_i32 dtype;
};

template <int kSide>
GK_FN OperandView operand_view(const void* data, gk_i64 start, gk_i64 row0, gk_i64 rows,
                               gk_i64 row_stride, gk_i64 depths, gk_i64 depth_stride,
                               gk_i32 dtype) {
  const bool along_rows = row_stride == 1;
  const int thread = static_cast<int>(threadIdx.x);
  OperandView view;
  view.row = along_rows ? thread % kSide : thread / kMatmulDepth;
  view.depth = along_rows ? thread / kSide : thread % kMatmulDepth;
  view.row_step = along_rows ? 0 : kMatmulThreads / kMatmulDepth;
  view.depth_step = along_rows ? kMatmulThreads / kSide : 0;
  view.data = data;
  view.offset = start + (row0 + view.row) * row_stride + view.depth * depth_stride;
  view.step = view.row_step * row_stride + view.depth_step * depth_stride;
  view.depth_stride = depth_stride;
  view.rows_left = rows - row0 - view.row;
  view.depths = depths;
  view.dtype = dtype;
  return view;
}

/// T is the storage type, or int32 for all that is computed in it.
template <class T>
GK_FN Computed<T> load_item(const void* data, gk_i32 dtype, gk_i64 offset) {
  if constexpr (is_same_type<T, gk_i32>) {
    return load_dtype<Computed, gk_i32>(dtype, data, offset);
  } else {
    return load_as<T, Computed<T>>(data, offset);
  }
}

/// The thread's items of the piece at `depth0`, zero beyond the edges.
template <class T, int kPerThread>
GK_FN void load_piece(const OperandView& view, gk_i64 depth0, Computed<T> (&values)[kPerThread]) {
  const gk_i64 offset = view.offset + depth0 * view.depth_stride;
  const gk_i64 depths_left = view.depths - depth0 - view.depth;
  GK_UNROLL
  for (int i = 0; i < kPerThread; ++i) {
    values[i] = static_cast<Computed<T>>(0);
    if (i * view.row_step < view.rows_left && i * view.depth_step < depths_left) {
      values[i] = load_item<T>(view.data, view.dtype, offset + i * view.step);
    }
  }
}

template <class A, int kSide, int kPerThread>
GK_FN void keep_piece(MatmulTile<A, kSide>& tile, const OperandView& view,
                      const A (&values)[kPerThread]) {
  GK_UNROLL
  for (int i = 0; i < kPerThread; ++i) {
    tile.at[view.depth + i * view.depth_step][view.row + i * view.row_step] = values[i];
  }
}

/// Position in the tile of a thread's result number `i`: groups of four, kMatmulSide groups apart.
GK_FN int result_position(int thread, int i) {
  return (i / kMatmulGroup * kMatmulSide + thread) * kMatmulGroup + i % kMatmulGroup;
}

template <class A, int kBlock, int kSide>
GK_FN void multiply_pieces(const MatmulTile<A, kSide>& a_tile, const MatmulTile<A, kSide>& b_tile,
                           A (&sums)[kBlock][kBlock]) {
  const int y = static_cast<int>(threadIdx.x) / kMatmulSide,
            x = static_cast<int>(threadIdx.x) % kMatmulSide;
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
      for (int j = 0; j < kBlock; ++j) sums[i][j] = multiply_add(left[i], right[j], sums[i][j]);
    }
  }
}

/// Integers come with alpha 1, beta 0 and no bias.
template <class T>
GK_FN void store_item(const MatmulKernelArgs& args, gk_i64 offset, [[maybe_unused]] gk_i64 column,
                      Computed<T> value) {
  if constexpr (is_same_type<T, gk_i32>) {
    visit_target<Computed, gk_i32, gk_i32>(args.dtype, ElementStore<gk_i32>{args.c, offset, value});
  } else if constexpr (is_floating_scalar<Computed<T>>) {
    store_product<T>(args, offset, column, value);
  } else {
    store_as<T>(args.c, offset, value);
  }
}

template <class T, int kBlock>
GK_FN void store_tile(const MatmulKernelArgs& args, gk_i64 start, gk_i64 row0, gk_i64 column0,
                      const Computed<T> (&sums)[kBlock][kBlock]) {
  const int y = static_cast<int>(threadIdx.x) / kMatmulSide,
            x = static_cast<int>(threadIdx.x) % kMatmulSide;
  GK_UNROLL
  for (int i = 0; i < kBlock; ++i) {
    const gk_i64 row = row0 + result_position(y, i);
    GK_UNROLL
    for (int j = 0; j < kBlock; ++j) {
      const gk_i64 column = column0 + result_position(x, j);
      if (row < args.m && column < args.n)
        store_item<T>(args, start + row * args.c_row_stride + column, column, sums[i][j]);
    }
  }
}

/// kBlock x kBlock results a thread, so a tile has 16 * kBlock rows and columns. The next pieces
/// are on their way from memory while the present ones are multiplied.
template <class T, int kBlock>
GK_FN void matmul(const MatmulKernelArgs& args) {
  typedef Computed<T> A;
  constexpr int kSide = kMatmulSide * kBlock;
  constexpr int kPerThread = kSide * kMatmulDepth / kMatmulThreads;
  typedef MatmulTile<A, kSide> Tile;
  GK_SHARED(Tile, tiles, [2]);
  const gk_i64 number = static_cast<gk_i64>(blockIdx.x);
  const gk_i64 row0 = number / args.column_tiles * kSide,
               column0 = number % args.column_tiles * kSide;
  GK_NO_UNROLL
  for (gk_i64 product = blockIdx.y; product < args.batch; product += gridDim.y) {
    const OperandView a =
        operand_view<kSide>(args.a.data, product * args.a.batch_stride, row0, args.m,
                            args.a.row_stride, args.k, args.a.column_stride, args.dtype);
    const OperandView b =
        operand_view<kSide>(args.b.data, product * args.b.batch_stride, column0, args.n,
                            args.b.column_stride, args.k, args.b.row_stride, args.dtype);
    A sums[kBlock][kBlock];
    GK_UNROLL
    for (int i = 0; i < kBlock; ++i) {
      GK_UNROLL
      for (int j = 0; j < kBlock; ++j) sums[i][j] = static_cast<A>(0);
    }
    A a_values[kPerThread], b_values[kPerThread];
    load_piece<T>(a, 0, a_values);
    load_piece<T>(b, 0, b_values);
    GK_NO_UNROLL
    for (gk_i64 depth = 0; depth < args.k; depth += kMatmulDepth) {
      keep_piece(tiles[0], a, a_values);
      keep_piece(tiles[1], b, b_values);
      __syncthreads();
      load_piece<T>(a, depth + kMatmulDepth, a_values);
      load_piece<T>(b, depth + kMatmulDepth, b_values);
      multiply_pieces<A, kBlock>(tiles[0], tiles[1], sums);
      __syncthreads();
    }
    store_tile<T, kBlock>(args, product * args.c_batch_stride, row0, column0, sums);
  }
}

/// Whether a card of this machine code takes matmul_mma.cu or matmul_wide.cu instead; the
/// simulator's code is for all.
#if defined(__CUDACC__)
template <class T>
inline constexpr bool kElsewhere =
    (is_same_type<T, gk_f16> && GK_ARCH >= 75) ||
    ((is_same_type<T, gk_bf16> || is_same_type<T, double>) && GK_ARCH >= 80);
#else
template <class T>
inline constexpr bool kElsewhere = false;
#endif

// A kernel that its cards never launch is empty.
#define GK_MATMUL(suffix, T)                                                          \
  GK_KERNEL_BOUNDS(gk_matmul_##suffix, kMatmulThreads, const MatmulKernelArgs args) { \
    if constexpr (!kElsewhere<T>) matmul<T, 4>(args);                                 \
  }
GK_MATMUL(i32, gk_i32)
GK_MATMUL(i64, gk_i64)
GK_MATMUL(f16, gk_f16)
GK_MATMUL(bf16, gk_bf16)
GK_MATMUL(f64, double)

}  // namespace gpukit
