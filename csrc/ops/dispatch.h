// What every operation needs: the device and stream of a call, checks of operands, arguments for
// backends.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "backend/current.h"
#include "backend/device_ops.h"
#include "backend/session.h"
#include "tensor/captured_graph.h"
#include "tensor/factory.h"
#include "tensor/tensor.h"

namespace gpukit::ops {

/// This thread's stream of a device. The CPU has one stream only.
inline StreamRef stream_of(const OpenDevice& device) {
  return device.shares_memory_with_host() ? StreamRef{} : current_stream(device);
}

/// Tells the storage that `stream` uses it, when that is not the stream it was allocated on.
inline void note_use(const Tensor& tensor, StreamRef stream) {
  if (!(tensor.storage()->stream() == stream) || any_capture()) [[unlikely]]
    tensor.storage()->record_stream(stream);
}

/// Where one call runs. Made once per operation; `use` goes over each tensor that the call reads or
/// writes.
struct Call {
  explicit Call(OpenDevice& device) : ops(device.ops()), stream(stream_of(device)) {}
  explicit Call(const Tensor& tensor) : Call(tensor.open_device()) {}

  template <class... Tensors>
  void use(const Tensors&... tensors) const {
    (note_use(tensors, stream), ...);
  }

  DeviceOps& ops;
  StreamRef stream;
};

/// Throws DeviceMismatchError naming the .to() that is missing and its bytes.
[[noreturn]] void throw_device_mismatch(std::string_view op, const Tensor& left,
                                        const Tensor& right);
inline void check_same_device(std::string_view op, const Tensor& left, const Tensor& right) {
  if (&left.open_device() != &right.open_device()) [[unlikely]]
    throw_device_mismatch(op, left, right);
}

/// A CPU tensor without dimensions: its value mixes with tensors of any device.
inline bool is_host_scalar(const Tensor& tensor) { return tensor.rank() == 0 && tensor.on_host(); }
/// The tensor, or where it is a host scalar and `other` on another device, its value there.
Tensor transfer_scalar(const Tensor& tensor, const Tensor& other);

/// The whole tensor in its layout.
inline Operand operand(const Tensor& tensor) {
  return {tensor.data(), tensor.dtype(), tensor.strides()};
}
/// The tensor seen as `shape`, to which it must broadcast.
inline Operand operand(const Tensor& tensor, const Shape& shape) {
  return {tensor.data(), tensor.dtype(),
          broadcast_strides(tensor.shape(), tensor.strides(), shape)};
}
/// A contiguous tensor as one dimension.
inline Operand flat_operand(const Tensor& tensor) {
  return {tensor.data(), tensor.dtype(), Strides::filled(1, 1)};
}
inline Shape flat_shape(std::int64_t count) { return Shape::filled(1, count); }

/// As few dimensions as all operands allow, and at least one.
template <class... Operands>
void merge_operands(Shape& shape, Operands&... operands) {
  Strides* const strides[] = {&operands.strides...};
  merge_dims(shape, strides);
}

/// True when two shapes broadcast to a common one.
bool broadcast_together(const Shape& a, const Shape& b) noexcept;
/// True when `shape` broadcasts to `target` without changing it.
bool broadcasts_to(const Shape& shape, const Shape& target) noexcept;

/// "add_" for add.
std::string_view in_place_name(UnaryOp op) noexcept;
std::string_view in_place_name(BinaryOp op) noexcept;

/// Refuses a tensor of inference_mode() outside of it.
void check_not_inference(std::string_view op, const Tensor& target);
/// Refuses a target that is read-only or has several indices at one address, and one of
/// inference_mode() outside of it. Waits for uploads that still read it.
void check_target(std::string_view op, const Tensor& target);
/// True when the ranges of memory that the two lie in have bytes in common.
bool overlaps(const Tensor& a, const Tensor& b);
/// True when the two share memory, but not element for element (both seen as target.shape()).
bool overlaps_shifted(const Tensor& target, const Tensor& source);

/// out = condition ? left : right with final dtypes and one device; all broadcast to out, which may
/// be an operand.
void run_where(const Tensor& out, const Tensor& condition, const Tensor& left, const Tensor& right);

/// Resolves a dimension; a 0-d tensor counts as one of a single dimension, as in torch.
inline int dim_of(const Tensor& tensor, std::int64_t dim, std::string_view op) {
  return normalize_dim(dim, tensor.rank() == 0 ? 1 : tensor.rank(), op);
}

/// "X is (2, 3)": for messages.
std::string describe(std::string_view argument, const Tensor& tensor);

/// Sizes around a dimension of a contiguous tensor: (outer, extent, inner).
struct Around {
  std::int64_t outer = 1, extent = 1, inner = 1;
};
Around around(const Shape& shape, int dim) noexcept;

}  // namespace gpukit::ops
