#include "ops/chain.h"

#include "base/check.h"
#include "base/error.h"
#include "base/observer.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

namespace gpukit::ops {
namespace chain {
namespace {

bool takes_kind(Domain domain, DType dtype) {
  return takes(domain, [dtype](auto... answers) { return of_kind(kind_of(dtype), answers...); });
}

void check_takes(bool takes, std::string_view op, DType dtype) {
  GPUKIT_CHECK(takes, DTypeError, "Chain: ", op, " does not take ", name(dtype),
               " as it is; add a step that converts it");
}

void check_alike(std::string_view op, DType left, DType right) {
  GPUKIT_CHECK(left == right, DTypeError, "Chain: the operands of ", op, " are ", name(left),
               " and ", name(right), "; add a step that converts one");
}

bool is_ending(ReduceOp op) {
  switch (op) {
    case ReduceOp::kSum:
    case ReduceOp::kMean:
    case ReduceOp::kMax:
    case ReduceOp::kMin:
    case ReduceOp::kNorm1:
    case ReduceOp::kNorm2:
      return true;
    default:
      return false;
  }
}

ChainStep step_of(ChainStepKind kind, int op = 0) {
  ChainStep step;
  step.kind = kind;
  step.op = op;
  return step;
}

bool are_as_declared(const ChainProgram& program, std::span<const Tensor> inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].dtype() != program.inputs()[i]) return false;
    if (&inputs[i].open_device() != &inputs[0].open_device()) return false;
  }
  return true;
}

/// The shape of each value, as if the steps were operators of their own.
class ValueShapes {
 public:
  explicit ValueShapes(std::span<const Shape> inputs) : shapes_(inputs.begin(), inputs.end()) {}

  /// False where the operands do not fit together.
  bool add(const ChainStep& step) {
    Shape shape;
    for (const int operand : step.operands) {
      if (operand < 0) continue;
      const Shape& other = shapes_[static_cast<std::size_t>(operand)];
      if (shape == other) continue;
      if (!broadcast_together(shape, other)) return false;
      shape = broadcast_shapes(shape, other, "chain");
    }
    shapes_.push_back(shape);
    return true;
  }
  const Shape& last() const { return shapes_.back(); }
  bool all_from(std::size_t first) const {
    for (std::size_t i = first; i < shapes_.size(); ++i) {
      if (!(shapes_[i] == last())) return false;
    }
    return true;
  }

 private:
  std::vector<Shape> shapes_;
};

/// Bytes of the distinct elements: a broadcast dimension is read once.
double bytes_of(const Shape& shape, const Operand& operand) {
  auto bytes = static_cast<double>(itemsize(operand.dtype));
  for (int i = 0; i < shape.size(); ++i) {
    if (operand.strides[i] != 0) bytes *= static_cast<double>(shape[i]);
  }
  return bytes;
}

void report(const ChainArgs& args, Device device) {
  const auto count = static_cast<double>(element_count(args.shape));
  DeviceWork work{args.inputs[0].dtype, count * static_cast<double>(args.steps.size()), 0};
  for (const Operand& input : args.inputs) work.bytes += bytes_of(args.shape, input);
  for (const ChainResult& result : args.results) work.bytes += bytes_of(args.shape, result.out);
  for (const ChainReduction& each : args.reductions) {
    const DType dtype =
        args.steps[static_cast<std::size_t>(each.value) - args.inputs.size()].out_dtype;
    work.bytes +=
        count / static_cast<double>(args.reduced_count) * static_cast<double>(itemsize(dtype));
  }
  work.device = device;
  note(work);
}

std::vector<Tensor> empty_results(const ChainProgram& program, OpenDevice& device,
                                  const Shape& shape) {
  std::vector<Tensor> made;
  for (const int value : program.results())
    made.push_back(empty_on(device, shape, program.dtype_of(value)));
  for (const ChainEnding& each : program.endings())
    made.push_back(empty_on(device, each.shape(shape), program.dtype_of(each.value)));
  return made;
}

/// How many elements the endings reduce to one.
std::int64_t reduced_count(const ChainProgram& program, const Shape& shape) {
  if (program.endings().empty()) return 1;
  return element_count(shape) / element_count(program.endings()[0].shape(shape));
}

/// Whether the device does the endings in the chain. One element alone is left to the operator.
bool takes_endings(const ChainProgram& program, const ChainRunner& runner, const Shape& shape) {
  return program.endings().empty() ||
         (runner.reduces && element_count(shape) > 0 && reduced_count(program, shape) > 1);
}

bool queue(const ChainProgram& program, const ChainRunner& runner, const Shape& shape,
           std::span<const Tensor> inputs, std::span<const Tensor> made) {
  OpenDevice& device = inputs[0].open_device();
  const StreamRef stream = stream_of(device);
  Operand operands[kMaxChainInputs];
  ChainResult results[kMaxChainResults];
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    note_use(inputs[i], stream);
    operands[i] = operand(inputs[i], shape);
  }
  const std::size_t plain = program.results().size();
  for (std::size_t i = 0; i < plain; ++i) results[i] = {program.results()[i], operand(made[i])};
  ChainReduction reductions[kMaxChainReductions];
  for (std::size_t i = plain; i < made.size(); ++i) {
    const ChainEnding& ending = program.endings()[i - plain];
    reductions[i - plain] = {ending.value, ending.op, made[i].data()};
  }
  const ChainArgs args{shape,
                       {operands, inputs.size()},
                       program.steps(),
                       {results, plain},
                       {reductions, made.size() - plain},
                       reduced_count(program, shape)};
  if (!runner.run(device.runtime(), args, stream)) return false;
  if (is_observed(Observed::kDeviceWork)) report(args, device.device());
  return true;
}

}  // namespace
}  // namespace chain

std::optional<Shape> common_shape(const ChainProgram& program, std::span<const Shape> inputs) {
  chain::ValueShapes shapes(inputs);
  for (const ChainStep& step : program.steps()) {
    if (!shapes.add(step)) return std::nullopt;
  }
  if (!shapes.all_from(inputs.size())) return std::nullopt;
  return shapes.last();
}

bool chain_takes(UnaryOp op, DType dtype) noexcept {
  return chain::takes_kind(domain_of(op), dtype);
}
bool chain_takes(BinaryOp op, DType dtype) noexcept {
  return chain::takes_kind(domain_of(op), dtype);
}

ChainProgram::ChainProgram(std::vector<DType> inputs) : inputs_(std::move(inputs)) {
  GPUKIT_CHECK(!inputs_.empty() && inputs_.size() <= kMaxChainInputs, ValueError,
               "Chain: inputs must be 1 to ", kMaxChainInputs, ", got ", inputs_.size());
}

DType ChainProgram::dtype_of(int value) const {
  const auto index = static_cast<std::size_t>(value);
  GPUKIT_CHECK(value >= 0 && index < inputs_.size() + steps_.size(), IndexError,
               "Chain: there is no value ", value, " yet");
  return index < inputs_.size() ? inputs_[index] : steps_[index - inputs_.size()].out_dtype;
}

void ChainProgram::add(ChainStep step) {
  GPUKIT_CHECK(steps_.size() < kMaxChainSteps, ValueError, "Chain: at most ", kMaxChainSteps,
               " steps are allowed");
  steps_.push_back(step);
}

void ChainProgram::add_unary(UnaryOp op, int operand) {
  const DType dtype = dtype_of(operand);
  chain::check_takes(chain_takes(op, dtype), name(op), dtype);
  ChainStep step = chain::step_of(ChainStepKind::kUnary, static_cast<int>(op));
  step.in_dtype = dtype;
  step.out_dtype = gives_bool(op) ? DType::kBool : dtype;
  step.operands[0] = operand;
  add(step);
}

void ChainProgram::add_binary(BinaryOp op, int left, int right, Scalar number) {
  GPUKIT_CHECK(left >= 0 || right >= 0, ValueError, "Chain: both operands of ", name(op),
               " are numbers");
  const DType dtype = dtype_of(left >= 0 ? left : right);
  if (left >= 0 && right >= 0) chain::check_alike(name(op), dtype, dtype_of(right));
  chain::check_takes(chain_takes(op, dtype), name(op), dtype);
  ChainStep step = chain::step_of(ChainStepKind::kBinary, static_cast<int>(op));
  step.in_dtype = dtype;
  step.out_dtype = gives_bool(op) ? DType::kBool : dtype;
  step.operands[0] = left;
  step.operands[1] = right;
  step.number = number;
  add(step);
}

void ChainProgram::add_select(int condition, int left, int right, Scalar number) {
  GPUKIT_CHECK(left >= 0 || right >= 0, ValueError, "Chain: both choices of where are numbers");
  GPUKIT_CHECK(dtype_of(condition) == DType::kBool, DTypeError, "Chain: the condition of where is ",
               name(dtype_of(condition)), ", not bool");
  const DType dtype = dtype_of(left >= 0 ? left : right);
  if (left >= 0 && right >= 0) chain::check_alike("where", dtype, dtype_of(right));
  ChainStep step = chain::step_of(ChainStepKind::kSelect);
  step.in_dtype = step.out_dtype = dtype;
  step.operands[0] = condition;
  step.operands[1] = left;
  step.operands[2] = right;
  step.number = number;
  add(step);
}

void ChainProgram::add_convert(int operand, DType dtype) {
  ChainStep step = chain::step_of(ChainStepKind::kConvert);
  step.in_dtype = dtype_of(operand);
  step.out_dtype = dtype;
  step.operands[0] = operand;
  GPUKIT_CHECK(step.in_dtype != dtype, DTypeError, "Chain: value ", operand, " is ", name(dtype),
               " already");
  add(step);
}

void ChainProgram::add_clamp(int operand, std::optional<Scalar> low, std::optional<Scalar> high) {
  GPUKIT_CHECK(low || high, ValueError, "Chain: clamp needs a bound");
  ChainStep step = chain::step_of(ChainStepKind::kClamp);
  step.in_dtype = step.out_dtype = dtype_of(operand);
  GPUKIT_CHECK(is_floating(step.in_dtype), DTypeError, "Chain: clamp takes floating values, not ",
               name(step.in_dtype));
  step.operands[0] = operand;
  step.has_low = low.has_value();
  step.has_high = high.has_value();
  if (low) step.number = *low;
  if (high) step.high = *high;
  add(step);
}

void ChainProgram::add_step(const ChainStep& step) {
  switch (step.kind) {
    case ChainStepKind::kUnary:
      return add_unary(static_cast<UnaryOp>(step.op), step.operands[0]);
    case ChainStepKind::kBinary:
      return add_binary(static_cast<BinaryOp>(step.op), step.operands[0], step.operands[1],
                        step.number);
    case ChainStepKind::kSelect:
      return add_select(step.operands[0], step.operands[1], step.operands[2], step.number);
    case ChainStepKind::kConvert:
      return add_convert(step.operands[0], step.out_dtype);
    case ChainStepKind::kClamp:
      return add_clamp(step.operands[0], step.has_low ? std::optional(step.number) : std::nullopt,
                       step.has_high ? std::optional(step.high) : std::nullopt);
  }
}

void ChainProgram::add_result(int value) {
  dtype_of(value);
  GPUKIT_CHECK(static_cast<std::size_t>(value) >= inputs_.size(), ValueError, "Chain: value ",
               value, " is an input, not a step");
  for (const int other : results_)
    GPUKIT_CHECK(other != value, ValueError, "Chain: value ", value, " is a result twice");
  GPUKIT_CHECK(results_.size() < kMaxChainResults, ValueError, "Chain: at most ", kMaxChainResults,
               " results are allowed");
  results_.push_back(value);
}

void ChainProgram::add_reduction(const ChainEnding& ending) {
  const DType dtype = dtype_of(ending.value);
  GPUKIT_CHECK(static_cast<std::size_t>(ending.value) >= inputs_.size(), ValueError,
               "Chain: value ", ending.value, " is an input, not a step");
  GPUKIT_CHECK(is_floating(dtype), DTypeError, "Chain: reductions take floating values, not ",
               name(dtype));
  GPUKIT_CHECK(chain::is_ending(ending.op), ValueError, "Chain: ", name(ending.op),
               " is not done in chains");
  GPUKIT_CHECK(ending.dims >= 0 && ending.dims <= kMaxRank, ValueError, "Chain: dims must be 0 to ",
               kMaxRank, ", got ", ending.dims);
  GPUKIT_CHECK(endings_.empty() || endings_[0].dims == ending.dims, ValueError,
               "Chain: reductions of one chain have the same dimensions");
  GPUKIT_CHECK(endings_.size() < kMaxChainReductions, ValueError, "Chain: at most ",
               kMaxChainReductions, " reductions are allowed");
  endings_.push_back(ending);
}

Shape ChainEnding::shape(const Shape& whole) const {
  GPUKIT_CHECK(dims <= whole.size(), ValueError, "Chain: the values have ", whole.size(),
               " dimensions, of which ", dims, " cannot be reduced");
  Shape made = whole;
  made.resize(whole.size() - dims);
  for (int i = 0; keepdim && i < dims; ++i) made.push_back(1);
  return made;
}

namespace chain {
namespace {

/// Whether the device of these inputs runs the program as it is.
bool is_runnable(const ChainProgram& program, std::span<const Tensor> inputs) {
  GPUKIT_CHECK(inputs.size() == program.inputs().size(), ValueError,
               "Chain: ", program.inputs().size(), " tensors are needed, got ", inputs.size());
  GPUKIT_CHECK(
      !program.steps().empty() && !(program.results().empty() && program.endings().empty()),
      ValueError, "Chain: there is nothing to compute");
  if (!are_as_declared(program, inputs)) return false;
  OpenDevice& device = inputs[0].open_device();
  device.runtime();  // throws once its session is over
  const ChainRunner runner = chains_of(device.device().type);
  return runner.run != nullptr && runner.takes(program.inputs(), program.steps());
}

std::optional<std::vector<Tensor>> run(const ChainProgram& program, std::span<const Tensor> inputs,
                                       const Shape& shape) {
  OpenDevice& device = inputs[0].open_device();
  const ChainRunner runner = chains_of(device.device().type);
  if (!takes_endings(program, runner, shape)) return std::nullopt;
  if (program.code()) {
    if (auto made = program.code()(inputs, shape)) return made;
  }
  std::vector<Tensor> made = empty_results(program, device, shape);
  const bool is_done = element_count(shape) == 0 || queue(program, runner, shape, inputs, made);
  return is_done ? std::optional(std::move(made)) : std::nullopt;
}

}  // namespace
}  // namespace chain

std::optional<std::vector<Tensor>> run_chain(const ChainProgram& program,
                                             std::span<const Tensor> inputs) {
  if (!chain::is_runnable(program, inputs)) return std::nullopt;
  std::vector<Shape> shapes;
  for (const Tensor& input : inputs) shapes.push_back(input.shape());
  const std::optional<Shape> shape = common_shape(program, shapes);
  if (!shape) return std::nullopt;
  return chain::run(program, inputs, *shape);
}

std::optional<std::vector<Tensor>> run_chain(const ChainProgram& program,
                                             std::span<const Tensor> inputs, const Shape& shape) {
  if (!chain::is_runnable(program, inputs)) return std::nullopt;
  return chain::run(program, inputs, shape);
}

}  // namespace gpukit::ops
