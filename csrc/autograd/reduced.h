// What the formula of a reduction knows of it: which dimensions went, and the way back.
#pragma once

#include "kernels/op_codes.h"
#include "ops/reduced_dims.h"
#include "tensor/tensor.h"

namespace gpukit::autograd {

class Reduced {
 public:
  Reduced(const Tensor& input, ops::ReducedDims dims);
  /// Of an input of this shape.
  Reduced(const Shape& shape, ops::ReducedDims dims);

  /// True when no dimension was named.
  bool whole() const noexcept { return whole_; }
  /// How many elements went into one result.
  double count() const noexcept;
  /// A result in the shape that keepdim gives.
  Tensor kept(const Tensor& result) const;
  /// A result repeated over the input's shape, as a view.
  Tensor expand(const Tensor& result) const;
  /// Another reduction of a tensor of the input's shape over the same dimensions, which stay with
  /// size 1.
  Tensor again(ReduceOp op, const Tensor& tensor) const;
  /// The reduced dimensions as one, which is the last; and back.
  Tensor as_rows(const Tensor& tensor) const;
  Tensor from_rows(const Tensor& rows) const;

 private:
  Shape shape_;       // of the input
  Shape kept_shape_;  // with size 1 where reduced
  Dims dims_;
  Dims order_;  // the dimensions that stay, then the reduced ones
  bool whole_;
};

}  // namespace gpukit::autograd
