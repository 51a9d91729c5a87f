// Matrix products.
#pragma once

#include "core/scalar.h"
#include "tensor/tensor.h"

namespace gpukit::ops {

/// torch.matmul: vectors, matrices and batches with broadcasting. Errors name the inner sizes and
/// suggest .T.
Tensor matmul(const Tensor& left, const Tensor& right);
Tensor mm(const Tensor& left, const Tensor& right);   ///< two matrices exactly
Tensor bmm(const Tensor& left, const Tensor& right);  ///< two stacks of matrices exactly
Tensor mv(const Tensor& matrix, const Tensor& vector);
Tensor dot(const Tensor& left, const Tensor& right);
Tensor outer(const Tensor& left, const Tensor& right);
/// beta * input + alpha * left @ right; input broadcasts.
Tensor addmm(const Tensor& input, const Tensor& left, const Tensor& right, Scalar beta,
             Scalar alpha);
/// input @ weight.T + bias: weight is (out, in), bias (out) or undefined, input (…, in).
Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias);

enum class MatmulPrecision : int { kHighest, kHigh, kMedium };
/// Float32 products on a GPU: kHighest is plain float32, the others allow TF32. Process wide.
void set_float32_matmul_precision(MatmulPrecision precision) noexcept;
MatmulPrecision float32_matmul_precision() noexcept;

}  // namespace gpukit::ops
