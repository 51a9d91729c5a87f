// Functions that gather elements by index or mask.
#include <pybind11/cast.h>

#include "autograd/indexing.h"
#include "base/check.h"
#include "base/error.h"
#include "bindings/signature.h"
#include "bindings/work.h"
#include "ops/indexing.h"

namespace gpukit::bindings {

namespace {

bool gathering_is_long(const Tensor& input, const Tensor& index) {
  return !input.is_cpu() || !index.is_cpu() ||
         static_cast<double>(input.count() + index.count()) * cost::kGather > kShortWorkNs;
}

PyObject* index_select(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const std::int64_t dim = a.integer(1);
  const Tensor& index = a.tensor(2);
  return wrap(run(gathering_is_long(input, index),
                  [&] { return autograd::index_select(input, dim, index); }));
}

PyObject* take(const Arguments& a) {
  const Tensor &input = a.tensor(0), &index = a.tensor(1);
  return wrap(run(gathering_is_long(input, index), [&] { return autograd::take(input, index); }));
}

PyObject* gather(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const std::int64_t dim = a.integer(1);
  const Tensor& index = a.tensor(2);
  return wrap(
      run(gathering_is_long(input, index), [&] { return autograd::gather(input, dim, index); }));
}

/// What nll_loss and embedding are made of: the error of an index names them.
PyObject* pick_classes(const Arguments& a) {
  const Tensor &input = a.tensor(0), &classes = a.tensor(1);
  return wrap(run(gathering_is_long(input, classes),
                  [&] { return autograd::gather(input, 1, classes, IndexedOp::kNllLoss); }));
}

PyObject* embedding_rows(const Arguments& a) {
  const Tensor &weight = a.tensor(0), &index = a.tensor(1);
  return wrap(run(gathering_is_long(weight, index),
                  [&] { return autograd::index_select(weight, 0, index, IndexedOp::kEmbedding); }));
}

PyObject* masked_select(const Arguments& a) {
  const Tensor &input = a.tensor(0), &mask = a.tensor(1);
  return wrap(
      run(gathering_is_long(input, mask), [&] { return autograd::masked_select(input, mask); }));
}

PyObject* masked_fill(const Arguments& a) {
  const Tensor &input = a.tensor(0), &mask = a.tensor(1);
  const Scalar value = to_stored_value(a.place(2), a[2], input.dtype());
  return wrap(run(gathering_is_long(input, mask),
                  [&] { return autograd::masked_fill(input, mask, value); }));
}

PyObject* nonzero(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  if (a.boolean(1, false)) {
    return imported("gpukit._composed").attr("places")(py::handle(a.self())).release().ptr();
  }
  return wrap(run(gathering_is_long(input, input), [&] { return ops::nonzero(input); }));
}

// clang-format off
constexpr FunctionRow kIndexingRows[] = {
  {"index_select(input, dim, index)", index_select,
   "The slices along dim at the places of an integer tensor.\n\n"
   "Example:\n    >>> import gpukit\n    >>> gpukit.index_select(gpukit.tensor([5, 6, 7]), 0, gpukit.tensor([2, 0]))\n    tensor([7, 5])\n", kBoth | kWaits},
  {"take(input, index)", take, "The flattened tensor at integer places, in the shape of index.", kBoth | kWaits},
  {"gather(input, dim, index)", gather, "out[i][j] = input[index[i][j]][j] for dim 0, and so on.", kBoth | kWaits},
  {"pick_classes(input, classes)", pick_classes, "input[i][classes[i][0]] for nll_loss: a negative class is out of range.", kFunction},
  {"embedding_rows(weight, index)", embedding_rows, "weight[index] for nn.functional.embedding.", kFunction},
  {"masked_select(input, mask)", masked_select, "The elements where mask is True, 1-d. Waits.", kBoth | kWaits},
  {"masked_fill(input, mask, value)", masked_fill, "A copy with a number where mask is True.", kBoth | kWaits},
  {"nonzero(input, *, as_tuple=False)", nonzero, "Coordinates of the elements that are not 0: (count, ndim), int64. Waits.", kBoth | kWaits},
};
// clang-format on

}  // namespace

FunctionTable& indexing_functions() { return function_table<kIndexingRows>(); }

}  // namespace gpukit::bindings
