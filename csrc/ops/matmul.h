// Matrix products.
#pragma once

#include <string_view>

#include "backend/op_args.h"
#include "core/scalar.h"
#include "tensor/tensor.h"

namespace gpukit::ops {

/// torch.matmul: vectors, matrices and batches with broadcasting. Errors name the inner sizes and
/// suggest .T; they begin with `op`.
Tensor matmul(const Tensor& left, const Tensor& right, const Tensor* out = nullptr,
              std::string_view op = "matmul");
Tensor mm(const Tensor& left, const Tensor& right,
          const Tensor* out = nullptr);  ///< two matrices exactly
Tensor bmm(const Tensor& left, const Tensor& right,
           const Tensor* out = nullptr);  ///< two stacks of matrices exactly
Tensor mv(const Tensor& matrix, const Tensor& vector, const Tensor* out = nullptr);
Tensor dot(const Tensor& left, const Tensor& right, const Tensor* out = nullptr);
Tensor outer(const Tensor& left, const Tensor& right, const Tensor* out = nullptr);
/// beta * input + alpha * left @ right; input broadcasts.
Tensor addmm(const Tensor& input, const Tensor& left, const Tensor& right, Scalar beta,
             Scalar alpha, const Tensor* out = nullptr);
/// input @ weight.T + bias, then the activation: weight is (out, in), bias (out) or undefined,
/// input (…, in).
Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias,
              Activation activation = Activation::kNone);

struct LinearGradients {
  Tensor weight, bias;
};
/// gradient.T @ input, and the sums of gradient's columns: what linear's weight and bias get. Both
/// of rank 2, with as many rows.
LinearGradients linear_gradients(const Tensor& gradient, const Tensor& input);

enum class MatmulPrecision : int { kHighest, kHigh, kMedium };
/// Float32 products on a GPU: kHighest is plain float32, the others allow TF32. Process wide.
void set_float32_matmul_precision(MatmulPrecision precision) noexcept;
MatmulPrecision float32_matmul_precision() noexcept;

}  // namespace gpukit::ops
