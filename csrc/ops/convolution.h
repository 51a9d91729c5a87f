// Convolutions of planes of one, two or three dimensions.
#pragma once

#include <string_view>

#include "backend/layer_args.h"
#include "core/shape.h"
#include "tensor/tensor.h"

namespace gpukit::ops {

/// How a kernel moves over padded planes: a number for each of their dimensions, and of groups.
/// `before` zeros are in front of a dimension; a negative number leaves elements out.
struct ConvolutionSteps {
  Dims stride, before, dilation;
  std::int64_t groups = 1;
};

/// The output (N, O, *places) of input (N, C, *sizes) and weight (O, C / groups, *kernel).
/// All: throws ShapeError, DTypeError, DeviceMismatchError, ValueError, naming `op`.
Tensor convolution(std::string_view op, const Tensor& input, const Tensor& weight,
                   const ConvolutionSteps& steps, const Dims& places);
/// The gradient of an input of `sizes`, of the output's: a transposed convolution.
Tensor convolution_input(std::string_view op, const Tensor& output, const Tensor& weight,
                         const ConvolutionSteps& steps, const Dims& sizes);
/// The gradient of a weight with `kernel`, of the output's.
Tensor convolution_weight(std::string_view op, const Tensor& input, const Tensor& output,
                          const ConvolutionSteps& steps, const Dims& kernel);

}  // namespace gpukit::ops
