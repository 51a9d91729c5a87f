// Softmax, log-softmax and layer norm of contiguous rows: one warp a row, or one block a row for
// long ones. A row is read once, into registers. Rows of more than some thousand columns are read
// again for each further step.
#include "kernels/element.h"

namespace gpukit {

inline constexpr int kSoftmaxThreads = 256;
inline constexpr int kWarp = 32;

template <class A>
GK_FN A join(bool take_maximum, A a, A b) {
  return take_maximum ? maximum(a, b) : a + b;
}

/// Maximum or sum over the threads of one row, given to all of them.
template <class A>
GK_FN A over_row(A* slots, bool whole_block, bool take_maximum, A value) {
  GK_UNROLL
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = join(take_maximum, value, __shfl_xor_sync(0xffffffffu, value, distance));
  }
  if (!whole_block) return value;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread % kWarp == 0) slots[thread / kWarp] = value;
  __syncthreads();
  value = slots[0];
  GK_UNROLL
  for (int warp = 1; warp < kSoftmaxThreads / kWarp; ++warp)
    value = join(take_maximum, value, slots[warp]);
  __syncthreads();
  return value;
}

/// Elements of a vector of 16 bytes, and of a row that a thread holds in registers.
template <class T>
inline constexpr int kVectorSize = 16 / static_cast<int>(sizeof(T));
template <class T>
inline constexpr int kHeld = kHeldBytes / static_cast<int>(sizeof(gk_acc_t<T>));

/// A thread's part of a row: which columns, and whether it is moved by vectors or column by column.
/// Neighbouring threads access neighbouring memory in both.
template <class T>
struct RowPart {
  gk_i32 columns, lane, threads;
  bool vectors;

  GK_TEMPLATE_FN gk_i32 column(int i) const {
    constexpr int kSize = kVectorSize<T>;
    return vectors ? (i / kSize * threads + lane) * kSize + i % kSize : i * threads + lane;
  }
  /// values[i] = in[column(i)]; `otherwise` beyond the end.
  template <class A>
  GK_TEMPLATE_FN void load(const T* in, A otherwise, A (&values)[kHeld<T>]) const {
    typedef Pack<T, kVectorSize<T>> Vector;
    GK_UNROLL
    for (int i = 0; i < kHeld<T>; i += kVectorSize<T>) {
      if (vectors && column(i) < columns) {
        const Vector vector = *reinterpret_cast<const Vector*>(in + column(i));
        GK_UNROLL
        for (int e = 0; e < kVectorSize<T>; ++e) values[i + e] = gk_up(vector.at[e]);
        continue;
      }
      GK_UNROLL
      for (int e = 0; e < kVectorSize<T>; ++e)
        values[i + e] = column(i + e) < columns ? gk_up(in[column(i + e)]) : otherwise;
    }
  }
  template <class A>
  GK_TEMPLATE_FN void store(T* out, const A (&values)[kHeld<T>]) const {
    typedef Pack<T, kVectorSize<T>> Vector;
    GK_UNROLL
    for (int i = 0; i < kHeld<T>; i += kVectorSize<T>) {
      if (vectors && column(i) < columns) {
        Vector vector;
        GK_UNROLL
        for (int e = 0; e < kVectorSize<T>; ++e) vector.at[e] = gk_down<T>(values[i + e]);
        store_vector(out + column(i), vector);
        continue;
      }
      GK_UNROLL
      for (int e = 0; e < kVectorSize<T>; ++e) {
        if (column(i + e) < columns) out[column(i + e)] = gk_down<T>(values[i + e]);
      }
    }
  }
};

/// The part of this thread, where every row of both arrays starts at a multiple of 16 bytes by
/// vectors.
template <class T>
GK_FN RowPart<T> row_part(const void* in, const void* out, gk_i64 columns, gk_i64 lane,
                          gk_i32 threads) {
  const gk_u64 places = reinterpret_cast<gk_u64>(in) | reinterpret_cast<gk_u64>(out);
  return {static_cast<gk_i32>(columns), static_cast<gk_i32>(lane), threads,
          places % 16 == 0 && columns % kVectorSize<T> == 0};
}

template <class T>
GK_FN void softmax_held(const SoftmaxKernelArgs& args, const RowPart<T>& part, bool whole_block,
                        gk_acc_t<T>* slots, const T* in, T* out) {
  typedef gk_acc_t<T> A;
  A values[kHeld<T>];
  part.load(in, static_cast<A>(-GK_INF), values);
  A largest = values[0];
  GK_UNROLL
  for (int i = 1; i < kHeld<T>; ++i) largest = maximum(largest, values[i]);
  largest = over_row(slots, whole_block, true, largest);
  A sum = static_cast<A>(0);
  GK_UNROLL
  for (int i = 0; i < kHeld<T>; ++i) {
    const A distance = values[i] - largest;
    const A power = gk_exp(distance);
    sum += power;  // 0 beyond the end of the row
    values[i] = args.log != 0 ? distance : power;
  }
  sum = over_row(slots, whole_block, false, sum);
  const A log_sum = gk_log(sum);
  GK_UNROLL
  for (int i = 0; i < kHeld<T>; ++i)
    values[i] = args.log != 0 ? values[i] - log_sum : values[i] / sum;
  part.store(out, values);
}

template <class T>
GK_FN void softmax_long(const SoftmaxKernelArgs& args, gk_i64 lane, bool whole_block,
                        gk_acc_t<T>* slots, const T* in, T* out) {
  typedef gk_acc_t<T> A;
  A largest = static_cast<A>(-GK_INF);
  for (gk_i64 c = lane; c < args.columns; c += args.row_threads)
    largest = maximum(largest, gk_up(in[c]));
  largest = over_row(slots, whole_block, true, largest);
  A sum = static_cast<A>(0);
  GK_NO_UNROLL
  for (gk_i64 c = lane; c < args.columns; c += args.row_threads)
    sum += gk_exp(gk_up(in[c]) - largest);
  sum = over_row(slots, whole_block, false, sum);
  const A log_sum = gk_log(sum);
  GK_NO_UNROLL
  for (gk_i64 c = lane; c < args.columns; c += args.row_threads) {
    const A distance = gk_up(in[c]) - largest;
    out[c] = gk_down<T>(args.log != 0 ? distance - log_sum : gk_exp(distance) / sum);
  }
}

template <class T>
GK_FN void softmax(const SoftmaxKernelArgs& args) {
  typedef gk_acc_t<T> A;
  GK_SHARED(A, slots, [kSoftmaxThreads / kWarp]);
  const bool whole_block = args.row_threads == kSoftmaxThreads;
  const gk_i64 thread = static_cast<gk_i64>(blockIdx.x) * kSoftmaxThreads + threadIdx.x;
  const gk_i64 row = thread / args.row_threads;
  if (row >= args.rows) return;  // whole warps only, and never where the block meets at barriers
  const gk_i64 lane = thread - row * args.row_threads;
  const T* in = static_cast<const T*>(args.in) + row * args.columns;
  T* out = static_cast<T*>(args.out) + row * args.columns;
  const RowPart<T> part = row_part<T>(args.in, args.out, args.columns, lane, args.row_threads);
  if (args.held != 0) {
    softmax_held<T>(args, part, whole_block, &slots[0], in, out);
  } else {
    softmax_long<T>(args, lane, whole_block, &slots[0], in, out);
  }
}

template <class T>
GK_FN gk_acc_t<T> column_value(const void* values, gk_i64 column, gk_acc_t<T> otherwise) {
  return values == nullptr ? otherwise : gk_up(static_cast<const T*>(values)[column]);
}

/// What a row is normalised with. The mean is centre + shift: what rounding lost in the centre is
/// significant for a large mean.
template <class A>
struct RowMoments {
  A centre, shift, rstd;
};

/// The moments from the sums of the distances to the centre and of their squares, over the row.
template <class A>
GK_FN RowMoments<A> row_moments(A* slots, bool whole_block, A count, A eps, A centre, A distances,
                                A squares) {
  const A shift = over_row(slots, whole_block, false, distances) / count;
  A variance = over_row(slots, whole_block, false, squares) / count - shift * shift;
  if (variance < static_cast<A>(0)) variance = static_cast<A>(0);  // NaN stays
  return {centre, shift, static_cast<A>(1) / gk_sqrt(variance + eps)};
}

template <class T>
GK_FN gk_acc_t<T> normalized(const LayerNormKernelArgs& args, const RowMoments<gk_acc_t<T>>& row,
                             gk_acc_t<T> value, gk_i64 column) {
  typedef gk_acc_t<T> A;
  const A normal = ((value - row.centre) - row.shift) * row.rstd;
  return normal * column_value<T>(args.weight, column, static_cast<A>(1)) +
         column_value<T>(args.bias, column, static_cast<A>(0));
}

template <class T>
GK_FN RowMoments<gk_acc_t<T>> layer_norm_held(const LayerNormKernelArgs& args,
                                              const RowPart<T>& part, bool whole_block,
                                              gk_acc_t<T>* slots, const T* in, T* out) {
  typedef gk_acc_t<T> A;
  const A count = static_cast<A>(args.columns);
  A values[kHeld<T>];
  part.load(in, static_cast<A>(0), values);
  A sum = static_cast<A>(0);
  GK_UNROLL
  for (int i = 0; i < kHeld<T>; ++i) sum += values[i];
  const A centre = over_row(slots, whole_block, false, sum) / count;
  A squares = static_cast<A>(0), distances = static_cast<A>(0);
  GK_UNROLL
  for (int i = 0; i < kHeld<T>; ++i) {
    const A distance = part.column(i) < part.columns ? values[i] - centre : static_cast<A>(0);
    distances += distance;
    squares += distance * distance;
  }
  const RowMoments<A> row =
      row_moments(slots, whole_block, count, static_cast<A>(args.eps), centre, distances, squares);
  GK_UNROLL
  for (int i = 0; i < kHeld<T>; ++i) {
    if (part.column(i) < part.columns)
      values[i] = normalized<T>(args, row, values[i], part.column(i));
  }
  part.store(out, values);
  return row;
}

/// None of its loops waits for memory once the row is in the cache, so none is worth the size of an
/// unrolled one.
template <class T>
GK_FN RowMoments<gk_acc_t<T>> layer_norm_long(const LayerNormKernelArgs& args, gk_i64 lane,
                                              bool whole_block, gk_acc_t<T>* slots, const T* in,
                                              T* out) {
  typedef gk_acc_t<T> A;
  const A count = static_cast<A>(args.columns);
  A sum = static_cast<A>(0);
  for (gk_i64 c = lane; c < args.columns; c += args.row_threads) sum += gk_up(in[c]);
  const A centre = over_row(slots, whole_block, false, sum) / count;
  A squares = static_cast<A>(0), distances = static_cast<A>(0);
  GK_NO_UNROLL
  for (gk_i64 c = lane; c < args.columns; c += args.row_threads) {
    const A distance = gk_up(in[c]) - centre;
    distances += distance;
    squares += distance * distance;
  }
  const RowMoments<A> row =
      row_moments(slots, whole_block, count, static_cast<A>(args.eps), centre, distances, squares);
  GK_NO_UNROLL
  for (gk_i64 c = lane; c < args.columns; c += args.row_threads)
    out[c] = gk_down<T>(normalized<T>(args, row, gk_up(in[c]), c));
  return row;
}

template <class T>
GK_FN void layer_norm(const LayerNormKernelArgs& args) {
  typedef gk_acc_t<T> A;
  GK_SHARED(A, slots, [kSoftmaxThreads / kWarp]);
  const bool whole_block = args.row_threads == kSoftmaxThreads;
  const gk_i64 thread = static_cast<gk_i64>(blockIdx.x) * kSoftmaxThreads + threadIdx.x;
  const gk_i64 number = thread / args.row_threads;
  if (number >= args.rows) return;  // whole warps only, and never where the block meets at barriers
  const gk_i64 lane = thread - number * args.row_threads;
  const T* in = static_cast<const T*>(args.in) + number * args.columns;
  T* out = static_cast<T*>(args.out) + number * args.columns;
  const RowPart<T> part = row_part<T>(args.in, args.out, args.columns, lane, args.row_threads);
  const RowMoments<A> row = args.held != 0
                                ? layer_norm_held<T>(args, part, whole_block, &slots[0], in, out)
                                : layer_norm_long<T>(args, lane, whole_block, &slots[0], in, out);
  if (lane != 0 || args.mean == nullptr) return;
  static_cast<A*>(args.mean)[number] = row.centre + row.shift;
  static_cast<A*>(args.rstd)[number] = row.rstd;
}

#define GK_SOFTMAX(suffix, T)                                                            \
  GK_KERNEL_BOUNDS(gk_softmax_##suffix, kSoftmaxThreads, const SoftmaxKernelArgs args) { \
    softmax<T>(args);                                                                    \
  }
GK_FOR_FLOATS(GK_SOFTMAX)

#define GK_LAYER_NORM(suffix, T)                                                              \
  GK_KERNEL_BOUNDS(gk_layer_norm_##suffix, kSoftmaxThreads, const LayerNormKernelArgs args) { \
    layer_norm<T>(args);                                                                      \
  }
GK_FOR_FLOATS(GK_LAYER_NORM)

}  // namespace gpukit
