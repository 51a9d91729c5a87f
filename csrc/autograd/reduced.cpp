#include "autograd/reduced.h"

#include "autograd/reduce.h"
#include "autograd/shape.h"

namespace gpukit::autograd {

Reduced::Reduced(const Tensor& input, ops::ReducedDims dims) : Reduced(input.shape(), dims) {}

Reduced::Reduced(const Shape& shape, ops::ReducedDims dims)
    : shape_(shape), kept_shape_(shape), whole_(dims.whole()) {
  for (int i = 0; i < shape_.size(); ++i) {
    if (!dims[i]) order_.push_back(i);
  }
  for (int i = 0; i < shape_.size(); ++i) {
    if (!dims[i]) continue;
    kept_shape_[i] = 1;
    dims_.push_back(i);
    order_.push_back(i);
  }
}

double Reduced::count() const noexcept {
  double count = 1;
  for (const std::int64_t dim : dims_) count *= static_cast<double>(shape_[static_cast<int>(dim)]);
  return count;
}

Tensor Reduced::kept(const Tensor& result) const { return autograd::reshape(result, kept_shape_); }

Tensor Reduced::expand(const Tensor& result) const {
  return autograd::expand(kept(result), shape_);
}

Tensor Reduced::again(ReduceOp op, const Tensor& tensor) const {
  if (dims_.empty()) return tensor;  // a 0-d tensor
  return autograd::reduce(op, tensor, dims_, true);
}

Tensor Reduced::as_rows(const Tensor& tensor) const {
  const Tensor ordered = autograd::permute(tensor, order_);
  Shape shape = ordered.shape();
  shape.resize(shape_.size() - dims_.size());
  shape.push_back(static_cast<std::int64_t>(count()));
  return autograd::reshape(ordered, shape);
}

Tensor Reduced::from_rows(const Tensor& rows) const {
  Shape ordered;
  Dims back = Dims::filled(order_.size(), 0);
  for (int i = 0; i < order_.size(); ++i) {
    ordered.push_back(shape_[static_cast<int>(order_[i])]);
    back[static_cast<int>(order_[i])] = i;
  }
  return autograd::permute(autograd::reshape(rows, ordered), back);
}

}  // namespace gpukit::autograd
