// A tensor that a formula needs for its gradient, and the proof that nobody changed it meanwhile.
#pragma once

#include <cstdint>

#include "tensor/tensor.h"
#include "tensor/view.h"

namespace gpukit::autograd {

/// Keeps the memory, not the tensor: no graph and no Python object lives on through it. It says
/// what the tensor is to its node, so that a pass that is recorded itself finds it in the graph
/// again.
class SavedTensor {
 public:
  SavedTensor() noexcept = default;
  // Saved only when `wanted`; undefined otherwise.
  /// What edge number `index` of the node leads to.
  static SavedTensor input(int index, const Tensor& tensor, bool wanted = true) {
    return wanted ? SavedTensor(tensor, index) : SavedTensor();
  }
  /// What the node made.
  static SavedTensor result(const Tensor& tensor, bool wanted = true) {
    return wanted ? SavedTensor(tensor, kResult) : SavedTensor();
  }
  /// An index, a mask, or anything else that no gradient flows through.
  static SavedTensor constant(const Tensor& tensor, bool wanted = true) {
    return wanted ? SavedTensor(tensor, kConstant) : SavedTensor();
  }

  const Tensor& tensor() const noexcept { return tensor_; }
  std::uint32_t version() const noexcept { return version_; }
  bool unchanged() const noexcept { return tensor_.storage()->version() == version_; }
  bool is_result() const noexcept { return role_ == kResult; }
  /// The number of the edge; negative for what is no input.
  int edge() const noexcept { return role_; }

 private:
  static constexpr int kResult = -1, kConstant = -2;

  SavedTensor(const Tensor& tensor, int role)
      : tensor_(detached(tensor)), version_(tensor.storage()->version()), role_(role) {}

  Tensor tensor_;
  std::uint32_t version_ = 0;
  std::int32_t role_ = kConstant;
};

}  // namespace gpukit::autograd
