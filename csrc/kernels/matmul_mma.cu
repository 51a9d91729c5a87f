// Matrix products of half types on tensor cores, without a vendor library: sums in float, operands
// of any strides. Cards from 7.5 (float16) or 8.0 (bfloat16) on; others have matmul_tiled.cu.
//
// A block makes one tile of kSide x kSide results, a warp a part of kSide / 2 rows and 32 columns.
// Operands pass through shared memory in stages of kMmaDepth inner elements: from 8.0 on copied
// there without registers, two stages ahead. A piece lies as it is contiguous in memory,
// [row][depth] or [depth][row], in chunks of 16 bytes whose places are exchanged so that neither
// stores nor loads have bank conflicts.
#include "kernels/element.h"

namespace gpukit {

#if GK_ARCH >= 75

inline constexpr int kMmaDepth = 32;        ///< inner elements of a stage
inline constexpr int kMmaColumnBlocks = 4;  ///< of 8 columns, in the part of a warp
inline constexpr int kMmaChunk = 8;         ///< halves of 16 bytes
inline constexpr int kMmaTileGroup = 8;     ///< rows of tiles that follow each other
inline constexpr int kMmaStages = GK_ARCH >= 80 ? 3 : 2;

template <int kSide>
inline constexpr int kMmaThreads = 2 * kSide;
template <int kSide>
inline constexpr int kMmaRowBlocks = kSide / 32;  ///< of 16 rows, in the part of a warp
template <int kSide>
inline constexpr int kMmaChunks = kSide * kMmaDepth / kMmaChunk / kMmaThreads<kSide>;

/// One stage of an operand in shared memory.
template <int kSide>
struct GK_ALIGN(16) MmaPiece {
  gk_u16 at[kSide * kMmaDepth];
};

/// Where a chunk lies in a piece. A line is a row, or a depth of a piece that lies across.
template <int kSide>
GK_FN int mma_place(bool across, int line, int chunk) {
  return across ? line * kSide + (chunk ^ (line & 7)) * kMmaChunk
                : line * kMmaDepth + (chunk ^ (line >> 1 & 3)) * kMmaChunk;
}

/// A thread's chunk of every stage.
struct MmaChunkState {
  const gk_u16* data;  ///< in the next stage
  gk_i32 place;        ///< in a piece
  gk_i32 rows;   ///< how many of its rows exist: 0 to 8 of a chunk that lies across, else 0 or 8
  gk_i32 depth;  ///< its first inner element in the stage
};

/// One operand of one product, and the thread's chunks of it. `fetch` starts to bring a stage into
/// shared memory, `keep` ends it where whole vectors pass through registers. "Row" is the direction
/// of the result.
template <int kSide>
struct MmaLoader {
  MmaChunkState chunks[kMmaChunks<kSide>];
  const gk_i64 &row_stride, &depth_stride;  ///< stay with the kernel's arguments
  bool across;   ///< pieces are [depth][row]: memory is contiguous along rows
  bool vectors;  ///< a chunk is contiguous, and starts at a multiple of 16 bytes
#if GK_ARCH < 80
  uint4 values[kMmaChunks<kSide>];
  bool whole[kMmaChunks<kSide>];
#endif

  GK_TEMPLATE_FN MmaLoader(const MatrixKernelRef& matrix, gk_i64 product, gk_i64 row0, gk_i64 rows,
                           const gk_i64& row_stride, const gk_i64& depth_stride)
      : row_stride(row_stride), depth_stride(depth_stride) {
    constexpr int kPerLine = kSide / kMmaChunk;
    const gk_u16* data =
        static_cast<const gk_u16*>(matrix.data) + product * matrix.batch_stride + row0 * row_stride;
    across = depth_stride != 1 && row_stride == 1;
    const gk_i64 stride = across ? row_stride : depth_stride;
    const gk_i64 line_stride = across ? depth_stride : row_stride;
    vectors =
        stride == 1 && line_stride % kMmaChunk == 0 && reinterpret_cast<gk_u64>(data) % 16 == 0;
    GK_UNROLL
    for (int i = 0; i < kMmaChunks<kSide>; ++i) {
      const int number = static_cast<int>(threadIdx.x) + i * kMmaThreads<kSide>;
      const int line = across ? number / kPerLine : number / (kMmaDepth / kMmaChunk);
      const int chunk = across ? number % kPerLine : number % (kMmaDepth / kMmaChunk);
      const gk_i64 left = rows - row0 - (across ? chunk * kMmaChunk : line);
      const bool all = across ? left >= kMmaChunk : left > 0;
      chunks[i].data = data + line * line_stride + chunk * kMmaChunk * stride;
      chunks[i].place = mma_place<kSide>(across, line, chunk);
      chunks[i].rows = all ? kMmaChunk : left <= 0 ? 0 : static_cast<gk_i32>(left);
      chunks[i].depth = across ? line : chunk * kMmaChunk;
    }
  }

  /// Elements of a chunk that exist where `depths` are left from the stage's begin on.
  GK_TEMPLATE_FN int count_of(const MmaChunkState& chunk, int depths) const {
    const int left = depths - chunk.depth;
    if (across || left >= kMmaChunk) return left > 0 ? chunk.rows : 0;
    return left > 0 && chunk.rows != 0 ? left : 0;
  }

  GK_TEMPLATE_FN void fetch(int depths, MmaPiece<kSide>& piece) {
    GK_UNROLL
    for (int i = 0; i < kMmaChunks<kSide>; ++i) {
      MmaChunkState& chunk = chunks[i];
      const int count = count_of(chunk, depths);
#if GK_ARCH >= 80
      if (vectors) {
        gk_copy_async(piece.at + chunk.place, chunk.data, count * 2);
      } else {
        move_elements(chunk, count, piece);
      }
#else
      whole[i] = vectors && count == kMmaChunk;
      if (whole[i]) {
        values[i] = *reinterpret_cast<const uint4*>(chunk.data);
      } else {
        move_elements(chunk, count, piece);
      }
#endif
      chunk.data += kMmaDepth * depth_stride;
    }
  }

  GK_TEMPLATE_FN void keep([[maybe_unused]] MmaPiece<kSide>& piece) const {
#if GK_ARCH < 80
    GK_UNROLL
    for (int i = 0; i < kMmaChunks<kSide>; ++i) {
      if (whole[i]) *reinterpret_cast<uint4*>(piece.at + chunks[i].place) = values[i];
    }
#endif
  }

  /// A chunk that is no whole vector in memory: element by element, zero beyond the edges.
  GK_TEMPLATE_FN void move_elements(const MmaChunkState& chunk, int count,
                                    MmaPiece<kSide>& piece) const {
    const gk_i64 stride = across ? row_stride : depth_stride;
    GK_NO_UNROLL
    for (int e = 0; e < kMmaChunk; ++e)
      piece.at[chunk.place + e] = e < count ? chunk.data[e * stride] : static_cast<gk_u16>(0);
  }
};

/// Four 8 x 8 matrices of a piece, from `row` and `depth` on: the second is 8 rows on (kRowsFirst)
/// or 8 depths on, the third the other way, the fourth both.
template <int kSide, bool kAcross, bool kRowsFirst>
GK_FN void load_block(const MmaPiece<kSide>& piece, int row, int depth, gk_u32 (&words)[4]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int matrix = lane / 8;
  const int rows_on = kRowsFirst ? matrix % 2 : matrix / 2;
  const int depths_on = kRowsFirst ? matrix / 2 : matrix % 2;
  if constexpr (kAcross) {
    const int line = depth + depths_on * 8 + lane % 8;
    gk_load_matrices_transposed(words,
                                piece.at + mma_place<kSide>(true, line, row / kMmaChunk + rows_on));
  } else {
    const int line = row + rows_on * 8 + lane % 8;
    gk_load_matrices(words,
                     piece.at + mma_place<kSide>(false, line, depth / kMmaChunk + depths_on));
  }
}

template <class T, int kSide, bool kLeftAcross, bool kRightAcross>
GK_FN void multiply_pieces(const MmaPiece<kSide>& left, const MmaPiece<kSide>& right, int row,
                           int column, float (&sums)[kMmaRowBlocks<kSide>][kMmaColumnBlocks][4]) {
  GK_UNROLL
  for (int depth = 0; depth < kMmaDepth; depth += 16) {
    gk_u32 b[kMmaColumnBlocks][2];
    GK_UNROLL
    for (int j = 0; j < kMmaColumnBlocks; j += 2) {
      gk_u32 words[4];
      load_block<kSide, kRightAcross, false>(right, column + j * 8, depth, words);
      b[j][0] = words[0];
      b[j][1] = words[1];
      b[j + 1][0] = words[2];
      b[j + 1][1] = words[3];
    }
    GK_UNROLL
    for (int i = 0; i < kMmaRowBlocks<kSide>; ++i) {
      gk_u32 a[4];
      load_block<kSide, kLeftAcross, true>(left, row + i * 16, depth, a);
      GK_UNROLL
      for (int j = 0; j < kMmaColumnBlocks; ++j) gk_multiply_matrices<T>(sums[i][j], a, b[j]);
    }
  }
}

template <class T, int kSide>
GK_FN void multiply_stage(const MmaPiece<kSide>* pieces, bool left_across, bool right_across,
                          int row, int column,
                          float (&sums)[kMmaRowBlocks<kSide>][kMmaColumnBlocks][4]) {
  if (left_across) {
    if (right_across) {
      multiply_pieces<T, kSide, true, true>(pieces[0], pieces[1], row, column, sums);
    } else {
      multiply_pieces<T, kSide, true, false>(pieces[0], pieces[1], row, column, sums);
    }
  } else if (right_across) {
    multiply_pieces<T, kSide, false, true>(pieces[0], pieces[1], row, column, sums);
  } else {
    multiply_pieces<T, kSide, false, false>(pieces[0], pieces[1], row, column, sums);
  }
}

/// The warp's space in shared memory for 16 rows of its part: where four neighbouring sums lie,
/// exchanged so that neither stores by fragments nor loads by rows have bank conflicts.
GK_FN int mma_sum_place(int row, int group) {
  return row * kMmaColumnBlocks * 8 + (group ^ (row % 2 * 3 + row % 4 / 2 * 4)) * 4;
}

/// sums, of 16 rows, into the warp's space.
GK_FN void keep_sums(const float (&sums)[kMmaColumnBlocks][4], float* space) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  GK_UNROLL
  for (int j = 0; j < kMmaColumnBlocks; ++j) {
    GK_UNROLL
    for (int half = 0; half < 2; ++half) {
      const Pack<float, 2> pair = {{sums[j][2 * half], sums[j][2 * half + 1]}};
      const int group = j * 2 + lane % 4 / 2;
      *reinterpret_cast<Pack<float, 2>*>(space + mma_sum_place(lane / 4 + half * 8, group) +
                                         lane % 2 * 2) = pair;
    }
  }
}

/// One element: at edges, of unaligned results, and where sums are added to what is there.
template <class T>
GK_FN void store_sum(const MatmulKernelArgs& args, gk_i64 start, gk_i64 row, gk_i64 column,
                     float value) {
  if (row >= args.m || column >= args.n) return;
  const gk_i64 offset = start + row * args.c_row_stride + column;
  const float beta = scalar_as<float>(args.beta);
  value *= scalar_as<float>(args.alpha);
  if (beta != 0.0f) value += beta * load_as<T, float>(args.c, offset);
  store_as<T>(args.c, offset, value);
}

/// 16 rows of the warp's part from its space to the result: eight neighbours of a row a thread.
template <class T>
GK_FN void store_rows(const MatmulKernelArgs& args, bool vectors, const float* space, gk_i64 start,
                      gk_i64 row0, gk_i64 column0) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int chunk = lane % 4;
  const float alpha = scalar_as<float>(args.alpha);
  GK_NO_UNROLL
  for (int row = lane / 4; row < 16; row += 8) {
    if (vectors) {
      Pack<T, kMmaChunk> values;
      GK_UNROLL
      for (int half = 0; half < 2; ++half) {
        const auto sums =
            *reinterpret_cast<const Pack<float, 4>*>(space + mma_sum_place(row, chunk * 2 + half));
        GK_UNROLL
        for (int e = 0; e < 4; ++e) values.at[half * 4 + e] = gk_down<T>(alpha * sums.at[e]);
      }
      T* out = static_cast<T*>(args.c) + start;
      store_vector(out + (row0 + row) * args.c_row_stride + column0 + chunk * kMmaChunk, values);
      continue;
    }
    GK_NO_UNROLL
    for (int e = 0; e < kMmaChunk; ++e) {
      store_sum<T>(args, start, row0 + row, column0 + chunk * kMmaChunk + e,
                   space[mma_sum_place(row, chunk * 2 + e / 4) + e % 4]);
    }
  }
}

/// The tile of this block: neighbouring blocks share rows and columns, which stay in the cache.
template <int kSide>
GK_FN void tile_position(const MatmulKernelArgs& args, gk_i64& row0, gk_i64& column0) {
  const gk_i64 number = static_cast<gk_i64>(blockIdx.x);
  const gk_i64 row_tiles = (args.m + kSide - 1) / kSide;
  const gk_i64 group = number / (kMmaTileGroup * args.column_tiles);
  const gk_i64 first = group * kMmaTileGroup;
  const gk_i64 inside = number - first * args.column_tiles;
  const gk_i64 rows = row_tiles - first < kMmaTileGroup ? row_tiles - first : kMmaTileGroup;
  row0 = (first + inside % rows) * kSide;
  column0 = inside / rows * kSide;
}

/// Starts to bring the next stage of both operands into two pieces, if any of the `depths` inner
/// elements are left. True if there is one to keep.
template <int kSide>
GK_FN bool fetch_stage(MmaLoader<kSide>& left, MmaLoader<kSide>& right, gk_i64& depths,
                       MmaPiece<kSide>* pieces) {
  const bool exists = depths > 0;
  if (exists) {
    const int here = depths < kMmaDepth ? static_cast<int>(depths) : kMmaDepth;
    left.fetch(here, pieces[0]);
    right.fetch(here, pieces[1]);
    depths -= here;
  }
  gk_copy_async_commit();
  return exists;
}

template <int kSide>
GK_FN void keep_stage(const MmaLoader<kSide>& left, const MmaLoader<kSide>& right,
                      MmaPiece<kSide>* pieces) {
  left.keep(pieces[0]);
  right.keep(pieces[1]);
}

template <class T, int kSide>
GK_FN void matmul_mma(const MatmulKernelArgs& args) {
  typedef MmaPiece<kSide> Piece;
  GK_SHARED(Piece, pieces, [2 * kMmaStages]);
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int row = warp % 2 * (kSide / 2), column = warp / 2 * (kMmaColumnBlocks * 8);
  gk_i64 row0, column0;
  tile_position<kSide>(args, row0, column0);
  GK_NO_UNROLL
  for (gk_i64 product = blockIdx.y; product < args.batch; product += gridDim.y) {
    MmaLoader<kSide> left(args.a, product, row0, args.m, args.a.row_stride, args.a.column_stride);
    MmaLoader<kSide> right(args.b, product, column0, args.n, args.b.column_stride,
                           args.b.row_stride);
    float sums[kMmaRowBlocks<kSide>][kMmaColumnBlocks][4] = {};
    gk_i64 depths = args.k;  // that are not fetched yet
    GK_NO_UNROLL
    for (int stage = 0; stage < kMmaStages - 1; ++stage) {
      if (fetch_stage(left, right, depths, pieces + 2 * stage))
        keep_stage(left, right, pieces + 2 * stage);
    }
    int stage = 0;
    GK_NO_UNROLL
    for (gk_i64 depth = 0; depth < args.k; depth += kMmaDepth) {
      gk_copy_async_wait<kMmaStages - 2>();
      __syncthreads();
      const int next = stage == 0 ? kMmaStages - 1 : stage - 1;
      const bool fetched = fetch_stage(left, right, depths, pieces + 2 * next);
      multiply_stage<T, kSide>(pieces + 2 * stage, left.across, right.across, row, column, sums);
      if (fetched) keep_stage(left, right, pieces + 2 * next);
      stage = stage == kMmaStages - 1 ? 0 : stage + 1;
    }
    gk_copy_async_wait<0>();
    __syncthreads();
    const gk_i64 start = product * args.c_batch_stride;
    const gk_u64 out = reinterpret_cast<gk_u64>(static_cast<const T*>(args.c) + start);
    const bool vectors = out % 16 == 0 && args.c_row_stride % kMmaChunk == 0 &&
                         row0 + kSide <= args.m && column0 + kSide <= args.n &&
                         scalar_as<float>(args.beta) == 0.0f;
    float* space = reinterpret_cast<float*>(&pieces[0]) + warp * 16 * kMmaColumnBlocks * 8;
    GK_UNROLL
    for (int i = 0; i < kMmaRowBlocks<kSide>; ++i) {
      keep_sums(sums[i], space);
      __syncwarp();
      store_rows<T>(args, vectors, space, start, row0 + row + i * 16, column0 + column);
      __syncwarp();
    }
    __syncthreads();
  }
}

#endif

// A kernel that its cards cannot run is empty, and never launched.
#if GK_ARCH >= 75
#define GK_MATMUL_F16(kSide) matmul_mma<gk_f16, kSide>(args)
#else
#define GK_MATMUL_F16(kSide)
#endif
#if GK_ARCH >= 80
#define GK_MATMUL_BF16(kSide) matmul_mma<gk_bf16, kSide>(args)
#else
#define GK_MATMUL_BF16(kSide)
#endif

GK_KERNEL_BOUNDS(gk_matmul_mma_f16, 128, const MatmulKernelArgs args) { GK_MATMUL_F16(64); }
GK_KERNEL_BOUNDS(gk_matmul_mma_large_f16, 256, const MatmulKernelArgs args) { GK_MATMUL_F16(128); }
GK_KERNEL_BOUNDS(gk_matmul_mma_bf16, 128, const MatmulKernelArgs args) { GK_MATMUL_BF16(64); }
GK_KERNEL_BOUNDS(gk_matmul_mma_large_bf16, 256, const MatmulKernelArgs args) {
  GK_MATMUL_BF16(128);
}

}  // namespace gpukit
