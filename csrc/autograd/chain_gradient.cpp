#include "autograd/chain_gradient.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "autograd/gradient_math.h"
#include "autograd/record.h"
#include "ops/creation.h"
#include "ops/promotion.h"
#include "tensor/view.h"

namespace gpukit::autograd {
namespace chain_gradient {
namespace {

constexpr const char* kName = "CompiledFunctionBackward";

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

/// One NaN is like another.
bool are_same(const Tensor& a, const Tensor& b) {
  if (!a.defined() || !b.defined()) return a.defined() == b.defined();
  const auto width = static_cast<std::int64_t>(itemsize(a.dtype()));
  const Tensor left = ops::contiguous(a), right = ops::contiguous(b);
  for (std::int64_t i = 0; i < a.count(); ++i) {
    const double x = ops::load_scalar(a.dtype(), left.data_as<char>() + i * width).as_double();
    const double y = ops::load_scalar(b.dtype(), right.data_as<char>() + i * width).as_double();
    const bool same = x == y && std::signbit(x) == std::signbit(y);
    if (!same && !(std::isnan(x) && std::isnan(y))) return false;
  }
  return true;
}

}  // namespace
}  // namespace chain_gradient

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
        value = append(chain_gradient::conversion(value, each.value.dtype, dtype));
      total = total < 0 ? value : append(chain_gradient::sum(total, value, dtype));
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
    return chain_gradient::kFirstStep + static_cast<int>(state_.steps.size()) - 1;
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
    if (value < chain_gradient::kFirstStep) {
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
    return value < chain_gradient::kFirstStep ? value
                                              : sources + value - chain_gradient::kFirstStep;
  }

  const ChainGradient* chain_;
  State state_;
};

ChainGradient::ChainGradient(ChainDerivation derivation, ComputeChain compute)
    : derivation_(std::move(derivation)),
      compute_(std::move(compute)),
      saves_result_(derivation_.results.size(), false) {
  std::vector<bool> saves;
  for (const int entry : derivation_.results)
    saves.push_back(entry >= 0 && !source_of(entry) && is_heavy(entry) && is_read(entry));
  saves_result_ = std::move(saves);
}

const ChainGradient::Programs* ChainGradient::programs(Wanted wanted) const {
  const std::lock_guard lock(mutex_);
  auto& known = programs_[wanted];
  if (known == nullptr) {
    std::optional<Programs> made = assemble(wanted);
    if (!made) return nullptr;
    known = std::make_unique<const Programs>(*std::move(made));
  }
  return known.get();
}

std::optional<ChainGradient::Programs> ChainGradient::assemble(Wanted wanted) const {
  Programs made;
  Assembly current(*this);
  std::uint32_t done = 0;
  for (const ChainContribution& each : derivation_.contributions) {
    if (!chain_gradient::has(wanted.needed & ~done, each.input)) continue;
    const bool merged = chain_gradient::has(wanted.merged, each.input);
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
  return chain_gradient::is_heavy_step(found.step) ||
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

namespace chain_gradient {
namespace {

/// What the derivative has at hand.
struct Tensors {
  std::vector<Tensor> inputs, results, gradients;

  const Tensor& at(const ChainGradient::Source& source) const {
    switch (source.origin) {
      case ChainGradient::Origin::kInput:
        return inputs[source.index];
      case ChainGradient::Origin::kResult:
        return results[source.index];
      case ChainGradient::Origin::kGradient:
        break;
    }
    return gradients[source.index];
  }
};

using Additions = std::vector<std::pair<std::size_t, Tensor>>;

/// Runs a program; false where the device does not take it. `read` gives a source.
template <class Read>
bool run_program(const ChainGradient::Program& program, const Shape& shape, Device device,
                 Additions& additions, const Read& read) {
  std::vector<Tensor> sources;
  for (const ChainGradient::Source& source : program.sources) sources.push_back(read(source));
  std::optional<std::vector<Tensor>> made;
  if (program.chain) {
    made = ops::run_chain(*program.chain, sources, shape);
    if (!made) return false;
  }
  for (const ChainGradient::Delivery& each : program.deliveries) {
    if (each.result >= 0) {
      additions.emplace_back(each.input, (*made)[static_cast<std::size_t>(each.result)]);
    } else if (each.source >= 0) {
      additions.emplace_back(each.input, sources[static_cast<std::size_t>(each.source)]);
    } else {
      additions.emplace_back(each.input, ops::full(shape, each.constant.constant,
                                                   each.constant.dtype, device, "backward"));
    }
  }
  return true;
}

/// The derivative of the one node that stands for the operators.
struct Formula {
  ChainGradientPtr chain;
  Shape shape;
  std::vector<SavedTensor> inputs, results;

  void operator()(Pass& pass) const {
    const std::vector<Tensor> gradients = incoming(pass);
    const bool is_whole = std::none_of(gradients.begin(), gradients.end(), [&](const Tensor& each) {
      const auto result = static_cast<std::size_t>(&each - gradients.data());
      return !each.defined() && chain->has_gradient(result);
    });
    if (pass.recorded() || !is_whole || !run(pass, gradients)) expand(pass, gradients);
  }

  /// The gradients of all results; undefined where none arrived.
  std::vector<Tensor> incoming(Pass& pass) const {
    std::vector<std::size_t> with_gradient;
    for (std::size_t i = 0; i < chain->result_count(); ++i) {
      if (chain->has_gradient(i)) with_gradient.push_back(i);
    }
    std::vector<Tensor> gradients(chain->result_count());
    if (with_gradient.size() == 1) {
      gradients[with_gradient[0]] = pass.gradient();
      return gradients;
    }
    std::vector<Tensor> sent = pass.take_sent(with_gradient.size());
    for (std::size_t i = 0; i < with_gradient.size(); ++i)
      gradients[with_gradient[i]] = std::move(sent[i]);
    return gradients;
  }

  bool run(Pass& pass, const std::vector<Tensor>& gradients) const {
    const ChainGradient::Programs* programs = chain->programs(wanted(pass));
    if (programs == nullptr) return false;
    const Device device = gradients_device(gradients);
    Additions additions;
    for (const ChainGradient::Program& program : *programs) {
      const bool ran = run_program(
          program, shape, device, additions, [&](const ChainGradient::Source& source) -> Tensor {
            if (source.origin == ChainGradient::Origin::kGradient) return gradients[source.index];
            const bool is_input = source.origin == ChainGradient::Origin::kInput;
            return pass(is_input ? inputs[source.index] : results[source.index]);
          });
      if (!ran) return false;
    }
    for (auto& [input, gradient] : additions) pass.accumulate_grad(input, std::move(gradient));
    return true;
  }

  static Device gradients_device(const std::vector<Tensor>& gradients) {
    for (const Tensor& each : gradients) {
      if (each.defined()) return each.device();
    }
    return Device::cpu();
  }

  /// What a broadcast input gets is summed addition by addition, as the operators' derivatives do,
  /// and so is what comes after others' additions.
  ChainGradient::Wanted wanted(const Pass& pass) const {
    ChainGradient::Wanted wanted;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!pass.needs_input_grad(i)) continue;
      wanted.needed |= 1u << i;
      const bool is_alone = chain->additions(i) == 1 || !pass.has_part_of(i);
      if (chain->adds_up(i) && is_alone && pass.kind(i).shape == shape) wanted.merged |= 1u << i;
    }
    return wanted;
  }

  /// In a recorded pass, and where only some results were used, the operators' own derivatives.
  void expand(Pass& pass, const std::vector<Tensor>& gradients) const {
    std::vector<Tensor> given;
    for (const SavedTensor& input : inputs) given.push_back(pass.in_graph(input));
    const GradModeScope mode(true);
    const std::vector<Tensor> made = chain->compute()(given);
    pass.expand(made, gradients);
  }
};

/// The edges lead to nodes that differ: else the order of the additions would matter.
bool are_distinct(Edges& edges) {
  for (NodePtr* each = edges.begin(); each != edges.end(); ++each) {
    const auto same = [each](const NodePtr& other) { return other.get() == each->get(); };
    if (*each && std::any_of(edges.begin(), each, same)) return false;
  }
  return true;
}

/// A node of its own for each result, which leads to the shared one.
void record_shared(const std::vector<Tensor>& results, Edges&& edges, Formula formula) {
  const NodePtr shared = NodePtr::adopt(
      new FormulaNode<Formula>(kName, results[0], std::move(edges), std::move(formula)));
  for (std::size_t i = 0; i < results.size(); ++i) {
    Edges to_shared(1);
    to_shared[0] = shared;
    record(results[i], kName, std::move(to_shared),
           [i](Pass& pass) { pass.send_to_shared(i, pass.gradient()); });
  }
}

void record_results(const ChainGradientPtr& gradient, std::span<const Tensor> inputs, Edges&& edges,
                    const std::vector<Tensor>& made) {
  Formula formula{gradient, made[0].shape(), {}, {}};
  for (std::size_t i = 0; i < inputs.size(); ++i)
    formula.inputs.push_back(SavedTensor::input(static_cast<int>(i), inputs[i]));
  std::vector<Tensor> recorded;
  for (std::size_t i = 0; i < made.size(); ++i) {
    formula.results.push_back(SavedTensor::constant(made[i], gradient->saves_result(i)));
    if (gradient->has_gradient(i)) recorded.push_back(made[i]);
  }
  if (recorded.size() == 1) {
    record(recorded[0], kName, std::move(edges), std::move(formula));
  } else if (!recorded.empty()) {
    record_shared(recorded, std::move(edges), std::move(formula));
  }
}

/// Whether the programs give what the operators' derivatives gave.
bool reproduces(const ChainGradient& chain, std::span<const Tensor> inputs,
                std::span<const Tensor> results, const ChainObserver& observer, bool merged) {
  ChainGradient::Wanted wanted;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!chain.needs(i)) continue;
    wanted.needed |= 1u << i;
    if (merged && chain.adds_up(i)) wanted.merged |= 1u << i;
  }
  const ChainGradient::Programs* programs = chain.programs(wanted);
  if (programs == nullptr) return false;
  const Tensors tensors{{inputs.begin(), inputs.end()},
                        {results.begin(), results.end()},
                        {observer.result_gradients().begin(), observer.result_gradients().end()}};
  Additions additions;
  const auto read = [&](const ChainGradient::Source& source) { return tensors.at(source); };
  for (const ChainGradient::Program& program : *programs) {
    if (!run_program(program, inputs[0].shape(), inputs[0].device(), additions, read)) return false;
  }
  std::vector<Tensor> totals(inputs.size());
  for (auto& [input, gradient] : additions) {
    Tensor& total = totals[input];
    gradient = ops::cast(gradient, inputs[input].dtype());
    total = total.defined() ? ops::binary(BinaryOp::kAdd, total, gradient) : gradient;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!are_same(totals[i], observer.input_gradients()[i])) return false;
  }
  return true;
}

}  // namespace
}  // namespace chain_gradient

ChainGradientPtr derive_chain(ChainObserver& observer, std::span<const Tensor> inputs,
                              std::span<const Tensor> results, ComputeChain compute) {
  std::optional<ChainDerivation> derived = observer.derive(results);
  if (!derived) return nullptr;
  auto made = std::make_shared<const ChainGradient>(*std::move(derived), std::move(compute));
  const NoGradScope no_grad;
  const bool same = chain_gradient::reproduces(*made, inputs, results, observer, false) &&
                    chain_gradient::reproduces(*made, inputs, results, observer, true);
  return same ? made : nullptr;
}

std::optional<std::vector<Tensor>> run_chain(const ops::ChainProgram& forward,
                                             const ChainGradientPtr& gradient,
                                             std::span<const Tensor> inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].requires_grad() != gradient->needs(i)) return std::nullopt;
  }
  Edges edges = detail::edges_to(inputs);
  if (!chain_gradient::are_distinct(edges)) return std::nullopt;
  auto made = ops::run_chain(forward, inputs);
  if (made) chain_gradient::record_results(gradient, inputs, std::move(edges), *made);
  return made;
}

}  // namespace gpukit::autograd
