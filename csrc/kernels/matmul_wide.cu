// Matrix products of float and double without a vendor library: tiles of 64 x 128 results by 128
// threads, operands of any strides. Products of few rows or columns have matmul_thin.cu.
//
// A thread makes 8 x 8 results, so that for each inner element 64 multiplications need 16 numbers
// from shared memory, which come in 16 bytes. From 8.0 on operands are copied to shared memory
// without registers, two stages ahead.
#include "kernels/product_part.h"

namespace gpukit {

#define GK_WIDE_ASYNC (GK_ARCH >= 80)

inline constexpr int kWideBlock = 8;   ///< rows and columns of a thread's results
inline constexpr int kWideAcross = 8;  ///< threads of a warp along columns; 4 along rows
inline constexpr int kWideStages = GK_WIDE_ASYNC ? 3 : 2;
/// Blocks of the float kernel that a multiprocessor has registers for.
inline constexpr int kWideResident = GK_ARCH >= 90 ? 4 : GK_ARCH >= 80 ? 3 : 2;

template <class T>
inline constexpr int kWideDepth = 64 / sizeof(T);  ///< inner elements of a stage
template <class T>
inline constexpr int kWideVector = 16 / sizeof(T);
/// Threads of a warp along the inner elements where it copies single items: a sector's.
template <class T>
inline constexpr int kWideLanes = 32 / sizeof(T);

/// A stage of an operand, as [inner element][row or column of the result]; the padding keeps the
/// banks of single items apart.
template <class T, int kRows>
struct GK_ALIGN(16) WidePiece {
  T at[kWideDepth<T>][kRows + 4];
};

template <class T>
struct WideStage {
  WidePiece<T, kWideRows> left;
  WidePiece<T, kWideColumns> right;
};

/// The thread's part of every stage of one operand. "Row" is the direction of the result. In an
/// operand that is contiguous along rows it copies 16 bytes at a time, else single items.
template <class T, int kRows>
struct WideLoader {
  static constexpr int kDepth = kWideDepth<T>, kVector = kWideVector<T>, kLanes = kWideLanes<T>;
  static constexpr int kItems = kRows * kDepth / kWideThreads;
  /// Vectors are of one row group, kLineStep inner elements apart; single items have kDepth /
  /// kLanes inner elements each kRowStep rows.
  static constexpr int kPerLine = kRows / kVector, kLineStep = kWideThreads / kPerLine;
  static constexpr int kRowStep = kWideThreads / kLanes;

  const T* data;  ///< its first item in the next stage
  const gk_i64 &row_stride, &depth_stride;
  gk_i32 place, depth;  ///< of its first item: in a piece, and its inner element
  gk_i32 rows_left;     ///< from its first row to the edge
  bool vectors;
#if !GK_WIDE_ASYNC
  T values[kItems];
#endif

  GK_TEMPLATE_FN WideLoader(const MatrixKernelRef& matrix, const ProductPart& part, gk_i64 row0,
                            gk_i64 rows, const gk_i64& row_stride, const gk_i64& depth_stride)
      : row_stride(row_stride), depth_stride(depth_stride) {
    const int thread = static_cast<int>(threadIdx.x);
    const T* first = part_data<T>(matrix, part, depth_stride);
    vectors =
        row_stride == 1 && depth_stride % kVector == 0 && reinterpret_cast<gk_u64>(first) % 16 == 0;
    const int row = vectors ? thread % kPerLine * kVector : thread / kLanes;
    depth = vectors ? thread / kPerLine : thread % kLanes;
    place = depth * static_cast<int>(sizeof(WidePiece<T, kRows>) / sizeof(T)) / kDepth + row;
    data = first + (row0 + row) * row_stride + depth * depth_stride;
    const gk_i64 left = rows - row0 - row;
    rows_left = left > kRows ? kRows : static_cast<gk_i32>(left);
  }

  /// Starts to bring in the stage of which `depths` inner elements exist; zeros beyond the edges.
  GK_TEMPLATE_FN void fetch(gk_i64 depths, WidePiece<T, kRows>& piece) {
    const int depths_left = (depths < kDepth ? static_cast<int>(depths) : kDepth) - depth;
    if (vectors) {
      const int count = rows_left <= 0 ? 0 : rows_left < kVector ? rows_left : kVector;
      GK_UNROLL
      for (int i = 0; i < kItems / kVector; ++i) {
        const int line = i * kLineStep;
        move<kVector>(data + line * depth_stride, line < depths_left ? count : 0,
                      piece.at[line] + place, i * kVector);
      }
    } else {
      const T* line = data;
      GK_UNROLL
      for (int r = 0; r < kRows / kRowStep; ++r) {
        GK_UNROLL
        for (int d = 0; d < kDepth / kLanes; ++d) {
          const bool exists = r * kRowStep < rows_left && d * kLanes < depths_left;
          move<1>(line + d * kLanes * depth_stride, exists ? 1 : 0,
                  piece.at[d * kLanes] + place + r * kRowStep, r * (kDepth / kLanes) + d);
        }
        line += kRowStep * row_stride;
      }
    }
    data += kDepth * depth_stride;
  }

  /// kCount items, of which `count` exist, to shared memory, or on their way there to `values`.
  template <int kCount>
  GK_TEMPLATE_FN void move(const T* from, int count, [[maybe_unused]] T* to,
                           [[maybe_unused]] int place) {
#if GK_WIDE_ASYNC
    constexpr int kSize = sizeof(T);
    gk_copy_async<kCount * kSize>(to, from, count * kSize);
#else
    if (kCount > 1 && count == kCount) {
      const auto vector = *reinterpret_cast<const Pack<T, kVector>*>(from);
      GK_UNROLL
      for (int e = 0; e < kCount; ++e) values[place + e] = vector.at[e];
      return;
    }
    GK_UNROLL
    for (int e = 0; e < kCount; ++e) values[place + e] = e < count ? from[e] : static_cast<T>(0);
#endif
  }

  /// Ends what `fetch` started.
  GK_TEMPLATE_FN void keep([[maybe_unused]] WidePiece<T, kRows>& piece) const {
#if !GK_WIDE_ASYNC
    if (vectors) {
      GK_UNROLL
      for (int i = 0; i < kItems / kVector; ++i) {
        Pack<T, kVector> vector;
        GK_UNROLL
        for (int e = 0; e < kVector; ++e) vector.at[e] = values[i * kVector + e];
        *reinterpret_cast<Pack<T, kVector>*>(piece.at[i * kLineStep] + place) = vector;
      }
      return;
    }
    GK_UNROLL
    for (int i = 0; i < kItems; ++i) {
      const int r = i / (kDepth / kLanes), d = i % (kDepth / kLanes);
      *(piece.at[d * kLanes] + place + r * kRowStep) = values[i];
    }
#endif
  }
};

/// Eight numbers of a line of a piece: groups of 16 bytes, kThreads groups apart.
template <class T, int kThreads>
GK_FN void load_line(const T* line, T (&numbers)[kWideBlock]) {
  constexpr int kVector = kWideVector<T>;
  GK_UNROLL
  for (int i = 0; i < kWideBlock / kVector; ++i) {
    const auto vector = *reinterpret_cast<const Pack<T, kVector>*>(line + i * kThreads * kVector);
    GK_UNROLL
    for (int e = 0; e < kVector; ++e) numbers[i * kVector + e] = vector.at[e];
  }
}

/// From `row` and `column` of the stage on; the next line is loaded while one is multiplied.
template <class T>
GK_FN void multiply_stage(const WideStage<T>& stage, int row, int column,
                          T (&sums)[kWideBlock][kWideBlock]) {
  constexpr int kDown = 32 / kWideAcross;
  T left[2][kWideBlock], right[2][kWideBlock];
  load_line<T, kDown>(&stage.left.at[0][row], left[0]);
  load_line<T, kWideAcross>(&stage.right.at[0][column], right[0]);
  GK_UNROLL
  for (int d = 0; d < kWideDepth<T>; ++d) {
    if (d + 1 < kWideDepth<T>) {
      load_line<T, kDown>(&stage.left.at[d + 1][row], left[(d + 1) % 2]);
      load_line<T, kWideAcross>(&stage.right.at[d + 1][column], right[(d + 1) % 2]);
    }
    GK_UNROLL
    for (int i = 0; i < kWideBlock; ++i) {
      GK_UNROLL
      for (int step = 0; step < kWideBlock; ++step) {
        // There and back, so that neighbours share an operand.
        const int j = i % 2 == 0 ? step : kWideBlock - 1 - step;
        sums[i][j] = multiply_add(left[d % 2][i], right[d % 2][j], sums[i][j]);
      }
    }
  }
}

/// Rows of a warp that are stored together: of each thread, as many as 16 bytes have numbers.
template <class T>
inline constexpr int kWidePartRows = 32 / kWideAcross * kWideVector<T>;

/// Some rows of a warp, from shared memory to where `row` and `column` of the result are: 16 bytes
/// a lane where `vectors`, else element by element.
template <class T>
GK_FN void store_part(const MatmulKernelArgs& args, gk_i64 start, gk_i64 row, gk_i64 column,
                      bool vectors, const T* part) {
  constexpr int kVector = kWideVector<T>, kColumns = kWideColumns / 2;
  GK_NO_UNROLL
  for (int i = static_cast<int>(threadIdx.x) % 32; i < kWidePartRows<T> * kColumns / kVector;
       i += 32) {
    const gk_i64 r = row + i / (kColumns / kVector),
                 c = column + i % (kColumns / kVector) * kVector;
    auto values = *reinterpret_cast<const Pack<T, kVector>*>(part + i * kVector);
    if (r >= args.m || c >= args.n) continue;
    const gk_i64 offset = start + r * args.c_row_stride + c;
    if (vectors) {
      GK_UNROLL
      for (int e = 0; e < kVector; ++e) values.at[e] = product_value<T>(args, c + e, values.at[e]);
      store_vector(static_cast<T*>(args.c) + offset, values);
      continue;
    }
    GK_UNROLL
    for (int e = 0; e < kVector; ++e) {
      if (c + e < args.n) store_product<T>(args, offset + e, c + e, values.at[e]);
    }
  }
}

/// A warp's results by way of its `part` of shared memory, from `row` and `column` of the result
/// on.
template <class T>
GK_FN void store_sums(const MatmulKernelArgs& args, gk_i64 start, gk_i64 row, gk_i64 column,
                      bool vectors, T* part, const T (&sums)[kWideBlock][kWideBlock]) {
  constexpr int kVector = kWideVector<T>, kColumns = kWideColumns / 2;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  T* const own = part + (lane / kWideAcross * kColumns + lane % kWideAcross) * kVector;
  GK_UNROLL
  for (int first = 0; first < kWideBlock; first += kVector) {
    GK_UNROLL
    for (int i = 0; i < kVector; ++i) {
      GK_UNROLL
      for (int j = 0; j < kWideBlock; j += kVector) {
        Pack<T, kVector> values;
        GK_UNROLL
        for (int e = 0; e < kVector; ++e) values.at[e] = sums[first + i][j + e];
        *reinterpret_cast<Pack<T, kVector>*>(own + i * kColumns + j * kWideAcross) = values;
      }
    }
    __syncwarp();
    store_part<T>(args, start, row + first / kVector * kWidePartRows<T>, column, vectors, part);
    __syncwarp();
  }
}

template <class T>
GK_FN void matmul_wide(const MatmulKernelArgs& args) {
  typedef WideStage<T> Stage;
  GK_SHARED(Stage, stages, [kWideStages]);
  constexpr int kVector = kWideVector<T>, kDown = 32 / kWideAcross;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int row = warp % 2 * (kWideRows / 2) + lane / kWideAcross * kVector;
  const int column = warp / 2 * (kWideColumns / 2) + lane % kWideAcross * kVector;
  static_assert(kWideRows / 2 == kDown * kWideBlock &&
                kWideColumns / 2 == kWideAcross * kWideBlock);
  constexpr int kPart = kWidePartRows<T> * (kWideColumns / 2);
  static_assert(kWideThreads / 32 * kPart * sizeof(T) <= kWideStages * sizeof(Stage));
  gk_i64 row0, column0;
  tile_position<kWideRows, kWideColumns>(args, row0, column0);
  const gk_i64 parts = count_parts(args);
  GK_NO_UNROLL
  for (gk_i64 number = blockIdx.y; number < parts; number += gridDim.y) {
    const ProductPart part = product_part(args, number);
    WideLoader<T, kWideRows> left(args.a, part, row0, args.m, args.a.row_stride,
                                  args.a.column_stride);
    WideLoader<T, kWideColumns> right(args.b, part, column0, args.n, args.b.column_stride,
                                      args.b.row_stride);
    T sums[kWideBlock][kWideBlock] = {};
    const int rounds = static_cast<int>((part.depths + kWideDepth<T> - 1) / kWideDepth<T>);
    Stage* next = stages;  // the first kWideStages - 1 rounds only fetch
    GK_NO_UNROLL
    for (int round = 1 - kWideStages; round < rounds; ++round) {
      const int ahead = round + kWideStages - 1;
      if (ahead < rounds) {
        const gk_i64 depths = part.depths - static_cast<gk_i64>(ahead) * kWideDepth<T>;
        left.fetch(depths, next->left);
        right.fetch(depths, next->right);
      }
      gk_copy_async_commit();
      Stage* const now = next == stages + kWideStages - 1 ? stages : next + 1;
      if (round >= 0) multiply_stage<T>(*now, row, column, sums);
      if (ahead < rounds) {
        left.keep(next->left);
        right.keep(next->right);
      }
      gk_copy_async_wait<kWideStages - 2>();
      __syncthreads();
      next = now;
    }
    const gk_i64 start = number * args.c_batch_stride;
    const gk_u64 out = reinterpret_cast<gk_u64>(static_cast<const T*>(args.c) + start);
    const bool vectors = out % 16 == 0 && args.c_row_stride % kVector == 0 &&
                         args.n % kVector == 0 && scalar_as<T>(args.beta) == static_cast<T>(0);
    T* const space = reinterpret_cast<T*>(&stages[0]) + warp * kPart;
    store_sums<T>(args, start, row0 + warp % 2 * (kWideRows / 2),
                  column0 + warp / 2 * (kWideColumns / 2), vectors, space, sums);
    __syncthreads();
  }
}

GK_KERNEL_RESIDENT(gk_matmul_large_f32, kWideThreads, kWideResident, const MatmulKernelArgs args) {
  matmul_wide<float>(args);
}
// Empty where it would need more registers than a thread has; never launched there.
GK_KERNEL_BOUNDS(gk_matmul_large_f64, kWideThreads, const MatmulKernelArgs args) {
#if GK_WIDE_ASYNC
  matmul_wide<double>(args);
#endif
}

}  // namespace gpukit
