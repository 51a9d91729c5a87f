// The report of a derivative to observers, and the records inside any observed call.
#pragma once

#include <cstddef>
#include <exception>
#include <utility>
#include <vector>

#include "autograd/node.h"
#include "base/observer.h"
#include "core/device_work.h"

namespace gpukit::autograd {

/// A call that notes the work of devices and the nodes that were made inside it and inside the
/// calls within it, where somebody needs_input_grad them.
class ObservedCall : public CallScope {
 public:
  const WorkCount& work() const noexcept { return work_; }
  const std::vector<NodePtr>& nodes() const noexcept { return nodes_; }

  void add_work(const DeviceWork& work) noexcept final { work_.add(work); }
  void add_node(Node& node) noexcept final {
    try {
      nodes_.push_back(NodePtr::share(&node));
    } catch (...) {  // no memory for the note: the operation goes on
    }
  }
  void add_inner(const CallScope& inner) noexcept final {
    const auto& call = static_cast<const ObservedCall&>(inner);  // all scopes are
    work_.add(call.work_);
    for (const NodePtr& node : call.nodes_) add_node(*node);
  }

 private:
  WorkCount work_;
  std::vector<NodePtr> nodes_;
};

/// The derivative of one node in one backward pass.
struct DerivativeCall final : ObservedCall {
  DerivativeCall(Node& of, Tensor incoming) : node(of), gradient(std::move(incoming)) {}

  Node& node;
  Tensor gradient;  ///< of the node's result
  /// What the derivative gave: (number of the input, gradient), before it is brought into the
  /// input's shape and dtype. A buffer that it adds into stands here as it is at the end.
  std::vector<std::pair<std::size_t, Tensor>> input_gradients;
  std::exception_ptr error;  ///< of the derivative or of an observer; what is here is thrown
};

/// Runs the derivative between the observers' before_derivative and after_derivative. What one of
/// them throws ends the backward pass, as what the derivative throws does; all that have begun hear
/// of the end.
template <class Run>
void observe_derivative(DerivativeCall& call, Run&& run) {
  CallObservers observers(Observed::kDerivatives);
  try {
    observers.before([&](Observer& observer) {
      observer.before_derivative(call);
      return true;
    });
    run();
  } catch (...) {
    call.error = std::current_exception();
  }
  observers.after([&](Observer& observer) {
    try {
      observer.after_derivative(call);
    } catch (...) {
      call.error = std::current_exception();
    }
  });
  call.leave();
  if (call.error) std::rethrow_exception(call.error);
}

}  // namespace gpukit::autograd
