// Cross-entropy of rows of logits with softmax in one read, its sum, and its gradient. One warp a
// row; the sum is one block with a fixed order of additions.
#include "kernels/exp_sum.h"
#include "kernels/index_report.h"
#include "kernels/training_args.h"

namespace gpukit {

inline constexpr int kWarp = 32;

template <class A>
GK_FN A warp_sum(A value) {
  GK_UNROLL
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, distance);
  return value;
}

template <class A>
GK_FN A warp_maximum(A value) {
  GK_UNROLL
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    value = maximum(value, __shfl_xor_sync(0xffffffffu, value, distance));
  return value;
}

template <class A>
GK_FN A class_weight(const CrossEntropyKernelArgs& args, gk_i64 c) {
  return args.weight == nullptr ? static_cast<A>(1) : static_cast<const A*>(args.weight)[c];
}

GK_FN bool is_outside(const CrossEntropyKernelArgs& args, gk_i64 target) {
  return target < 0 || target >= args.columns;
}

/// Which row a thread's warp works on, and the first column the thread takes.
struct WarpRow {
  gk_i64 row, lane;
};
GK_FN WarpRow warp_row() {
  const gk_i64 thread = static_cast<gk_i64>(blockIdx.x) * kLossThreads + threadIdx.x;
  return {thread / kWarp, thread % kWarp};
}

template <class A>
GK_FN void cross_entropy(const CrossEntropyKernelArgs& args) {
  const WarpRow at = warp_row();
  if (at.row >= args.rows) return;  // whole warps only
  const A* in = static_cast<const A*>(args.logits) + at.row * args.columns;
  ExpSum<A> powers = empty_exp_sum<A>();
  A weighted = static_cast<A>(0), weights = static_cast<A>(0);
  GK_NO_UNROLL
  for (gk_i64 c = at.lane; c < args.columns; c += kWarp) {
    const A logit = in[c];
    powers.add(logit);
    if (args.smoothing != 0.0) {
      weights += class_weight<A>(args, c);
      weighted += class_weight<A>(args, c) * logit;
    }
  }
  // As the logarithm of softmax does, inf - inf makes all of a row with an infinite logit NaN.
  const A largest = warp_maximum(powers.largest);
  const A sum = warp_sum(powers.scaled_to(largest));
  const A shift = largest == static_cast<A>(-GK_INF) ? static_cast<A>(0) : largest;
  const A log_sum = shift + gk_log(sum);
  weights = warp_sum(weights);
  weighted = warp_sum(weighted);
  if (at.lane != 0) return;
  static_cast<A*>(args.log_sums)[at.row] = log_sum;
  const gk_i64 target = args.target[at.row];
  A loss = static_cast<A>(0);
  if (target != args.ignore_index) {
    if (is_outside(args, target)) {
      report_index(args.report, args.report.dim, target, args.columns, at.row);
      loss = static_cast<A>(GK_NAN);
    } else {
      loss = static_cast<A>(1.0 - args.smoothing) * class_weight<A>(args, target) *
             (log_sum - in[target]);
      if (args.smoothing != 0.0)
        loss += static_cast<A>(args.smoothing / static_cast<double>(args.columns)) *
                (weights * log_sum - weighted);
    }
  }
  static_cast<A*>(args.out)[at.row] = loss;
}

/// Sum over all threads of the block, in double; every thread gets it.
GK_FN double block_sum(double* slots, double value) {
  value = warp_sum(value);
  const int thread = static_cast<int>(threadIdx.x);
  if (thread % kWarp == 0) slots[thread / kWarp] = value;
  __syncthreads();
  value = 0.0;
  for (int warp = 0; warp < kLossThreads / kWarp; ++warp) value += slots[warp];
  __syncthreads();
  return value;
}

template <class A>
GK_FN void loss_total(const LossTotalKernelArgs& args) {
  GK_SHARED(double, slots, [kLossThreads / kWarp]);
  double total = 0.0, weight = 0.0;
  for (gk_i64 r = threadIdx.x; r < args.rows.rows; r += kLossThreads) {
    total += static_cast<double>(static_cast<const A*>(args.losses)[r]);
    const gk_i64 target = args.rows.target[r];
    if (target != args.rows.ignore_index && !is_outside(args.rows, target))
      weight += static_cast<double>(class_weight<A>(args.rows, target));
  }
  total = block_sum(&slots[0], total);
  weight = block_sum(&slots[0], weight);
  if (threadIdx.x != 0) return;
  *static_cast<A*>(args.scale) = static_cast<A>(args.mean != 0 ? 1.0 / weight : 1.0);
  *static_cast<A*>(args.total) = static_cast<A>(args.mean != 0 ? total / weight : total);
}

template <class A>
GK_FN void cross_entropy_backward(const CrossEntropyKernelArgs& args) {
  const WarpRow at = warp_row();
  if (at.row >= args.rows) return;
  const A* in = static_cast<const A*>(args.logits) + at.row * args.columns;
  A* out = static_cast<A*>(args.out) + at.row * args.columns;
  const gk_i64 target = args.target[at.row];
  const bool counts = target != args.ignore_index;
  const bool outside = counts && is_outside(args, target);
  const A smoothing = static_cast<A>(args.smoothing / static_cast<double>(args.columns));
  A weights = static_cast<A>(0);
  if (args.smoothing != 0.0) {
    GK_NO_UNROLL
    for (gk_i64 c = at.lane; c < args.columns; c += kWarp) weights += class_weight<A>(args, c);
    weights = warp_sum(weights);
  }
  const A scale = args.scale == nullptr ? static_cast<A>(1) : *static_cast<const A*>(args.scale);
  const A gradient = static_cast<const A*>(args.gradient)[args.by_row != 0 ? at.row : 0] * scale;
  const A sharp = counts && !outside
                      ? static_cast<A>(1.0 - args.smoothing) * class_weight<A>(args, target)
                      : static_cast<A>(0);
  const A log_sum = static_cast<const A*>(args.log_sums)[at.row];
  for (gk_i64 c = at.lane; c < args.columns; c += kWarp) {
    A value = gk_exp(in[c] - log_sum) * (sharp + smoothing * weights);
    value -= smoothing * class_weight<A>(args, c);
    if (c == target) value -= sharp;
    value *= gradient;
    if (!counts) value = static_cast<A>(0);
    out[c] = outside ? static_cast<A>(GK_NAN) : value;
  }
}

#define GK_LOSS(suffix, A)                                                                       \
  GK_KERNEL_BOUNDS(gk_cross_entropy_##suffix, kLossThreads, const CrossEntropyKernelArgs args) { \
    cross_entropy<A>(args);                                                                      \
  }                                                                                              \
  GK_KERNEL_BOUNDS(gk_cross_entropy_backward_##suffix, kLossThreads,                             \
                   const CrossEntropyKernelArgs args) {                                          \
    cross_entropy_backward<A>(args);                                                             \
  }                                                                                              \
  GK_KERNEL_BOUNDS(gk_loss_total_##suffix, kLossThreads, const LossTotalKernelArgs args) {       \
    loss_total<A>(args);                                                                         \
  }
GK_LOSS(f32, float)
GK_LOSS(f64, double)

}  // namespace gpukit
