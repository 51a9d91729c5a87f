// One step of an optimizer for many parameters: each block works on a piece of one of them.
#include "kernels/element.h"
#include "kernels/training_args.h"

namespace gpukit {

GK_FN float root(float x) { return sqrtf(x); }
GK_FN double root(double x) { return sqrt(x); }

/// The item that this block belongs to: the last one whose blocks begin here or before.
GK_FN int item_of_block(const OptimizerKernelArgs& args) {
  int low = 0, high = args.items - 1;
  const gk_i64 block = static_cast<gk_i64>(blockIdx.x);
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (args.item[middle].first_block <= block) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/// One element of a state, 0 where it is not initialised yet.
template <class T>
GK_FN gk_acc_t<T> state_at(const void* state, gk_i64 i, bool fresh) {
  return fresh ? static_cast<gk_acc_t<T>>(0) : gk_up(static_cast<const T*>(state)[i]);
}

template <class T, class A>
GK_FN void put(void* array, gk_i64 i, A value) {
  static_cast<T*>(array)[i] = gk_down<T>(value);
}

/// Values that a graph rereads in each replay.
struct StepRates {
  double shrink, step_size, root_correction;
};

GK_FN StepRates rates_of(const OptimizerKernelArgs& args, const OptimizerKernelItem& item) {
  if (args.rates == nullptr) return {args.settings.shrink, item.step_size, item.root_correction};
  return {args.rates[0], args.rates[1], args.rates[2]};
}

template <class T>
GK_FN void sgd_element(const OptimizerSettings& s, const OptimizerKernelItem& item,
                       const StepRates& rates, gk_i64 i) {
  typedef gk_acc_t<T> A;
  const A parameter = gk_up(static_cast<const T*>(item.parameter)[i]);
  A gradient = gk_up(static_cast<const T*>(item.gradient)[i]);
  if (s.maximize != 0) gradient = -gradient;
  gradient += static_cast<A>(s.weight_decay) * parameter;
  A update = gradient;
  if (item.first != nullptr) {
    const A kept = static_cast<A>(s.kept);
    const A buffer = item.fresh != 0 ? gradient
                                     : kept * state_at<T>(item.first, i, false) +
                                           static_cast<A>(s.taken) * gradient;
    put<T>(item.first, i, buffer);
    update = s.nesterov != 0 ? gradient + kept * buffer : buffer;
  }
  put<T>(item.parameter, i, parameter - static_cast<A>(rates.step_size) * update);
}

template <class T>
GK_FN void adam_element(const OptimizerSettings& s, const OptimizerKernelItem& item,
                        const StepRates& rates, gk_i64 i) {
  typedef gk_acc_t<T> A;
  const bool fresh = item.fresh != 0;
  const A parameter =
      gk_up(static_cast<const T*>(item.parameter)[i]) * static_cast<A>(rates.shrink);
  A gradient = gk_up(static_cast<const T*>(item.gradient)[i]);
  if (s.maximize != 0) gradient = -gradient;
  gradient += static_cast<A>(s.weight_decay) * parameter;
  const A mean = static_cast<A>(s.kept) * state_at<T>(item.first, i, fresh) +
                 static_cast<A>(s.taken) * gradient;
  A square = static_cast<A>(s.kept_square) * state_at<T>(item.second, i, fresh) +
             static_cast<A>(s.taken_square) * gradient * gradient;
  put<T>(item.first, i, mean);
  put<T>(item.second, i, square);
  if (item.largest != nullptr) {
    const A before = state_at<T>(item.largest, i, fresh);
    square = square > before ? square : before;
    put<T>(item.largest, i, square);
  }
  const A denominator =
      root(square) / static_cast<A>(rates.root_correction) + static_cast<A>(s.eps);
  put<T>(item.parameter, i, parameter - static_cast<A>(rates.step_size) * (mean / denominator));
}

template <class T>
GK_FN void optimizer_step(const OptimizerKernelArgs& args) {
  const OptimizerKernelItem& item = args.item[item_of_block(args)];
  const StepRates rates = rates_of(args, item);
  const gk_i64 tile = static_cast<gk_i64>(blockIdx.x) - item.first_block;
  GK_UNROLL
  for (int e = 0; e < kElementsPerThread; ++e) {
    const gk_i64 i = tile * kElementTile + e * kElementThreads + threadIdx.x;
    if (i >= item.count) return;
    if (args.settings.rule == OptimizerRule::kSgd) {
      sgd_element<T>(args.settings, item, rates, i);
    } else {
      adam_element<T>(args.settings, item, rates, i);
    }
  }
}

#define GK_OPTIMIZER(suffix, T)                                                              \
  GK_KERNEL_BOUNDS(gk_optimizer_##suffix, kElementThreads, const OptimizerKernelArgs args) { \
    optimizer_step<T>(args);                                                                 \
  }
GK_FOR_FLOATS(GK_OPTIMIZER)

}  // namespace gpukit
