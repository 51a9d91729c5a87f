// A tensor that a formula needs for its gradient, and a check that it was not changed meanwhile.
#pragma once

#include <cstdint>

#include "autograd/grad_mode.h"
#include "autograd/saved_tensor_hooks.h"
#include "tensor/tensor.h"
#include "tensor/view.h"

namespace gpukit::autograd {

/// Keeps the memory, not the tensor: it keeps no graph and no Python object alive. It states the
/// tensor's role in its node, so that a pass that is itself recorded can connect it to the graph
/// again. While hooks are active it keeps what they make of the tensor instead.
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
  /// The place of the node's result in the graph, of which no formula reads values: hooks do not
  /// see it.
  static SavedTensor place(const Tensor& tensor) {
    SavedTensor saved;
    saved.role_ = kResult;
    saved.keep(tensor);
    return saved;
  }
  /// An index, a mask, or anything else that no gradient flows through.
  static SavedTensor constant(const Tensor& tensor, bool wanted = true) {
    return wanted ? SavedTensor(tensor, kConstant) : SavedTensor();
  }

  bool defined() const noexcept { return tensor_.defined(); }
  DType dtype() const noexcept { return packed() ? packed()->kind().dtype : tensor_.dtype(); }
  const Shape& shape() const noexcept {
    return packed() ? packed()->kind().shape : tensor_.shape();
  }
  std::int64_t count() const noexcept { return element_count(shape()); }

  /// The tensor, or what the unpack hook gives. Throws AutogradError, which names what needs it,
  /// when its memory was changed since.
  Tensor value(const char* needed_by) const {
    if (packed() != nullptr) [[unlikely]]
      return packed()->unpacked();
    if (tensor_.storage()->version() != version_) [[unlikely]]
      throw_changed(needed_by);
    return tensor_;
  }
  bool is_result() const noexcept { return role_ == kResult; }
  /// The index of the edge; negative if it is not an input.
  int edge() const noexcept { return role_; }

 private:
  static constexpr int kResult = -1, kConstant = -2;

  SavedTensor(const Tensor& tensor, int role) : role_(role) {
    if (tensor.impl()->is_inference && !inference_mode_enabled()) [[unlikely]]
      throw_inference();
    if (SavedTensorHooks::any() && pack(tensor)) [[unlikely]]
      return;
    keep(tensor);
  }
  void keep(const Tensor& tensor) {
    tensor_ = detached(tensor);
    version_ = tensor.storage()->version();
  }
  /// False without hooks in this thread.
  bool pack(const Tensor& tensor);
  /// Null for a tensor that no hook has packed.
  const PackedTensor* packed() const noexcept {
    return static_cast<const PackedTensor*>(tensor_.impl()->autograd.get());
  }
  [[noreturn]] void throw_changed(const char* needed_by) const;
  [[noreturn]] static void throw_inference();

  // Detached: the place of its node is free. It holds what a hook has packed, where one has, beside
  // no elements: a member more would cost every node, and hooks are rare.
  Tensor tensor_;
  std::uint32_t version_ = 0;
  std::int32_t role_ = kConstant;
};

}  // namespace gpukit::autograd
