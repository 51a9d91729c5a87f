// Short-lived memory of an operation, from the workspace of memory/, else from the C++ heap.
#pragma once

#include <cstddef>
#include <new>

#include "backend/device_ops.h"

namespace gpukit::cpu {

class Scratch {
 public:
  /// 64-byte aligned. `bytes` may be 0.
  Scratch(Workspace* workspace, std::size_t bytes) : workspace_(workspace), bytes_(bytes) {
    if (bytes == 0) return;
    address_ = workspace != nullptr ? workspace->allocate(bytes, StreamRef{})
                                    : ::operator new(bytes, std::align_val_t{64});
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    if (address_ == nullptr) return;
    if (workspace_ != nullptr) {
      workspace_->deallocate(address_, bytes_, StreamRef{});
    } else {
      ::operator delete(address_, std::align_val_t{64});
    }
  }

  template <class T>
  T* as() const noexcept {
    return static_cast<T*>(address_);
  }

 private:
  Workspace* workspace_;
  std::size_t bytes_;
  void* address_ = nullptr;
};

}  // namespace gpukit::cpu
