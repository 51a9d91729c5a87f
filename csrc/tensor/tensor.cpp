#include "tensor/tensor.h"

#include <new>

#include "tensor/node_pool.h"

namespace gpukit {

namespace {

struct ImplTag;
using ImplPool = NodePool<ImplTag, sizeof(TensorImpl), 64, 256>;

TensorImpl* make_impl(StorageRef&& storage, DType dtype, const Shape& shape,
                      const Strides& strides) {
  auto* impl = new TensorImpl;  // no (): they would clear the whole block first
  impl->storage = std::move(storage);
  impl->shape = shape;
  impl->strides = strides;
  impl->count = element_count(shape);
  impl->dtype = dtype;
  return impl;
}

}  // namespace

void* TensorImpl::operator new(std::size_t) { return ImplPool::take(); }

void TensorImpl::operator delete(void* address) noexcept { ImplPool::give(address); }

Tensor Tensor::make(StorageRef storage, DType dtype, const Shape& shape, const Strides& strides,
                    std::int64_t offset) {
  TensorImpl* impl = make_impl(std::move(storage), dtype, shape, strides);
  impl->offset = offset;
  impl->contiguous = gpukit::is_contiguous(shape, strides);
  impl->is_view = true;
  return Tensor(impl);
}

Tensor Tensor::make_contiguous(StorageRef storage, DType dtype, const Shape& shape) {
  return Tensor(make_impl(std::move(storage), dtype, shape, contiguous_strides(shape)));
}

}  // namespace gpukit
