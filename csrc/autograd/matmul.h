// The products of ops/matmul.h, recorded where a gradient is wanted.
#pragma once

#include "core/scalar.h"
#include "ops/matmul.h"
#include "tensor/tensor.h"

namespace gpukit::autograd {

Tensor matmul(const Tensor& left, const Tensor& right, const Tensor* out = nullptr);
Tensor mm(const Tensor& left, const Tensor& right, const Tensor* out = nullptr);
Tensor bmm(const Tensor& left, const Tensor& right, const Tensor* out = nullptr);
Tensor mv(const Tensor& matrix, const Tensor& vector, const Tensor* out = nullptr);
Tensor dot(const Tensor& left, const Tensor& right, const Tensor* out = nullptr);
Tensor outer(const Tensor& left, const Tensor& right, const Tensor* out = nullptr);
Tensor addmm(const Tensor& input, const Tensor& left, const Tensor& right, Scalar beta,
             Scalar alpha, const Tensor* out = nullptr);

}  // namespace gpukit::autograd
