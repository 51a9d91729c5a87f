// Functions that gather elements by index or mask.
#include <pybind11/cast.h>

#include "autograd/indexing.h"
#include "base/check.h"
#include "base/error.h"
#include "bindings/row_texts.h"
#include "bindings/signature.h"
#include "bindings/work.h"
#include "ops/indexing.h"

namespace gpukit::bindings {

namespace {

/// An index may be on another device than the input, where it is not checked yet.
bool gather_releases_gil(const Arguments& a, const Tensor& input, const Tensor& index) {
  return a.gil().releases(input.on_host() ? index : input, input.count() + index.count());
}

PyObject* index_select(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const std::int64_t dim = a.integer(1);
  const Tensor& index = a.tensor(2);
  return wrap(run(gather_releases_gil(a, input, index),
                  [&] { return autograd::index_select(input, dim, index); }));
}

PyObject* gather(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const std::int64_t dim = a.integer(1);
  const Tensor& index = a.tensor(2);
  return wrap(run(gather_releases_gil(a, input, index),
                  [&] { return autograd::gather(input, dim, index); }));
}

/// What nll_loss and embedding are made of: the error of an index names them.
PyObject* pick_classes(const Arguments& a) {
  const Tensor &input = a.tensor(0), &classes = a.tensor(1);
  return wrap(run(gather_releases_gil(a, input, classes),
                  [&] { return autograd::gather(input, 1, classes, IndexedOp::kNllLoss); }));
}

PyObject* masked_fill(const Arguments& a) {
  const Tensor &input = a.tensor(0), &mask = a.tensor(1);
  const Scalar value = to_stored_value(a.argument(2), a[2], input.dtype());
  const Tensor source = is_tensor(a[2]) ? a.tensor(2) : Tensor();
  return wrap(run(gather_releases_gil(a, input, mask),
                  [&] { return autograd::masked_fill(input, mask, value, source); }));
}

PyObject* nonzero(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  if (a.boolean(1, false)) {
    return imported("gpukit._operators.composed")
        .attr("nonzero_indices")(py::handle(a.self()))
        .release()
        .ptr();
  }
  return wrap(run(a.gil().releases(input), [&] { return ops::nonzero(input); }));
}

// clang-format off
constexpr FunctionRow kIndexingRows[] = {
  {.signature = "index_select(input, dim, index: Tensor)", .call = index_select, .cost = cost::kGather,
   .doc = "The slices along dim at the indices in an integer tensor.",
   .docs = {.parameters = "index: integers, at most 1-d.\n",
             .returns = "input's dtype; along dim as long as index.",
             .raises = "DimensionError: index has more dimensions.\n" GPUKIT_RAISES_INDEX},
   .example = ">>> gpukit.index_select(gpukit.tensor([5, 6, 7]), 0, gpukit.tensor([2, 0]))\n" "tensor([7, 5])",
   .where = kBoth | kWaits, .out = Out::kCopied},
  {.signature = "take(input, index: Tensor)",
   .call = [](const Arguments& a) {
     const Tensor &input = a.tensor(0), &index = a.tensor(1);
     return wrap(
         run(gather_releases_gil(a, input, index), [&] { return autograd::take(input, index); }));
   },
   .cost = cost::kGather,
   .doc = "The flattened tensor at linear indices, in the shape of index.",
   .docs = {.parameters = "index: integers of any shape; negative ones count from the end.\n",
             .returns = "index's shape, input's dtype.",
             .raises = GPUKIT_RAISES_INDEX},
   .example = ">>> gpukit.take(gpukit.tensor([[1, 2], [3, 4]]), gpukit.tensor([0, 3]))\n" "tensor([1, 4])",
   .where = kBoth | kWaits, .out = Out::kCopied},
  {.signature = "gather(input, dim, index: Tensor)", .call = gather, .cost = cost::kGather,
   .doc = "out[i][j] = input[index[i][j]][j] for dim 0, and so on.",
   .docs = {.parameters = "index: integers, of as many dimensions as input and not longer along the others.\n",
             .returns = "index's shape, input's dtype.",
             .raises = "ShapeError: index does not fit.\n" GPUKIT_RAISES_INDEX},
   .example = ">>> gpukit.gather(gpukit.tensor([[1, 2], [3, 4]]), 1, gpukit.tensor([[1], [0]]))\n" "tensor([[2],\n" "        [3]])",
   .where = kBoth | kWaits, .out = Out::kCopied},
  {.signature = "pick_classes(input, classes: Tensor)", .call = pick_classes, .cost = cost::kGather,
   .doc = "input[i][classes[i][0]] for nll_loss: a negative class is out of range.",
   .where = kFunction | kInner},
  {.signature = "embedding_rows(weight: Tensor, index: Tensor)",
   .call = [](const Arguments& a) {
     const Tensor &weight = a.tensor(0), &index = a.tensor(1);
     return wrap(run(gather_releases_gil(a, weight, index),
                     [&] { return autograd::index_select(weight, 0, index, IndexedOp::kEmbedding); }));
   },
   .cost = cost::kGather,
   .doc = "weight[index] for nn.functional.embedding.",
   .where = kFunction | kInner},
  {.signature = "masked_select(input, mask: Tensor)",
   .call = [](const Arguments& a) {
     const Tensor &input = a.tensor(0), &mask = a.tensor(1);
     return wrap(run(gather_releases_gil(a, input, mask),
                     [&] { return autograd::masked_select(input, mask); }));
   },
   .cost = cost::kGather,
   .doc = "The elements where mask is True, 1-d. Waits.",
   .docs = {.parameters = "mask: a bool tensor that broadcasts with input.\n",
             .returns = "1-d; input's dtype.",
             .raises = "ShapeError: the shapes do not broadcast.\n" GPUKIT_RAISES_INDEX_DEVICE "DTypeError: mask is not bool.\n"},
   .example = ">>> gpukit.masked_select(gpukit.arange(3), gpukit.tensor([True, False, True]))\n" "tensor([0, 2])",
   .where = kBoth | kWaits, .out = Out::kCopied},
  {.signature = "masked_fill(input, mask: Tensor, value: Tensor | Number)", .call = masked_fill, .cost = cost::kGather,
   .doc = "A copy with a number where mask is True.",
   .docs = kMaskedFillDocs,
   .example = ">>> gpukit.masked_fill(gpukit.arange(3), gpukit.tensor([True, False, True]), 9)\n" "tensor([9, 1, 9])",
   .where = kBoth | kWaits},
  {.signature = "nonzero(input, *, as_tuple=False)", .call = nonzero, .cost = cost::kGather,
   .doc = "Coordinates of the elements that are not 0: (count, ndim), int64. Waits.",
   .docs = {.parameters = "as_tuple: give a tuple of index tensors, one a dimension.\n",
             .returns = "(count, ndim), int64; rows in the order of the elements."},
   .example = ">>> gpukit.nonzero(gpukit.tensor([0, 3, 0, 4]))\n" "tensor([[1],\n" "        [3]])",
   .where = kBoth | kWaits, .out = Out::kCopied,
   .overloads = "(input, *, as_tuple: Literal[False] = False, out=None) -> Tensor\n" "(input, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]\n" "(input, *, as_tuple: bool) -> Tensor | tuple[Tensor, ...]"},
};
// clang-format on

}  // namespace

template <>
FunctionTable& functions<Family::kIndexing>() {
  return function_table<kIndexingRows>();
}

}  // namespace gpukit::bindings
