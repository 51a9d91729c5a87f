// Softmax, log-softmax and layer norm of contiguous rows. A row is read once, into the registers of
// a part of a warp, of a warp or of a block. A longer row is read twice by softmax, and for each
// step by layer norm.
#include "kernels/exp_sum.h"

namespace gpukit {

inline constexpr int kWarp = 32;

template <class A>
GK_FN A join(bool take_maximum, A a, A b) {
  return take_maximum ? maximum(a, b) : a + b;
}

/// Maximum or sum over the `threads` of one row, given to all of them. A block's warps meet through
/// `slots`.
template <class A>
GK_FN A over_row(A* slots, int threads, bool take_maximum, A value) {
  GK_UNROLL
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    if (distance >= threads) continue;
    value = join(take_maximum, value, __shfl_xor_sync(0xffffffffu, value, distance));
  }
  if (threads <= kWarp) return value;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread % kWarp == 0) slots[thread / kWarp] = value;
  __syncthreads();
  const int warps = threads / kWarp;
  value = slots[thread % warps];
  GK_NO_UNROLL
  for (int distance = warps / 2; distance > 0; distance /= 2)
    value = join(take_maximum, value, __shfl_xor_sync(0xffffffffu, value, distance));
  __syncthreads();
  return value;
}

/// Elements of a vector of 16 bytes, and of a row that a thread holds in registers.
template <class T>
inline constexpr int kVectorSize = 16 / static_cast<int>(sizeof(T));
template <class T>
inline constexpr int kHeld = sizeof(gk_acc_t<T>) == sizeof(float) ? kHeldFloats : kHeldDoubles;
inline constexpr int kColumnGroup = 2;  ///< columns that a thread of a longer row moves at a time

/// A thread's part of a row, in groups of kGroup columns, each moved as a vector. All rows of all
/// arrays start at multiples of 16 bytes.
template <class T>
struct VectorPart {
  typedef gk_acc_t<T> A;
  static constexpr int kGroup = kVectorSize<T>;
  gk_i32 columns, lane, threads;

  /// Whether the group of a thread's elements i and on begins beyond the row, for all threads.
  GK_TEMPLATE_FN bool is_beyond(int i) const { return i * threads >= columns; }
  GK_TEMPLATE_FN gk_i32 column(int i) const { return i * threads + lane * kGroup; }
  GK_TEMPLATE_FN bool is_inside(int i, int) const { return column(i) < columns; }

  /// values[e] = in[column(i) + e]; `otherwise` beyond the end.
  GK_TEMPLATE_FN void load(const T* in, int i, A otherwise, A* values) const {
    typedef Pack<T, kGroup> Vector;
    GK_UNROLL
    for (int e = 0; e < kGroup; ++e) values[e] = otherwise;
    if (!is_inside(i, 0)) return;
    const Vector vector = *reinterpret_cast<const Vector*>(in + column(i));
    GK_UNROLL
    for (int e = 0; e < kGroup; ++e) values[e] = gk_up(vector.at[e]);
  }
  GK_TEMPLATE_FN void store(T* out, int i, const A* values) const {
    if (!is_inside(i, 0)) return;
    Pack<T, kGroup> vector;
    GK_UNROLL
    for (int e = 0; e < kGroup; ++e) vector.at[e] = gk_down<T>(values[e]);
    store_vector(out + column(i), vector);
  }
};

/// The same column by column, of rows of any length and place: a warp's accesses are contiguous.
template <class T>
struct ColumnPart {
  typedef gk_acc_t<T> A;
  static constexpr int kGroup = kColumnGroup;
  gk_i64 columns;
  gk_i32 lane, threads;

  GK_TEMPLATE_FN bool is_beyond(gk_i64 i) const { return i * threads >= columns; }
  GK_TEMPLATE_FN gk_i64 column(gk_i64 i, int e) const { return (i + e) * threads + lane; }
  GK_TEMPLATE_FN bool is_inside(gk_i64 i, int e) const { return column(i, e) < columns; }

  GK_TEMPLATE_FN void load(const T* in, gk_i64 i, A otherwise, A* values) const {
    GK_UNROLL
    for (int e = 0; e < kGroup; ++e)
      values[e] = is_inside(i, e) ? gk_up(in[column(i, e)]) : otherwise;
  }
  GK_TEMPLATE_FN void store(T* out, gk_i64 i, const A* values) const {
    GK_UNROLL
    for (int e = 0; e < kGroup; ++e) {
      if (is_inside(i, e)) out[column(i, e)] = gk_down<T>(values[e]);
    }
  }
};

/// The row of a thread, and its part. A row past the last has no columns: its threads only take
/// part in the shuffles of their warp.
template <class T>
struct RowOfThread {
  gk_i64 number;
  const T* in;
  T* out;
  ColumnPart<T> part;
  bool inside, held;

  GK_TEMPLATE_FN VectorPart<T> vectors() const {
    return {static_cast<gk_i32>(part.columns), part.lane, part.threads};
  }
};

template <class T, class Args>
GK_FN RowOfThread<T> row_of_thread(const Args& args, gk_u64 further_addresses) {
  const gk_i64 thread = static_cast<gk_i64>(blockIdx.x) * blockDim.x + threadIdx.x;
  const gk_i64 number = thread / args.row_threads;
  const bool inside = number < args.rows;
  const gk_i64 start = inside ? number * args.columns : 0;
  const gk_u64 addresses =
      reinterpret_cast<gk_u64>(args.in) | reinterpret_cast<gk_u64>(args.out) | further_addresses;
  return {number,
          static_cast<const T*>(args.in) + start,
          static_cast<T*>(args.out) + start,
          {inside ? args.columns : 0, static_cast<gk_i32>(thread - number * args.row_threads),
           args.row_threads},
          inside,
          args.held != 0 && addresses % 16 == 0 && args.columns % kVectorSize<T> == 0};
}

GK_FN float fused(float a, float b, float c) { return fmaf(a, b, c); }
GK_FN double fused(double a, double b, double c) { return fma(a, b, c); }

/// x / sum by the rounded reciprocal of a sum of at least 1, and one step of Newton's method, which
/// rounds as a division does.
template <class A>
GK_FN A quotient(A x, A sum, A reciprocal) {
  const A near = x * reciprocal;
  return fused(fused(-near, sum, x), reciprocal, near);
}

template <class T>
GK_FN void softmax_held(const SoftmaxKernelArgs& args, const VectorPart<T>& part,
                        gk_acc_t<T>* slots, const T* in, T* out) {
  typedef gk_acc_t<T> A;
  A values[kHeld<T>];
  GK_UNROLL
  for (int i = 0; i < kHeld<T>; i += kVectorSize<T>)
    part.load(in, i, static_cast<A>(-GK_INF), &values[i]);
  A largest = values[0];
  GK_UNROLL
  for (int i = 1; i < kHeld<T>; ++i) largest = maximum(largest, values[i]);
  largest = over_row(slots, part.threads, true, largest);
  A sum = static_cast<A>(0);
  GK_UNROLL
  for (int i = 0; i < kHeld<T>; i += kVectorSize<T>) {
    if (part.is_beyond(i)) break;
    GK_UNROLL
    for (int e = i; e < i + kVectorSize<T>; ++e) {
      const A distance = values[e] - largest;
      const A power = gk_exp(distance);
      sum += power;  // 0 beyond the end of the row
      values[e] = args.log != 0 ? distance : power;
    }
  }
  sum = over_row(slots, part.threads, false, sum);
  const A last = args.log != 0 ? gk_log(sum) : static_cast<A>(1) / sum;
  GK_UNROLL
  for (int i = 0; i < kHeld<T>; i += kVectorSize<T>) {
    if (part.is_beyond(i)) break;
    GK_UNROLL
    for (int e = i; e < i + kVectorSize<T>; ++e)
      values[e] = args.log != 0 ? values[e] - last : quotient(values[e], sum, last);
    part.store(out, i, &values[i]);
  }
}

/// Loops of many groups wait for memory by many threads, and are not unrolled.
template <class T>
GK_FN void softmax_long(const SoftmaxKernelArgs& args, const ColumnPart<T>& part,
                        gk_acc_t<T>* slots, const T* in, T* out) {
  typedef gk_acc_t<T> A;
  A values[kColumnGroup];
  ExpSum<A> powers = empty_exp_sum<A>();
  GK_NO_UNROLL
  for (gk_i64 i = 0; !part.is_beyond(i); i += kColumnGroup) {
    part.load(in, i, static_cast<A>(-GK_INF), values);
    GK_UNROLL
    for (int e = 0; e < kColumnGroup; ++e) powers.add(values[e]);
  }
  const A largest = over_row(slots, part.threads, true, powers.largest);
  const A sum = over_row(slots, part.threads, false, powers.scaled_to(largest));
  const A log_sum = gk_log(sum);
  GK_NO_UNROLL
  for (gk_i64 i = 0; !part.is_beyond(i); i += kColumnGroup) {
    part.load(in, i, static_cast<A>(-GK_INF), values);
    GK_UNROLL
    for (int e = 0; e < kColumnGroup; ++e) {
      const A distance = values[e] - largest;
      values[e] = args.log != 0 ? distance - log_sum : gk_exp(distance) / sum;
    }
    part.store(out, i, values);
  }
}

template <class T>
GK_FN void softmax(const SoftmaxKernelArgs& args) {
  GK_SHARED(gk_acc_t<T>, slots, [kMostRowThreads / kWarp]);
  const RowOfThread<T> row = row_of_thread<T>(args, 0);
  if (row.held) {
    softmax_held<T>(args, row.vectors(), &slots[0], row.in, row.out);
  } else {
    softmax_long<T>(args, row.part, &slots[0], row.in, row.out);
  }
}

/// What a row is normalised with. The mean is centre + shift: what rounding lost in the centre is
/// significant for a large mean.
template <class A>
struct RowMoments {
  A centre, shift, rstd;
};

/// The moments from the sums of the distances to the centre and of their squares, over the row.
template <class A>
GK_FN RowMoments<A> row_moments(A* slots, int threads, A count, A eps, A centre, A distances,
                                A squares) {
  const A shift = over_row(slots, threads, false, distances) / count;
  A variance = over_row(slots, threads, false, squares) / count - shift * shift;
  if (variance < static_cast<A>(0)) variance = static_cast<A>(0);  // NaN stays
  return {centre, shift, static_cast<A>(1) / gk_sqrt(variance + eps)};
}

/// Normalises a group of values, with the weights and biases of their columns, and stores them.
template <class T, class Part, class Index>
GK_FN void store_normalized(const LayerNormKernelArgs& args, const Part& part,
                            const RowMoments<gk_acc_t<T>>& row, Index i, gk_acc_t<T>* values,
                            T* out) {
  typedef gk_acc_t<T> A;
  A given[Part::kGroup];
  GK_UNROLL
  for (int e = 0; e < Part::kGroup; ++e)
    values[e] = ((values[e] - row.centre) - row.shift) * row.rstd;
  if (args.weight != nullptr) {
    part.load(static_cast<const T*>(args.weight), i, static_cast<A>(0), given);
    GK_UNROLL
    for (int e = 0; e < Part::kGroup; ++e) values[e] *= given[e];
  }
  if (args.bias != nullptr) {
    part.load(static_cast<const T*>(args.bias), i, static_cast<A>(0), given);
    GK_UNROLL
    for (int e = 0; e < Part::kGroup; ++e) values[e] += given[e];
  }
  part.store(out, i, values);
}

/// Adds the distances of a group from the centre, and their squares.
template <class T, class Part, class Index>
GK_FN void add_distances(const Part& part, Index i, const gk_acc_t<T>* values, gk_acc_t<T> centre,
                         gk_acc_t<T>& distances, gk_acc_t<T>& squares) {
  typedef gk_acc_t<T> A;
  GK_UNROLL
  for (int e = 0; e < Part::kGroup; ++e) {
    const A distance = part.is_inside(i, e) ? values[e] - centre : static_cast<A>(0);
    distances += distance;
    squares += distance * distance;
  }
}

template <class T>
GK_FN RowMoments<gk_acc_t<T>> layer_norm_held(const LayerNormKernelArgs& args,
                                              const VectorPart<T>& part, gk_acc_t<T>* slots,
                                              const T* in, T* out) {
  typedef gk_acc_t<T> A;
  const A count = static_cast<A>(args.columns);
  A values[kHeld<T>];
  GK_UNROLL
  for (int i = 0; i < kHeld<T>; i += kVectorSize<T>)
    part.load(in, i, static_cast<A>(0), &values[i]);
  A sum = static_cast<A>(0);
  GK_UNROLL
  for (int i = 0; i < kHeld<T>; ++i) sum += values[i];
  const A centre = over_row(slots, part.threads, false, sum) / count;
  A squares = static_cast<A>(0), distances = static_cast<A>(0);
  GK_UNROLL
  for (int i = 0; i < kHeld<T>; i += kVectorSize<T>) {
    if (part.is_beyond(i)) break;
    add_distances<T>(part, i, &values[i], centre, distances, squares);
  }
  const RowMoments<A> row =
      row_moments(slots, part.threads, count, static_cast<A>(args.eps), centre, distances, squares);
  GK_UNROLL
  for (int i = 0; i < kHeld<T>; i += kVectorSize<T>) {
    if (part.is_beyond(i)) break;
    store_normalized<T>(args, part, row, i, &values[i], out);
  }
  return row;
}

template <class T>
GK_FN RowMoments<gk_acc_t<T>> layer_norm_long(const LayerNormKernelArgs& args,
                                              const ColumnPart<T>& part, gk_acc_t<T>* slots,
                                              const T* in, T* out) {
  typedef gk_acc_t<T> A;
  const A count = static_cast<A>(args.columns), zero = static_cast<A>(0);
  A values[kColumnGroup];
  A sum = zero;
  GK_NO_UNROLL
  for (gk_i64 i = 0; !part.is_beyond(i); i += kColumnGroup) {
    part.load(in, i, zero, values);
    GK_UNROLL
    for (int e = 0; e < kColumnGroup; ++e) sum += values[e];
  }
  const A centre = over_row(slots, part.threads, false, sum) / count;
  A squares = zero, distances = zero;
  GK_NO_UNROLL
  for (gk_i64 i = 0; !part.is_beyond(i); i += kColumnGroup) {
    part.load(in, i, zero, values);
    add_distances<T>(part, i, values, centre, distances, squares);
  }
  const RowMoments<A> row =
      row_moments(slots, part.threads, count, static_cast<A>(args.eps), centre, distances, squares);
  GK_NO_UNROLL
  for (gk_i64 i = 0; !part.is_beyond(i); i += kColumnGroup) {
    part.load(in, i, zero, values);
    store_normalized<T>(args, part, row, i, values, out);
  }
  return row;
}

template <class T>
GK_FN void layer_norm(const LayerNormKernelArgs& args) {
  typedef gk_acc_t<T> A;
  GK_SHARED(A, slots, [kMostRowThreads / kWarp]);
  const RowOfThread<T> mine = row_of_thread<T>(
      args, reinterpret_cast<gk_u64>(args.weight) | reinterpret_cast<gk_u64>(args.bias));
  const RowMoments<A> row =
      mine.held ? layer_norm_held<T>(args, mine.vectors(), &slots[0], mine.in, mine.out)
                : layer_norm_long<T>(args, mine.part, &slots[0], mine.in, mine.out);
  if (!mine.inside || mine.part.lane != 0 || args.mean == nullptr) return;
  static_cast<A*>(args.mean)[mine.number] = row.centre + row.shift;
  static_cast<A*>(args.rstd)[mine.number] = row.rstd;
}

#define GK_SOFTMAX(suffix, T)                                                            \
  GK_KERNEL_BOUNDS(gk_softmax_##suffix, kMostRowThreads, const SoftmaxKernelArgs args) { \
    softmax<T>(args);                                                                    \
  }
GK_FOR_FLOATS(GK_SOFTMAX)

#define GK_LAYER_NORM(suffix, T)                                                              \
  GK_KERNEL_BOUNDS(gk_layer_norm_##suffix, kMostRowThreads, const LayerNormKernelArgs args) { \
    layer_norm<T>(args);                                                                      \
  }
GK_FOR_FLOATS(GK_LAYER_NORM)

}  // namespace gpukit
