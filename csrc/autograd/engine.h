// The backward pass: from the results to the leaves, each node once, without recursion.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "autograd/node.h"
#include "autograd/saved_tensor.h"

namespace gpukit::autograd {

class Engine;
struct DerivativeCall;

/// What else becomes of the gradients that a derivative gives.
struct PassWatch {
  DerivativeCall* observed = nullptr;  ///< notes them
  bool collects = false;               ///< they stay here, for the node's hooks
  Gradients collected;
  std::optional<std::size_t> result;  ///< they are that one's, see Pass::send_to_shared
};

/// What a formula sees of the pass: the gradient of its result, and where the gradients of its
/// inputs go.
class Pass {
 public:
  Pass(Engine& engine, Node& node, Tensor gradient, PassWatch* watch = nullptr)
      : engine_(engine), node_(node), gradient_(std::move(gradient)), watch_(watch) {}

  const Tensor& gradient() const noexcept { return gradient_; }
  /// False when nobody asks for the gradient of this input.
  bool needs_input_grad(std::size_t input) const;
  /// Shape, dtype and device of an input whose gradient is wanted.
  const GradientKind& kind(std::size_t input) const { return node_.edges()[input]->kind(); }
  /// Adds to the gradient of an input, which sums over broadcast dimensions, converts and moves it.
  /// Ignored when not wanted.
  void accumulate_grad(std::size_t input, Tensor gradient);
  /// Adds to the gradient of an input in place: add(target), which uses recorded operations. In a
  /// recorded pass the target is zeros, else all of the gradient so far. Ignored when not wanted.
  template <class Add>
  void add_into(std::size_t input, Add add) {
    if (needs_input_grad(input)) add_into(input, kind(input).shape, std::move(add));
  }
  /// The same with the target in another shape with the same number of elements.
  template <class Add>
  void add_into(std::size_t input, const Shape& shape, Add add) {
    if (!needs_input_grad(input)) return;
    const Tensor whole = target(input, shape);
    add(whole);
    if (recorded()) accumulate_reshaped(input, whole);
  }
  /// True when the pass itself is recorded (create_graph): a formula with its own kernel then
  /// uses recorded operations instead.
  bool recorded() const noexcept;
  /// The saved tensor; in a recorded pass with its node in the graph. Throws AutogradError when
  /// its memory was changed since.
  Tensor operator()(const SavedTensor& saved) const;
  /// The same; undefined where nothing was saved.
  Tensor if_saved(const SavedTensor& saved) const {
    return saved.defined() ? (*this)(saved) : Tensor();
  }
  /// Edges to the inputs, for a tensor that a recorded pass puts after them.
  Edges inputs() const { return node_.edges(); }

  // Of a node that stands for several operations.
  /// Whether the gradient of an input has arrived in part.
  bool has_part_of(std::size_t input) const;
  /// The node has several results, each with a node of its own, which calls this: `result` counts
  /// them.
  void send_to_shared(std::size_t result, Tensor gradient);
  /// What was sent to this node; undefined where nothing was.
  std::vector<Tensor> take_sent(std::size_t count);
  /// The saved tensor with its node in the graph, in any pass.
  Tensor in_graph(const SavedTensor& saved) const;
  /// The pass goes on through these results, which were computed from the inputs again.
  void expand(std::span<const Tensor> results, std::span<const Tensor> gradients);

 private:
  Tensor target(std::size_t input, const Shape& shape);
  void accumulate_reshaped(std::size_t input, const Tensor& gradient);
  Tensor with_node(const SavedTensor& saved) const;
  bool collects() const noexcept { return watch_ != nullptr && watch_->collects; }
  void accumulate_watched(std::size_t input, Tensor gradient);
  Tensor watched_target(std::size_t input);

  Engine& engine_;
  Node& node_;
  Tensor gradient_;
  PassWatch* watch_;  ///< null but for observers and hooks
};

struct Root {
  NodePtr node;
  Tensor gradient;  ///< of the node's kind
};

struct PassOptions {
  bool keep_graph = false;    ///< else the saved tensors are released
  bool create_graph = false;  ///< the pass is recorded, so that gradients have gradients
};

/// What the hooks of the backward pass that runs on this thread keep with it; bindings/ makes a
/// dict of it. It ends with the pass, also with one that fails. nullptr outside of a pass.
std::shared_ptr<void>* current_pass_labels() noexcept;
/// Whether a gradient arrives at the node in that pass, now or later.
bool current_pass_reaches(const Node& node);

/// Adds the gradients of all leaves to what they have.
void backward(std::vector<Root> roots, PassOptions options);
/// The same for these nodes only, leaves, and results that retain their gradients.
void backward(std::vector<Root> roots, std::span<const NodePtr> inputs, PassOptions options);

/// The gradients of `inputs` only, undefined where none arrives; no leaf changes.
std::vector<Tensor> gradients(std::vector<Root> roots, std::span<const NodePtr> inputs,
                              PassOptions options);

}  // namespace gpukit::autograd
