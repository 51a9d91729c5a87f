// The derivatives of a chain as steps: what the operators' own backward pass did once, recorded.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/observer.h"
#include "ops/chain_recorder.h"
#include "tensor/tensor.h"

namespace gpukit::autograd {

/// A gradient that an operator adds to that of an input, before it is converted.
struct ChainContribution {
  std::size_t input = 0;
  ops::RecordedValue value;
};

struct ChainDerivation {
  std::vector<ops::RecordedEntry> entries;
  std::vector<int> inputs;                       ///< the entry of each
  std::vector<bool> needs;                       ///< inputs that require a gradient
  std::vector<int> results;                      ///< the entry of each; -1 where it is none
  std::vector<int> gradients;                    ///< of the results; -1 where none flows
  std::vector<ChainContribution> contributions;  ///< in the order in which they are added
};

/// Records from its construction on. Between that and derive() the caller computes the chain's
/// results from `inputs` by its operators; all on one thread.
class ChainObserver {
 public:
  /// Contiguous tensors of the CPU, of one shape with at least two elements.
  explicit ChainObserver(std::span<const Tensor> inputs);
  ~ChainObserver();
  ChainObserver(const ChainObserver&) = delete;
  ChainObserver& operator=(const ChainObserver&) = delete;

  /// Nothing where an operator or its derivative is not made of steps.
  std::optional<ChainDerivation> derive(std::span<const Tensor> results);
  /// What the operators made of these gradients of the results, for inputs that need one; undefined
  /// where none arrived.
  std::span<const Tensor> result_gradients() const noexcept { return result_gradients_; }
  std::span<const Tensor> input_gradients() const noexcept { return input_gradients_; }

 private:
  class Listener;

  std::vector<Tensor> inputs_, result_gradients_, input_gradients_;
  ops::ChainRecorder recorder_;
  std::shared_ptr<Listener> listener_;
  ObservationPtr observation_;
  std::optional<ops::RecordingScope> recording_;
};

}  // namespace gpukit::autograd
