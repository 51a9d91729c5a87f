// Softmax, log-softmax and layer norm of contiguous rows: one warp a row, or one block a row for
// long ones. Three passes (maximum or mean, sum, result) of which the later ones find a row of up
// to some thousand columns in the cache.
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
  A largest = static_cast<A>(-GK_INF);
  for (gk_i64 c = lane; c < args.columns; c += args.row_threads)
    largest = maximum(largest, gk_up(in[c]));
  largest = over_row(&slots[0], whole_block, true, largest);
  A sum = static_cast<A>(0);
  for (gk_i64 c = lane; c < args.columns; c += args.row_threads)
    sum += gk_exp(gk_up(in[c]) - largest);
  sum = over_row(&slots[0], whole_block, false, sum);
  const A log_sum = gk_log(sum);
  for (gk_i64 c = lane; c < args.columns; c += args.row_threads) {
    const A distance = gk_up(in[c]) - largest;
    out[c] = gk_down<T>(args.log != 0 ? distance - log_sum : gk_exp(distance) / sum);
  }
}

template <class T>
GK_FN gk_acc_t<T> column_value(const void* values, gk_i64 column, gk_acc_t<T> otherwise) {
  return values == nullptr ? otherwise : gk_up(static_cast<const T*>(values)[column]);
}

template <class T>
GK_FN void layer_norm(const LayerNormKernelArgs& args) {
  typedef gk_acc_t<T> A;
  GK_SHARED(A, slots, [kSoftmaxThreads / kWarp]);
  const bool whole_block = args.row_threads == kSoftmaxThreads;
  const gk_i64 thread = static_cast<gk_i64>(blockIdx.x) * kSoftmaxThreads + threadIdx.x;
  const gk_i64 row = thread / args.row_threads;
  if (row >= args.rows) return;  // whole warps only, and never where the block meets at barriers
  const gk_i64 lane = thread - row * args.row_threads;
  const T* in = static_cast<const T*>(args.in) + row * args.columns;
  T* out = static_cast<T*>(args.out) + row * args.columns;
  const A count = static_cast<A>(args.columns);
  A sum = static_cast<A>(0);
  for (gk_i64 c = lane; c < args.columns; c += args.row_threads) sum += gk_up(in[c]);
  const A centre = over_row(&slots[0], whole_block, false, sum) / count;
  // The mean of the distances is what rounding lost in the centre, which is significant for a large
  // mean. Neither loop from here on waits for memory, so neither is worth the size of an unrolled
  // one.
  A squares = static_cast<A>(0), distances = static_cast<A>(0);
  GK_NO_UNROLL
  for (gk_i64 c = lane; c < args.columns; c += args.row_threads) {
    const A distance = gk_up(in[c]) - centre;
    distances += distance;
    squares += distance * distance;
  }
  const A shift = over_row(&slots[0], whole_block, false, distances) / count;
  A variance = over_row(&slots[0], whole_block, false, squares) / count - shift * shift;
  if (variance < static_cast<A>(0)) variance = static_cast<A>(0);  // NaN stays
  const A rstd = static_cast<A>(1) / gk_sqrt(variance + static_cast<A>(args.eps));
  GK_NO_UNROLL
  for (gk_i64 c = lane; c < args.columns; c += args.row_threads) {
    const A normal = ((gk_up(in[c]) - centre) - shift) * rstd;
    out[c] = gk_down<T>(normal * column_value<T>(args.weight, c, static_cast<A>(1)) +
                        column_value<T>(args.bias, c, static_cast<A>(0)));
  }
  if (lane != 0 || args.mean == nullptr) return;
  static_cast<A*>(args.mean)[row] = centre + shift;
  static_cast<A*>(args.rstd)[row] = rstd;
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
