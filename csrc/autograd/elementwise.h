// The operations of ops/elementwise.h, recorded where a gradient is wanted. Same arguments, results
// and errors.
#pragma once

#include <optional>
#include <span>

#include "core/scalar.h"
#include "ops/elementwise.h"
#include "ops/random.h"
#include "tensor/tensor.h"

namespace gpukit::autograd {

namespace recorded {

Tensor unary(UnaryOp op, const Tensor& input);
Tensor binary(BinaryOp op, const Tensor& left, const Tensor& right);
Tensor binary(BinaryOp op, const Tensor& left, Scalar right);
Tensor binary(BinaryOp op, Scalar left, const Tensor& right);
void binary_(BinaryOp op, const Tensor& target, const Tensor& right);
void binary_(BinaryOp op, const Tensor& target, Scalar right);

}  // namespace recorded

// Here the question whether to record is inline: a + b of one element takes about 80 ns in all.

inline Tensor unary(UnaryOp op, const Tensor& input, const Tensor* out = nullptr) {
  if (input.requires_grad()) [[unlikely]]
    return recorded::unary(op, input);
  return ops::unary(op, input, out);
}
inline Tensor binary(BinaryOp op, const Tensor& left, const Tensor& right) {
  if (left.requires_grad() || right.requires_grad()) [[unlikely]]
    return recorded::binary(op, left, right);
  return ops::binary(op, left, right);
}
inline Tensor binary(BinaryOp op, const Tensor& left, const Tensor& right, const Tensor* out) {
  return out == nullptr ? binary(op, left, right) : ops::binary(op, left, right, out);
}
inline Tensor binary(BinaryOp op, const Tensor& left, Scalar right, const Tensor* out = nullptr) {
  if (left.requires_grad()) [[unlikely]]
    return recorded::binary(op, left, right);
  return ops::binary(op, left, right, out);
}
inline Tensor binary(BinaryOp op, Scalar left, const Tensor& right, const Tensor* out = nullptr) {
  if (right.requires_grad()) [[unlikely]]
    return recorded::binary(op, left, right);
  return ops::binary(op, left, right, out);
}
inline void binary_(BinaryOp op, const Tensor& target, const Tensor& right) {
  if (target.requires_grad() || right.requires_grad()) [[unlikely]]
    return recorded::binary_(op, target, right);
  ops::binary_(op, target, right);
}
inline void binary_(BinaryOp op, const Tensor& target, Scalar right) {
  if (target.requires_grad()) [[unlikely]]
    return recorded::binary_(op, target, right);
  ops::binary_(op, target, right);
}

void unary_(UnaryOp op, const Tensor& target);

Tensor complex(const Tensor& real, const Tensor& imag);
Tensor polar(const Tensor& absolute, const Tensor& angle);
Tensor conj(const Tensor& tensor);
Tensor angle(const Tensor& tensor);
Tensor sgn(const Tensor& tensor);
Tensor where(const Tensor& condition, const Tensor& left, const Tensor& right,
             const Tensor* out = nullptr);
Tensor clamp(const Tensor& input, std::optional<Scalar> low, std::optional<Scalar> high,
             const Tensor* out = nullptr);
void clamp_(const Tensor& target, std::optional<Scalar> low, std::optional<Scalar> high);

/// `value`, a step function of the inputs: its derivative is 0 everywhere. `name` lives as long as
/// the process.
Tensor without_slope(const char* name, const Tensor& value, std::span<const Tensor> inputs);

Tensor cast(const Tensor& input, DType dtype);
Tensor to_device(const Tensor& input, Device device, const TransferOptions& options = {});
Tensor clone(const Tensor& input);
Tensor contiguous(const Tensor& input);
void copy_(const Tensor& target, const Tensor& source, bool non_blocking = false);
void fill_(const Tensor& target, Scalar value);
void zero_(const Tensor& target);

void uniform_(const Tensor& target, double low, double high, ops::Generator& generator);
void normal_(const Tensor& target, double mean, double deviation, ops::Generator& generator);

}  // namespace gpukit::autograd
