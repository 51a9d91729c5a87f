#include "autograd/gradient_math.h"

#include "ops/creation.h"
#include "ops/joining.h"
#include "ops/reduce.h"
#include "tensor/transfer.h"
#include "tensor/view.h"

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

Tensor summed_to(Tensor gradient, const Shape& shape) {
  // An assigned value may have had more dimensions of size 1 in front than its place.
  while (gradient.rank() < shape.size()) gradient = gpukit::unsqueeze(gradient, 0);
  const Dims dims = broadcast_dims(gradient.shape(), shape);
  return ops::reshape(dims.empty() ? gradient : ops::reduce(ReduceOp::kSum, gradient, dims, true),
                      shape);
}

}  // namespace

Tensor zeros_like(const Tensor& tensor) {
  return ops::zeros(tensor.shape(), tensor.dtype(), tensor.device());
}

Tensor zeros_of(const GradientKind& kind) {
  return ops::zeros(kind.shape, kind.dtype, kind.device);
}

Tensor where_true(const Tensor& mask, const Tensor& gradient) {
  return ops::where(mask, gradient, ops::zeros(Shape{}, gradient.dtype(), gradient.device()));
}

Tensor where_false(const Tensor& mask, const Tensor& gradient) {
  return ops::where(mask, ops::zeros(Shape{}, gradient.dtype(), gradient.device()), gradient);
}

Tensor fitted(Tensor gradient, const GradientKind& kind) {
  if (!(gradient.shape() == kind.shape)) gradient = summed_to(gradient, kind.shape);
  if (gradient.dtype() != kind.dtype) gradient = ops::cast(gradient, kind.dtype);
  if (!(gradient.device() == kind.device)) {
    gradient = copy_to_device(ops::contiguous(gradient), kind.device, false);
  }
  return gradient;
}

}  // namespace gpukit::autograd
