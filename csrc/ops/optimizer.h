// Steps of optimizers: all parameters of a group in one call.
#pragma once

#include <span>
#include <string_view>

#include "kernels/op_codes.h"
#include "tensor/tensor.h"

namespace gpukit::ops {

/// A parameter with its gradient and what the rule remembers of it. States are undefined where the
/// rule has none; `fresh` ones are not initialised yet.
struct OptimizedParameter {
  Tensor parameter, gradient;
  Tensor first, second, largest;
  double step_size = 0;
  double root_correction = 1;
  bool fresh = false;
};

/// Changes parameters and states in place. Every parameter is worked on where it lies; `op` names
/// the caller. Throws DeviceMismatchError, DTypeError or ShapeError for a gradient or state that
/// does not fit its parameter, before anything is changed.
void optimizer_step(std::string_view op, const OptimizerSettings& settings,
                    std::span<OptimizedParameter> parameters);

}  // namespace gpukit::ops
