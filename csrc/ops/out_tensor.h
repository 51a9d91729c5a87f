// out=: an existing tensor that the result of an operation is made in, where it fits. An operation
// that takes it has a last argument `const Tensor* out`, null for a new tensor. Whether the result
// is that tensor is for the caller to see: one that does not fit is copied there.
#pragma once

#include "ops/dispatch.h"
#include "tensor/factory.h"

namespace gpukit::ops {

namespace detail {

inline bool fits(const Tensor& out, OpenDevice& device, const Shape& shape, DType dtype) {
  return &out.open_device() == &device && out.dtype() == dtype && out.shape() == shape;
}

inline Tensor checked_out(const Tensor& out) {
  check_target("out", out);
  return out;
}

}  // namespace detail

/// A tensor of any strides for an elementwise result, with undefined elements. An input may be
/// `out` itself, element for element, but not overlap it otherwise.
template <class... Inputs>
Tensor result_of_elements(const Tensor* out, OpenDevice& device, const Shape& shape, DType dtype,
                          const Inputs&... inputs) {
  if (out != nullptr && detail::fits(*out, device, shape, dtype) &&
      !(overlaps_shifted(*out, inputs) || ...)) [[unlikely]]
    return detail::checked_out(*out);
  return empty_on(device, shape, dtype);
}

/// The same for a contiguous result that must not share memory with the inputs.
template <class... Inputs>
Tensor result_apart(const Tensor* out, OpenDevice& device, const Shape& shape, DType dtype,
                    const Inputs&... inputs) {
  if (out != nullptr && detail::fits(*out, device, shape, dtype) && out->is_contiguous() &&
      !(overlaps(*out, inputs) || ...)) [[unlikely]]
    return detail::checked_out(*out);
  return empty_on(device, shape, dtype);
}

}  // namespace gpukit::ops
