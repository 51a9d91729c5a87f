#include "tensor/tensor.h"

#include <new>

#include "tensor/node_pool.h"

namespace gpukit {

namespace {

struct ImplTag;
using ImplPool = NodePool<ImplTag, sizeof(TensorImpl), 64, 256>;

}  // namespace

void* TensorImpl::operator new(std::size_t) { return ImplPool::allocate(); }

void TensorImpl::operator delete(void* address) noexcept { ImplPool::deallocate(address); }

Tensor Tensor::make(StorageRef storage, DType dtype, const Shape& shape, const Strides& strides,
                    std::int64_t offset) {
  Tensor made(new TensorImpl(std::move(storage), dtype, shape, strides, offset));
  made.impl_->is_view = false;  // of no tensor: memory of NumPy, of a file
  return made;
}

Tensor Tensor::make_view(const Tensor& of, DType dtype, const Shape& shape, const Strides& strides,
                         std::int64_t offset) {
  Tensor made = make(of.storage(), dtype, shape, strides, offset);
  made.impl_->is_inference = of.impl_->is_inference;
  made.impl_->is_view = true;
  if (real_dtype(dtype) != real_dtype(of.dtype())) return made;
  TensorImpl* base = of.impl_->base != nullptr ? of.impl_->base : of.impl_;
  base->references_.add();
  made.impl_->base = base;
  made.impl_->changes = base->changes;
  made.impl_->beyond_input = of.impl_->beyond_input;
  made.impl_->made_unrecorded = !TensorImpl::recording || of.impl_->made_unrecorded;
  return made;
}

void TensorImpl::drop_base() noexcept {
  is_view = false;
  made_unrecorded = false;
  Tensor::adopt_raw(std::exchange(base, nullptr));
}

Tensor Tensor::make_contiguous(StorageRef&& storage, DType dtype, const Shape& shape,
                               std::int64_t count) {
  return Tensor(new TensorImpl(std::move(storage), dtype, shape, count));
}

}  // namespace gpukit
