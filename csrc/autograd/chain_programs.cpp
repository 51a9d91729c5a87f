// What the derivative of a chain computes, as programs of chains.
#include "autograd/chain_gradient.h"

#include <algorithm>
#include <utility>

namespace gpukit::autograd {
namespace chain_programs {
namespace {

/// A value of a program in the making: the number of a source, or kFirstStep + that of a step.
constexpr int kFirstStep = 1 << 16;

ChainStep conversion(int value, DType from, DType to) {
  ChainStep step;
  step.kind = ChainStepKind::kConvert;
  step.in_dtype = from;
  step.out_dtype = to;
  step.operands[0] = value;
  return step;
}

ChainStep sum(int left, int right, DType dtype) {
  ChainStep step;
  step.kind = ChainStepKind::kBinary;
  step.op = static_cast<int>(BinaryOp::kAdd);
  step.in_dtype = step.out_dtype = dtype;
  step.operands[0] = left;
  step.operands[1] = right;
  return step;
}

bool is_heavy_step(const ChainStep& step) {
  if (step.kind == ChainStepKind::kUnary)
    return cost_of(static_cast<UnaryOp>(step.op)) == Cost::kHeavy;
  return step.kind == ChainStepKind::kBinary &&
         cost_of(static_cast<BinaryOp>(step.op)) == Cost::kHeavy;
}

bool has(std::uint32_t bits, std::size_t input) { return (bits >> input & 1u) != 0; }

}  // namespace
}  // namespace chain_programs

/// One program, to which additions are added while they fit.
class ChainGradient::Assembly {
 public:
  explicit Assembly(const ChainGradient& chain) : chain_(&chain) {}

  bool is_empty() const noexcept { return state_.deliveries.empty(); }

  /// One operator's addition to a gradient. False, with nothing changed, where it does not fit.
  bool add(const ChainContribution& contribution) {
    const State before = state_;
    if (contribution.value.is_constant()) {
      state_.deliveries.push_back({contribution.input, -1, -1, contribution.value});
    } else {
      deliver(contribution.input, value_of(contribution.value.number));
    }
    return fits_or(before);
  }

  /// All that operators add to the gradient of an input, added up in their order.
  bool add_merged(std::size_t input) {
    const State before = state_;
    const DType dtype = chain_->dtype_of(input);
    int total = -1;
    for (const ChainContribution& each : chain_->derivation_.contributions) {
      if (each.input != input) continue;
      int value = value_of(each.value.number);
      if (each.value.dtype != dtype)
        value = append(chain_programs::conversion(value, each.value.dtype, dtype));
      total = total < 0 ? value : append(chain_programs::sum(total, value, dtype));
    }
    deliver(input, total);
    return fits_or(before);
  }

  Program finish() const {
    Program made;
    std::vector<DType> dtypes;
    for (const int entry : state_.sources) {
      made.sources.push_back(*chain_->source_of(entry));
      dtypes.push_back(chain_->derivation_.entries[static_cast<std::size_t>(entry)].dtype);
    }
    made.deliveries = state_.deliveries;
    if (state_.results.empty()) return made;
    made.chain.emplace(std::move(dtypes));
    for (ChainStep step : state_.steps) {
      for (int& operand : step.operands) operand = numbered(operand);
      made.chain->add_step(step);
    }
    for (const int result : state_.results) made.chain->add_result(numbered(result));
    return made;
  }

 private:
  struct State {
    std::vector<int> sources;  ///< entries
    std::vector<ChainStep> steps;
    std::map<int, int> made;  ///< values by their entries
    std::vector<int> results;
    std::vector<Delivery> deliveries;
  };

  int append(const ChainStep& step) {
    state_.steps.push_back(step);
    return chain_programs::kFirstStep + static_cast<int>(state_.steps.size()) - 1;
  }

  int value_of(int entry) {
    if (const auto found = state_.made.find(entry); found != state_.made.end())
      return found->second;
    int value;
    if (chain_->source_of(entry)) {
      value = static_cast<int>(state_.sources.size());
      state_.sources.push_back(entry);
    } else {
      ChainStep step = chain_->derivation_.entries[static_cast<std::size_t>(entry)].step;
      for (int& operand : step.operands) {
        if (operand >= 0) operand = value_of(operand);
      }
      value = append(step);
    }
    state_.made.emplace(entry, value);
    return value;
  }

  void deliver(std::size_t input, int value) {
    if (value < chain_programs::kFirstStep) {
      state_.deliveries.push_back({input, -1, value, {}});
      return;
    }
    const auto known = std::find(state_.results.begin(), state_.results.end(), value);
    state_.deliveries.push_back({input, static_cast<int>(known - state_.results.begin()), -1, {}});
    if (known == state_.results.end()) state_.results.push_back(value);
  }

  bool fits_or(const State& before) {
    const bool fits = state_.sources.size() <= kMaxChainInputs &&
                      state_.steps.size() <= kMaxChainSteps &&
                      state_.results.size() <= kMaxChainResults;
    if (!fits) state_ = before;
    return fits;
  }

  int numbered(int value) const {
    const int sources = static_cast<int>(state_.sources.size());
    return value < chain_programs::kFirstStep ? value
                                              : sources + value - chain_programs::kFirstStep;
  }

  const ChainGradient* chain_;
  State state_;
};

ChainGradient::ChainGradient(ChainDerivation derivation, std::size_t kept, ComputeChain compute,
                             ops::ChainCompiler compiler)
    : derivation_(std::move(derivation)),
      compute_(std::move(compute)),
      compiler_(std::move(compiler)),
      saves_result_(derivation_.results.size(), false) {
  std::vector<bool> saves;
  for (const int entry : derivation_.results)
    saves.push_back(saves.size() < kept && entry >= 0 && !source_of(entry) && is_heavy(entry) &&
                    is_read(entry));
  saves_result_ = std::move(saves);
}

const ChainGradient::Programs* ChainGradient::programs(Wanted wanted) const {
  const std::lock_guard lock(mutex_);
  auto& known = programs_[wanted];
  if (known == nullptr) {
    std::optional<Programs> made = assemble(wanted);
    if (!made) return nullptr;
    for (Program& each : *made) {
      if (compiler_ && each.chain) each.chain->set_code(compiler_(*each.chain));
    }
    known = std::make_unique<const Programs>(*std::move(made));
  }
  return known.get();
}

std::optional<ChainGradient::Programs> ChainGradient::assemble(Wanted wanted) const {
  Programs made;
  Assembly current(*this);
  std::uint32_t done = 0;
  for (const ChainContribution& each : derivation_.contributions) {
    if (!chain_programs::has(wanted.needed & ~done, each.input)) continue;
    const bool merged = chain_programs::has(wanted.merged, each.input);
    if (merged) done |= 1u << each.input;
    const auto add = [&] { return merged ? current.add_merged(each.input) : current.add(each); };
    if (add()) continue;
    if (!current.is_empty()) {
      made.push_back(current.finish());
      current = Assembly(*this);
      if (add()) continue;
    }
    if (!merged) return std::nullopt;
    return assemble({wanted.needed, wanted.merged & ~(1u << each.input)});
  }
  if (!current.is_empty()) made.push_back(current.finish());
  return made;
}

bool ChainGradient::adds_up(std::size_t input) const {
  const auto is_constant_of = [input](const ChainContribution& each) {
    return each.input == input && each.value.is_constant();
  };
  return additions(input) > 0 && std::none_of(derivation_.contributions.begin(),
                                              derivation_.contributions.end(), is_constant_of);
}

std::size_t ChainGradient::additions(std::size_t input) const {
  return static_cast<std::size_t>(
      std::count_if(derivation_.contributions.begin(), derivation_.contributions.end(),
                    [input](const ChainContribution& each) { return each.input == input; }));
}

DType ChainGradient::dtype_of(std::size_t input) const {
  return derivation_.entries[static_cast<std::size_t>(derivation_.inputs[input])].dtype;
}

std::optional<ChainGradient::Source> ChainGradient::source_of(int entry) const {
  const auto place_in = [entry](const std::vector<int>& entries) {
    return static_cast<std::size_t>(std::find(entries.begin(), entries.end(), entry) -
                                    entries.begin());
  };
  if (const std::size_t i = place_in(derivation_.inputs); i < derivation_.inputs.size())
    return Source{Origin::kInput, i};
  if (const std::size_t i = place_in(derivation_.gradients); i < derivation_.gradients.size())
    return Source{Origin::kGradient, i};
  const std::size_t i = place_in(derivation_.results);
  if (i < derivation_.results.size() && saves_result_[i]) return Source{Origin::kResult, i};
  return std::nullopt;
}

/// Whether computing the value from the inputs takes more than arithmetic.
bool ChainGradient::is_heavy(int entry) const {
  const ops::RecordedEntry& found = derivation_.entries[static_cast<std::size_t>(entry)];
  if (found.is_operand) return false;
  return chain_programs::is_heavy_step(found.step) ||
         std::any_of(std::begin(found.step.operands), std::end(found.step.operands),
                     [this](int operand) { return operand >= 0 && is_heavy(operand); });
}

/// Whether a step of the derivative has the value as an operand.
bool ChainGradient::is_read(int entry) const {
  std::size_t first = derivation_.entries.size();
  for (const int gradient : derivation_.gradients) {
    if (gradient >= 0) first = std::min(first, static_cast<std::size_t>(gradient));
  }
  for (std::size_t i = first; i < derivation_.entries.size(); ++i) {
    const auto& operands = derivation_.entries[i].step.operands;
    if (std::find(std::begin(operands), std::end(operands), entry) != std::end(operands))
      return true;
  }
  return false;
}

}  // namespace gpukit::autograd
