// Layers that are one operation of the device. Private: gpukit.nn gives them names and checks.
#include "autograd/layers.h"
#include "bindings/row_texts.h"
#include "bindings/signature.h"
#include "bindings/work.h"

namespace gpukit::bindings {

namespace bind_layers {
namespace {

Tensor optional_tensor(const Arguments& a, int i) { return a.given(i) ? a.tensor(i) : Tensor(); }

/// The tensors of a result; None for those that are undefined.
template <class... Tensors>
PyObject* tuple_of(Tensors... tensors) {
  PyObject* tuple = checked(PyTuple_New(sizeof...(tensors)));
  Py_ssize_t place = 0;
  const auto put = [&](Tensor tensor) {
    PyObject* item = tensor.defined() ? wrap(std::move(tensor)) : Py_NewRef(Py_None);
    PyTuple_SET_ITEM(tuple, place++, item);
  };
  (put(std::move(tensors)), ...);
  return tuple;
}

// (input, kernel, stride, before, dilation, places, numbers)
PyObject* max_pool(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const ops::Windows windows{a.dims(1), a.dims(2), a.dims(3), a.dims(4), a.dims(5)};
  const bool numbers = a.boolean(6, false);
  ops::Largest result =
      run(a.gil().releases(input), [&] { return autograd::max_pool(input, windows, numbers); });
  if (!numbers) result.numbers = Tensor();
  return tuple_of(result.values, result.numbers);
}

// (input, weight, bias, eps)
PyObject* batch_norm(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const Tensor weight = optional_tensor(a, 1), bias = optional_tensor(a, 2);
  const double eps = a.number(3, 1e-5);
  const ops::BatchNorm result =
      run(a.gil().releases(input), [&] { return autograd::batch_norm(input, weight, bias, eps); });
  return tuple_of(result.out, result.mean, result.variance);
}

// (gates, cell)
PyObject* lstm_cell(const Arguments& a) {
  const Tensor &gates = a.tensor(0), &cell = a.tensor(1);
  const ops::LstmCell result =
      run(a.gil().releases(gates), [&] { return ops::lstm_cell(gates, cell); });
  return tuple_of(result.out, result.next, result.active);
}

// (active, cell, next, out_gradient, next_gradient)
PyObject* lstm_cell_backward(const Arguments& a) {
  const ops::LstmCell forward{Tensor(), a.tensor(2), a.tensor(0)};
  const Tensor &cell = a.tensor(1), &out_gradient = a.tensor(3), &next_gradient = a.tensor(4);
  const ops::LstmCellGradients result = run(a.gil().releases(forward.active), [&] {
    return ops::lstm_cell_backward(forward, cell, out_gradient, next_gradient);
  });
  return tuple_of(result.gates, result.cell);
}

// (gates, h, c, weight, reverse, keep)
PyObject* lstm_steps(const Arguments& a) {
  const Tensor &gates = a.tensor(0), &h = a.tensor(1), &c = a.tensor(2), &weight = a.tensor(3);
  const bool reverse = a.boolean(4, false), keep = a.boolean(5, false);
  const ops::LstmSteps result = run(
      a.gil().releases(gates), [&] { return ops::lstm_steps(gates, h, c, weight, reverse, keep); });
  return tuple_of(result.outputs, result.cells, result.active);
}

// (active, cells, c, weight, by_outputs, by_cell, reverse)
PyObject* lstm_steps_backward(const Arguments& a) {
  const ops::LstmSteps forward{Tensor(), a.tensor(1), a.tensor(0)};
  const Tensor &c = a.tensor(2), &weight = a.tensor(3), &by_outputs = a.tensor(4);
  const Tensor& by_cell = a.tensor(5);
  const bool reverse = a.boolean(6, false);
  const ops::LstmStepsGradients result = run(a.gil().releases(forward.active), [&] {
    return ops::lstm_steps_backward(forward, c, weight, by_outputs, by_cell, reverse);
  });
  return tuple_of(result.gates, result.h, result.c);
}

// (query, key, value, factor, causal)
PyObject* attention(const Arguments& a) {
  const Tensor &query = a.tensor(0), &key = a.tensor(1), &value = a.tensor(2);
  const double factor = a.number(3, 1);
  const bool causal = a.boolean(4, false);
  const ops::Attention result = run(
      a.gil().releases(query), [&] { return ops::attention(query, key, value, factor, causal); });
  return tuple_of(result.out, result.log_sums);
}

// (query, key, value, out, log_sums, gradient, factor, causal)
PyObject* attention_backward(const Arguments& a) {
  const Tensor &query = a.tensor(0), &key = a.tensor(1), &value = a.tensor(2);
  const ops::Attention forward{a.tensor(3), a.tensor(4)};
  const Tensor& gradient = a.tensor(5);
  const double factor = a.number(6, 1);
  const bool causal = a.boolean(7, false);
  const ops::AttentionGradients result = run(a.gil().releases(query), [&] {
    return ops::attention_backward(query, key, value, forward, gradient, factor, causal);
  });
  return tuple_of(result.query, result.key, result.value);
}

PyObject* has_attention(const Arguments& a) {
  return PyBool_FromLong(ops::has_attention(a.tensor(0)) ? 1 : 0);
}

// clang-format off
constexpr FunctionRow kLayerRows[] = {
  {.signature = "max_pool(input, kernel: Sequence[int], stride: Sequence[int], before: Sequence[int], dilation: Sequence[int], places: Sequence[int], numbers=False) -> tuple[Tensor, Tensor | None]", .call = max_pool, .cost = cost::kPasses,
   .doc = "The largest element of each window over the last dimensions, and its number in its plane.",
   .where = kFunction | kInner},
  {.signature = "batch_norm_of_batch(input, weight: Tensor | None = None, bias: Tensor | None = None, eps=1e-05) -> tuple[Tensor, Tensor, Tensor]", .call = batch_norm, .cost = cost::kPasses,
   .doc = "Batch norm with the batch's statistics: the result, the means and the variances of channels.",
   .where = kFunction | kInner},
  {.signature = "lstm_cell_step(gates: Tensor, cell: Tensor) -> tuple[Tensor, Tensor, Tensor]", .call = lstm_cell, .cost = cost::kPasses,
   .doc = "The step of an LSTM after its products: h, the cell after it, and the gates. Not recorded.",
   .where = kFunction | kInner},
  {.signature = "lstm_cell_back(active: Tensor, cell: Tensor, next: Tensor, out_gradient: Tensor, next_gradient: Tensor) -> tuple[Tensor, Tensor]", .call = lstm_cell_backward, .cost = cost::kPasses,
   .doc = "The gradients of the gates' sums and of the cell before. Not recorded.",
   .where = kFunction | kInner},
  {.signature = "lstm_steps(gates: Tensor, h: Tensor, c: Tensor, weight: Tensor, reverse: bool, keep: bool) -> tuple[Tensor, Tensor, Tensor]", .call = lstm_steps, .cost = cost::kAlways,
   .doc = "All steps of an LSTM from the input's part of its gates (steps, rows, 4 * hidden): h, the cell and the gates of each step. Not recorded.",
   .where = kFunction | kInner},
  {.signature = "lstm_steps_back(active: Tensor, cells: Tensor, c: Tensor, weight: Tensor, by_outputs: Tensor, by_cell: Tensor, reverse: bool) -> tuple[Tensor, Tensor, Tensor]", .call = lstm_steps_backward, .cost = cost::kAlways,
   .doc = "The gradients of the gates' sums, of h and of c. Not recorded.",
   .where = kFunction | kInner},
  {.signature = "has_attention(query: Tensor) -> bool", .call = has_attention, .cost = cost::kNone,
   .doc = "Whether the device of query computes attention in its dtype as one operation.",
   .where = kFunction | kInner},
  {.signature = "attention_in_one(query: Tensor, key: Tensor, value: Tensor, factor: float, causal: bool) -> tuple[Tensor, Tensor]", .call = attention, .cost = cost::kAlways,
   .doc = "Attention of (batch, L, E), (batch, S, E), (batch, S, V), and the logarithms of the sums of exponentials. Not recorded.",
   .where = kFunction | kInner},
  {.signature = "attention_in_one_back(query: Tensor, key: Tensor, value: Tensor, out: Tensor, log_sums: Tensor, gradient: Tensor, factor: float, causal: bool) -> tuple[Tensor, Tensor, Tensor]", .call = attention_backward, .cost = cost::kAlways,
   .doc = "The gradients of query, key and value. Not recorded.",
   .where = kFunction | kInner},
};
// clang-format on

}  // namespace
}  // namespace bind_layers

template <>
FunctionTable& functions<Family::kLayers>() {
  return function_table<bind_layers::kLayerRows>();
}

}  // namespace gpukit::bindings
