// The products of ops/matmul.h, recorded where a gradient is wanted.
#pragma once

#include "core/scalar.h"
#include "ops/matmul.h"
#include "tensor/tensor.h"

namespace gpukit::autograd {

Tensor matmul(const Tensor& left, const Tensor& right);
Tensor mm(const Tensor& left, const Tensor& right);
Tensor bmm(const Tensor& left, const Tensor& right);
Tensor mv(const Tensor& matrix, const Tensor& vector);
Tensor dot(const Tensor& left, const Tensor& right);
Tensor outer(const Tensor& left, const Tensor& right);
Tensor addmm(const Tensor& input, const Tensor& left, const Tensor& right, Scalar beta,
             Scalar alpha);

}  // namespace gpukit::autograd
