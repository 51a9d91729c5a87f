// Operands of matmul_mma.cu on their way to registers: a stage of inner elements is copied to
// shared memory, and read from there as fragments for the tensor cores. A piece lies as it is
// contiguous in memory, [row][depth] or [depth][row], in chunks of 16 bytes whose places are
// exchanged so that neither stores nor loads have bank conflicts.
#pragma once

#include "kernels/product_part.h"

namespace gpukit {

#if GK_ARCH >= 75

inline constexpr int kMmaDepth = 32;  ///< inner elements of a stage
inline constexpr int kMmaChunk = 8;   ///< halves of 16 bytes
inline constexpr int kMmaStages = GK_ARCH >= 80 ? 3 : 2;

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

  GK_TEMPLATE_FN MmaOperand(const MatrixKernelRef& matrix, const ProductPart& part, gk_i64 row0,
                            gk_i64 rows, const gk_i64& row_stride, const gk_i64& depth_stride)
      : data(part_data<gk_u16>(matrix, part, depth_stride)),
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
/// stage to stage. Rows beyond the edge are zeros in small tiles, which may have few others, and in
/// large ones the last rows once more: their results are not stored.
template <int kSide>
struct MmaLoader {
  const gk_u16* chunks[kMmaChunks<kSide>];  ///< in the next stage
  gk_i64 step;                              ///< from stage to stage
  gk_i32 place;    ///< of the first chunk in a piece; the next are kMmaThreads chunks apart
  gk_i32 left;     ///< rows from the first chunk's to the edge
  gk_i32 rows_on;  ///< to the next chunk's
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
    const gk_i64 rows_left = operand.rows - operand.row0 -
                             (across ? chunk * kMmaChunk : mma_line<kSide>(across, thread));
    left = rows_left > kSide ? kSide : static_cast<gk_i32>(rows_left);
    rows_on = across ? 0 : kMmaThreads / (kMmaDepth / kMmaChunk);
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
      const bool exists = kSide > 64 || i * rows_on < left;
#if GK_ARCH >= 80
      gk_copy_async(piece.at + place + i * kMmaThreads * kMmaChunk, chunks[i], exists ? 16 : 0);
#else
      values[i] = exists ? *reinterpret_cast<const uint4*>(chunks[i]) : uint4{0, 0, 0, 0};
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

#endif

}  // namespace gpukit
