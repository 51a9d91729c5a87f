// Matrix products of half types on tensor cores, without a vendor library: sums in float, operands
// of any strides. Cards from 7.5 (float16) or 8.0 (bfloat16) on; others have matmul_tiled.cu.
//
// A block of four warps makes one tile of kSide x kSide results, a warp a quarter of it. Operands
// pass through shared memory in stages of kMmaDepth inner elements: from 8.0 on copied there
// without registers, two stages ahead. A piece lies as it is contiguous in memory, [row][depth] or
// [depth][row], in chunks of 16 bytes whose places are exchanged so that neither stores nor loads
// have bank conflicts. While the tensor cores work on 16 inner elements, the next 16 are on their
// way from shared memory to registers.
#include "kernels/element.h"
#include "kernels/tile_order.h"

namespace gpukit {

#if GK_ARCH >= 75

inline constexpr int kMmaDepth = 32;  ///< inner elements of a stage
inline constexpr int kMmaChunk = 8;   ///< halves of 16 bytes
inline constexpr int kMmaStages = GK_ARCH >= 80 ? 3 : 2;
inline constexpr int kMmaAhead = GK_ARCH >= 80 ? 1 : 0;  ///< fragments loaded before their turn
inline constexpr int kMmaStrip = 4;  ///< blocks of 8 columns that are stored together

template <int kSide>
inline constexpr int kMmaRowBlocks = kSide / 32;  ///< of 16 rows, in the part of a warp
template <int kSide>
inline constexpr int kMmaColumnBlocks = kSide / 16;  ///< of 8 columns
template <int kSide>
inline constexpr int kMmaChunks = kSide * kMmaDepth / kMmaChunk / kMmaThreads;

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

/// One operand of one product; "row" is the direction of the result.
struct MmaOperand {
  const gk_u16* data;
  gk_i64 row0, rows;
  const gk_i64 &row_stride, &depth_stride;  ///< stay with the kernel's arguments
  bool across;   ///< pieces are [depth][row]: memory is contiguous along rows
  bool vectors;  ///< every chunk is contiguous and starts at a multiple of 16 bytes
  bool whole;    ///< and none of them has rows on both sides of the edge

  GK_TEMPLATE_FN MmaOperand(const MatrixKernelRef& matrix, gk_i64 product, gk_i64 row0, gk_i64 rows,
                            const gk_i64& row_stride, const gk_i64& depth_stride)
      : data(static_cast<const gk_u16*>(matrix.data) + product * matrix.batch_stride),
        row0(row0),
        rows(rows),
        row_stride(row_stride),
        depth_stride(depth_stride),
        across(depth_stride != 1 && row_stride == 1) {
    const gk_i64 line_stride = across ? depth_stride : row_stride;
    vectors = (across || depth_stride == 1) && line_stride % kMmaChunk == 0 &&
              reinterpret_cast<gk_u64>(data) % 16 == 0;
    whole = vectors && (!across || rows % kMmaChunk == 0);
  }
};

/// Line and place in the line of a piece's chunk by number.
template <int kSide>
GK_FN int mma_line(bool across, int number) {
  return across ? number / (kSide / kMmaChunk) : number / (kMmaDepth / kMmaChunk);
}
template <int kSide>
GK_FN int mma_chunk(bool across, int number) {
  return across ? number % (kSide / kMmaChunk) : number % (kMmaDepth / kMmaChunk);
}

/// Brings whole stages of a `whole` operand into shared memory, by addresses that move on from
/// stage to stage. Rows beyond the edge are replaced by the last ones: their results are not
/// stored.
template <int kSide>
struct MmaLoader {
  const gk_u16* chunks[kMmaChunks<kSide>];  ///< in the next stage
  gk_i64 step;                              ///< from stage to stage
  gk_i32 place;  ///< of the first chunk in a piece; the next are kMmaThreads chunks apart
#if GK_ARCH < 80
  uint4 values[kMmaChunks<kSide>];
#endif

  GK_TEMPLATE_FN MmaLoader(const MmaOperand& operand) {
    const int thread = static_cast<int>(threadIdx.x);
    const bool across = operand.across;
    const int chunk = mma_chunk<kSide>(across, thread);
    place = mma_place<kSide>(across, mma_line<kSide>(across, thread), chunk);
    step = kMmaDepth * operand.depth_stride;
    const gk_i64 last = operand.rows - (across ? kMmaChunk : 1);
    GK_UNROLL
    for (int i = 0; i < kMmaChunks<kSide>; ++i) {
      const int line = mma_line<kSide>(across, thread + i * kMmaThreads);
      const gk_i64 wanted = operand.row0 + (across ? chunk * kMmaChunk : line);
      const gk_i64 row = wanted < last ? wanted : last;
      const gk_i64 depth = across ? line : chunk * kMmaChunk;
      chunks[i] = operand.data + row * operand.row_stride + depth * operand.depth_stride;
    }
  }

  GK_TEMPLATE_FN void fetch([[maybe_unused]] MmaPiece<kSide>& piece) {
    GK_UNROLL
    for (int i = 0; i < kMmaChunks<kSide>; ++i) {
#if GK_ARCH >= 80
      gk_copy_async(piece.at + place + i * kMmaThreads * kMmaChunk, chunks[i], 16);
#else
      values[i] = *reinterpret_cast<const uint4*>(chunks[i]);
#endif
      chunks[i] += step;
    }
  }

  /// Ends what `fetch` started, where chunks pass through registers.
  GK_TEMPLATE_FN void keep([[maybe_unused]] MmaPiece<kSide>& piece) const {
#if GK_ARCH < 80
    GK_UNROLL
    for (int i = 0; i < kMmaChunks<kSide>; ++i)
      *reinterpret_cast<uint4*>(piece.at + place + i * kMmaThreads * kMmaChunk) = values[i];
#endif
  }
};

/// Eight halves to a place in shared memory, those from `count` on zero.
GK_FN void move_chunk(const MmaOperand& operand, const gk_u16* from, int count, gk_u16* to) {
#if GK_ARCH >= 80
  if (operand.vectors) return gk_copy_async(to, count > 0 ? from : operand.data, count * 2);
#endif
  const gk_i64 stride = operand.across ? operand.row_stride : operand.depth_stride;
  Pack<gk_u16, kMmaChunk> values;
  GK_UNROLL
  for (int e = 0; e < kMmaChunk; ++e)
    values.at[e] = e < count ? from[e * stride] : static_cast<gk_u16>(0);
  *reinterpret_cast<Pack<gk_u16, kMmaChunk>*>(to) = values;
}

/// The thread's chunks of any stage of any operand: zero beyond the edges. `depths` inner elements
/// exist from `depth0` on.
template <int kSide>
GK_FN void move_stage(const MmaOperand& operand, gk_i64 depth0, gk_i64 depths,
                      MmaPiece<kSide>& piece) {
  const bool across = operand.across;
  GK_NO_UNROLL
  for (int i = 0; i < kMmaChunks<kSide>; ++i) {
    const int number = static_cast<int>(threadIdx.x) + i * kMmaThreads;
    const int line = mma_line<kSide>(across, number), chunk = mma_chunk<kSide>(across, number);
    const int row = across ? chunk * kMmaChunk : line, depth = across ? line : chunk * kMmaChunk;
    const gk_i64 rows_left = operand.rows - operand.row0 - row, depths_left = depths - depth;
    const gk_i64 along = across ? rows_left : depths_left;
    const bool exists = rows_left > 0 && depths_left > 0;
    const int count = !exists ? 0 : along < kMmaChunk ? static_cast<int>(along) : kMmaChunk;
    const gk_u16* from = operand.data + (operand.row0 + row) * operand.row_stride +
                         (depth0 + depth) * operand.depth_stride;
    move_chunk(operand, from, count, piece.at + mma_place<kSide>(across, line, chunk));
  }
}

/// Where the lane's lines of 8 x 8 matrices lie in a piece. Of four matrices the second is 8 rows
/// on (rows_first) or 8 depths on, the third the other way, the fourth both.
template <int kSide>
GK_FN int mma_read_place(bool across, bool rows_first, int row) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int fast = lane / 8 % 2, slow = lane / 16;
  const int rows_on = rows_first ? fast : slow, depths_on = rows_first ? slow : fast;
  return across ? mma_place<kSide>(true, depths_on * 8 + lane % 8, row / kMmaChunk + rows_on)
                : mma_place<kSide>(false, row + rows_on * 8 + lane % 8, depths_on);
}

/// Four matrices for each 16 rows, from `half` * 16 inner elements on. Two chunks on, along rows or
/// depths, exchanges places like that which keeps banks apart.
template <int kSide, int kBlocks>
GK_FN void load_matrices(const MmaPiece<kSide>& piece, bool across, int place, int half,
                         gk_u32 (&words)[kBlocks][4]) {
  if (across) {
    GK_UNROLL
    for (int i = 0; i < kBlocks; ++i) {
      const int at = (place ^ (i * 2 * kMmaChunk)) + half * 16 * kSide;
      gk_load_matrices_transposed(words[i], piece.at + at);
    }
  } else {
    GK_UNROLL
    for (int i = 0; i < kBlocks; ++i) {
      const int at = (place ^ (half * 2 * kMmaChunk)) + i * 16 * kMmaDepth;
      gk_load_matrices(words[i], piece.at + at);
    }
  }
}

/// A warp's results.
template <int kSide>
struct MmaSums {
  float at[kMmaRowBlocks<kSide>][kMmaColumnBlocks<kSide>][4];
};

/// 16 inner elements of a warp's rows and columns in registers.
template <int kSide>
struct MmaFragments {
  gk_u32 left[kMmaRowBlocks<kSide>][4];
  gk_u32 right[kMmaColumnBlocks<kSide> / 2][4];
};

template <class T, int kSide>
GK_FN void multiply_fragments(const MmaFragments<kSide>& fragments, MmaSums<kSide>& sums) {
  GK_UNROLL
  for (int i = 0; i < kMmaRowBlocks<kSide>; ++i) {
    GK_UNROLL
    for (int step = 0; step < kMmaColumnBlocks<kSide>; ++step) {
      // There and back, so that neighbours share an operand.
      const int j = i % 2 == 0 ? step : kMmaColumnBlocks<kSide> - 1 - step;
      const gk_u32* words = fragments.right[j / 2] + j % 2 * 2;
      const gk_u32 right[2] = {words[0], words[1]};
      gk_multiply_matrices<T>(sums.at[i][j], fragments.left[i], right);
    }
  }
}

/// Strips of 16 rows and 32 columns that a warp has space for in shared memory: 32 rows of its
/// part.
template <int kSide>
inline constexpr int kMmaStrips = 2 * kMmaColumnBlocks<kSide> / kMmaStrip;
inline constexpr int kMmaStripSize = 16 * kMmaStrip * 8;

/// Where four neighbouring sums lie in a strip, exchanged so that neither stores by fragments nor
/// loads by rows have bank conflicts.
GK_FN int mma_sum_place(int row, int group) {
  return row * kMmaStrip * 8 + (group ^ (row % 2 * 3 + row % 4 / 2 * 4)) * 4;
}

/// The sums of 32 rows, from row block `first` on, into the warp's space: strips side by side, then
/// the next 16 rows.
template <int kSide>
GK_FN void keep_sums(const MmaSums<kSide>& sums, int first, float* space) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  GK_UNROLL
  for (int i = 0; i < 2; ++i) {
    GK_UNROLL
    for (int j = 0; j < kMmaColumnBlocks<kSide>; ++j) {
      const int strip = i * (kMmaStrips<kSide> / 2) + j / kMmaStrip;
      GK_UNROLL
      for (int half = 0; half < 2; ++half) {
        const float* from = sums.at[first + i][j] + 2 * half;
        const Pack<float, 2> pair = {{from[0], from[1]}};
        const int place = mma_sum_place(lane / 4 + half * 8, j % kMmaStrip * 2 + lane % 4 / 2);
        *reinterpret_cast<Pack<float, 2>*>(space + strip * kMmaStripSize + place + lane % 2 * 2) =
            pair;
      }
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
  if (beta != 0.0f) value = multiply_add(beta, load_as<T, float>(args.c, offset), value);
  store_as<T>(args.c, offset, value);
}

/// A strip to the result: eight neighbours of a row a thread.
template <class T>
GK_FN void store_strip(const MatmulKernelArgs& args, bool vectors, const float* strip, gk_i64 start,
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
            *reinterpret_cast<const Pack<float, 4>*>(strip + mma_sum_place(row, chunk * 2 + half));
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
                   strip[mma_sum_place(row, chunk * 2 + e / 4) + e % 4]);
    }
  }
}

/// A block's part of one product.
template <class T, int kSide>
struct MmaTile {
  typedef MmaPiece<kSide> Piece;
  MmaOperand left, right;
  Piece* pieces;  ///< two of each stage
  gk_i32 left_place, right_place;
  MmaSums<kSide> sums;

  GK_TEMPLATE_FN void load(const Piece* stage, bool left_across, bool right_across, int half,
                           MmaFragments<kSide>& fragments) const {
    load_matrices<kSide>(stage[0], left_across, left_place, half, fragments.left);
    load_matrices<kSide>(stage[1], right_across, right_place, half, fragments.right);
  }

  /// The first `stages` stages, all of them whole; the first ones are on their way.
  template <bool kLeftAcross, bool kRightAcross>
  GK_TEMPLATE_FN void multiply_whole(MmaLoader<kSide>& a, MmaLoader<kSide>& b, gk_i64 stages) {
    Piece* const end = pieces + 2 * kMmaStages;
    Piece *now = pieces, *next = pieces + 2 * (kMmaStages - 1);
    MmaFragments<kSide> fragments[kMmaAhead + 1];
    if (kMmaAhead > 0) load(now, kLeftAcross, kRightAcross, 0, fragments[0]);
    GK_NO_UNROLL
    for (gk_i64 stage = 0; stage < stages; ++stage) {
      const bool fetches = stage + kMmaStages - 1 < stages;
      if (kMmaAhead == 0) load(now, kLeftAcross, kRightAcross, 0, fragments[0]);
      if (fetches) {
        a.fetch(next[0]);
        b.fetch(next[1]);
      }
      gk_copy_async_commit();
      if (kMmaAhead > 0) load(now, kLeftAcross, kRightAcross, 1, fragments[kMmaAhead]);
      multiply_fragments<T, kSide>(fragments[0], sums);
      if (kMmaAhead == 0) {
        load(now, kLeftAcross, kRightAcross, 1, fragments[0]);
        multiply_fragments<T, kSide>(fragments[0], sums);
      }
      if (fetches) {
        a.keep(next[0]);
        b.keep(next[1]);
      }
      next = now;
      now = now + 2 == end ? pieces : now + 2;
      gk_copy_async_wait<kMmaStages - 2>();
      __syncthreads();
      if (kMmaAhead > 0) {
        if (stage + 1 < stages) load(now, kLeftAcross, kRightAcross, 0, fragments[0]);
        multiply_fragments<T, kSide>(fragments[kMmaAhead], sums);
      }
    }
  }

  GK_TEMPLATE_FN void multiply_stages(gk_i64 stages) {
    MmaLoader<kSide> a(left), b(right);
    GK_NO_UNROLL
    for (int stage = 0; stage < kMmaStages - 1; ++stage) {
      if (stage < stages) {
        a.fetch(pieces[2 * stage]);
        b.fetch(pieces[2 * stage + 1]);
        a.keep(pieces[2 * stage]);
        b.keep(pieces[2 * stage + 1]);
      }
      gk_copy_async_commit();
    }
    gk_copy_async_wait<kMmaStages - 2>();
    __syncthreads();
    if (left.across) {
      if (right.across) {
        multiply_whole<true, true>(a, b, stages);
      } else {
        multiply_whole<true, false>(a, b, stages);
      }
    } else if (right.across) {
      multiply_whole<false, true>(a, b, stages);
    } else {
      multiply_whole<false, false>(a, b, stages);
    }
  }

  /// One stage of any kind; every thread has passed a barrier since the last one was read.
  GK_TEMPLATE_FN void multiply_any(gk_i64 depth0, gk_i64 depths) {
    move_stage<kSide>(left, depth0, depths, pieces[0]);
    move_stage<kSide>(right, depth0, depths, pieces[1]);
    gk_copy_async_commit();
    gk_copy_async_wait<0>();
    __syncthreads();
    GK_NO_UNROLL
    for (int half = 0; half < 2; ++half) {
      MmaFragments<kSide> fragments;
      load(pieces, left.across, right.across, half, fragments);
      multiply_fragments<T, kSide>(fragments, sums);
    }
    __syncthreads();
  }

  /// Its sums to the result at `start`.
  GK_TEMPLATE_FN void store(const MatmulKernelArgs& args, gk_i64 start, int row, int column) const {
    constexpr int kAcross = kMmaStrips<kSide> / 2;
    const gk_u64 out = reinterpret_cast<gk_u64>(static_cast<const T*>(args.c) + start);
    const bool vectors = out % 16 == 0 && args.c_row_stride % kMmaChunk == 0 &&
                         left.row0 + kSide <= args.m && right.row0 + kSide <= args.n &&
                         scalar_as<float>(args.beta) == 0.0f;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    float* space = reinterpret_cast<float*>(pieces) + warp * kMmaStrips<kSide> * kMmaStripSize;
    GK_UNROLL
    for (int first = 0; first < kMmaRowBlocks<kSide>; first += 2) {
      keep_sums<kSide>(sums, first, space);
      __syncwarp();
      GK_NO_UNROLL
      for (int strip = 0; strip < kMmaStrips<kSide>; ++strip) {
        store_strip<T>(args, vectors, space + strip * kMmaStripSize, start,
                       left.row0 + row + (first + strip / kAcross) * 16,
                       right.row0 + column + strip % kAcross * kMmaStrip * 8);
      }
      __syncwarp();
    }
  }
};

template <class T, int kSide>
GK_FN void matmul_mma(const MatmulKernelArgs& args) {
  typedef MmaPiece<kSide> Piece;
  GK_SHARED(Piece, pieces, [2 * kMmaStages]);
  static_assert(kMmaStages * sizeof(Piece) * 2 >=
                kMmaThreads / 32 * kMmaStrips<kSide> * kMmaStripSize * sizeof(float));
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int row = warp % 2 * (kSide / 2), column = warp / 2 * (kSide / 2);
  gk_i64 row0, column0;
  tile_position<kSide, kSide>(args, row0, column0);
  GK_NO_UNROLL
  for (gk_i64 product = blockIdx.y; product < args.batch; product += gridDim.y) {
    const MmaOperand left(args.a, product, row0, args.m, args.a.row_stride, args.a.column_stride);
    const MmaOperand right(args.b, product, column0, args.n, args.b.column_stride,
                           args.b.row_stride);
    MmaTile<T, kSide> tile{left,
                           right,
                           pieces,
                           mma_read_place<kSide>(left.across, true, row),
                           mma_read_place<kSide>(right.across, false, column),
                           {}};
    const gk_i64 whole = left.whole && right.whole ? args.k / kMmaDepth : 0;
    if (whole > 0) tile.multiply_stages(whole);
    GK_NO_UNROLL
    for (gk_i64 depth = whole * kMmaDepth; depth < args.k; depth += kMmaDepth)
      tile.multiply_any(depth, args.k - depth);
    tile.store(args, product * args.c_batch_stride, row, column);
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

/// Blocks of small tiles that a multiprocessor has registers for.
inline constexpr int kMmaResident = GK_ARCH >= 80 ? 4 : 3;

GK_KERNEL_RESIDENT(gk_matmul_mma_f16, kMmaThreads, kMmaResident, const MatmulKernelArgs args) {
  GK_MATMUL_F16(64);
}
GK_KERNEL_BOUNDS(gk_matmul_mma_large_f16, kMmaThreads, const MatmulKernelArgs args) {
  GK_MATMUL_F16(128);
}
GK_KERNEL_RESIDENT(gk_matmul_mma_bf16, kMmaThreads, kMmaResident, const MatmulKernelArgs args) {
  GK_MATMUL_BF16(64);
}
GK_KERNEL_BOUNDS(gk_matmul_mma_large_bf16, kMmaThreads, const MatmulKernelArgs args) {
  GK_MATMUL_BF16(128);
}

}  // namespace gpukit
