#include "tensor/storage_view.h"

#include "base/check.h"
#include "base/error.h"

namespace gpukit {

namespace storage_view_impl {
namespace {

/// The last element that the layout reaches from `offset`, or -1 when int64 cannot count it.
std::int64_t last_element(const Shape& shape, const Strides& strides, std::int64_t offset) {
  std::int64_t last = offset;
  for (int i = 0; i < shape.size(); ++i) {
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(shape[i] - 1, strides[i], &reach)) return -1;
    if (__builtin_add_overflow(last, reach, &last)) return -1;
  }
  return last;
}

void check(const Storage& storage, DType dtype, const Shape& shape, const Strides& strides,
           std::int64_t offset, std::string_view op) {
  const auto elements = static_cast<std::int64_t>(storage.bytes() / itemsize(dtype));
  const std::int64_t last = last_element(shape, strides, offset);
  GPUKIT_CHECK(last >= 0 && last < elements, ValueError, op, ": shape ", to_string(shape),
               " with strides ", to_string(strides), " from ", offset, " leaves a storage of ",
               elements, " elements");
}

/// Strides of one-element dimensions are never stepped: huge ones are made harmless.
Strides normalized_strides(const Shape& shape, Strides strides) {
  for (int i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) strides[i] = 1;
  }
  return strides;
}

}  // namespace
}  // namespace storage_view_impl

Tensor storage_view(const Tensor& base, DType dtype, const Shape& shape, const Strides& strides,
                    std::int64_t offset, std::string_view op) {
  const StorageRef& storage = base.storage();
  const std::size_t size = itemsize(dtype);
  check_shape(shape, size, op);
  GPUKIT_CHECK(shape.size() == strides.size(), ValueError, op, ": ", shape.size(), " sizes, but ",
               strides.size(), " strides");
  GPUKIT_CHECK(offset >= 0, ValueError, op, ": storage_offset must be 0 or more, got ", offset);
  for (const std::int64_t stride : strides) {
    GPUKIT_CHECK(stride >= 0, ValueError, op, ": stride must be 0 or more, got ", stride);
  }
  const std::size_t aligned = itemsize(real_dtype(dtype));
  GPUKIT_CHECK(reinterpret_cast<std::uintptr_t>(storage->data()) % aligned == 0, ValueError, op,
               ": the memory is not aligned to elements of ", name(dtype));
  if (element_count(shape) == 0)
    return Tensor::make(storage, dtype, shape, contiguous_strides(shape), 0);
  storage_view_impl::check(*storage, dtype, shape, strides, offset, op);
  return Tensor::make(storage, dtype, shape, storage_view_impl::normalized_strides(shape, strides),
                      offset);
}

}  // namespace gpukit
