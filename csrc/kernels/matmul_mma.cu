// Matrix products of half types on tensor cores, without a vendor library: sums in float, operands
// of any strides. Cards from 7.5 (float16) or 8.0 (bfloat16) on; others have matmul_tiled.cu.
//
// A block of four warps makes one tile of kSide x kSide results, a warp a quarter of it. Operands
// pass through shared memory in stages of kMmaDepth inner elements (mma_stage.h): from 8.0 on
// copied there without registers, two stages ahead. While the tensor cores work on 16 inner
// elements, the next 16 are on their way from shared memory to registers.
#include "kernels/mma_stage.h"

namespace gpukit {

#if GK_ARCH >= 75

inline constexpr int kMmaAhead = GK_ARCH >= 80 ? 1 : 0;  ///< fragments loaded before their turn
inline constexpr int kMmaStrip = 4;  ///< blocks of 8 columns that are stored together

/// Only products of few tiles are split, and those are small. Large tiles have no register for it.
template <int kSide>
inline constexpr bool kMmaSplits = kSide == 64;
template <int kSide>
inline constexpr int kMmaRowBlocks = kSide / 32;  ///< of 16 rows, in the part of a warp
template <int kSide>
inline constexpr int kMmaColumnBlocks = kSide / 16;  ///< of 8 columns

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

/// How a block stores its results.
enum class MmaStores {
  kElements,  ///< single ones, neighbours by the threads of a warp
  kChunks,    ///< 16 bytes a thread
  kSums,      ///< the sums of a part, as float
};

/// A strip to the result, or to the sums of a part.
template <class T>
GK_FN void store_strip(const MatmulKernelArgs& args, MmaStores stores, const float* strip,
                       gk_i64 start, gk_i64 row0, gk_i64 column0) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (stores == MmaStores::kElements) {
    const gk_i64 column = column0 + lane;
    if (column >= args.n) return;
    GK_NO_UNROLL
    for (int first = 0; first < 16; first += 4) {
      GK_UNROLL
      for (int row = first; row < first + 4; ++row) {
        if (row0 + row >= args.m) continue;
        store_product<T>(args, start + (row0 + row) * args.c_row_stride + column, column,
                         strip[mma_sum_place(row, lane / 4) + lane % 4]);
      }
    }
    return;
  }
  const bool sums = stores == MmaStores::kSums;
  const int items = sums ? 4 : kMmaChunk, across = kMmaStrip * 8 / items;
  const gk_i64 column = column0 + lane % across * items;
  if (column >= args.n) return;
  GK_NO_UNROLL
  for (int row = lane / across; row < 16; row += 32 / across) {
    if (row0 + row >= args.m) break;
    const gk_i64 offset = start + (row0 + row) * args.c_row_stride + column;
    const float* from = strip + mma_sum_place(row, lane % across * items / 4);
    auto values = *reinterpret_cast<const Pack<float, 4>*>(from);
    if (sums) {
      store_vector(static_cast<float*>(args.c) + offset, values);
      continue;
    }
    Pack<T, kMmaChunk> chunk;
    GK_UNROLL
    for (int half = 0; half < 2; ++half) {
      if (half > 0) {
        from = strip + mma_sum_place(row, lane % across * 2 + 1);
        values = *reinterpret_cast<const Pack<float, 4>*>(from);
      }
      GK_UNROLL
      for (int e = 0; e < 4; ++e) {
        const float value = product_value<T>(args, column + half * 4 + e, values.at[e]);
        chunk.at[half * 4 + e] = gk_down<T>(value);
      }
    }
    store_vector(static_cast<T*>(args.c) + offset, chunk);
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
    const bool chunks = out % 16 == 0 && args.c_row_stride % kMmaChunk == 0 &&
                        args.n % kMmaChunk == 0 && scalar_as<float>(args.beta) == 0.0f;
    const MmaStores stores = kMmaSplits<kSide> && args.splits > 1 ? MmaStores::kSums
                             : chunks                             ? MmaStores::kChunks
                                                                  : MmaStores::kElements;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    float* space = reinterpret_cast<float*>(pieces) + warp * kMmaStrips<kSide> * kMmaStripSize;
    GK_UNROLL
    for (int first = 0; first < kMmaRowBlocks<kSide>; first += 2) {
      keep_sums<kSide>(sums, first, space);
      __syncwarp();
      GK_NO_UNROLL
      for (int strip = 0; strip < kMmaStrips<kSide>; ++strip) {
        store_strip<T>(args, stores, space + strip * kMmaStripSize, start,
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
  const gk_i64 parts = kMmaSplits<kSide> ? count_parts(args) : args.batch;
  GK_NO_UNROLL
  for (gk_i64 number = blockIdx.y; number < parts; number += gridDim.y) {
    const ProductPart part =
        kMmaSplits<kSide> ? product_part(args, number) : ProductPart{number, 0, args.k};
    const MmaOperand left(args.a, part, row0, args.m, args.a.row_stride, args.a.column_stride);
    const MmaOperand right(args.b, part, column0, args.n, args.b.column_stride, args.b.row_stride);
    MmaTile<T, kSide> tile{left,
                           right,
                           pieces,
                           mma_read_place<kSide>(left.across, true, row),
                           mma_read_place<kSide>(right.across, false, column),
                           {}};
    const gk_i64 whole = left.whole && right.whole ? part.depths / kMmaDepth : 0;
    if (whole > 0) tile.multiply_stages(whole);
    GK_NO_UNROLL
    for (gk_i64 depth = whole * kMmaDepth; depth < part.depths; depth += kMmaDepth)
      tile.multiply_any(depth, part.depths - depth);
    tile.store(args, number * args.c_batch_stride, row, column);
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
