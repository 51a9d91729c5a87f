#include "autograd/chain_derivation.h"

#include <cmath>

#include "autograd/engine.h"
#include "autograd/observed_call.h"
#include "autograd/record.h"
#include "tensor/factory.h"

namespace gpukit::autograd {
namespace chain_derivation {
namespace {

/// Numbers of both signs, 0 and NaN among them.
Tensor example_gradient(const Tensor& result) {
  Tensor made = empty_on(result.open_device(), result.shape(), result.dtype());
  visit_dtype(made.dtype(), [&]<class T>() {
    for (std::int64_t i = 0; i < made.count(); ++i) {
      const double value = static_cast<double>((i * 5) % 11 - 4) * 0.375;
      const Scalar number = Scalar::floating(i == 2 ? std::nan("") : value);
      made.data_as<T>()[i] = number.as<T>();
    }
  });
  return made;
}

}  // namespace
}  // namespace chain_derivation

/// Hears in which order the operators' derivatives add to the gradients of the inputs.
class ChainObserver::Listener final : public Observer {
 public:
  explicit Listener(ops::ChainRecorder& recorder)
      : Observer({Observed::kDeviceWork, Observed::kDerivatives}), recorder_(recorder) {}

  void listen_for(std::vector<NodePtr> leaves) { leaves_ = std::move(leaves); }
  std::vector<ChainContribution> take() { return std::move(heard_); }

  void after_derivative(DerivativeCall& call) override {
    for (const auto& [edge, gradient] : call.input_gradients) {
      const Node* target = call.node.edges()[edge].get();
      for (std::size_t input = 0; input < leaves_.size(); ++input) {
        if (target != nullptr && leaves_[input].get() == target) hear(input, gradient);
      }
    }
  }

 private:
  void hear(std::size_t input, const Tensor& gradient) {
    const auto value = recorder_.value_of(gradient);
    if (!value) return recorder_.refuse();
    heard_.push_back({input, *value});
  }

  ops::ChainRecorder& recorder_;
  std::vector<NodePtr> leaves_;
  std::vector<ChainContribution> heard_;
};

ChainObserver::ChainObserver(std::span<const Tensor> inputs)
    : inputs_(inputs.begin(), inputs.end()), listener_(std::make_shared<Listener>(recorder_)) {
  for (const Tensor& input : inputs_) recorder_.add_operand(input);
  observation_ = observe(listener_, Reach::kThisThread);
  recording_.emplace(recorder_);
}

ChainObserver::~ChainObserver() { end_observation(observation_); }

std::optional<ChainDerivation> ChainObserver::derive(std::span<const Tensor> results) {
  ChainDerivation derived;
  std::vector<Root> roots;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    derived.inputs.push_back(static_cast<int>(i));
    derived.needs.push_back(inputs_[i].requires_grad());
  }
  for (const Tensor& result : results) {
    const auto value = recorder_.value_of(result);
    if (!value) return std::nullopt;
    derived.results.push_back(value->number);
    derived.gradients.push_back(-1);
    Tensor gradient;
    if (result.requires_grad()) {
      gradient = chain_derivation::example_gradient(result);
      derived.gradients.back() = recorder_.add_operand(gradient);
      roots.push_back({NodePtr::share(&node_for(result)), gradient});
    }
    result_gradients_.push_back(gradient);
  }
  std::vector<NodePtr> leaves;
  for (const Tensor& input : inputs_)
    leaves.push_back(input.requires_grad() ? NodePtr::share(&node_for(input)) : nullptr);
  listener_->listen_for(leaves);
  std::vector<NodePtr> wanted;
  for (const NodePtr& leaf : leaves) {
    if (leaf) wanted.push_back(leaf);
  }
  std::vector<Tensor> found(wanted.size());
  if (!roots.empty()) found = autograd::gradients(std::move(roots), wanted, {});
  std::size_t next = 0;
  for (const NodePtr& leaf : leaves) input_gradients_.push_back(leaf ? found[next++] : Tensor());
  derived.contributions = listener_->take();
  derived.entries = recorder_.entries();
  if (!recorder_.is_complete()) return std::nullopt;
  return derived;
}

}  // namespace gpukit::autograd
