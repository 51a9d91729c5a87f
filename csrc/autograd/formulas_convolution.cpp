// Derivatives of convolutions.
#include "autograd/convolution.h"
#include "autograd/elementwise.h"
#include "autograd/record.h"
#include "autograd/reduce.h"
#include "ops/elementwise.h"
#include "tensor/view.h"

namespace gpukit::autograd {

namespace formulas_convolution {
namespace {

Dims planes_of(const Tensor& tensor) {
  return Dims(std::span(tensor.shape().begin() + 2, tensor.shape().end()));
}

/// A bias seen beside (N, O, *places).
Tensor beside_planes(const Tensor& bias, int rank) {
  Shape shape = Shape::filled(rank - 1, 1);
  shape[0] = bias.size(0);
  return gpukit::view(contiguous(detached(bias)), shape);
}

/// The gradient of a bias (O): the sum over the batch and the planes.
Tensor bias_gradient(const Tensor& gradient) {
  Dims dims{0};
  for (int i = 2; i < gradient.rank(); ++i) dims.push_back(i);
  return reduce(ReduceOp::kSum, gradient, dims, false);
}

}  // namespace
}  // namespace formulas_convolution

Tensor convolution(const Tensor& input, const Tensor& weight, const Tensor& bias,
                   const ops::ConvolutionSteps& steps, const Dims& places) {
  const Tensor out = ops::convolution("convolution", input, weight, steps, places);
  if (bias.defined())
    ops::binary_(BinaryOp::kAdd, out, formulas_convolution::beside_planes(bias, out.rank()));
  const bool recorded = bias.defined() ? records(input, weight, bias) : records(input, weight);
  if (!recorded) return out;
  record(out, "ConvolutionBackward0",
         bias.defined() ? detail::edges_to({&input, &weight, &bias})
                        : detail::edges_to({&input, &weight}),
         [x = SavedTensor::input(0, input, weight.requires_grad()),
          w = SavedTensor::input(1, weight, input.requires_grad()), steps,
          sizes = formulas_convolution::planes_of(input),
          kernel = formulas_convolution::planes_of(weight), biased = bias.defined()](Pass& pass) {
           const Tensor& g = pass.gradient();
           if (pass.needs_input_grad(0))
             pass.accumulate_grad(0, convolution_input(g, pass(w), steps, sizes));
           if (pass.needs_input_grad(1))
             pass.accumulate_grad(1, convolution_weight(pass(x), g, steps, kernel));
           if (biased && pass.needs_input_grad(2))
             pass.accumulate_grad(2, formulas_convolution::bias_gradient(g));
         });
  return out;
}

Tensor convolution_input(const Tensor& output, const Tensor& weight,
                         const ops::ConvolutionSteps& steps, const Dims& sizes) {
  const Tensor out = ops::convolution_input("convolution", output, weight, steps, sizes);
  if (!records(output, weight)) return out;
  record(out, "ConvolutionBackward0", {&output, &weight},
         [y = SavedTensor::input(0, output, weight.requires_grad()),
          w = SavedTensor::input(1, weight, output.requires_grad()), steps,
          places = formulas_convolution::planes_of(output),
          kernel = formulas_convolution::planes_of(weight)](Pass& pass) {
           const Tensor& g = pass.gradient();
           if (pass.needs_input_grad(0))
             pass.accumulate_grad(0, convolution(g, pass(w), Tensor(), steps, places));
           if (pass.needs_input_grad(1))
             pass.accumulate_grad(1, convolution_weight(g, pass(y), steps, kernel));
         });
  return out;
}

Tensor convolution_weight(const Tensor& input, const Tensor& output,
                          const ops::ConvolutionSteps& steps, const Dims& kernel) {
  const Tensor out = ops::convolution_weight("convolution", input, output, steps, kernel);
  if (!records(input, output)) return out;
  record(out, "ConvolutionBackward0", {&input, &output},
         [x = SavedTensor::input(0, input, output.requires_grad()),
          y = SavedTensor::input(1, output, input.requires_grad()), steps,
          sizes = formulas_convolution::planes_of(input),
          places = formulas_convolution::planes_of(output)](Pass& pass) {
           const Tensor& g = pass.gradient();
           if (pass.needs_input_grad(0))
             pass.accumulate_grad(0, convolution_input(pass(y), g, steps, sizes));
           if (pass.needs_input_grad(1))
             pass.accumulate_grad(1, convolution(pass(x), g, Tensor(), steps, places));
         });
  return out;
}

}  // namespace gpukit::autograd
