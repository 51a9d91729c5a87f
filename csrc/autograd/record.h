// How an operation enters the graph. Every recorded function has this form:
//
//   Tensor f(const Tensor& input) {
//     Tensor out = ops::f(input);
//     if (!records(input)) return out;
//     record(out, "FBackward0", {&input}, [x = SavedTensor::input(0, input)](Pass& pass) {
//       pass.accumulate_grad(0, …);
//     });
//     return out;
//   }
//
// A formula uses recorded functions (autograd::f, not ops::f), which record nothing unless the
// pass itself is recorded; so the derivative has derivatives too. The gradient of a broadcast
// or converted input needs no care in a formula: see Pass::accumulate_grad.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>

#include "autograd/engine.h"
#include "autograd/grad_mode.h"
#include "autograd/node.h"
#include "autograd/saved_tensor.h"

namespace gpukit::autograd {

/// True when an operation on these tensors is to be recorded.
template <class... Tensors>
bool records(const Tensors&... inputs) {
  return (inputs.requires_grad() || ...) && grad_enabled();
}
bool records(std::span<const Tensor> inputs);

namespace detail {

/// The edge towards an input.
NodePtr edge_to(const Tensor& input);
Edges edges_to(std::initializer_list<const Tensor*> inputs);
Edges edges_to(std::span<const Tensor> inputs);
void attach(const Tensor& out, Node* node) noexcept;

}  // namespace detail

/// Gives `out` a node. A result that is not floating, or is an input itself, needs none.
template <class Formula>
Node* record(const Tensor& out, const char* name, Edges&& edges, Formula formula) {
  Node* node = new FormulaNode<Formula>(name, out, std::move(edges), std::move(formula));
  detail::attach(out, node);
  return node;
}
template <class Formula>
Node* record(const Tensor& out, const char* name, std::initializer_list<const Tensor*> inputs,
             Formula formula) {
  return record(out, name, detail::edges_to(inputs), std::move(formula));
}

/// An operation whose gradient passes unchanged to its input.
void record_identity(const Tensor& out, const char* name, const Tensor& input);

/// Before an in-place operation that will be recorded: throws AutogradError for a leaf that
/// requires grad, for a view of one, and for a view whose base cannot be told of the change.
void check_in_place(std::string_view op, const Tensor& target);

namespace detail {

/// Edges to what `target` was and to `others`.
Edges in_place_edges(const Tensor& target, std::initializer_list<const Tensor*> others);
/// After `target` got the node of an in-place operation: what it is a view of gets a node too, and
/// other views become stale.
void note_change(const Tensor& target);

Tensor copy_with_node(const Tensor& target);
void move_into(const Tensor& target, const Tensor& result);

}  // namespace detail

/// After an in-place operation, whose node has edges to what `target` was and to `others`.
template <class Formula>
void record_in_place(const Tensor& target, const char* name,
                     std::initializer_list<const Tensor*> others, Formula formula) {
  record(target, name, detail::in_place_edges(target, others), std::move(formula));
  detail::note_change(target);
}

/// An in-place operation by way of a new tensor: `compute(before)` is recorded with a copy of the
/// target; its result becomes the target's value and node.
template <class Compute>
void replace_in_place(std::string_view op, const Tensor& target, Compute compute) {
  check_in_place(op, target);
  detail::move_into(target, compute(detail::copy_with_node(target)));
}

}  // namespace gpukit::autograd
