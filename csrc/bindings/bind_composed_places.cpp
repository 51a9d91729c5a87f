// Functions composed of others that write to places of a tensor, or find them.
#include <pybind11/cast.h>

#include "bindings/composed_row.h"
#include "bindings/row_texts.h"
#include "bindings/tensor_type.h"

namespace gpukit::bindings {

namespace {

// clang-format off
constexpr FunctionRow kPlaceRows[] = {
  composed_row({.signature = "index_fill(input, dim, index: Tensor, value: Tensor | Number)",
   .doc = "A copy with value at the indices of index along dim.",
   .docs = {.parameters = "index: integers, 1-d.\nvalue: a number, or a tensor of no dimensions.\n",
             .returns = "input's shape and dtype.",
             .raises = GPUKIT_RAISES_DIM "IndexError: an index is out of range.\n" "ShapeError: index is not 1-d.\n"},
   .example = ">>> gpukit.index_fill(gpukit.zeros(3), 0, gpukit.tensor([0, 2]), 5.0)\n" "tensor([5., 0., 5.])"}),
  composed_row({.signature = "index_fill_(input, dim, index: Tensor, value: Tensor | Number)",
   .doc = "In place: value at the indices of index along dim.",
   .docs = {.parameters = "index: integers, 1-d.\nvalue: a number, or a tensor of no dimensions.\n",
             .returns = "the tensor itself.",
             .raises = GPUKIT_RAISES_DIM "IndexError: an index is out of range.\n" GPUKIT_RAISES_IN_PLACE},
   .example = ">>> gpukit.zeros(3).index_fill_(0, gpukit.tensor([1]), 2.0)\n" "tensor([0., 2., 0.])",
   .where = kMethod}),
  composed_row({.signature = "index_copy(input, dim, index: Tensor, source: Tensor)",
   .doc = "A copy with the slices of source at the indices of index along dim.",
   .docs = {.parameters = "index: integers, 1-d.\nsource: as input, with as many slices along dim as there are indices.\n",
             .returns = "input's shape and dtype.",
             .raises = GPUKIT_RAISES_DIM "IndexError: an index is out of range.\n" "ShapeError: the sizes differ.\n"},
   .example = ">>> gpukit.index_copy(gpukit.zeros(3), 0, gpukit.tensor([2, 0]), gpukit.tensor([1.0, 2.0]))\n" "tensor([2., 0., 1.])"}),
  composed_row({.signature = "index_copy_(input, dim, index: Tensor, source: Tensor)",
   .doc = "In place: the slices of source at the indices of index along dim.",
   .docs = {.parameters = "index: integers, 1-d.\nsource: as input, with as many slices along dim as there are indices.\n",
             .returns = "the tensor itself.",
             .raises = GPUKIT_RAISES_DIM "IndexError: an index is out of range.\n" GPUKIT_RAISES_IN_PLACE},
   .example = ">>> gpukit.zeros(3).index_copy_(0, gpukit.tensor([1]), gpukit.tensor([4.0]))\n" "tensor([0., 4., 0.])",
   .where = kMethod}),
  composed_row({.signature = "index_put(input, indices: Sequence[Tensor], values: Tensor, accumulate=False)",
   .doc = "A copy with values at indices, as x[indices] = values writes them.",
   .docs = {.parameters = "indices: a tensor for each of the first dimensions, of integers or of bool.\nvalues: broadcasts to what the indices choose.\naccumulate: add them, also those of one place.\n",
             .returns = "input's shape and dtype.",
             .raises = "IndexError: an index is out of range.\n" "ShapeError: values do not broadcast.\n"},
   .example = ">>> gpukit.index_put(gpukit.zeros(3), (gpukit.tensor([0, 0]),), gpukit.ones(2), accumulate=True)\n" "tensor([2., 0., 0.])"}),
  composed_row({.signature = "index_put_(input, indices: Sequence[Tensor], values: Tensor, accumulate=False)",
   .doc = "In place: values at indices, as x[indices] = values writes them.",
   .docs = {.parameters = "indices: a tensor for each of the first dimensions, of integers or of bool.\nvalues: broadcasts to what the indices choose.\naccumulate: add them, also those of one place.\n",
             .returns = "the tensor itself.",
             .raises = "IndexError: an index is out of range.\n" "ShapeError: values do not broadcast.\n" GPUKIT_RAISES_IN_PLACE},
   .example = ">>> gpukit.zeros(3).index_put_((gpukit.tensor([1]),), gpukit.tensor(7.0))\n" "tensor([0., 7., 0.])",
   .where = kMethod}),
  composed_row({.signature = "put_(input, index: Tensor, source: Tensor, accumulate=False)",
   .doc = "In place: source at the places of index in the flattened tensor.",
   .docs = {.parameters = "index: integers.\nsource: as many elements as index has.\naccumulate: add them.\n",
             .returns = "the tensor itself.",
             .raises = "IndexError: an index is out of range.\n" "ShapeError: index and source differ in their number of elements.\n" GPUKIT_RAISES_IN_PLACE},
   .example = ">>> gpukit.zeros(2, 2).put_(gpukit.tensor([3]), gpukit.tensor([5.0]))\n" "tensor([[0., 0.],\n" "        [0., 5.]])",
   .where = kMethod}),
  composed_row({.signature = "masked_scatter(input, mask: Tensor, source: Tensor)",
   .doc = "A copy in which the places where mask is True take the elements of source, in their order. Waits.",
   .docs = {.parameters = "mask: bool, broadcasts with input.\nsource: at least as many elements as mask has True.\n",
             .returns = "the broadcast shape; input's dtype.",
             .raises = "ShapeError: source has fewer elements.\n" "DTypeError: mask is not bool, or the dtypes differ.\n"},
   .example = ">>> gpukit.masked_scatter(gpukit.zeros(3), gpukit.tensor([True, False, True]), gpukit.tensor([1.0, 2.0]))\n" "tensor([1., 0., 2.])"}),
  composed_row({.signature = "masked_scatter_(input, mask: Tensor, source: Tensor)",
   .doc = "In place: the places where mask is True take the elements of source, in their order. Waits.",
   .docs = {.parameters = "mask: bool, broadcasts to the tensor.\nsource: at least as many elements as mask has True.\n",
             .returns = "the tensor itself.",
             .raises = "ShapeError: source has fewer elements.\n" "DTypeError: mask is not bool, or the dtypes differ.\n" GPUKIT_RAISES_IN_PLACE},
   .example = ">>> gpukit.zeros(3).masked_scatter_(gpukit.tensor([False, True, True]), gpukit.tensor([1.0, 2.0]))\n" "tensor([0., 1., 2.])",
   .where = kMethod}),
  composed_row({.signature = "scatter_reduce(input, dim, index: Tensor, src: Tensor, reduce: str, *, include_self=True)",
   .doc = "A copy in which each place holds the sum, product, mean, maximum or minimum of what src has for it.",
   .docs = {.parameters = "index: integers, at most of the sizes of src.\nsrc: a tensor of the dtype of input.\nreduce: 'sum', 'prod', 'mean', 'amax' or 'amin'.\ninclude_self: whether the element that was there counts too.\n",
             .returns = "input's shape and dtype.",
             .raises = GPUKIT_RAISES_DIM "ValueError: reduce is another one.\n" "IndexError: an index is out of range.\n"},
   .example = ">>> gpukit.scatter_reduce(gpukit.zeros(2), 0, gpukit.tensor([0, 0]), gpukit.tensor([1.0, 3.0]), \"amax\")\n" "tensor([3., 0.])"}),
  composed_row({.signature = "scatter_reduce_(input, dim, index: Tensor, src: Tensor, reduce: str, *, include_self=True)",
   .doc = "In place: as scatter_reduce.",
   .docs = {.parameters = "index: integers, at most of the sizes of src.\nsrc: a tensor of the dtype of input.\nreduce: 'sum', 'prod', 'mean', 'amax' or 'amin'.\ninclude_self: whether the element that was there counts too.\n",
             .returns = "the tensor itself.",
             .raises = GPUKIT_RAISES_DIM "ValueError: reduce is another one.\n" "IndexError: an index is out of range.\n" GPUKIT_RAISES_IN_PLACE},
   .example = ">>> gpukit.ones(2).scatter_reduce_(0, gpukit.tensor([1]), gpukit.tensor([4.0]), \"sum\")\n" "tensor([1., 5.])",
   .where = kMethod}),
  composed_row({.signature = "diag_embed(input, offset=0, dim1: int = -2, dim2: int = -1)",
   .doc = "Matrices that have the last dimension of input on a diagonal.",
   .docs = {.parameters = "offset: 0 is the main diagonal, above it positive.\ndim1: where the rows come to lie.\ndim2: where the columns do.\n",
             .returns = "one dimension more than input; its dtype.",
             .raises = GPUKIT_RAISES_DIM "ValueError: dim1 and dim2 are one.\n"},
   .example = ">>> gpukit.diag_embed(gpukit.tensor([1, 2]))\n" "tensor([[1, 0],\n" "        [0, 2]])"}),
  composed_row({.signature = "fill_diagonal_(input, value: Number, wrap=False)",
   .doc = "In place: value on the main diagonal.",
   .docs = {.parameters = "value: a number.\nwrap: begin again below, in a matrix with more rows than columns.\n",
             .returns = "the tensor itself.",
             .raises = "ShapeError: there are fewer than two dimensions, or several sizes of more than two.\n" GPUKIT_RAISES_IN_PLACE},
   .example = ">>> gpukit.zeros(2, 2).fill_diagonal_(3.0)\n" "tensor([[3., 0.],\n" "        [0., 3.]])",
   .where = kMethod}),
  composed_row({.signature = "bernoulli_(input, p: float | Tensor = 0.5, *, generator=None)",
   .doc = "In place: 1 with probability p, else 0.",
   .docs = {.parameters = "p: a probability, or one for each element.\n",
             .returns = "the tensor itself.",
             .raises = "ValueError: p is outside 0 to 1.\n" GPUKIT_RAISES_IN_PLACE},
   .example = ">>> gpukit.empty(2).bernoulli_(1.0)\n" "tensor([1., 1.])",
   .where = kMethod}),
};
// clang-format on

}  // namespace

template <>
FunctionTable& functions<Family::kComposedPlaces>() {
  return function_table<kPlaceRows>();
}

}  // namespace gpukit::bindings
