// Products of a matrix and an operand with at most 16 rows, in float and double: a matrix times a
// vector, layers with few rows. The matrix is read once, 16 bytes at a time where it is contiguous
// in a direction. Also what adds the parts of products that were split along their inner elements.
//
// A block of 128 threads makes kThinColumns results of each row. In a step a thread takes a square
// of the matrix, as many rows and columns as 16 bytes have numbers; eight threads share the inner
// elements and add their sums at the end, always in the same order.
#include "kernels/product_part.h"

namespace gpukit {

inline constexpr int kThinResident = 3;  ///< blocks that a multiprocessor has registers for
inline constexpr int kThinLanes = 8;     ///< threads along the inner elements
inline constexpr int kThinSteps = 8;     ///< between two loads of the thin operand
inline constexpr int kThinGroup = 4;     ///< rows of the thin operand that share a branch

template <class T>
inline constexpr int kThinVector = 16 / sizeof(T);
template <class T>
inline constexpr int kThinTile = kThinColumns<sizeof(T)>;
template <class T>
inline constexpr int kThinStep = kThinLanes * kThinVector<T>;  ///< inner elements of a step
template <class T>
inline constexpr int kThinDepth = kThinSteps * kThinStep<T>;

/// Some inner elements of the thin operand; the padding keeps the banks of rows apart.
template <class T>
struct GK_ALIGN(16) ThinPiece {
  T at[kThinRows][kThinDepth<T> + kThinVector<T>];
};

/// The sums of all threads for a group of rows.
template <class T>
inline constexpr int kThinSums = kThinGroup * kThinTile<T> + kThinVector<T>;
template <class T>
struct GK_ALIGN(16) ThinSums {
  T at[kThinLanes][kThinSums<T>];
};

/// The thin operand from `depth0` on into shared memory, zeros beyond its edges.
template <class T>
GK_FN void load_thin(const T* data, gk_i64 row_stride, gk_i64 depth_stride, int rows, gk_i64 depths,
                     ThinPiece<T>& piece) {
  const bool by_rows = row_stride == 1 && depth_stride != 1;
  const int padded = (rows + kThinGroup - 1) / kThinGroup * kThinGroup;
  const int count = (by_rows ? kThinRows : padded) * kThinDepth<T>;
  GK_NO_UNROLL
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kThinThreads) {
    const int row = by_rows ? i % kThinRows : i / kThinDepth<T>;
    const int depth = by_rows ? i / kThinRows : i % kThinDepth<T>;
    T value = static_cast<T>(0);
    if (row < rows && depth < depths) value = data[row * row_stride + depth * depth_stride];
    piece.at[row][depth] = value;
  }
}

/// The thread's squares of the matrix. A line is contiguous: along the inner elements, or along
/// rows of a matrix that lies `across`.
template <class T>
struct ThinMatrix {
  static constexpr int kVector = kThinVector<T>;

  const T* data;  ///< its next square
  gk_i64 line_stride, item_stride, step;
  gk_i32 rows_left;
  gk_i32 row, depth;  ///< of its square in a step of the tile
  bool across, vectors;

  GK_TEMPLATE_FN ThinMatrix(const T* first, gk_i64 row0, gk_i64 rows, gk_i64 row_stride,
                            gk_i64 depth_stride) {
    constexpr int kAcross = kThinThreads / kThinLanes;
    const int thread = static_cast<int>(threadIdx.x);
    across = row_stride == 1 && depth_stride != 1;
    row = (across ? thread % kAcross : thread / kThinLanes) * kVector;
    depth = (across ? thread / kAcross : thread % kThinLanes) * kVector;
    line_stride = across ? depth_stride : row_stride;
    item_stride = across ? row_stride : depth_stride;
    step = kThinStep<T> * depth_stride;
    vectors =
        item_stride == 1 && line_stride % kVector == 0 && reinterpret_cast<gk_u64>(first) % 16 == 0;
    const gk_i64 left = rows - row0 - row;
    rows_left = left < 0 ? 0 : left > kVector ? kVector : static_cast<gk_i32>(left);
    data = first + (row0 + row) * row_stride + depth * depth_stride;
  }

  /// The next square, of which `depths` inner elements exist in this step: by lines, zeros beyond
  /// the edges.
  GK_TEMPLATE_FN void load(gk_i64 depths, Pack<T, kVector> (&lines)[kVector]) {
    const gk_i64 left = depths - depth;
    const int depths_left = left < 0 ? 0 : left > kVector ? kVector : static_cast<int>(left);
    const int count = across ? depths_left : rows_left, items = across ? rows_left : depths_left;
    GK_UNROLL
    for (int line = 0; line < kVector; ++line) {
      const T* from = data + line * line_stride;
      const int exist = line < count ? items : 0;
      if (vectors && exist == kVector) {
        lines[line] = *reinterpret_cast<const Pack<T, kVector>*>(from);
        continue;
      }
      GK_UNROLL
      for (int e = 0; e < kVector; ++e)
        lines[line].at[e] = e < exist ? from[e * item_stride] : static_cast<T>(0);
    }
    data += step;
  }
};

/// A square times the inner elements of all rows from `depth` of the piece on.
template <class T>
GK_FN void multiply_square(const Pack<T, kThinVector<T>> (&lines)[kThinVector<T>], bool across,
                           const ThinPiece<T>& piece, int depth, int rows,
                           T (&sums)[kThinRows][kThinVector<T>]) {
  constexpr int kVector = kThinVector<T>;
  T square[kVector][kVector];  // [row][inner element]
  GK_UNROLL
  for (int j = 0; j < kVector; ++j) {
    GK_UNROLL
    for (int d = 0; d < kVector; ++d) square[j][d] = across ? lines[d].at[j] : lines[j].at[d];
  }
  GK_UNROLL
  for (int group = 0; group < kThinRows; group += kThinGroup) {
    if (group >= rows) continue;
    GK_UNROLL
    for (int r = group; r < group + kThinGroup; ++r) {
      const auto thin = *reinterpret_cast<const Pack<T, kVector>*>(&piece.at[r][depth]);
      GK_UNROLL
      for (int j = 0; j < kVector; ++j) {
        GK_UNROLL
        for (int d = 0; d < kVector; ++d)
          sums[r][j] = multiply_add(square[j][d], thin.at[d], sums[r][j]);
      }
    }
  }
}

/// The sums of rows `group` and on, added over the threads that share inner elements, to c.
template <class T>
GK_FN void store_group(const MatmulKernelArgs& args, gk_i64 start, gk_i64 column0, int group,
                       const ThinSums<T>& sums) {
  GK_NO_UNROLL
  for (int i = static_cast<int>(threadIdx.x); i < kThinGroup * kThinTile<T>; i += kThinThreads) {
    const gk_i64 row = group + i / kThinTile<T>, column = column0 + i % kThinTile<T>;
    if (row >= args.m || column >= args.n) continue;
    T sum = sums.at[0][i];
    GK_UNROLL
    for (int lane = 1; lane < kThinLanes; ++lane) sum += sums.at[lane][i];
    const bool transposed = args.transposed != 0;
    const gk_i64 r = transposed ? column : row, c = transposed ? row : column;
    store_product<T>(args, start + r * args.c_row_stride + c, c, sum);
  }
}

template <class T>
GK_FN void matmul_thin(const MatmulKernelArgs& args) {
  constexpr int kVector = kThinVector<T>;
  typedef ThinPiece<T> Piece;
  GK_SHARED(Piece, piece, [1]);
  static_assert(sizeof(ThinSums<T>) <= sizeof(Piece));
  const int rows = static_cast<int>(args.m);
  const gk_i64 column0 = static_cast<gk_i64>(blockIdx.x) * kThinTile<T>;
  const gk_i64 parts = count_parts(args);
  GK_NO_UNROLL
  for (gk_i64 number = blockIdx.y; number < parts; number += gridDim.y) {
    const ProductPart part = product_part(args, number);
    const T* thin = part_data<T>(args.a, part, args.a.column_stride);
    ThinMatrix<T> matrix(part_data<T>(args.b, part, args.b.row_stride), column0, args.n,
                         args.b.column_stride, args.b.row_stride);
    T sums[kThinRows][kVector] = {};
    Pack<T, kVector> lines[kVector] = {}, next[kVector] = {};
    const int steps = static_cast<int>((part.depths + kThinStep<T> - 1) / kThinStep<T>);
    GK_NO_UNROLL
    for (int step = -1; step < steps; ++step) {  // the first one only loads
      if (step + 1 < steps)
        matrix.load(part.depths - static_cast<gk_i64>(step + 1) * kThinStep<T>, next);
      if (step >= 0) {
        if (step % kThinSteps == 0) {
          const gk_i64 depth0 = static_cast<gk_i64>(step) * kThinStep<T>;
          __syncthreads();
          load_thin<T>(thin + depth0 * args.a.column_stride, args.a.row_stride,
                       args.a.column_stride, rows, part.depths - depth0, piece[0]);
          __syncthreads();
        }
        multiply_square<T>(lines, matrix.across, piece[0],
                           step % kThinSteps * kThinStep<T> + matrix.depth, rows, sums);
      }
      GK_UNROLL
      for (int line = 0; line < kVector; ++line) lines[line] = next[line];
    }
    ThinSums<T>& shared = *reinterpret_cast<ThinSums<T>*>(&piece[0]);
    GK_UNROLL
    for (int group = 0; group < kThinRows; group += kThinGroup) {
      if (group >= rows) continue;
      __syncthreads();
      GK_UNROLL
      for (int r = 0; r < kThinGroup; ++r) {
        Pack<T, kVector> own;
        GK_UNROLL
        for (int j = 0; j < kVector; ++j) own.at[j] = sums[group + r][j];
        T* to = &shared.at[matrix.depth / kVector][r * kThinTile<T> + matrix.row];
        *reinterpret_cast<Pack<T, kVector>*>(to) = own;
      }
      __syncthreads();
      store_group<T>(args, number * args.c_batch_stride, column0, group, shared);
    }
  }
}

/// A result of a split product: its parts in their order, and what belongs to the whole. Threads
/// run along the rows of sums, which are columns of the result where `transposed`.
template <class T>
GK_FN void matmul_finish(const MatmulKernelArgs& args) {
  typedef Computed<T> A;
  const gk_u32 index = blockIdx.x * kFinishThreads + threadIdx.x;
  const bool transposed = args.transposed != 0;
  const gk_u32 items = static_cast<gk_u32>(transposed ? args.m : args.n);
  const gk_u32 lines = static_cast<gk_u32>(transposed ? args.n : args.m);
  const gk_u32 number = index / items, item = index - number * items;
  const gk_u32 product = number / lines, line = number - product * lines;
  if (product >= args.batch) return;
  const gk_i64 row = transposed ? item : line, column = transposed ? line : item;
  const A* parts = static_cast<const A*>(args.a.data) + product * args.a.batch_stride +
                   line * args.a.row_stride + item;
  const gk_i64 step = args.batch * args.a.batch_stride;
  A sum = parts[0];
  GK_NO_UNROLL
  for (int split = 1; split < args.splits; ++split) {
    parts += step;
    sum += *parts;
  }
  store_product<T>(args, product * args.c_batch_stride + row * args.c_row_stride + column, column,
                   sum);
}

GK_KERNEL_RESIDENT(gk_matmul_thin_f32, kThinThreads, kThinResident, const MatmulKernelArgs args) {
  matmul_thin<float>(args);
}
GK_KERNEL_RESIDENT(gk_matmul_thin_f64, kThinThreads, kThinResident, const MatmulKernelArgs args) {
  matmul_thin<double>(args);
}

#define GK_MATMUL_FINISH(suffix, T)                                                          \
  GK_KERNEL_BOUNDS(gk_matmul_finish_##suffix, kFinishThreads, const MatmulKernelArgs args) { \
    matmul_finish<T>(args);                                                                  \
  }
GK_FOR_FLOATS(GK_MATMUL_FINISH)

}  // namespace gpukit
