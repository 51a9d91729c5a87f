// A tensor that a formula needs for its gradient, and a check that it was not changed meanwhile.
#pragma once

#include <cstdint>

#include "tensor/tensor.h"
#include "tensor/view.h"

namespace gpukit::autograd {

/// Keeps the memory, not the tensor: it keeps no graph and no Python object alive. It states the
/// tensor's role in its node, so that a pass that is itself recorded can connect it to the graph
/// again.
class SavedTensor {
 public:
  SavedTensor() noexcept = default;
  // Saved only when `wanted`; undefined otherwise.
  /// The input at edge `index` of the node.
  static SavedTensor input(int index, const Tensor& tensor, bool wanted = true) {
    return wanted ? SavedTensor(tensor, index) : SavedTensor();
  }
  /// The result of the node.
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
  /// The index of the edge; negative if it is not an input.
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
