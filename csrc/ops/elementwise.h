// Element by element: the meaning of operators. Checks, promotion, broadcasting; backends compute.
#pragma once

#include <optional>
#include <string_view>

#include "core/scalar.h"
#include "kernels/op_codes.h"
#include "tensor/transfer_plan.h"

namespace gpukit::ops {

std::string_view name(UnaryOp op) noexcept;   ///< "exp"
std::string_view name(BinaryOp op) noexcept;  ///< "add"

/// Integers become the default floating dtype where the function needs it (exp, sqrt, sigmoid …).
/// Here and below `out` is where the result is made if it fits (ops/out_tensor.h).
Tensor unary(UnaryOp op, const Tensor& input, const Tensor* out = nullptr);
void unary_(UnaryOp op, const Tensor& target);  ///< in place

/// Operands on one device (a 0-d CPU tensor mixes with any device), broadcast, promoted as torch
/// does. kDiv of integers gives the default floating dtype. Throws DeviceMismatchError, ShapeError,
/// DTypeError.
Tensor binary(BinaryOp op, const Tensor& left, const Tensor& right);
Tensor binary(BinaryOp op, const Tensor& left, const Tensor& right, const Tensor* out);
Tensor binary(BinaryOp op, const Tensor& left, Scalar right, const Tensor* out = nullptr);
Tensor binary(BinaryOp op, Scalar left, const Tensor& right, const Tensor* out = nullptr);
/// Throws what binary throws for its operands, with `call` as the name: for calls that are made of
/// several operators.
void check_operands(BinaryOp op, const Tensor& left, const Tensor& right, std::string_view call);
void check_operands(BinaryOp op, const Tensor& tensor, Scalar scalar, std::string_view call);
/// In place; the result must cast to the target's dtype within its kind and broadcast to its shape.
void binary_(BinaryOp op, const Tensor& target, const Tensor& right);
void binary_(BinaryOp op, const Tensor& target, Scalar right);

Tensor where(const Tensor& condition, const Tensor& left, const Tensor& right,
             const Tensor* out = nullptr);
Tensor clamp(const Tensor& input, std::optional<Scalar> low, std::optional<Scalar> high,
             const Tensor* out = nullptr);
void clamp_(const Tensor& target, std::optional<Scalar> low, std::optional<Scalar> high);

/// Converted to `dtype` on the same device; the tensor itself when it has that dtype already.
Tensor cast(const Tensor& input, DType dtype);
/// Always a new contiguous tensor.
Tensor clone(const Tensor& input);
/// The tensor itself when contiguous.
Tensor contiguous(const Tensor& input);
/// A contiguous copy on another device, made contiguous and converted on the side where that costs
/// less. The rest as transfer in tensor/transfer.h.
Tensor to_device(const Tensor& input, Device device, const TransferOptions& options = {});
/// target[...] = source: broadcasts, converts, any strides, any devices, overlap allowed.
void copy_(const Tensor& target, const Tensor& source, bool non_blocking = false);
void fill_(const Tensor& target, Scalar value);

}  // namespace gpukit::ops
