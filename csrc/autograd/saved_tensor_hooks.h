// What a tensor that is saved for a backward pass becomes until then: a choice of the user's.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "autograd/node.h"
#include "base/counted_ptr.h"

namespace gpukit::autograd {

/// A saved tensor in the form that a pack hook gave it. The nodes' copies of a formula share it.
class PackedTensor : public AutogradMeta {
 public:
  explicit PackedTensor(const Tensor& tensor)
      : kind_(tensor), contiguous_(tensor.is_contiguous()) {}

  /// Of the tensor that was packed.
  const GradientKind& kind() const noexcept { return kind_; }
  /// What the unpack hook gives, without a graph; contiguous if the tensor was. Throws what the
  /// hook does, and a typed error for a tensor of another kind.
  Tensor unpacked() const;

 protected:
  virtual ~PackedTensor() = default;

 private:
  virtual Tensor unpack() const = 0;
  void destroy() noexcept final { delete this; }

  GradientKind kind_;
  bool contiguous_;
};

using PackedPtr = CountedPtr<PackedTensor>;

/// Hooks for tensors saved by this thread while they are the innermost. bindings/ defines them.
class SavedTensorHooks {
 public:
  virtual ~SavedTensorHooks() = default;
  /// Called without the GIL and without a lock; nothing is recorded meanwhile.
  virtual PackedPtr pack(const Tensor& tensor) = 0;

  /// Whether any thread has hooks: looked at for each tensor that is saved.
  static bool any() noexcept { return active_.load(std::memory_order_relaxed) != 0; }
  /// Throws AutogradError with the message of disable_saved_tensor_hooks, if there is one.
  static void push(std::shared_ptr<SavedTensorHooks> hooks);
  static void pop() noexcept;
  /// The tensor in the form of the innermost hooks of this thread; null without hooks.
  static PackedPtr packed(const Tensor& tensor);

 private:
  struct Thread;
  static Thread& thread() noexcept;
  friend void disable_saved_tensor_hooks(std::string reason);
  friend const std::string& saved_tensor_hooks_disabled() noexcept;

  static inline constinit std::atomic<int> active_{0};
};

/// Why this thread may not have such hooks; empty where it may. Throws AutogradError with the
/// reason if it has some.
void disable_saved_tensor_hooks(std::string reason);
const std::string& saved_tensor_hooks_disabled() noexcept;

}  // namespace gpukit::autograd
