// A tensor that a formula needs for its gradient, and the proof that nobody changed it meanwhile.
#pragma once

#include <cstdint>

#include "tensor/tensor.h"
#include "tensor/view.h"

namespace gpukit::autograd {

/// Keeps the memory, not the tensor: no graph and no Python object lives on through it.
class SavedTensor {
 public:
  SavedTensor() noexcept = default;
  explicit SavedTensor(const Tensor& tensor)
      : tensor_(detached(tensor)), version_(tensor.storage()->version()) {}
  /// Saved only when `wanted`; undefined otherwise.
  SavedTensor(const Tensor& tensor, bool wanted) {
    if (wanted) *this = SavedTensor(tensor);
  }

  const Tensor& tensor() const noexcept { return tensor_; }
  std::uint32_t version() const noexcept { return version_; }
  bool unchanged() const noexcept { return tensor_.storage()->version() == version_; }

 private:
  Tensor tensor_;
  std::uint32_t version_ = 0;
};

}  // namespace gpukit::autograd
