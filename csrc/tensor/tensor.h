// A tensor: storage seen through a shape, strides and a dtype. Cheap to copy: one counted pointer.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "base/counted_ptr.h"
#include "base/reference_count.h"
#include "base/thread_local.h"
#include "core/device.h"
#include "core/dtype.h"
#include "core/layout.h"
#include "core/shape.h"
#include "tensor/storage.h"

namespace gpukit {

/// What autograd keeps with a tensor: its node in the graph, to which the nodes of later operations
/// point too. Defined in autograd/.
class AutogradMeta {
 public:
  void retain() noexcept { references_.add(); }
  void release() noexcept {
    if (references_.drop()) destroy();
  }
  std::uint32_t use_count() const noexcept { return references_.value(); }

 protected:
  AutogradMeta() = default;
  ~AutogradMeta() = default;
  AutogradMeta(const AutogradMeta&) = delete;
  AutogradMeta& operator=(const AutogradMeta&) = delete;

 private:
  virtual void destroy() noexcept = 0;
  ReferenceCount references_;
};

/// The shared state of Tensor handles. Blocks come from a free list (a small operation makes one
/// each time).
class TensorImpl {
 public:
  /// Contiguous, from the start of the storage; `elements` of them.
  TensorImpl(StorageRef&& bytes, DType element, const Shape& sizes, std::int64_t elements) noexcept
      : storage(std::move(bytes)),
        shape(sizes),
        strides(contiguous_strides(sizes)),
        count(elements),
        dtype(element) {}
  /// A view.
  TensorImpl(StorageRef&& bytes, DType element, const Shape& sizes, const Strides& steps,
             std::int64_t start) noexcept
      : storage(std::move(bytes)),
        shape(sizes),
        strides(steps),
        offset(start),
        count(element_count(sizes)),
        dtype(element),
        contiguous(gpukit::is_contiguous(sizes, steps)),
        is_view(true) {}
  ~TensorImpl() {
    if (base != nullptr) drop_base();
  }

  /// From here on the tensor is no view of another one. The memory stays shared.
  void drop_base() noexcept;
  /// A recorded in-place operation changed the base, or another view of it, since the node of this
  /// view was made.
  bool is_stale_view() const noexcept { return base != nullptr && base->changes != changes; }
  bool base_requires_grad() const noexcept { return base != nullptr && base->requires_grad; }

  StorageRef storage;
  Shape shape;
  Strides strides;
  std::int64_t offset = 0;  ///< elements from the start of the storage
  std::int64_t count;       ///< elements of the tensor
  DType dtype;
  bool contiguous = true;
  bool requires_grad = false;          ///< ask Tensor::requires_grad, which knows of bases
  bool is_view = false;                ///< made from another tensor, whose storage it shares
  bool is_inference = inference_mode;  ///< made in inference mode; says no more than that
  bool beyond_input = false;           ///< a view of more of its base than its input shows
  bool made_unrecorded = false;        ///< a view that was made, or is of one made, in no_grad()
  /// Recorded in-place operations on this tensor and its views; of a view, those that its node
  /// knows of.
  std::uint32_t changes = 0;
  /// What this is a view of, which is no view itself; counted. Null for detached tensors, and for
  /// views as another dtype, of which the other tensor has no gradient.
  TensorImpl* base = nullptr;
  CountedPtr<AutogradMeta> autograd;
  /// The living Python object, borrowed (bindings/tensor_type.cpp owns the rules); nullptr when
  /// there is none.
  std::atomic<void*> python_object{nullptr};
  /// When true, this impl owns a reference to python_object (the object outlived its Python
  /// references).
  bool owns_python_object = false;
  /// A label of this thread that autograd::set_inference_mode sets.
  GPUKIT_FAST_THREAD_LOCAL static inline constinit bool inference_mode = false;
  /// Whether operations of this thread are recorded (autograd::set_grad_enabled).
  GPUKIT_FAST_THREAD_LOCAL static inline constinit bool recording = true;
  /// Called instead of the destructor when owns_python_object is true: gives the impl (with no
  /// references left) to its Python object. Set by the bindings; may be called on any thread.
  static inline void (*return_to_python)(TensorImpl* impl) noexcept = nullptr;

  static void* operator new(std::size_t bytes);
  static void operator delete(void* address) noexcept;

 private:
  friend class Tensor;
  ReferenceCount references_;
};

class Tensor {
 public:
  Tensor() noexcept = default;
  Tensor(const Tensor& other) noexcept : impl_(other.impl_) { retain(); }
  Tensor(Tensor&& other) noexcept : impl_(std::exchange(other.impl_, nullptr)) {}
  Tensor& operator=(Tensor other) noexcept {
    std::swap(impl_, other.impl_);
    return *this;
  }
  ~Tensor() { release(); }

  /// A tensor over `storage`. The strides must stay inside it (views and factories see to that).
  static Tensor make(StorageRef storage, DType dtype, const Shape& shape, const Strides& strides,
                     std::int64_t offset);
  /// A view of `of`: autograd tells one of changes of the other.
  static Tensor make_view(const Tensor& of, DType dtype, const Shape& shape, const Strides& strides,
                          std::int64_t offset);
  static Tensor make_contiguous(StorageRef&& storage, DType dtype, const Shape& shape) {
    return make_contiguous(std::move(storage), dtype, shape, element_count(shape));
  }
  static Tensor make_contiguous(StorageRef&& storage, DType dtype, const Shape& shape,
                                std::int64_t count);

  bool defined() const noexcept { return impl_ != nullptr; }
  const Shape& shape() const noexcept { return impl_->shape; }
  const Strides& strides() const noexcept { return impl_->strides; }
  int rank() const noexcept { return impl_->shape.size(); }
  std::int64_t size(int dim) const noexcept { return impl_->shape[dim]; }
  std::int64_t count() const noexcept { return impl_->count; }
  std::int64_t offset() const noexcept { return impl_->offset; }
  std::size_t bytes() const noexcept {
    return static_cast<std::size_t>(impl_->count) * itemsize(impl_->dtype);
  }
  DType dtype() const noexcept { return impl_->dtype; }
  Device device() const noexcept { return open_device().device(); }
  OpenDevice& open_device() const noexcept { return impl_->storage->device(); }
  /// The host may read and write the elements; else they are copied.
  bool on_host() const noexcept { return open_device().shares_memory_with_host(); }
  bool is_contiguous() const noexcept { return impl_->contiguous; }
  const StorageRef& storage() const noexcept { return impl_->storage; }

  /// Address of the first element: host memory on the CPU, device memory otherwise. A copy that is
  /// still filling it is waited for, see Storage::data. Always inline: every operation checks each
  /// of its tensors.
  [[gnu::always_inline]] void* data() const {
    return impl_->storage->data() +
           impl_->offset * static_cast<std::int64_t>(itemsize(impl_->dtype));
  }
  template <class T>
  T* data_as() const {
    return static_cast<T*>(data());
  }

  bool requires_grad() const noexcept {
    return impl_->requires_grad || impl_->base_requires_grad();
  }
  TensorImpl* impl() const noexcept { return impl_; }
  std::uint32_t use_count() const noexcept {
    return impl_ != nullptr ? impl_->references_.value() : 0;
  }
  bool is_same(const Tensor& other) const noexcept { return impl_ == other.impl_; }

  /// Hands the reference over to a raw pointer and back (the Python object holds one so).
  TensorImpl* release_to_raw() && noexcept { return std::exchange(impl_, nullptr); }
  static Tensor adopt_raw(TensorImpl* impl) noexcept { return Tensor(impl); }
  /// The first reference to an impl that return_to_python was given.
  static Tensor revive_raw(TensorImpl* impl) noexcept {
    impl->references_.restart();
    return Tensor(impl);
  }
  static Tensor share_raw(TensorImpl* impl) noexcept {
    Tensor tensor(impl);
    tensor.retain();
    return tensor;
  }

 private:
  explicit Tensor(TensorImpl* impl) noexcept : impl_(impl) {}
  void retain() const noexcept {
    if (impl_ != nullptr) impl_->references_.add();
  }
  void release() noexcept {
    if (impl_ == nullptr || !impl_->references_.drop()) return;
    if (impl_->owns_python_object) [[unlikely]] {
      TensorImpl::return_to_python(impl_);
    } else {
      delete impl_;
    }
  }

  TensorImpl* impl_ = nullptr;
};

}  // namespace gpukit
