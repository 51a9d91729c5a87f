#include "autograd/tensor_gradient.h"

#include <unordered_set>

#include "autograd/engine.h"
#include "autograd/grad_mode.h"
#include "base/check.h"
#include "base/error.h"
#include "ops/creation.h"
#include "ops/dispatch.h"

namespace gpukit::autograd {

namespace {

void check_has_graph(std::string_view op, std::string_view argument, const Tensor& tensor) {
  if (tensor.requires_grad()) return;
  throw AutogradError(concat(op, ": ", argument,
                             " does not require grad and no recorded operation made it. Set "
                             "requires_grad=True on what gradients are wanted of, and compute "
                             "outside no_grad()."))
      .with_fix("x.requires_grad_()");
}

void check_gradient(std::string_view op, std::string_view argument, const Tensor& tensor,
                    const Tensor& gradient) {
  GPUKIT_CHECK(gradient.shape() == tensor.shape(), ShapeError, op, ": ", argument, " is ",
               to_string(gradient.shape()), ", the tensor ", to_string(tensor.shape()),
               "; they must be equal");
  GPUKIT_CHECK(gradient.dtype() == tensor.dtype(), DTypeError, op, ": ", argument, " is ",
               name(gradient.dtype()), ", the tensor ", name(tensor.dtype()),
               "; they must be equal. Use gradient.to('", name(tensor.dtype()), "')");
  GPUKIT_CHECK(gradient.device() == tensor.device(), DeviceMismatchError, op, ": ", argument,
               " is on ", to_string(gradient.device()), ", the tensor on ",
               to_string(tensor.device()), ". Use gradient.to('", to_string(tensor.device()), "')");
}

Root root_of(std::string_view op, std::string_view argument, const Tensor& tensor,
             const Tensor& gradient) {
  check_has_graph(op, argument, tensor);
  NodePtr node = NodePtr::share(&node_for(tensor));
  if (gradient.defined()) {
    check_gradient(op, "gradient", tensor, gradient);
    return {std::move(node), gradient};
  }
  GPUKIT_CHECK(tensor.count() == 1, AutogradError, op, ": ", argument, " has ", tensor.count(),
               " elements; reduce it first (", argument, ".mean()) or pass gradient=.");
  GPUKIT_CHECK(
      !is_complex(tensor.dtype()), AutogradError, op, ": ", argument, " is ", name(tensor.dtype()),
      "; a gradient starts from a real number. Use its .real or abs(), or pass gradient=.");
  return {std::move(node), ops::ones(tensor.shape(), tensor.dtype(), tensor.device())};
}

}  // namespace

void set_requires_grad(std::string_view op, const Tensor& tensor, bool wanted) {
  GPUKIT_CHECK(!wanted || is_differentiable(tensor.dtype()), DTypeError, op,
               ": only floating and complex tensors have gradients, this one is ",
               name(tensor.dtype()), ". Use .float() first");
  GPUKIT_CHECK(wanted || is_leaf(tensor), AutogradError, op,
               ": the tensor is the result of a recorded operation (", node_of(tensor)->name(),
               "); only leaves can stop requiring grad. Use .detach()");
  if (wanted) node_for(tensor);
  tensor.impl()->requires_grad = wanted;
}

void detach_(const Tensor& tensor) {
  if (!is_leaf(tensor)) tensor.impl()->autograd = nullptr;
  if (tensor.impl()->base != nullptr) tensor.impl()->drop_base();
  tensor.impl()->requires_grad = false;
}

Tensor gradient_of(const Tensor& tensor) {
  const Node* node = node_of(tensor);
  return node != nullptr ? node->gradient() : Tensor();
}

void set_gradient(const Tensor& tensor, Tensor gradient) {
  if (gradient.defined()) {
    check_gradient("grad", "the gradient", tensor, gradient);
    GPUKIT_CHECK(!gradient.is_same(tensor), ValueError,
                 "grad: a tensor cannot be its own gradient");
  } else if (node_of(tensor) == nullptr) {
    return;
  }
  node_for(tensor).set_gradient(std::move(gradient));
}

NodePtr gradient_node(const Tensor& tensor) {
  check_has_graph("get_gradient_edge", "the tensor", tensor);
  return NodePtr::share(&node_for(tensor));
}

NodePtr grad_fn_of(const Tensor& tensor) {
  return is_leaf(tensor) ? NodePtr() : NodePtr::share(node_of(tensor));
}

void follow_data(const Tensor& tensor) {
  if (Node* node = node_of(tensor)) node->set_kind(GradientKind(tensor));
}

namespace {

std::vector<NodePtr> nodes_of(std::string_view op, const std::vector<Tensor>& inputs) {
  std::vector<NodePtr> nodes;
  for (const Tensor& input : inputs) {
    check_has_graph(op, "inputs", input);
    nodes.push_back(NodePtr::share(&node_for(input)));
  }
  return nodes;
}

/// A tensor named twice gets its gradient once.
std::vector<NodePtr> without_repeats(std::vector<NodePtr> nodes) {
  std::unordered_set<const Node*> seen;
  std::erase_if(nodes, [&](const NodePtr& node) { return !seen.insert(node.get()).second; });
  return nodes;
}

}  // namespace

void backward(const Tensor& tensor, const std::optional<Tensor>& gradient, PassOptions options) {
  std::vector<Root> roots;
  roots.push_back(root_of("backward()", "loss", tensor, gradient.value_or(Tensor())));
  backward(std::move(roots), options);
}

void backward(const Tensor& tensor, const std::optional<Tensor>& gradient,
              const std::vector<Tensor>& inputs, PassOptions options) {
  std::vector<Root> roots;
  roots.push_back(root_of("backward()", "loss", tensor, gradient.value_or(Tensor())));
  const std::vector<NodePtr> nodes = without_repeats(nodes_of("backward()", inputs));
  std::vector<Tensor> results = gradients(std::move(roots), nodes, options);
  const GradModeScope recording(options.create_graph);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i].defined()) continue;
    nodes[i]->accumulate(std::move(results[i]));
    if (nodes[i]->is_leaf()) static_cast<Leaf&>(*nodes[i]).call_stored_hooks();
  }
}

std::vector<Tensor> grad(const GradRequest& request) {
  std::vector<Root> roots;
  for (std::size_t i = 0; i < request.outputs.size(); ++i) {
    const Tensor given = i < request.gradients.size() ? request.gradients[i] : Tensor();
    roots.push_back(root_of("grad", "outputs", request.outputs[i], given));
  }
  const std::vector<NodePtr> inputs = nodes_of("grad", request.inputs);
  std::vector<Tensor> results = gradients(std::move(roots), inputs, request.options);
  for (std::size_t i = 0; i < results.size(); ++i) {
    GPUKIT_CHECK(results[i].defined() || request.allow_unused, AutogradError, "grad: inputs[", i,
                 "] was not used for the outputs. Leave it out, or pass allow_unused=True to get "
                 "None for it.");
  }
  return results;
}

void retain_gradient(const Tensor& tensor) {
  check_has_graph("retain_grad", "the tensor", tensor);
  node_for(tensor).retain_gradient();
}

HookHandle add_hook(const Tensor& tensor, std::shared_ptr<TensorHook> hook) {
  check_has_graph("register_hook", "the tensor", tensor);
  const std::shared_ptr<NodeHooks>& hooks = node_for(tensor).make_hooks();
  return {std::shared_ptr<HookList>(hooks, &hooks->gradient), hooks->gradient.add(std::move(hook))};
}

HookHandle add_node_hook(Node& node, HookList NodeHooks::* list, std::shared_ptr<NodeHook> hook) {
  const std::shared_ptr<NodeHooks>& hooks = node.make_hooks();
  HookList& chosen = (*hooks).*list;
  return {std::shared_ptr<HookList>(hooks, &chosen), chosen.add(std::move(hook))};
}

HookHandle add_stored_hook(const Tensor& tensor, std::shared_ptr<TensorHook> hook) {
  constexpr const char* kName = "register_post_accumulate_grad_hook";
  check_has_graph(kName, "the tensor", tensor);
  Node& node = node_for(tensor);
  if (!node.is_leaf()) {
    throw AutogradError(concat(kName, ": the tensor is the result of a recorded operation (",
                               node.name(), "); gradients are stored in leaves. Use register_hook"))
        .with_fix("x.register_hook(hook)");
  }
  const std::shared_ptr<HookList>& list = static_cast<Leaf&>(node).make_stored_hooks();
  return {list, list->add(std::move(hook))};
}

}  // namespace gpukit::autograd
