#include "autograd/record.h"

#include <algorithm>

#include "base/check.h"
#include "base/error.h"
#include "base/observer.h"
#include "ops/elementwise.h"

namespace gpukit::autograd {

bool records(std::span<const Tensor> inputs) {
  const auto wanted = [](const Tensor& input) { return input.requires_grad(); };
  return std::any_of(inputs.begin(), inputs.end(), wanted) && grad_enabled();
}

namespace detail {

NodePtr edge_to(const Tensor& input) {
  if (!input.requires_grad()) return nullptr;
  return NodePtr::share(&node_for(input));
}

Edges edges_to(std::initializer_list<const Tensor*> inputs) {
  Edges edges(inputs.size());
  std::size_t i = 0;
  for (const Tensor* input : inputs) edges[i++] = edge_to(*input);
  return edges;
}

Edges edges_to(std::span<const Tensor> inputs) {
  Edges edges(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) edges[i] = edge_to(inputs[i]);
  return edges;
}

namespace {

[[gnu::always_inline]] inline void attach_node(const Tensor& out, Node* node) noexcept {
  TensorImpl& impl = *out.impl();
  const Node* before = node_of(out);
  if (before != nullptr && before->retains_gradient()) node->retain_gradient();
  impl.autograd = CountedPtr<AutogradMeta>::adopt(node);
  impl.requires_grad = true;
}

[[gnu::cold, gnu::noinline]] void attach_observed(const Tensor& out, Node* node) noexcept {
  attach_node(out, node);
  note(*node);
}

}  // namespace

void attach(const Tensor& out, Node* node) noexcept {
  if (is_observed(Observed::kNodes)) [[unlikely]]
    return attach_observed(out, node);
  attach_node(out, node);
}

Tensor copy_with_node(const Tensor& target) {
  Tensor copy = ops::clone(target);
  copy.impl()->autograd = target.impl()->autograd;
  copy.impl()->requires_grad = target.requires_grad();
  return copy;
}

void move_into(const Tensor& target, const Tensor& result) {
  ops::copy_(target, result);
  if (!result.requires_grad()) return;
  Node* node = node_of(result);
  node->retain();
  attach(target, node);
  note_change(target);
}

Edges in_place_edges(const Tensor& target, std::initializer_list<const Tensor*> others) {
  Edges edges(others.size() + 1);
  edges[0] = edge_to(target);
  std::size_t i = 1;
  for (const Tensor* other : others) edges[i++] = edge_to(*other);
  return edges;
}

}  // namespace detail

void record_identity(const Tensor& out, const char* name, const Tensor& input) {
  record(out, name, {&input}, [](Pass& pass) { pass.accumulate_grad(0, pass.gradient()); });
}

}  // namespace gpukit::autograd
