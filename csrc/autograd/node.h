// The graph: one node for each recorded operation and for each leaf, edges towards the inputs.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "autograd/hooks.h"
#include "tensor/tensor.h"

namespace gpukit::autograd {

class Node;
class Pass;
using NodePtr = CountedPtr<Node>;

/// Shape, dtype and device of the tensor that a node made, and so of its gradient.
struct GradientKind {
  GradientKind() = default;
  GradientKind(const Shape& shape, DType dtype, Device device)
      : shape(shape), dtype(dtype), device(device) {}
  explicit GradientKind(const Tensor& tensor)
      : shape(tensor.shape()), dtype(tensor.dtype()), device(tensor.device()) {}
  Shape shape;
  DType dtype = DType::kFloat32;
  Device device;
};

/// The nodes of an operation's inputs; null where an input needs no gradient.
class Edges {
 public:
  Edges() = default;
  explicit Edges(std::size_t count) : count_(count) {
    if (count > kInline) more_.resize(count);
  }
  std::size_t size() const noexcept { return count_; }
  NodePtr* begin() noexcept { return count_ > kInline ? more_.data() : few_.data(); }
  NodePtr* end() noexcept { return begin() + count_; }
  NodePtr& operator[](std::size_t i) noexcept { return begin()[i]; }

 private:
  static constexpr std::size_t kInline = 3;
  std::array<NodePtr, kInline> few_;
  std::vector<NodePtr> more_;
  std::size_t count_ = 0;
};

/// Every node has one output. Counted; chains of any length end without recursion.
class Node : public AutogradMeta {
 public:
  /// `name` lives as long as the process: "AddBackward0".
  Node(const char* name, const Tensor& output, Edges&& edges);

  /// Blocks of nodes are reused: an operation makes one each time.
  static void* operator new(std::size_t bytes);
  static void operator delete(void* address, std::size_t bytes) noexcept;

  const char* name() const noexcept { return name_; }
  /// Of the call that the operation is the last part of; lives as long as the process.
  void set_name(const char* name) noexcept { name_ = name; }
  /// Larger than that of every node it points to: processing the largest first is a right order.
  std::uint64_t sequence() const noexcept { return sequence_; }
  const GradientKind& kind() const noexcept { return kind_; }
  void set_kind(const GradientKind& kind) { kind_ = kind; }
  Edges& edges() noexcept { return edges_; }
  virtual bool is_leaf() const noexcept { return false; }

  /// Computes the gradients of the inputs. `keep` false releases what was saved, so that a second
  /// time throws AutogradError where something was.
  virtual void run(Pass& pass, bool keep) = 0;

  /// The gradient kept for the user: of a leaf, and of others after retain_gradient().
  Tensor gradient() const;
  void set_gradient(Tensor gradient) noexcept;
  /// Adds to it, in place where there is one, so that x.grad stays the same object; where recording
  /// is on or the one there has a graph, as a new tensor.
  void accumulate(Tensor gradient);
  bool keeps_gradient() const noexcept { return is_leaf() || retains_; }
  bool retains_gradient() const noexcept { return retains_; }
  void retain_gradient() noexcept { retains_ = true; }

  /// nullptr when none was ever added.
  const std::shared_ptr<NodeHooks>& hooks() const noexcept { return hooks_; }
  const std::shared_ptr<NodeHooks>& make_hooks();

 protected:
  virtual ~Node() = default;

 private:
  void destroy() noexcept final;
  static void end(Node* node) noexcept;
  Tensor exchange_gradient(Tensor gradient) noexcept;
  bool store_if_empty(const Tensor& gradient) noexcept;

  const char* name_;
  std::uint64_t sequence_;
  GradientKind kind_;
  Edges edges_;
  Tensor gradient_;
  std::shared_ptr<NodeHooks> hooks_;
  Node* next_dying_ = nullptr;
  bool retains_ = false;
};

/// A tensor that no operation made: gradients end here.
class Leaf final : public Node {
 public:
  explicit Leaf(const Tensor& tensor) : Node("AccumulateGrad", tensor, Edges()) {}
  bool is_leaf() const noexcept override { return true; }
  void run(Pass&, bool) override {}

  /// Called when a backward pass has stored the whole gradient. nullptr when none was ever added.
  const std::shared_ptr<HookList>& stored_hooks() const noexcept { return stored_hooks_; }
  const std::shared_ptr<HookList>& make_stored_hooks();
  void call_stored_hooks() const;
  /// Whether any leaf of the process ever had such hooks.
  static bool any_stored_hooks() noexcept { return any_.load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<HookList> stored_hooks_;
  static inline constinit std::atomic<bool> any_{false};
};

/// Gives a stale view the node of a view of what its base is now.
void refresh_view(const Tensor& view);

/// The tensor's node, or nullptr. Of a stale view it is the old one.
inline Node* node_of(const Tensor& tensor) noexcept {
  return static_cast<Node*>(tensor.impl()->autograd.get());
}
inline bool is_leaf(const Tensor& tensor) {
  if (tensor.impl()->is_stale_view()) [[unlikely]]
    refresh_view(tensor);
  const Node* node = node_of(tensor);
  return node == nullptr || node->is_leaf();
}
/// The tensor's node; made for a leaf that has none yet.
Node& node_for(const Tensor& tensor);

namespace detail {

/// Nodes share a few locks: they are held for the time of a few copies only.
std::mutex& lock_of(const void* node) noexcept;
[[noreturn]] void throw_freed(const char* name);

}  // namespace detail

/// True for a derivative that may run twice: one whose captures hold no tensor. A type of which
/// that is not to be told from its destructor says so by a member kHoldsNoTensors.
template <class Formula>
constexpr bool holds_no_tensors() {
  if constexpr (requires { Formula::kHoldsNoTensors; }) return Formula::kHoldsNoTensors;
  return std::is_trivially_destructible_v<Formula>;
}

/// A derivative that runs once though it holds no tensor: torch saves one there, and where torch
/// refuses a second backward(), this one must not give twice the gradient.
template <class Formula>
struct Once {
  static constexpr bool kHoldsNoTensors = false;
  Formula formula;
  void operator()(Pass& pass) const { formula(pass); }
};
template <class Formula>
Once(Formula) -> Once<Formula>;

/// A node whose derivative is a function object, called with the pass. Its captures are what the
/// derivative needs; those that hold tensors are freed after use.
template <class Formula>
class FormulaNode final : public Node {
 public:
  FormulaNode(const char* name, const Tensor& output, Edges&& edges, Formula formula)
      : Node(name, output, std::move(edges)), formula_(std::move(formula)) {}

  void run(Pass& pass, bool keep) override {
    if constexpr (holds_no_tensors<Formula>()) {
      (*formula_)(pass);
    } else {
      const Formula formula = take(keep);
      formula(pass);
    }
  }

 private:
  Formula take(bool keep) {
    std::optional<Formula> formula;
    {
      const std::lock_guard lock(detail::lock_of(this));
      if (!formula_.has_value()) detail::throw_freed(name());
      formula.emplace(*formula_);
      if (!keep) formula_.reset();  // `formula` holds the same tensors: nothing ends here
    }
    return *std::move(formula);
  }

  std::optional<Formula> formula_;
};

}  // namespace gpukit::autograd
