#include "autograd/engine.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "autograd/grad_mode.h"
#include "autograd/gradient_math.h"
#include "autograd/observed_call.h"
#include "autograd/shape.h"
#include "base/check.h"
#include "base/error.h"

namespace gpukit::autograd {

namespace {

/// What a hook gives goes on in place of the gradient: nothing is summed, converted or moved.
void check_hooked(const Tensor& gradient, const GradientKind& kind,
                  std::string_view op = "register_hook") {
  constexpr const char* kWhat = ": the gradient that the hook gives is ";
  GPUKIT_CHECK(gradient.shape() == kind.shape, ShapeError, op, kWhat, to_string(gradient.shape()),
               ", the tensor ", to_string(kind.shape), "; they must be equal");
  GPUKIT_CHECK(gradient.dtype() == kind.dtype, DTypeError, op, kWhat, name(gradient.dtype()),
               ", the tensor ", name(kind.dtype), "; they must be equal. Use .to('",
               name(kind.dtype), "')");
  GPUKIT_CHECK(gradient.device() == kind.device, DeviceMismatchError, op, kWhat, "on ",
               to_string(gradient.device()), ", the tensor on ", to_string(kind.device),
               ". Use .to('", to_string(kind.device), "')");
}

}  // namespace

/// One backward pass. It holds no lock, and needs no order but that of the sequence numbers.
class Engine {
 public:
  Engine(std::vector<Root> roots, PassOptions options)
      : roots_(std::move(roots)), options_(options) {}

  /// Only these nodes get gradients, and only nodes on a way to them run; where .grad is what is
  /// wanted (`stores`) these run too.
  void capture(std::span<const NodePtr> inputs, bool stores) {
    for (const NodePtr& input : inputs) captured_.emplace(input.get(), Tensor());
    stores_ = stores;
    find_needed();
  }

  void run() {
    const GradModeScope mode(options_.create_graph);
    const Running running(*this);
    for (const Root& root : roots_) accumulate_grad(*root.node, root.gradient);
    if (stores_ && Leaf::any_stored_hooks()) return run_with_stored_hooks();
    while (!pending_.empty()) {
      auto next = pending_.extract(pending_.begin());
      run_node(*next.mapped().node, std::move(next.mapped().gradient));
    }
  }

  /// The innermost pass of this thread; nullptr outside.
  static const Engine* current() noexcept { return current_; }
  std::shared_ptr<void>& labels() const noexcept { return labels_; }
  bool reaches(const Node& node) const {
    if (!captured_.empty()) return needs(&node);
    if (all_reached_.empty()) {
      for (const Node* each : reached_nodes()) all_reached_.insert(each);
    }
    return all_reached_.count(&node) > 0;
  }

  Tensor captured(const NodePtr& input) const { return captured_.find(input.get())->second; }

  bool needs(const Node* node) const {
    return node != nullptr && (captured_.empty() || needed_.count(node) > 0);
  }

  [[gnu::always_inline]] void accumulate_grad(Node& target,
                                              Tensor gradient) {  // once for each edge
    if (!needs(&target)) return;
    gradient = sum_to_shape(std::move(gradient), target.kind());
    Pending& pending = pending_of(target);
    if (!pending.gradient.defined()) {
      pending.gradient = std::move(gradient);
    } else if (pending.owned) {
      ops::binary_(BinaryOp::kAdd, pending.gradient, gradient);
    } else {
      pending.gradient = add(pending.gradient, gradient);
      pending.owned = !recorded();
    }
  }

  bool recorded() const noexcept { return options_.create_graph; }

  bool has_gradient(const Node& target) const { return pending_.count(target.sequence()) > 0; }

  void send(Node& target, std::size_t result, Tensor gradient) {
    if (!needs(&target)) return;
    std::vector<Tensor>& sent = sent_[&target];
    if (sent.size() <= result) sent.resize(result + 1);
    // A recorded pass makes another node for a result that was saved: both send.
    if (sent[result].defined()) gradient = add(sent[result], gradient);
    sent[result] = gradient;
    pending_of(target).gradient = std::move(gradient);
  }
  std::vector<Tensor> take_sent(const Node& node) { return std::move(sent_[&node]); }

  /// Nodes made since this one, from which its inputs can be reached.
  void expand(const Node& node, std::vector<Root> roots) {
    const std::size_t first = roots_.size();
    std::move(roots.begin(), roots.end(), std::back_inserter(roots_));
    all_reached_.clear();
    if (!captured_.empty()) find_needed();
    if (leaf_uses_ != nullptr) count_uses(*leaf_uses_, first, node.sequence());
    for (std::size_t i = first; i < roots_.size(); ++i)
      accumulate_grad(*roots_[i].node, roots_[i].gradient);
  }

  /// The whole gradient of a node so far, to be added into in place. Not in a recorded pass.
  Tensor buffer(Node& target) {
    Pending& pending = pending_of(target);
    if (!pending.gradient.defined()) {
      pending.gradient = zeros_of(target.kind());
    } else if (!pending.owned) {
      pending.gradient = ops::clone(pending.gradient);
    }
    pending.owned = true;
    return pending.gradient;
  }

 private:
  /// Marks the pass as the one of this thread.
  class Running {
   public:
    explicit Running(const Engine& engine) noexcept : outer_(std::exchange(current_, &engine)) {}
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running() { current_ = outer_; }

   private:
    const Engine* outer_;
  };

  struct Pending {
    Node* node;  // the roots keep it alive
    Tensor gradient;
    bool owned;  // no other tensor shares its memory
  };

  Pending& pending_of(Node& node) {
    return pending_.try_emplace(node.sequence(), Pending{&node, Tensor(), false}).first->second;
  }

  void run_node(Node& node, Tensor gradient) {
    if (node.hooks()) [[unlikely]]
      return run_hooked(node, *node.hooks(), std::move(gradient));
    keep_gradient(node, gradient);
    if (runs(node)) run_unhooked(node, std::move(gradient));
  }

  [[gnu::always_inline]] void run_unhooked(Node& node, Tensor gradient) {
    if (node.is_leaf()) return store(static_cast<Leaf&>(node), std::move(gradient));
    run_derivative(node, std::move(gradient), nullptr);
  }

  /// For those who asked for the gradient of a result, and for captured nodes.
  [[gnu::always_inline]] void keep_gradient(Node& node, const Tensor& gradient) {
    if (node.retains_gradient()) node.accumulate(gradient);
    if (stores_) return;
    if (const auto found = captured_.find(&node); found != captured_.end()) {
      found->second = gradient;
    }
  }

  static void store(Leaf& leaf, Tensor gradient) {
    leaf.accumulate(std::move(gradient));
    leaf.call_stored_hooks();
  }

  void run_derivative(Node& node, Tensor gradient, PassWatch* watch) {
    if (is_observed(Observed::kDerivatives)) [[unlikely]]
      return run_observed(node, std::move(gradient), watch);
    Pass pass(*this, node, std::move(gradient), watch);
    node.run(pass, options_.keep_graph);
  }

  /// The order is torch's: a tensor's hooks, what is kept of its gradient, and, of a node that
  /// runs, the hooks before and after.
  [[gnu::cold, gnu::noinline]] void run_hooked(Node& node, const NodeHooks& hooks,
                                               Tensor gradient) {
    gradient = after_hooks(node, hooks.gradient, std::move(gradient));
    keep_gradient(node, gradient);
    if (!runs(node)) return;
    Gradients results = before_derivative(node, hooks.before, std::move(gradient));
    const auto after = hooks.after.all();
    if (!results[0].defined()) return;
    if (after.empty()) return run_unhooked(node, std::move(results[0]));
    if (node.is_leaf()) {
      store(static_cast<Leaf&>(node), results[0]);
      for (const auto& [id, hook] : after) call_node_hook(node, *hook, {}, &results);
      return;
    }
    PassWatch watch;
    watch.collects = true;
    watch.collected.resize(node.edges().size());
    run_derivative(node, results[0], &watch);
    for (const auto& [id, hook] : after)
      watch.collected = call_node_hook(node, *hook, std::move(watch.collected), &results);
    pass_on(node, std::move(watch));
  }

  Gradients before_derivative(Node& node, const HookList& hooks, Tensor gradient) {
    Gradients results{std::move(gradient)};
    for (const auto& [id, hook] : hooks.all())
      results = call_node_hook(node, *hook, std::move(results), nullptr);
    return results;
  }

  /// The gradients as a node's hook changes them: of its results, or of its inputs after `results`.
  Gradients call_node_hook(Node& node, Hook& hook, Gradients gradients,
                           const Gradients* results) const {
    std::optional<Gradients> changed = static_cast<NodeHook&>(hook).call(gradients, results);
    if (!changed.has_value()) return gradients;
    const std::string_view op = results == nullptr ? "register_prehook" : "register_hook";
    GPUKIT_CHECK(changed->size() == gradients.size(), AutogradError, op, ": the hook of ",
                 node.name(), " gives ", changed->size(), " gradients; it was given ",
                 gradients.size(), " and must return as many, or None");
    for (std::size_t i = 0; i < changed->size(); ++i) {
      const Tensor& each = (*changed)[i];
      if (results == nullptr) {
        if (each.defined()) check_hooked(each, node.kind(), op);
      } else if (const Node* input = node.edges()[i].get(); each.defined() && input != nullptr) {
        check_hooked(each, input->kind(), op);
      }
    }
    return *std::move(changed);
  }

  /// What a derivative gave and its hooks have seen.
  void pass_on(Node& node, PassWatch watch) {
    for (std::size_t i = 0; i < watch.collected.size(); ++i) {
      Tensor& gradient = watch.collected[i];
      Node* target = node.edges()[i].get();
      if (target == nullptr || !gradient.defined()) continue;
      if (watch.result.has_value()) {
        send(*target, *watch.result, std::move(gradient));
      } else {
        accumulate_grad(*target, std::move(gradient));
      }
    }
  }

  /// False where autograd.grad asks for the gradient of a node, and none of its inputs'.
  bool runs(Node& node) const { return stores_ || leads_on(node); }

  bool leads_on(Node& node) const {
    if (captured_.empty()) return true;
    return std::any_of(node.edges().begin(), node.edges().end(),
                       [this](const NodePtr& edge) { return needed(edge.get()); });
  }

  [[gnu::cold, gnu::noinline]] void run_observed(Node& node, Tensor gradient, PassWatch* watch) {
    DerivativeCall call(node, std::move(gradient));
    PassWatch own;
    if (watch == nullptr) watch = &own;
    watch->observed = &call;
    observe_derivative(call, [&] {
      Pass pass(*this, node, call.gradient, watch);
      node.run(pass, options_.keep_graph);
    });
  }

  /// A leaf with hooks of its stored gradient runs as soon as all nodes that lead to it have run,
  /// any other in its order.
  [[gnu::cold, gnu::noinline]] void run_with_stored_hooks() {
    LeafUses uses;
    count_uses(uses, 0, 0);
    leaf_uses_ = &uses;
    while (!pending_.empty()) {
      Node& node = run_and_call_hooks(pending_.begin());
      for (const NodePtr& edge : node.edges()) {
        const auto leaf = uses.find(edge.get());
        if (leaf == uses.end() || --leaf->second > 0) continue;
        const auto ready = pending_.find(edge->sequence());
        if (ready != pending_.end()) run_and_call_hooks(ready);
      }
    }
  }

  Node& run_and_call_hooks(std::map<std::uint64_t, Pending, std::greater<>>::iterator place) {
    auto next = pending_.extract(place);
    Node& node = *next.mapped().node;
    run_node(node, std::move(next.mapped().gradient));
    return node;
  }

  using LeafUses = std::unordered_map<const Node*, std::size_t>;

  /// How many edges lead to each leaf that has hooks of its stored gradient, from what the roots
  /// from `first` on reach and has a larger number than `sequence`.
  void count_uses(LeafUses& uses, std::size_t first, std::uint64_t sequence) const {
    for (Node* node : reached_nodes(first)) {
      if (node->sequence() <= sequence) continue;
      for (const NodePtr& edge : node->edges()) {
        if (edge && edge->is_leaf() && static_cast<Leaf&>(*edge).stored_hooks()) ++uses[edge.get()];
      }
    }
  }

  static Tensor after_hooks(const Node& node, const HookList& hooks, Tensor gradient) {
    for (const auto& [id, hook] : hooks.all()) {
      Tensor changed = static_cast<TensorHook&>(*hook).call(gradient);
      if (!changed.defined()) continue;
      check_hooked(changed, node.kind());
      gradient = std::move(changed);
    }
    return gradient;
  }

  std::vector<Node*> reached_nodes(std::size_t first_root = 0) const {
    std::vector<Node*> reached;
    std::unordered_set<Node*> seen;
    const auto reach = [&](Node* node) {
      if (node != nullptr && seen.insert(node).second) reached.push_back(node);
    };
    for (std::size_t i = first_root; i < roots_.size(); ++i) reach(roots_[i].node.get());
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (const NodePtr& edge : reached[i]->edges()) reach(edge.get());
    }
    return reached;
  }

  /// Marks the nodes from which a captured one can be reached: those nearer to the leaves first.
  void find_needed() {
    std::vector<Node*> reached = reached_nodes();
    std::sort(reached.begin(), reached.end(),
              [](const Node* a, const Node* b) { return a->sequence() < b->sequence(); });
    for (Node* node : reached) {
      if (leads_on(*node) || captured_.count(node) > 0) needed_.insert(node);
    }
  }

  bool needed(const Node* node) const { return node != nullptr && needed_.count(node) > 0; }

  std::vector<Root> roots_;
  PassOptions options_;
  std::map<std::uint64_t, Pending, std::greater<>> pending_;
  std::unordered_map<const Node*, Tensor> captured_;
  std::unordered_set<const Node*> needed_;
  std::unordered_map<const Node*, std::vector<Tensor>> sent_;
  LeafUses* leaf_uses_ = nullptr;
  mutable std::unordered_set<const Node*> all_reached_;  // made when a hook asks
  mutable std::shared_ptr<void> labels_;
  bool stores_ = true;

  static inline constinit thread_local const Engine* current_ = nullptr;
};

std::shared_ptr<void>* current_pass_labels() noexcept {
  return Engine::current() != nullptr ? &Engine::current()->labels() : nullptr;
}

bool current_pass_reaches(const Node& node) {
  return Engine::current() != nullptr && Engine::current()->reaches(node);
}

bool Pass::needs_input_grad(std::size_t input) const {
  return engine_.needs(node_.edges()[input].get());
}

[[gnu::cold, gnu::noinline]] void Pass::accumulate_watched(std::size_t input, Tensor gradient) {
  if (watch_->observed != nullptr) watch_->observed->input_gradients.emplace_back(input, gradient);
  Node* target = node_.edges()[input].get();
  if (target == nullptr) return;
  if (!watch_->collects) return engine_.accumulate_grad(*target, std::move(gradient));
  if (!engine_.needs(target)) return;
  Tensor& collected = watch_->collected[input];
  gradient = sum_to_shape(std::move(gradient), target->kind());
  collected = collected.defined() ? add(collected, gradient) : std::move(gradient);
}

void Pass::accumulate_grad(std::size_t input, Tensor gradient) {
  if (watch_ != nullptr) [[unlikely]]
    return accumulate_watched(input, std::move(gradient));
  if (Node* target = node_.edges()[input].get())
    engine_.accumulate_grad(*target, std::move(gradient));
}

bool Pass::recorded() const noexcept { return engine_.recorded(); }

Tensor Pass::target(std::size_t input, const Shape& shape) {
  const GradientKind& wanted = kind(input);
  if (recorded()) return zeros_of(GradientKind(shape, wanted.dtype, wanted.device));
  const Tensor buffer =
      watch_ != nullptr ? watched_target(input) : engine_.buffer(*node_.edges()[input]);
  return buffer.shape() == shape ? buffer : gpukit::view(buffer, shape);
}

[[gnu::cold, gnu::noinline]] Tensor Pass::watched_target(std::size_t input) {
  Tensor buffer;
  if (collects()) {
    Tensor& collected = watch_->collected[input];
    buffer = collected.defined() ? ops::clone(collected) : zeros_of(kind(input));
    collected = buffer;
  } else {
    buffer = engine_.buffer(*node_.edges()[input]);
  }
  if (watch_->observed != nullptr) watch_->observed->input_gradients.emplace_back(input, buffer);
  return buffer;
}

void Pass::accumulate_reshaped(std::size_t input, const Tensor& gradient) {
  accumulate_grad(input, autograd::reshape(gradient, kind(input).shape));
}

Tensor Pass::with_node(const SavedTensor& saved) const {
  const Tensor value = saved.value(node_.name());
  Node* origin = saved.is_result() ? &node_ : nullptr;
  if (saved.edge() >= 0) origin = node_.edges()[static_cast<std::size_t>(saved.edge())].get();
  if (origin == nullptr) return value;
  Tensor tensor = detached(value);
  tensor.impl()->autograd = CountedPtr<AutogradMeta>::share(origin);
  tensor.impl()->requires_grad = true;
  return tensor;
}

Tensor Pass::operator()(const SavedTensor& saved) const {
  return recorded() ? with_node(saved) : saved.value(node_.name());
}

bool Pass::has_part_of(std::size_t input) const {
  return engine_.has_gradient(*node_.edges()[input]);
}

void Pass::send_to_shared(std::size_t result, Tensor gradient) {
  if (collects()) {
    watch_->result = result;
    watch_->collected[0] = std::move(gradient);
    return;
  }
  engine_.send(*node_.edges()[0], result, std::move(gradient));
}

std::vector<Tensor> Pass::take_sent(std::size_t count) {
  std::vector<Tensor> sent = engine_.take_sent(node_);
  sent.resize(count);
  return sent;
}

Tensor Pass::in_graph(const SavedTensor& saved) const { return with_node(saved); }

void Pass::expand(std::span<const Tensor> results, std::span<const Tensor> gradients) {
  std::vector<Root> roots;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (gradients[i].defined() && results[i].requires_grad())
      roots.push_back({NodePtr::share(&node_for(results[i])), gradients[i]});
  }
  engine_.expand(node_, std::move(roots));
}

void backward(std::vector<Root> roots, PassOptions options) {
  Engine(std::move(roots), options).run();
}

void backward(std::vector<Root> roots, std::span<const NodePtr> inputs, PassOptions options) {
  Engine engine(std::move(roots), options);
  engine.capture(inputs, true);
  engine.run();
}

std::vector<Tensor> gradients(std::vector<Root> roots, std::span<const NodePtr> inputs,
                              PassOptions options) {
  Engine engine(std::move(roots), options);
  engine.capture(inputs, false);
  engine.run();
  std::vector<Tensor> results;
  for (const NodePtr& input : inputs) results.push_back(engine.captured(input));
  return results;
}

}  // namespace gpukit::autograd
