// Chains that are recorded: one node, whose derivative is a chain too. It saves the inputs, and
// computes from them again what the derivative needs of the values between.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "autograd/chain_derivation.h"
#include "autograd/engine.h"
#include "ops/chain.h"

namespace gpukit::autograd {

/// The results of a chain by its operators, recorded as these are.
using ComputeChain = std::function<std::vector<Tensor>(const std::vector<Tensor>& inputs)>;

/// What the derivative of a chain computes, in as few passes over memory as its limits allow.
class ChainGradient {
 public:
  /// Where an input of a program comes from.
  enum class Origin : std::uint8_t { kInput, kResult, kGradient };
  struct Source {
    Origin origin;
    std::size_t index;
  };
  /// One addition to an input's gradient: a result of the program, one of its sources, or a
  /// constant.
  struct Delivery {
    std::size_t input;
    int result = -1, source = -1;
    ops::RecordedValue constant;
  };
  struct Program {
    std::optional<ops::ChainProgram> chain;  ///< absent where there is nothing to compute
    std::vector<Source> sources;
    std::vector<Delivery> deliveries;
  };
  using Programs = std::vector<Program>;
  /// Bit i: of input i.
  struct Wanted {
    std::uint32_t needed = 0;
    std::uint32_t merged = 0;  ///< the chain adds up what the operators add
    auto operator<=>(const Wanted&) const = default;
  };

  /// `kept`: so many of the results are there after the chain; of the others only reductions.
  /// `compiler`: of the programs, or none.
  ChainGradient(ChainDerivation derivation, std::size_t kept, ComputeChain compute,
                ops::ChainCompiler compiler);

  /// Null where some derivative is too long for a chain.
  const Programs* programs(Wanted wanted) const;
  /// Whether the chain may add up the gradient of an input on its own: of one that was not
  /// broadcast and has got nothing yet.
  bool adds_up(std::size_t input) const;
  /// How many operators add to it.
  std::size_t additions(std::size_t input) const;

  std::size_t input_count() const noexcept { return derivation_.inputs.size(); }
  std::size_t result_count() const noexcept { return derivation_.results.size(); }
  bool needs(std::size_t input) const { return derivation_.needs[input]; }
  bool has_gradient(std::size_t result) const { return derivation_.gradients[result] >= 0; }
  /// The derivative reads the result, where computing it again would cost more.
  bool saves_result(std::size_t result) const { return saves_result_[result]; }
  const ComputeChain& compute() const noexcept { return compute_; }

 private:
  class Assembly;

  std::optional<Programs> assemble(Wanted wanted) const;
  DType dtype_of(std::size_t input) const;
  std::optional<Source> source_of(int entry) const;
  bool is_heavy(int entry) const;
  bool is_read(int entry) const;

  ChainDerivation derivation_;
  ComputeChain compute_;
  ops::ChainCompiler compiler_;
  std::vector<bool> saves_result_;
  mutable std::mutex mutex_;
  mutable std::map<Wanted, std::unique_ptr<const Programs>> programs_;
};

using ChainGradientPtr = std::shared_ptr<const ChainGradient>;

/// Of a chain whose results were computed since the observer was made: `kept` ones, then the values
/// of its endings. Null where it cannot be a chain: then the operators are recorded one by one.
ChainGradientPtr derive_chain(ChainObserver& observer, std::span<const Tensor> inputs,
                              std::span<const Tensor> results, std::size_t kept,
                              ComputeChain compute, ops::ChainCompiler compiler);

/// The results of `forward`, recorded as one node. Nothing where it does not take these inputs, or
/// others than those of the derivation require gradients.
std::optional<std::vector<Tensor>> run_chain(const ops::ChainProgram& forward,
                                             const ChainGradientPtr& gradient,
                                             std::span<const Tensor> inputs);

}  // namespace gpukit::autograd
