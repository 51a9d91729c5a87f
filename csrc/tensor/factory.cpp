#include "tensor/factory.h"

#include "backend/registry.h"
#include "base/check.h"
#include "base/error.h"

namespace gpukit {

namespace factory {
namespace {

std::size_t bytes_of(const Shape& shape, DType dtype) noexcept {
  return static_cast<std::size_t>(element_count(shape)) * itemsize(dtype);
}

void check(const void* data, DType dtype, const Shape& shape) {
  check_shape(shape, itemsize(dtype), "from_host_memory");
  const std::size_t size = itemsize(real_dtype(dtype));  // the parts of a complex number lie apart
  GPUKIT_CHECK(reinterpret_cast<std::uintptr_t>(data) % size == 0, ValueError,
               "from_host_memory: the address of the data is not a multiple of ", size,
               " (the bytes of one element). Copy the data first");
}

}  // namespace
}  // namespace factory

Tensor empty(const Shape& shape, DType dtype, Device device, std::string_view op) {
  check_shape(shape, itemsize(dtype), op);
  return empty_on(open_device(device), shape, dtype);
}

Tensor empty_on(OpenDevice& device, const Shape& shape, DType dtype) {
  const std::int64_t count = element_count(shape);
  const std::size_t bytes = static_cast<std::size_t>(count) * itemsize(dtype);
  return Tensor::make_contiguous(StorageRef::allocate(device, bytes), dtype, shape, count);
}

Tensor empty_like(const Tensor& like) {
  return empty_on(like.open_device(), like.shape(), like.dtype());
}

Tensor empty_pinned(const Shape& shape, DType dtype) {
  check_shape(shape, itemsize(dtype), "empty");
  OpenDevice& cuda = open_device(Device::cuda(-1));
  return Tensor::make_contiguous(StorageRef::allocate_pinned(cuda, factory::bytes_of(shape, dtype)),
                                 dtype, shape);
}

Tensor from_host_memory(void* data, DType dtype, const Shape& shape, const Strides& strides,
                        ReleaseFunction release, void* context) {
  const auto size = static_cast<std::int64_t>(itemsize(dtype));
  OffsetRange range;
  try {
    factory::check(data, dtype, shape);
    range = offset_range(shape, strides);
  } catch (...) {
    release(context);
    throw;
  }
  // With negative strides the first element is not the lowest one.
  auto* lowest = static_cast<std::byte*>(data) + range.lowest * size;
  const std::int64_t elements = element_count(shape) == 0 ? 0 : range.highest - range.lowest + 1;
  StorageRef storage = StorageRef::adopt(
      cpu_device(), lowest, static_cast<std::size_t>(elements * size), release, context);
  return Tensor::make(std::move(storage), dtype, shape, strides, -range.lowest);
}

}  // namespace gpukit
