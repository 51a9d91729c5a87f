// What a user asks of a tensor: requires_grad, grad, backward, hooks. Errors say what to do
// instead.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "autograd/engine.h"
#include "autograd/hooks.h"
#include "autograd/node.h"
#include "tensor/tensor.h"

namespace gpukit::autograd {

/// Throws DTypeError for tensors that are not floating, AutogradError for results of recorded
/// operations.
void set_requires_grad(std::string_view op, const Tensor& tensor, bool wanted);

/// Makes the tensor a leaf that records nothing; its graph lives on where others need it.
void detach_(const Tensor& tensor);

/// Undefined when there is none.
Tensor gradient_of(const Tensor& tensor);
/// Shape, dtype and device must be the tensor's. An undefined gradient takes the present one away.
void set_gradient(const Tensor& tensor, Tensor gradient);

/// The node that the tensor's gradient goes to: of a leaf, the one that stores it. Throws
/// AutogradError, which names the argument of `op`, for a tensor that has none.
NodePtr gradient_node(std::string_view op, std::string_view argument, const Tensor& tensor);

/// The node of the operation that made the tensor; null for leaves.
NodePtr grad_fn_of(const Tensor& tensor);

/// Tells the tensor's node that its shape, dtype or device became another (x.data = y).
void follow_data(const Tensor& tensor);

/// `gradient`: of the tensor's shape; may be left out for a single element.
void backward(const Tensor& tensor, const std::optional<Tensor>& gradient, PassOptions options);

/// Adds to .grad of `inputs` alone: of leaves, and of results that retain it.
void backward(const Tensor& tensor, const std::optional<Tensor>& gradient,
              std::span<const NodePtr> inputs, PassOptions options);

struct GradRequest {
  std::vector<NodePtr> outputs;
  std::vector<NodePtr> inputs;
  std::vector<Tensor> gradients;  ///< of the outputs; undefined: left out
  PassOptions options;
  bool allow_unused = false;  ///< else an input that no output depends on throws AutogradError
};
std::vector<Tensor> grad(const GradRequest& request);

/// .grad is kept for a result too.
void retain_gradient(const Tensor& tensor);

/// Identifies a hook, for its removal.
struct HookHandle {
  std::weak_ptr<HookList> list;
  std::uint64_t id = 0;
};
HookHandle add_hook(const Tensor& tensor, std::shared_ptr<TensorHook> hook);
/// `list`: NodeHooks::before or NodeHooks::after.
HookHandle add_node_hook(Node& node, HookList NodeHooks::* list, std::shared_ptr<NodeHook> hook);
/// Called after a backward pass has stored a leaf's whole gradient. Throws AutogradError for
/// others.
HookHandle add_stored_hook(const Tensor& tensor, std::shared_ptr<TensorHook> hook);

}  // namespace gpukit::autograd
