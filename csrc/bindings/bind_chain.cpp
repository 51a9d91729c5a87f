#include "bindings/bind_chain.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "autograd/chain_gradient.h"
#include "autograd/record.h"
#include "base/check.h"
#include "base/error.h"
#include "bindings/arguments.h"
#include "bindings/bind.h"
#include "bindings/gil.h"
#include "bindings/operator_call.h"
#include "bindings/size_type.h"
#include "ops/chain_rows.h"
#include "ops/elementwise_table.h"
#include "ops/reduce.h"

namespace gpukit::bindings {

/// A program, and where its results are to be recorded, its derivative.
struct BoundChain {
  ops::ChainProgram program;
  autograd::ChainGradientPtr gradient;
};

/// Chains over the same rows.
struct BoundRows {
  std::vector<ops::RowStage> stages;
};

template <>
inline constexpr bool is_bound_class<BoundChain> = true;
template <>
inline constexpr bool is_bound_class<BoundRows> = true;

namespace bind_chain_impl {
namespace {

/// Elements of one step that take about 50 us.
constexpr std::int64_t kShortWork = 1 << 14;

template <class Op>
std::optional<Op> find_op(std::string_view name, std::span<const ops::ElementwiseRow> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (name == rows[i].name) return static_cast<Op>(i);
  }
  return std::nullopt;
}

std::optional<UnaryOp> unary_named(std::string_view name) {
  return find_op<UnaryOp>(name, ops::unary_rows());
}
std::optional<BinaryOp> binary_named(std::string_view name) {
  return find_op<BinaryOp>(name, ops::binary_rows());
}

std::optional<Scalar> bound_of(const py::object& value) {
  if (value.is_none()) return std::nullopt;
  return to_scalar({"Chain", "number"}, value.ptr());
}

/// A step as Python writes it: (name, numbers of values, None for the place of the number; number).
struct WrittenStep {
  explicit WrittenStep(const py::tuple& written) {
    GPUKIT_CHECK(written.size() == 3, ValueError, "Chain: a step is (name, operands, number), got ",
                 written.size(), " parts");
    name = to_text({"Chain", "name"}, py::object(written[0]).ptr());
    operands = written[1].cast<std::vector<std::optional<int>>>();
    number = written[2];
  }
  int operand(std::size_t i) const {
    GPUKIT_CHECK(i < operands.size(), ValueError, "Chain: ", name, " has too few operands");
    return operands[i].value_or(-1);
  }
  Scalar scalar() const { return bound_of(number).value_or(Scalar()); }

  std::string name;
  std::vector<std::optional<int>> operands;
  py::object number;
};

void add_clamp(ops::ChainProgram& program, const WrittenStep& step) {
  const auto bounds = step.number.cast<std::pair<py::object, py::object>>();
  program.add_clamp(step.operand(0), bound_of(bounds.first), bound_of(bounds.second));
}

void add_step(ops::ChainProgram& program, const WrittenStep& step) {
  if (step.name == "where")
    return program.add_select(step.operand(0), step.operand(1), step.operand(2), step.scalar());
  if (step.name == "convert")
    return program.add_convert(step.operand(0), to_dtype({"Chain", "dtype"}, step.number.ptr()));
  if (step.name == "clamp") return add_clamp(program, step);
  if (const auto op = unary_named(step.name)) return program.add_unary(*op, step.operand(0));
  if (const auto op = binary_named(step.name))
    return program.add_binary(*op, step.operand(0), step.operand(1), step.scalar());
  throw ValueError(concat("Chain: there is no elementwise operator '", step.name, "'"));
}

ReduceOp reduction_named(std::string_view name) {
  if (name == "norm1") return ReduceOp::kNorm1;
  if (name == "norm2") return ReduceOp::kNorm2;
  for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kMean, ReduceOp::kMax, ReduceOp::kMin}) {
    if (name == ops::name(op)) return op;
  }
  throw ValueError(concat("Chain: there is no reduction '", name, "'"));
}

/// Reductions as Python writes them: (name, value, dims, keepdim).
void add_reductions(ops::ChainProgram& program, const py::object& reductions) {
  for (const py::handle each : py::list(reductions)) {
    const auto [name, value, dims, keepdim] = each.cast<std::tuple<std::string, int, int, bool>>();
    program.add_reduction({value, reduction_named(name), dims, keepdim});
  }
}

BoundChain make_chain(const py::object& inputs, const py::object& steps,
                      const std::vector<int>& results, const py::object& reductions) {
  std::vector<DType> dtypes;
  for (const py::handle dtype : py::list(inputs))
    dtypes.push_back(to_dtype({"Chain", "inputs"}, dtype.ptr()));
  ops::ChainProgram program(std::move(dtypes));
  for (const py::handle step : py::list(steps))
    add_step(program, WrittenStep(step.cast<py::tuple>()));
  for (const int value : results) program.add_result(value);
  add_reductions(program, reductions);
  return {std::move(program), nullptr};
}

py::object to_tuple(std::vector<Tensor> tensors) {
  py::tuple made(tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) made[i] = to_python(std::move(tensors[i]));
  return made;
}

std::shared_ptr<PyObject> shared(PyObject* reference) {
  return {reference, [](PyObject* object) { release_reference(object); }};
}

/// A function of Python that calls the operators of a chain.
autograd::ComputeChain computing(const py::object& function) {
  if (PyCallable_Check(function.ptr()) == 0)
    throw_wrong_type({"Chain.derive", "function"}, "a function", function.ptr());
  const std::shared_ptr<PyObject> held = shared(Py_NewRef(function.ptr()));
  return [held](const std::vector<Tensor>& inputs) {
    const TakeGil gil;
    const py::object given = to_tuple(inputs);
    const auto made = owned(or_stop([&] { return PyObject_CallOneArg(held.get(), given.ptr()); }));
    return to_tensors({"Chain.derive", "the results"}, made.ptr());
  };
}

/// A step as Python writes it, and the dtype of what it makes.
py::object written(const ChainStep& step) {
  py::list operands;
  int count = 1;
  std::string_view name = "convert";
  py::object number = py::none();
  const auto scalar = [](const Scalar& value) { return owned(from_scalar(value)); };
  switch (step.kind) {
    case ChainStepKind::kUnary:
      name = ops::unary_rows()[static_cast<std::size_t>(step.op)].name;
      break;
    case ChainStepKind::kBinary:
      name = ops::binary_rows()[static_cast<std::size_t>(step.op)].name;
      count = 2;
      number = scalar(step.number);
      break;
    case ChainStepKind::kSelect:
      name = "where";
      count = 3;
      number = scalar(step.number);
      break;
    case ChainStepKind::kConvert:
      break;
    case ChainStepKind::kClamp:
      name = "clamp";
      number = py::make_tuple(step.has_low ? scalar(step.number) : py::none(),
                              step.has_high ? scalar(step.high) : py::none());
      break;
  }
  for (int i = 0; i < count; ++i)
    operands.append(step.operands[i] < 0 ? py::none() : py::object(py::int_(step.operands[i])));
  return py::make_tuple(name, py::tuple(operands), number, owned(new_object(step.out_dtype)));
}

/// A program as Python's compiler takes it: (dtypes of the inputs, steps, results).
py::object written(const ops::ChainProgram& program) {
  py::list dtypes, steps, results;
  for (const DType dtype : program.inputs()) dtypes.append(owned(new_object(dtype)));
  for (const ChainStep& step : program.steps()) steps.append(written(step));
  for (const int value : program.results()) results.append(value);
  return py::make_tuple(dtypes, steps, results);
}

/// The code that Python makes of a program when it first runs: `make(dtypes, steps, results)` gives
/// a function of (inputs, shape), whose results are a tuple, or None.
class PythonCode {
 public:
  PythonCode(std::shared_ptr<PyObject> make, const ops::ChainProgram& program)
      : make_(std::move(make)), program_(std::make_shared<const ops::ChainProgram>(program)) {}

  std::optional<std::vector<Tensor>> operator()(std::span<const Tensor> inputs,
                                                const Shape& shape) {
    const TakeGil gil;
    if (function_ == nullptr) {
      const py::object parts = written(*program_);
      function_ =
          shared(or_stop([&] { return checked(PyObject_CallObject(make_.get(), parts.ptr())); }));
    }
    const py::object given = to_tuple({inputs.begin(), inputs.end()});
    const auto whole = owned(to_size(shape));
    const auto made = owned(or_stop([&] {
      return PyObject_CallFunctionObjArgs(function_.get(), given.ptr(), whole.ptr(), nullptr);
    }));
    if (made.is_none()) return std::nullopt;
    return to_tensors({"Chain.derive", "the compiled results"}, made.ptr());
  }

 private:
  std::shared_ptr<PyObject> make_, function_;
  std::shared_ptr<const ops::ChainProgram> program_;
};

ops::ChainCompiler compiler_of(const py::object& make) {
  if (make.is_none()) return nullptr;
  return
      [held = shared(Py_NewRef(make.ptr()))](const ops::ChainProgram& program) -> ops::ChainCode {
        return [code = std::make_shared<PythonCode>(held, program)](std::span<const Tensor> inputs,
                                                                    const Shape& shape) {
          return (*code)(inputs, shape);
        };
      };
}

bool derive(BoundChain& chain, const py::object& given, const py::object& function,
            const py::object& make) {
  const std::vector<Tensor> inputs = to_tensors({"Chain.derive", "inputs"}, given.ptr());
  autograd::ComputeChain compute = computing(function);
  autograd::ChainObserver observer(inputs);
  const std::vector<Tensor> results = compute(inputs);
  const ops::ChainCompiler compiler = compiler_of(make);
  chain.gradient = autograd::derive_chain(observer, inputs, results, chain.program.results().size(),
                                          std::move(compute), compiler);
  if (compiler) chain.program.set_code(compiler(chain.program));
  return chain.gradient != nullptr;
}

/// Small work on the CPU keeps the GIL.
bool releases_gil(const ops::ChainProgram& program, const std::vector<Tensor>& inputs) {
  std::int64_t elements = 0;
  for (const Tensor& input : inputs) elements = std::max(elements, input.count());
  return elements * static_cast<std::int64_t>(program.steps().size()) > kShortWork;
}

std::optional<std::vector<Tensor>> results_of(const BoundChain& chain,
                                              const std::vector<Tensor>& inputs) {
  if (!autograd::records(std::span<const Tensor>(inputs)))
    return ops::run_chain(chain.program, inputs);
  if (chain.gradient == nullptr) return std::nullopt;
  return autograd::run_chain(chain.program, chain.gradient, inputs);
}

py::object run_chain(const BoundChain& chain, const py::object& given) {
  const std::vector<Tensor> inputs = to_tensors({"Chain.run", "inputs"}, given.ptr());
  auto made = run(releases_gil(chain.program, inputs), [&] { return results_of(chain, inputs); });
  return made ? to_tuple(*std::move(made)) : py::none();
}

/// Between the observers of this thread, as the operator "chain".
py::object observed_run(const py::object& program, const py::object& inputs) {
  const Operator& called = operator_of(
      OperatorKind::kFunction, "chain(program, inputs)",
      [](PyObject* const* values, int) {
        const auto& self = py::handle(values[0]).cast<const BoundChain&>();
        return run_chain(self, py::reinterpret_borrow<py::object>(values[1])).release().ptr();
      },
      0, [](PyObject* const* values) { return py::isinstance<BoundChain>(values[0]); });
  return owned(observed_call(called, {program.ptr(), inputs.ptr()}));
}

py::object run_or_observe(const py::object& program, const py::object& inputs) {
  if (is_observed(Observed::kOperators)) [[unlikely]]
    return observed_run(program, inputs);
  return run_chain(program.cast<const BoundChain&>(), inputs);
}

BoundRows make_rows(const py::object& stages) {
  BoundRows made;
  for (const py::handle each : py::list(stages)) {
    const auto parts = each.cast<py::tuple>();
    GPUKIT_CHECK(parts.size() == 3, ValueError,
                 "ChainRows: a stage is (chain, sources, kept), got ", parts.size(), " parts");
    made.stages.push_back({parts[0].cast<const BoundChain&>().program,
                           parts[1].cast<std::vector<int>>(), parts[2].cast<std::vector<int>>()});
  }
  return made;
}

/// An observer hears of each stage, and a gradient is recorded by stages.
py::object run_rows(const BoundRows& rows, const py::object& given) {
  const std::vector<Tensor> inputs = to_tensors({"ChainRows.run", "inputs"}, given.ptr());
  const bool observed = is_observed(Observed::kOperators) || is_observed(Observed::kDeviceWork);
  if (observed || autograd::records(std::span<const Tensor>(inputs))) return py::none();
  auto made = run(true, [&] { return ops::run_chain_rows(rows.stages, inputs); });
  return made ? to_tuple(*std::move(made)) : py::none();
}

bool chain_takes(const std::string& name, const py::object& dtype) {
  const DType given = to_dtype({"chain_takes", "dtype"}, dtype.ptr());
  if (const auto op = unary_named(name)) return ops::chain_takes(*op, given);
  if (const auto op = binary_named(name)) return ops::chain_takes(*op, given);
  return false;
}

bool has_chains(const py::object& device) {
  return chains_of(to_device({"has_chains", "device"}, device.ptr()).type).run != nullptr;
}

bool reduces_in_chains(const py::object& device) {
  return chains_of(to_device({"reduces_in_chains", "device"}, device.ptr()).type).reduces;
}

}  // namespace
}  // namespace bind_chain_impl

void bind_chain(py::module_& module) {
  py::class_<BoundChain> cls(module, "Chain", "Elementwise steps that a device does in one pass.");
  refuse_pickling(cls, "it is of this process. Pickle the compiled function");
  cls.def(
      py::init(&bind_chain_impl::make_chain), py::arg("inputs"), py::arg("steps"),
      py::arg("results"), py::arg("reductions") = py::tuple(),
      "Steps (name, operands, number) over values: the inputs, of these dtypes, then the result "
      "of each step. None among the operands is the number's place. Reductions (name, value, how "
      "many last dimensions, keepdim) come after the results.");
  cls.def("run", &bind_chain_impl::run_or_observe, py::arg("inputs"),
          "The results, or None where the device or these inputs take the operators one by one.");
  cls.def("derive", &bind_chain_impl::derive, py::arg("inputs"), py::arg("function"),
          py::arg("compiler") = py::none(),
          "Record the results of run() as one node from here on. `function` gives the results for "
          "a tuple of inputs by operators, then the values of its reductions; it is called once "
          "with `inputs`, contiguous tensors of "
          "the CPU. False, with nothing changed, where the derivatives are not made of steps. "
          "What compiler(dtypes, steps, results) gives runs in place of the device's loops: a "
          "function of (inputs, shape), which returns the results, or None.");
  py::class_<BoundRows> rows(module, "ChainRows", "Chains that run block by block of rows.");
  refuse_pickling(rows, "it is of this process. Pickle the compiled function");
  rows.def(py::init(&bind_chain_impl::make_rows), py::arg("stages"),
           "Stages (chain, sources, kept): a source of an input is the number of a tensor, or -1 - "
           "that of a value; what the stages make are the values, of which those kept are given.");
  rows.def("run", &bind_chain_impl::run_rows, py::arg("inputs"),
           "What is kept, or None where stage by stage is the way.");
  module.def("has_chains", &bind_chain_impl::has_chains, py::arg("device"),
             "True where devices of that kind run chains.");
  module.def("reduces_in_chains", &bind_chain_impl::reduces_in_chains, py::arg("device"),
             "True where they may end in reductions.");
  module.def("chain_takes", &bind_chain_impl::chain_takes, py::arg("name"), py::arg("dtype"),
             "True where a chain takes operands of that dtype as they are.");
}

}  // namespace gpukit::bindings
