// Complex tensors: made of real ones, taken apart, and computed. A device sees complex elements in
// DeviceOps::complex_function only; all other operations go over the real and the imaginary parts,
// which are floating tensors over the same memory (tensor/view.h).
#pragma once

#include <optional>
#include <string_view>

#include "kernels/op_codes.h"
#include "ops/reduced_dims.h"
#include "tensor/tensor.h"

namespace gpukit::ops {

/// The elements of a contiguous complex tensor as twice as many floating ones: the same memory.
Tensor flat_parts(const Tensor& tensor);

/// real + i imag; both of one dtype, float32 or float64, and broadcast. Throws DTypeError.
Tensor complex(const Tensor& real, const Tensor& imag);
/// absolute * (cos(angle) + i sin(angle)), likewise.
Tensor polar(const Tensor& absolute, const Tensor& angle);
/// Of other dtypes a tensor itself.
Tensor conj(const Tensor& tensor);
/// atan2(imag, real); of real numbers 0 or pi.
Tensor angle(const Tensor& tensor);
/// X / |X|, and 0 of 0; of real numbers their sign.
Tensor sgn(const Tensor& tensor);

/// Throws the DTypeError of what has no meaning for complex numbers.
void check_real(std::string_view op, DType dtype);
void check_real(std::string_view op, const Tensor& tensor);

// The parts of other functions of ops/ that complex tensors take.
Tensor complex_unary(UnaryOp op, const Tensor& input);
/// `left` and `right` on one device, both converted to `promoted`, a complex dtype.
Tensor complex_binary(BinaryOp op, const Tensor& left, const Tensor& right, DType promoted);
void check_complex(BinaryOp op, std::string_view call);
Tensor complex_reduce(ReduceOp op, const Tensor& input, ReducedDims dims, bool keepdim);
Tensor complex_cumulative(const Tensor& input, int dim, bool product);
Tensor complex_matmul(const Tensor& left, const Tensor& right, std::string_view op);

}  // namespace gpukit::ops
