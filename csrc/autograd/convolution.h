// Convolutions, recorded if a gradient is needed. The output, the input's gradient and the weight's
// are linear in each operand, and the derivative of each is made of the other two.
#pragma once

#include "ops/convolution.h"

namespace gpukit::autograd {

/// The output of input (N, C, *sizes) and weight (O, C / groups, *kernel), plus bias (O), which may
/// be undefined.
Tensor convolution(const Tensor& input, const Tensor& weight, const Tensor& bias,
                   const ops::ConvolutionSteps& steps, const Dims& places);
/// The transposed convolution of (N, O, *places) to (N, C, *sizes).
Tensor convolution_input(const Tensor& output, const Tensor& weight,
                         const ops::ConvolutionSteps& steps, const Dims& sizes);
/// The weight's gradient of input and the output's gradient.
Tensor convolution_weight(const Tensor& input, const Tensor& output,
                          const ops::ConvolutionSteps& steps, const Dims& kernel);

}  // namespace gpukit::autograd
