#include "autograd/chain_gradient.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "autograd/gradient_math.h"
#include "autograd/record.h"
#include "autograd/reduced.h"
#include "core/layout.h"
#include "ops/creation.h"
#include "ops/promotion.h"
#include "tensor/view.h"

namespace gpukit::autograd {

namespace chain_gradient {
namespace {

constexpr const char* kName = "CompiledFunctionBackward";

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

/// A value of which only a sum or mean is left.
struct ReducedValue {
  Reduced reduced;
  bool is_mean;

  /// The value's gradient, as the operator's derivative gives it.
  Tensor gradient(const Tensor& of_result) const {
    return reduced.expand(is_mean ? div(of_result, reduced.count()) : of_result);
  }
};

/// The derivative of the one node that stands for the operators.
struct Formula {
  ChainGradientPtr chain;
  Shape shape;
  std::vector<SavedTensor> inputs, results;
  std::vector<ReducedValue> reduced;  ///< the last of the results

  void operator()(Pass& pass) const {
    const std::vector<Tensor> gradients = incoming(pass);
    const bool is_whole = std::none_of(gradients.begin(), gradients.end(), [&](const Tensor& each) {
      const auto result = static_cast<std::size_t>(&each - gradients.data());
      return !each.defined() && chain->has_gradient(result);
    });
    if (pass.recorded() || !is_whole || !run(pass, gradients)) expand(pass, gradients);
  }

  /// The gradients of all results, of those that were reduced before they were; undefined where
  /// none arrived.
  std::vector<Tensor> incoming(Pass& pass) const {
    std::vector<Tensor> gradients = arrived(pass);
    const std::size_t whole = gradients.size() - reduced.size();
    for (std::size_t i = 0; i < reduced.size(); ++i) {
      Tensor& gradient = gradients[whole + i];
      if (gradient.defined()) gradient = reduced[i].gradient(gradient);
    }
    return gradients;
  }

  std::vector<Tensor> arrived(Pass& pass) const {
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

/// Of the operators between the inputs.
Shape whole_shape(std::span<const Tensor> inputs) {
  Shape shape = inputs[0].shape();
  for (const Tensor& input : inputs) shape = broadcast_shapes(shape, input.shape(), "chain");
  return shape;
}

void record_results(const ops::ChainProgram& forward, const ChainGradientPtr& gradient,
                    std::span<const Tensor> inputs, Edges&& edges,
                    const std::vector<Tensor>& made) {
  Formula formula{gradient, whole_shape(inputs), {}, {}, {}};
  for (const ops::ChainEnding& each : forward.endings()) {
    ops::ReducedDims dims;
    for (int i = 1; i <= each.dims; ++i) dims.add(formula.shape.size() - i);
    formula.reduced.push_back({Reduced(formula.shape, dims), each.op == ReduceOp::kMean});
  }
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
                              std::span<const Tensor> results, std::size_t kept,
                              ComputeChain compute, ops::ChainCompiler compiler) {
  std::optional<ChainDerivation> derived = observer.derive(results);
  if (!derived) return nullptr;
  auto made = std::make_shared<const ChainGradient>(*std::move(derived), kept, std::move(compute),
                                                    std::move(compiler));
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
  if (made) chain_gradient::record_results(forward, gradient, inputs, std::move(edges), *made);
  return made;
}

}  // namespace gpukit::autograd
