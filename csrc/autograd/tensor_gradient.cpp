#include "autograd/tensor_gradient.h"

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

void check_gradient(std::string_view op, const GradientKind& kind, const Tensor& gradient) {
  GPUKIT_CHECK(gradient.shape() == kind.shape, ShapeError, op, ": the gradient is ",
               to_string(gradient.shape()), ", the tensor ", to_string(kind.shape),
               "; they must be equal");
  GPUKIT_CHECK(gradient.dtype() == kind.dtype, DTypeError, op, ": the gradient is ",
               name(gradient.dtype()), ", the tensor ", name(kind.dtype),
               "; they must be equal. Use gradient.to('", name(kind.dtype), "')");
  GPUKIT_CHECK(gradient.device() == kind.device, DeviceMismatchError, op, ": the gradient is on ",
               to_string(gradient.device()), ", the tensor on ", to_string(kind.device),
               ". Use gradient.to('", to_string(kind.device), "')");
}

Root root_of(std::string_view op, std::string_view argument, NodePtr node, const Tensor& gradient) {
  const GradientKind& kind = node->kind();
  if (gradient.defined()) {
    check_gradient(op, kind, gradient);
    return {std::move(node), gradient};
  }
  const std::int64_t count = element_count(kind.shape);
  GPUKIT_CHECK(count == 1, AutogradError, op, ": ", argument, " has ", count,
               " elements; reduce it first (", argument, ".mean()) or pass gradient=.");
  GPUKIT_CHECK(
      !is_complex(kind.dtype), AutogradError, op, ": ", argument, " is ", name(kind.dtype),
      "; a gradient starts from a real number. Use its .real or abs(), or pass gradient=.");
  Tensor one = ops::ones(kind.shape, kind.dtype, kind.device);
  return {std::move(node), std::move(one)};
}

std::vector<Root> root_of_loss(const Tensor& tensor, const std::optional<Tensor>& gradient) {
  std::vector<Root> roots;
  roots.push_back(root_of("backward()", "loss", gradient_node("backward()", "loss", tensor),
                          gradient.value_or(Tensor())));
  return roots;
}

}  // namespace

void set_requires_grad(std::string_view op, const Tensor& tensor, bool wanted) {
  GPUKIT_CHECK(!wanted || is_differentiable(tensor.dtype()), DTypeError, op,
               ": only floating and complex tensors have gradients, this one is ",
               name(tensor.dtype()), ". Use .float() first");
  GPUKIT_CHECK(!wanted || !tensor.impl()->is_inference || inference_mode_enabled(), AutogradError,
               op,
               ": the tensor was made in inference_mode(), and outside of it it cannot require "
               "grad. Use .clone() first");
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
    check_gradient("grad", GradientKind(tensor), gradient);
    GPUKIT_CHECK(!gradient.is_same(tensor), ValueError,
                 "grad: a tensor cannot be its own gradient");
  } else if (node_of(tensor) == nullptr) {
    return;
  }
  node_for(tensor).set_gradient(std::move(gradient));
}

NodePtr gradient_node(std::string_view op, std::string_view argument, const Tensor& tensor) {
  check_has_graph(op, argument, tensor);
  return NodePtr::share(&node_for(tensor));
}

NodePtr grad_fn_of(const Tensor& tensor) {
  return is_leaf(tensor) ? NodePtr() : NodePtr::share(node_of(tensor));
}

void follow_data(const Tensor& tensor) {
  if (Node* node = node_of(tensor)) node->set_kind(GradientKind(tensor));
}

void backward(const Tensor& tensor, const std::optional<Tensor>& gradient, PassOptions options) {
  backward(root_of_loss(tensor, gradient), options);
}

void backward(const Tensor& tensor, const std::optional<Tensor>& gradient,
              std::span<const NodePtr> inputs, PassOptions options) {
  backward(root_of_loss(tensor, gradient), inputs, options);
}

std::vector<Tensor> grad(const GradRequest& request) {
  std::vector<Root> roots;
  for (std::size_t i = 0; i < request.outputs.size(); ++i) {
    const Tensor given = i < request.gradients.size() ? request.gradients[i] : Tensor();
    roots.push_back(root_of("grad", "outputs", request.outputs[i], given));
  }
  std::vector<Tensor> results = gradients(std::move(roots), request.inputs, request.options);
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
