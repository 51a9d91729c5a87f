// A pointer that shares ownership of an object that counts its references itself.
#pragma once

#include <cstddef>
#include <utility>

namespace gpukit {

/// `T` has retain() and release(); release() of the last reference ends the object.
template <class T>
class CountedPtr {
 public:
  CountedPtr() noexcept = default;
  CountedPtr(std::nullptr_t) noexcept {}  // NOLINT: null is a pointer
  CountedPtr(const CountedPtr& other) noexcept : object_(other.object_) {
    if (object_ != nullptr) object_->retain();
  }
  CountedPtr(CountedPtr&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  CountedPtr& operator=(CountedPtr other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~CountedPtr() {
    if (object_ != nullptr) object_->release();
  }

  /// Takes over the reference that the caller has.
  static CountedPtr adopt(T* object) noexcept {
    CountedPtr pointer;
    pointer.object_ = object;
    return pointer;
  }
  static CountedPtr share(T* object) noexcept {
    if (object != nullptr) object->retain();
    return adopt(object);
  }
  /// Hands the reference over to the caller.
  T* detach() noexcept { return std::exchange(object_, nullptr); }

  T* get() const noexcept { return object_; }
  T* operator->() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  T* object_ = nullptr;
};

}  // namespace gpukit
