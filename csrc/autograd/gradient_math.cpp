#include "autograd/gradient_math.h"

#include "autograd/record.h"
#include "autograd/reduce.h"
#include "autograd/shape.h"
#include "ops/creation.h"
#include "tensor/transfer.h"

namespace gpukit::autograd {

namespace {

/// The dimensions of `from` over which broadcasting repeated `to`.
Dims broadcast_dims(const Shape& from, const Shape& to) {
  Dims dims;
  const int added = from.size() - to.size();
  for (int i = 0; i < from.size(); ++i) {
    if (i < added || (to[i - added] == 1 && from[i] != 1)) dims.push_back(i);
  }
  return dims;
}

Tensor sum_to_shape(Tensor gradient, const Shape& shape) {
  // An assigned value may have had more dimensions of size 1 in front than its target.
  while (gradient.rank() < shape.size()) gradient = autograd::unsqueeze(gradient, 0);
  const Dims dims = broadcast_dims(gradient.shape(), shape);
  return autograd::reshape(
      dims.empty() ? gradient : autograd::reduce(ReduceOp::kSum, gradient, dims, true), shape);
}

}  // namespace

Tensor without_slope(const char* name, const Tensor& value, std::span<const Tensor> inputs) {
  if (!is_differentiable(value.dtype()) || !records(inputs)) return value;
  const Tensor out = detached(value);
  record(out, name, detail::edges_to(inputs), [count = inputs.size()](Pass& pass) {
    for (std::size_t i = 0; i < count; ++i) {
      if (pass.needs_input_grad(i)) pass.accumulate_grad(i, zeros_of(pass.kind(i)));
    }
  });
  return out;
}

Tensor floor_divide(const Tensor& a, const Tensor& b) {
  const Tensor inputs[] = {a, b};
  return without_slope("DivBackward2", ops::binary(BinaryOp::kFloorDivide, a, b), inputs);
}

Tensor zeros_like(const Tensor& tensor) {
  return ops::zeros(tensor.shape(), tensor.dtype(), tensor.device());
}

Tensor zeros_of(const GradientKind& kind) {
  return ops::zeros(kind.shape, kind.dtype, kind.device);
}

Tensor where_true(const Tensor& mask, const Tensor& gradient) {
  return where(mask, gradient, ops::zeros(Shape{}, gradient.dtype(), gradient.device()));
}

Tensor where_false(const Tensor& mask, const Tensor& gradient) {
  return where(mask, ops::zeros(Shape{}, gradient.dtype(), gradient.device()), gradient);
}

Tensor sum_to_shape(Tensor gradient, const GradientKind& kind) {
  if (!(gradient.shape() == kind.shape)) gradient = sum_to_shape(gradient, kind.shape);
  if (gradient.dtype() != kind.dtype) gradient = cast(gradient, kind.dtype);  // the real part, too
  if (!(gradient.device() == kind.device)) gradient = to_device(gradient, kind.device);
  return gradient;
}

}  // namespace gpukit::autograd
