// The basis of gpukit.nn and gpukit.optim. Private: their Python modules give these functions
// names and checks.
#include <algorithm>
#include <utility>
#include <vector>

#include "autograd/reduce.h"
#include "autograd/tensor_gradient.h"
#include "autograd/training.h"
#include "base/check.h"
#include "base/error.h"
#include "bindings/row_texts.h"
#include "bindings/session_hook.h"
#include "bindings/signature.h"
#include "bindings/work.h"
#include "ops/creation.h"
#include "ops/optimizer.h"
#include "tensor/captured_graph.h"
#include "tensor/factory.h"

namespace gpukit::bindings {

namespace {

Tensor optional_tensor(const Arguments& a, int i) { return a.given(i) ? a.tensor(i) : Tensor(); }

using Layer = Tensor (*)(const Tensor& input, const Tensor& weight, const Tensor& bias);

ProductSize layer_size(const Tensor& input, const Tensor& weight) {
  const std::int64_t columns = weight.rank() > 0 ? weight.size(0) : 1;
  const std::int64_t k = input.rank() > 0 ? input.size(input.rank() - 1) : 1;
  return {.m = k == 0 ? 0 : input.count() / k, .n = columns, .k = k};
}

PyObject* layer(const Arguments& a, Layer function) {
  const Tensor &input = a.tensor(0), &weight = a.tensor(1);
  const Tensor bias = optional_tensor(a, 2);
  if (input.on_host()) prepare_cpu_blas();
  return wrap(run(releases_gil(layer_size(input, weight), input),
                  [&] { return function(input, weight, bias); }));
}

ops::Reduction reduction_of(Argument argument, PyObject* value) {
  const std::string text = to_text(argument, value);
  if (text == "mean") return ops::Reduction::kMean;
  if (text == "sum") return ops::Reduction::kSum;
  GPUKIT_CHECK(text == "none", ValueError, argument.op,
               ": reduction must be 'mean', 'sum' or 'none', got '", text, "'.");
  return ops::Reduction::kNone;
}

// (input, target, weight, ignore_index, label_smoothing, reduction)
PyObject* cross_entropy(const Arguments& a) {
  const Tensor &logits = a.tensor(0), &target = a.tensor(1);
  const Tensor weight = optional_tensor(a, 2);
  ops::CrossEntropyOptions options;
  options.ignore_index = a.integer(3, options.ignore_index);
  options.smoothing = a.number(4, 0.0);
  if (a.given(5)) options.reduction = reduction_of(a.argument(5), a[5]);
  return wrap(run(a.gil().releases(logits),
                  [&] { return autograd::cross_entropy(logits, target, weight, options); }));
}

// (input, dims, weight, bias, eps)
PyObject* layer_norm(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const auto dims = static_cast<int>(a.integer(1, 1));
  GPUKIT_CHECK(dims >= 1 && dims <= input.rank(), ValueError, a.argument(1).op, ": dims is ", dims,
               "; it must be between 1 and the input's ", input.rank(), " dimensions.");
  const Tensor weight = optional_tensor(a, 2), bias = optional_tensor(a, 3);
  const double eps = a.number(4, 1e-5);
  return wrap(run(a.gil().releases(input),
                  [&] { return autograd::layer_norm(input, dims, weight, bias, eps); }));
}

// (input, target, reduction)
PyObject* squared_error(const Arguments& a) {
  const Tensor &input = a.tensor(0), &target = a.tensor(1);
  const ops::Reduction reduction =
      a.given(2) ? reduction_of(a.argument(2), a[2]) : ops::Reduction::kMean;
  const bool release = a.gil().releases(input, broadcast_count(input, target));
  return wrap(run(release, [&] { return autograd::squared_error(input, target, reduction); }));
}

// (name, value, inputs, parameter)
PyObject* with_slopes(const Arguments& a) {
  const std::vector<Tensor> inputs = to_tensors(a.argument(2), a[2]);
  return wrap(
      autograd::with_slopes(to_text(a.argument(0), a[0]), a.tensor(1), inputs, a.number(3, 0.0)));
}

/// A Python list of tensors and Nones, parallel to the list of parameters.
class StateList {
 public:
  StateList(Argument argument, PyObject* list, Py_ssize_t count) : list_(list) {
    if (list == Py_None) return;
    if (PyList_Check(list) == 0) throw_wrong_type(argument, "a list", list);
    GPUKIT_CHECK(PyList_GET_SIZE(list) == count, ValueError, argument.op, ": ", argument.name,
                 " has ", PyList_GET_SIZE(list), " items for ", count, " parameters");
  }
  bool wanted() const noexcept { return list_ != Py_None; }
  bool has(Py_ssize_t i) const noexcept { return PyList_GET_ITEM(list_, i) != Py_None; }
  const Tensor& at(Argument argument, Py_ssize_t i) const {
    return to_tensor(argument, PyList_GET_ITEM(list_, i));
  }
  void put(Py_ssize_t i, Tensor state) const {
    checked_status(PyList_SetItem(list_, i, wrap(std::move(state))));
  }
  /// A fresh one is filled by the step and put into the list after it: a step that fails leaves the
  /// list as it was.
  Tensor state_of(const ops::OptimizedParameter& item, Argument argument, Py_ssize_t i) const {
    const Tensor& parameter = item.parameter;
    return item.fresh ? empty_on(parameter.open_device(), parameter.shape(), parameter.dtype())
                      : at(argument, i);
  }

 private:
  PyObject* list_;
};

PyObject* list_of_parameters(const Arguments& a) {
  if (PyList_Check(a[0]) == 0) throw_wrong_type(a.argument(0), "a list of parameters", a[0]);
  return a[0];
}

std::int64_t elements_of(const std::vector<ops::OptimizedParameter>& items) {
  std::int64_t elements = 0;
  for (const ops::OptimizedParameter& item : items) elements += item.parameter.count();
  return elements;
}

/// A graph would recreate the state in each replay.
void check_state_is_made(std::string_view op, const Tensor& parameter) {
  GPUKIT_CHECK(
      capturing_on(parameter.open_device()) == nullptr, DeviceError, op,
      ": the optimizer's state is made by its first step, which cannot be part of a graph. "
      "Take one step before the 'with gpukit.cuda.graph' block.");
}

/// True when states were filled for the first time.
bool run_step(const Arguments& a, std::string_view op, const OptimizerSettings& settings,
              const ops::StepSchedule& schedule, std::vector<ops::OptimizedParameter>& items) {
  if (items.empty()) return false;
  const bool release = a.gil().releases(items.front().parameter, elements_of(items));
  run(release, [&] { ops::optimizer_step(op, settings, schedule, items); });
  return std::any_of(items.begin(), items.end(), [](const auto& item) { return item.fresh; });
}

// (params, momentum_buffers, lr, momentum, dampening, weight_decay, nesterov, maximize)
PyObject* sgd_step(const Arguments& a) {
  PyObject* parameters = list_of_parameters(a);
  const Py_ssize_t count = PyList_GET_SIZE(parameters);
  const double momentum = a.number(3, 0.0);
  ops::StepSchedule schedule;
  schedule.lr = a.number(2, 0.0);
  OptimizerSettings settings{};
  settings.rule = OptimizerRule::kSgd;
  settings.kept = momentum;
  settings.taken = 1.0 - a.number(4, 0.0);
  settings.weight_decay = a.number(5, 0.0);
  settings.nesterov = a.boolean(6, false) ? 1 : 0;
  settings.maximize = a.boolean(7, false) ? 1 : 0;
  const StateList buffers(a.argument(1), momentum == 0.0 ? Py_None : a[1], count);
  std::vector<ops::OptimizedParameter> items;
  std::vector<Py_ssize_t> indices;  // of the items in the lists
  items.reserve(static_cast<std::size_t>(count));
  indices.reserve(static_cast<std::size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    const Tensor& parameter = to_tensor(a.argument(0), PyList_GET_ITEM(parameters, i));
    Tensor gradient = autograd::gradient_of(parameter);
    if (!gradient.defined()) continue;
    ops::OptimizedParameter& item = items.emplace_back();
    indices.push_back(i);
    item.parameter = parameter;
    item.gradient = std::move(gradient);
    if (!buffers.wanted()) continue;
    item.fresh = !buffers.has(i);
    if (item.fresh) check_state_is_made("SGD.step", parameter);
    item.first = buffers.state_of(item, a.argument(1), i);
  }
  const bool any_fresh = run_step(a, "SGD.step", settings, schedule, items);
  for (std::size_t k = 0; k < items.size(); ++k) {
    if (items[k].fresh) buffers.put(indices[k], items[k].first);
  }
  return PyBool_FromLong(any_fresh);
}

/// A parameter's number of steps, a 0-d float32 tensor on the CPU as torch keeps it.
Tensor steps_so_far(const StateList& steps, Argument argument, Py_ssize_t i) {
  if (!steps.has(i)) return ops::zeros(Shape{}, DType::kFloat32, Device::cpu());
  const Tensor& step = steps.at(argument, i);
  GPUKIT_CHECK(step.on_host() && step.count() == 1 && step.dtype() == DType::kFloat32, ValueError,
               argument.op, ": a step count must be one float32 on the CPU");
  return step;
}

/// The step is done: in a graph its replays count.
void count_step(const StateList& steps, Py_ssize_t i, const ops::OptimizedParameter& item) {
  if (!steps.has(i)) steps.put(i, item.step);
  if (capturing_on(item.parameter.open_device()) == nullptr) ++*item.step.data_as<float>();
}

// (params, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, steps, lr, beta1, beta2, eps, weight_decay,
// decoupled, maximize)
PyObject* adam_step(const Arguments& a) {
  PyObject* parameters = list_of_parameters(a);
  const Py_ssize_t count = PyList_GET_SIZE(parameters);
  const double beta1 = a.number(6, 0.0), beta2 = a.number(7, 0.0), decay = a.number(9, 0.0);
  const bool decoupled = a.boolean(10, false);
  const ops::StepSchedule schedule{a.number(5, 0.0), beta1, beta2, decoupled ? decay : 0.0};
  OptimizerSettings settings{};
  settings.rule = OptimizerRule::kAdam;
  settings.kept = beta1;
  settings.taken = 1.0 - beta1;
  settings.kept_square = beta2;
  settings.taken_square = 1.0 - beta2;
  settings.eps = a.number(8, 0.0);
  settings.weight_decay = decoupled ? 0.0 : decay;
  settings.maximize = a.boolean(11, false) ? 1 : 0;
  const StateList means(a.argument(1), a[1], count), squares(a.argument(2), a[2], count),
      largest(a.argument(3), a[3], count), steps(a.argument(4), a[4], count);
  std::vector<ops::OptimizedParameter> items;
  std::vector<Py_ssize_t> indices;  // of the items in the lists
  items.reserve(static_cast<std::size_t>(count));
  indices.reserve(static_cast<std::size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    const Tensor& parameter = to_tensor(a.argument(0), PyList_GET_ITEM(parameters, i));
    Tensor gradient = autograd::gradient_of(parameter);
    if (!gradient.defined()) continue;
    ops::OptimizedParameter& item = items.emplace_back();
    indices.push_back(i);
    item.parameter = parameter;
    item.gradient = std::move(gradient);
    item.fresh = !means.has(i);
    if (item.fresh) check_state_is_made(decoupled ? "AdamW.step" : "Adam.step", parameter);
    item.first = means.state_of(item, a.argument(1), i);
    item.second = squares.state_of(item, a.argument(2), i);
    if (largest.wanted()) item.largest = largest.state_of(item, a.argument(3), i);
    item.step = steps_so_far(steps, a.argument(4), i);
  }
  const bool any_fresh =
      run_step(a, decoupled ? "AdamW.step" : "Adam.step", settings, schedule, items);
  for (std::size_t k = 0; k < items.size(); ++k) {
    if (items[k].fresh) {
      means.put(indices[k], items[k].first);
      squares.put(indices[k], items[k].second);
      if (largest.wanted()) largest.put(indices[k], items[k].largest);
    }
    count_step(steps, indices[k], items[k]);
  }
  return PyBool_FromLong(any_fresh);
}

PyObject* clear_gradients(const Arguments& a) {
  PyObject* parameters = list_of_parameters(a);
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(parameters); ++i)
    autograd::set_gradient(to_tensor(a.argument(0), PyList_GET_ITEM(parameters, i)), Tensor());
  Py_RETURN_NONE;
}

// clang-format off
constexpr FunctionRow kTrainingRows[] = {
  {.signature = "linear(input, weight: Tensor, bias: Tensor | None = None)",
   .call = [](const Arguments& a) { return layer(a, autograd::linear); },
   .cost = cost::kProduct,
   .doc = "input @ weight.T + bias; weight is (out, in) or (in), input (…, in).",
   .docs = {.parameters = "input: (..., in).\nweight: (out, in), of input's dtype.\nbias: (out,), or None.\n",
             .returns = "(..., out), input's dtype.",
             .raises = "ShapeError: sizes do not fit.\nDTypeError: dtypes differ, or are bool.\n" GPUKIT_RAISES_DEVICES},
   .example = ">>> x, weight = gpukit.ones(2, 3), gpukit.ones(4, 3)\n" ">>> gpukit.nn.functional.linear(x, weight).shape\n" "(2, 4)",
   .where = kFunction | kInner},
  {.signature = "linear_relu(input, weight: Tensor, bias: Tensor | None = None)",
   .call = [](const Arguments& a) { return layer(a, autograd::linear_relu); },
   .cost = cost::kProduct,
   .doc = "relu(linear(input, weight, bias)) in one operation.",
   .where = kFunction | kInner},
  {.signature = "cross_entropy(input, target: Tensor, weight: Tensor | None = None, ignore_index=-100, label_smoothing=0.0, reduction='mean')", .call = cross_entropy, .cost = cost::kFunction,
   .doc = "Cross-entropy of rows of logits and class numbers, softmax and reduction in one pass.",
   .where = kFunction | kInner},
  {.signature = "layer_norm(input, dims: int, weight: Tensor | None = None, bias: Tensor | None = None, eps=1e-05)", .call = layer_norm, .cost = cost::kPasses,
   .doc = "Slices of the last dims dimensions shifted and scaled to mean 0 and variance 1, then times weight plus bias.",
   .where = kFunction | kInner},
  {.signature = "squared_error(input, target: Tensor, reduction='mean')", .call = squared_error, .cost = cost::kPasses,
   .doc = "The mean or the sum of squared differences, or all of them.",
   .where = kFunction | kInner},
  {.signature = "with_slopes(name: str, value: Tensor, inputs: Sequence[Tensor], parameter: float)", .call = with_slopes, .cost = cost::kNone,
   .doc = "The value of a function of up to three inputs, whose derivative has that name.",
   .where = kFunction | kInner},
  {.signature = "sgd_step(params: list[Tensor], momentum_buffers: list[Tensor | None], lr: float, momentum: float = 0, dampening: float = 0, weight_decay: float = 0, nesterov=False, maximize=False) -> bool", .call = sgd_step, .cost = cost::kPasses,
   .doc = "One step of SGD for all parameters that have a gradient. Missing buffers are made and put into their list; True when there were any.",
   .where = kFunction | kInner},
  {.signature = "adam_step(params: list[Tensor], exp_avgs: list[Tensor | None], exp_avg_sqs: list[Tensor | None], max_exp_avg_sqs: list[Tensor | None] | None, steps: list[Tensor | None], lr: float, beta1: float, beta2: float, eps: float, weight_decay: float = 0, decoupled=False, maximize=False) -> bool", .call = adam_step, .cost = cost::kPasses,
   .doc = "One step of Adam, or of AdamW with decoupled, for all parameters that have a gradient. Missing states are made and put into their lists; True when there were any.",
   .where = kFunction | kInner},
  {.signature = "clear_gradients(params: Sequence[Tensor]) -> None", .call = clear_gradients, .cost = cost::kNone,
   .doc = "Sets grad to None on every tensor of a list.",
   .where = kFunction | kInner},
};
// clang-format on

}  // namespace

template <>
FunctionTable& functions<Family::kTraining>() {
  return function_table<kTrainingRows>();
}

}  // namespace gpukit::bindings
