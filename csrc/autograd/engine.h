// The backward pass: from the results to the leaves, each node once, without recursion.
#pragma once

#include <span>
#include <vector>

#include "autograd/node.h"
#include "autograd/saved_tensor.h"

namespace gpukit::autograd {

class Engine;

/// What a formula sees of the pass: the gradient of its result, and where the gradients of its
/// inputs go.
class Pass {
 public:
  Pass(Engine& engine, Node& node, Tensor gradient)
      : engine_(engine), node_(node), gradient_(std::move(gradient)) {}

  const Tensor& gradient() const noexcept { return gradient_; }
  /// False when nobody asks for the gradient of this input.
  bool wants(std::size_t input) const;
  /// Shape, dtype and device of an input whose gradient is wanted.
  const GradientKind& kind(std::size_t input) const { return node_.edges()[input]->kind(); }
  /// Adds to the gradient of an input, which sums over broadcast dimensions, converts and moves it.
  /// Ignored when not wanted.
  void give(std::size_t input, Tensor gradient);
  /// The whole gradient of an input so far, to be added into in place. Only when wanted.
  Tensor buffer(std::size_t input);
  /// The saved tensor. Throws AutogradError when its memory was changed since.
  Tensor operator()(const SavedTensor& saved) const;

 private:
  Engine& engine_;
  Node& node_;
  Tensor gradient_;
};

struct Root {
  NodePtr node;
  Tensor gradient;  ///< of the node's kind
};

/// Adds the gradients of all leaves to what they have. Without `keep_graph` what the nodes saved is
/// let go of.
void backward(std::vector<Root> roots, bool keep_graph);

/// The gradients of `inputs` only, undefined where none arrives; no leaf changes.
std::vector<Tensor> gradients(std::vector<Root> roots, std::span<const NodePtr> inputs,
                              bool keep_graph);

}  // namespace gpukit::autograd
