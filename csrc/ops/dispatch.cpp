#include "ops/dispatch.h"

#include "base/check.h"
#include "base/error.h"
#include "base/format.h"
#include "ops/creation.h"
#include "ops/promotion.h"

namespace gpukit::ops {

void throw_device_mismatch(std::string_view op, const Tensor& left, const Tensor& right) {
  const Device left_device = left.device();
  const Device right_device = right.device();
  if (left_device == right_device) {
    // One of them belongs to a session that is over: asking says which and why.
    left.open_device().ops();
    right.open_device().ops();
  }
  // Work belongs on the accelerator, so a CPU operand is the one to move.
  const bool move_left = left_device.is_cpu() && right_device.is_accelerator();
  const Tensor& moved = move_left ? left : right;
  const std::string call = concat(move_left ? "X" : "Y", ".to('",
                                  to_string(move_left ? right_device : left_device), "')");
  throw DeviceMismatchError(concat(op, ": X is on ", to_string(left_device), ", Y is on ",
                                   to_string(right_device), ". Move one first, e.g. ", call,
                                   " (copies ",
                                   format_bytes(static_cast<std::int64_t>(moved.bytes())),
                                   "). gpukit never moves data silently."))
      .with_fix(call);
}

Tensor transfer_scalar(const Tensor& tensor, const Tensor& other) {
  if (!is_host_scalar(tensor) || other.on_host()) return tensor;
  return full(Shape{}, read_scalar(tensor), tensor.dtype(), other.device());
}

void check_not_inference(std::string_view op, const Tensor& target) {
  if (!target.impl()->is_inference || TensorImpl::inference_mode) [[likely]]
    return;
  throw AutogradError(
      concat(op,
             ": X was made in inference_mode(), and only there it can be changed in "
             "place. Use X.clone() first."))
      .with_fix("X.clone()");
}

void check_target(std::string_view op, const Tensor& target) {
  GPUKIT_CHECK(!target.storage()->read_only(), ValueError, op,
               ": X is read-only memory (of the array it was made from). Use X.clone() first.");
  check_not_inference(op, target);
  target.storage()->wait_for_readers();
  if (target.is_contiguous()) return;
  GPUKIT_CHECK(is_non_overlapping(target.shape(), target.strides()), ValueError, op,
               ": X of shape ", to_string(target.shape()),
               " has several elements at one address (it was expanded). Use X.clone() first.");
}

namespace {

struct AddressRange {
  const std::byte* first;
  const std::byte* end;
};

AddressRange address_range(const Tensor& tensor) {
  const OffsetRange offsets = offset_range(tensor.shape(), tensor.strides());
  const auto bytes = static_cast<std::int64_t>(itemsize(tensor.dtype()));
  const std::byte* data = tensor.data_as<const std::byte>();
  return {data + offsets.lowest * bytes, data + (offsets.highest + 1) * bytes};
}

bool same_strides(const Shape& shape, const Strides& a, const Strides& b) {
  for (int i = 0; i < shape.size(); ++i) {
    if (shape[i] > 1 && a[i] != b[i]) return false;
  }
  return true;
}

}  // namespace

bool overlaps(const Tensor& a, const Tensor& b) {
  if (&a.open_device() != &b.open_device()) return false;
  if (a.count() == 0 || b.count() == 0) return false;
  const AddressRange left = address_range(a);
  const AddressRange right = address_range(b);
  return right.first < left.end && left.first < right.end;
}

bool overlaps_shifted(const Tensor& target, const Tensor& source) {
  if (!overlaps(target, source)) return false;
  const bool same_view =
      target.data() == source.data() && itemsize(target.dtype()) == itemsize(source.dtype()) &&
      same_strides(target.shape(), target.strides(),
                   broadcast_strides(source.shape(), source.strides(), target.shape()));
  return !same_view;
}

bool broadcast_together(const Shape& a, const Shape& b) noexcept {
  for (int i = a.size() - 1, j = b.size() - 1; i >= 0 && j >= 0; --i, --j) {
    if (a[i] != b[j] && a[i] != 1 && b[j] != 1) return false;
  }
  return true;
}

bool broadcasts_to(const Shape& shape, const Shape& target) noexcept {
  const int missing = target.size() - shape.size();
  if (missing < 0) return false;
  for (int i = 0; i < shape.size(); ++i) {
    if (shape[i] != target[i + missing] && shape[i] != 1) return false;
  }
  return true;
}

std::string describe(std::string_view argument, const Tensor& tensor) {
  return concat(argument, " is ", to_string(tensor.shape()));
}

Around around(const Shape& shape, int dim) noexcept {
  Around sizes;
  for (int i = 0; i < shape.size(); ++i) {
    if (i < dim) sizes.outer *= shape[i];
    if (i == dim) sizes.extent = shape[i];
    if (i > dim) sizes.inner *= shape[i];
  }
  return sizes;
}

}  // namespace gpukit::ops
