// Steps of optimizers: all parameters of a group in one call.
#pragma once

#include <span>
#include <string_view>

#include "kernels/op_codes.h"
#include "tensor/tensor.h"

namespace gpukit::ops {

/// Where the rates of a step come from. `decay` is the decoupled one, of AdamW.
struct StepSchedule {
  double lr = 0;
  double beta = 0, beta_square = 0;
  double decay = 0;

  struct Rates {
    double shrink = 1, step_size = 0, root_correction = 1;
  };
  /// Of a parameter's n-th step; SGD's do not depend on it.
  Rates at(double step) const;
};

/// A parameter with its gradient and what the rule remembers of it. States are undefined where the
/// rule has none; `fresh` ones are not initialised yet. `step` counts, one float32 on the CPU, and
/// is undefined for SGD; it counts the steps before this one. In a graph each replay counts.
struct OptimizedParameter {
  Tensor parameter, gradient;
  Tensor first, second, largest;
  Tensor step;
  bool fresh = false;
};

/// Changes parameters and states in place. Every parameter is updated in its layout; `op` names
/// the caller. Throws DeviceMismatchError, DTypeError or ShapeError for a gradient or state that
/// does not fit its parameter, before anything is changed. While a graph is captured the step is
/// recorded; each replay rereads its rates from the schedule.
void optimizer_step(std::string_view op, const OptimizerSettings& settings,
                    const StepSchedule& schedule, std::span<OptimizedParameter> parameters);

}  // namespace gpukit::ops
