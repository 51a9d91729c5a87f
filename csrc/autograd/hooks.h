// Functions called with a gradient before it is used. bindings/ defines them.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "tensor/tensor.h"

namespace gpukit::autograd {

/// Called without the GIL and without a lock. What a hook throws ends the backward pass.
class Hook {
 public:
  virtual ~Hook() = default;
};

/// The hook of a tensor's gradient.
class TensorHook : public Hook {
 public:
  /// The gradient to go on with; undefined keeps the one given. A hook of a leaf's stored gradient
  /// is given none and gives none.
  virtual Tensor call(const Tensor& gradient) = 0;
};

/// Gradients of a node's inputs or results; undefined where there is none.
using Gradients = std::vector<Tensor>;

/// The hook of a node.
class NodeHook : public Hook {
 public:
  /// Before the derivative `results` is null and `gradients` are those of the node's results; after
  /// it they are those of its inputs, which `results` led to. The gradients to go on with, as
  /// many; nothing keeps them.
  virtual std::optional<Gradients> call(const Gradients& gradients, const Gradients* results) = 0;
};

/// Hooks of one kind, in the order they were added. Thread safe.
class HookList {
 public:
  using Entry = std::pair<std::uint64_t, std::shared_ptr<Hook>>;

  std::uint64_t add(std::shared_ptr<Hook> hook);
  void remove(std::uint64_t id) noexcept;
  void clear() noexcept;
  std::vector<Entry> all() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
  std::uint64_t next_id_ = 0;
};

/// All that users have attached to a node.
struct NodeHooks {
  HookList gradient;             ///< TensorHook, of the result's gradient
  HookList before;               ///< NodeHook, called before the derivative
  HookList after;                ///< NodeHook, called after it
  std::shared_ptr<void> labels;  ///< the user's dict; bindings/ makes it
};

}  // namespace gpukit::autograd
