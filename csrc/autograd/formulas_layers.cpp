// Derivatives of pooling and batch norm.
#include "autograd/gradient_math.h"
#include "autograd/indexing.h"
#include "autograd/layers.h"
#include "autograd/record.h"
#include "autograd/reduce.h"
#include "autograd/shape.h"
#include "tensor/view.h"

namespace gpukit::autograd {

namespace formulas_layers {
namespace {

constexpr const char* kPoolNames[] = {"MaxPool1DWithIndicesBackward0",
                                      "MaxPool2DWithIndicesBackward0",
                                      "MaxPool3DWithIndicesBackward0"};

/// The dimensions in front of the planes, and the planes as one.
Shape flat_planes(const Shape& shape, int dims) {
  Shape flat(std::span(shape.begin(), shape.end() - dims));
  flat.push_back(element_count(Shape(std::span(shape.end() - dims, shape.end()))));
  return flat;
}

/// plane_sum, whose derivative takes the elements at the numbers.
Tensor summed(const Tensor& values, const Tensor& numbers, const Dims& sizes) {
  const Tensor out = ops::plane_sum(values, numbers, sizes);
  if (!records(values)) return out;
  record(out, "MaxPoolBackwardBackward0", {&values},
         [at = SavedTensor::constant(numbers), shape = values.shape(),
          dims = sizes.size()](Pass& pass) {
           const Tensor& g = pass.gradient();
           const Tensor flat = autograd::reshape(g, flat_planes(g.shape(), dims));
           const Tensor index = gpukit::view(pass(at), flat_planes(shape, dims));
           pass.accumulate_grad(0, autograd::reshape(gather(flat, -1, index), shape));
         });
  return out;
}

/// A value a channel seen beside (N, C, …).
Tensor by_channel(const Tensor& values, int rank) {
  Shape shape = Shape::filled(rank - 1, 1);
  shape[0] = values.count();
  return autograd::reshape(values, shape);
}
Dims all_but_channels(int rank) {
  Dims dims{0};
  for (int i = 2; i < rank; ++i) dims.push_back(i);
  return dims;
}

struct BatchNormFormula {
  SavedTensor input, weight, mean, rstd;
  double eps;
  bool has_weight, has_bias;

  void operator()(Pass& pass) const {
    if (pass.recorded() || input.count() == 0) return composed(pass);
    const Tensor scale = has_weight ? pass(weight) : Tensor();
    const ops::BatchNormGradients gradients =
        ops::batch_norm_backward(pass.gradient(), pass(input), scale, pass(mean), pass(rstd));
    if (pass.needs_input_grad(0)) pass.accumulate_grad(0, gradients.input);
    if (has_weight && pass.needs_input_grad(1)) pass.accumulate_grad(1, gradients.weight);
    if (has_bias && pass.needs_input_grad(bias_edge()))
      pass.accumulate_grad(bias_edge(), gradients.bias);
  }

 private:
  std::size_t bias_edge() const { return has_weight ? 2 : 1; }

  /// The statistics as functions of the input, so that they have derivatives too.
  void composed(Pass& pass) const {
    const Tensor x = pass(input), g = pass.gradient();
    const Dims dims = all_but_channels(x.rank());
    const auto mean_of = [&](const Tensor& t) { return reduce(ReduceOp::kMean, t, dims, true); };
    const auto sum_of = [&](const Tensor& t) { return reduce(ReduceOp::kSum, t, dims, false); };
    const Tensor distance = sub(x, mean_of(x));
    const Tensor factor = rsqrt(add(mean_of(square(distance)), eps));
    const Tensor normal = mul(distance, factor);
    if (has_weight && pass.needs_input_grad(1)) pass.accumulate_grad(1, sum_of(mul(g, normal)));
    if (has_bias && pass.needs_input_grad(bias_edge()))
      pass.accumulate_grad(bias_edge(), sum_of(g));
    if (!pass.needs_input_grad(0)) return;
    const Tensor scaled = has_weight ? mul(g, by_channel(pass(weight), x.rank())) : g;
    const Tensor slope = mul(normal, mean_of(mul(scaled, normal)));
    pass.accumulate_grad(0, mul(sub(sub(scaled, mean_of(scaled)), slope), factor));
  }
};

}  // namespace
}  // namespace formulas_layers

ops::Largest max_pool(const Tensor& input, const ops::Windows& windows, bool numbers) {
  const bool recorded = records(input);
  const ops::Largest result = ops::max_pool(input, windows, numbers || recorded);
  if (!recorded) return result;
  const int dims = windows.kernel.size();
  const Shape& shape = input.shape();
  record(result.values, formulas_layers::kPoolNames[dims - 1], {&input},
         [at = SavedTensor::constant(result.numbers),
          sizes = Dims(std::span(shape.end() - dims, shape.end()))](Pass& pass) {
           pass.accumulate_grad(0, formulas_layers::summed(pass.gradient(), pass(at), sizes));
         });
  return result;
}

ops::BatchNorm batch_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                          double eps) {
  ops::BatchNorm result = ops::batch_norm(input, weight, bias, Tensor(), Tensor(), eps);
  const auto wanted = [](const Tensor& tensor) { return tensor.defined() && records(tensor); };
  if (!wanted(input) && !wanted(weight) && !wanted(bias)) return result;
  std::vector<Tensor> inputs{input};
  for (const Tensor* other : {&weight, &bias}) {
    if (other->defined()) inputs.push_back(*other);
  }
  record(result.out, "NativeBatchNormBackward0", detail::edges_to(inputs),
         formulas_layers::BatchNormFormula{
             SavedTensor::input(0, input), SavedTensor::input(1, weight, weight.defined()),
             SavedTensor::constant(result.mean), SavedTensor::constant(result.rstd), eps,
             weight.defined(), bias.defined()});
  return result;
}

}  // namespace gpukit::autograd
