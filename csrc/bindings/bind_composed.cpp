// Functions composed of others. Their rows, names and arguments are those of every function; what
// they do is written in Python, in gpukit/_operators/composed.py, so that whatever the parts record
// is recorded here too.
#include <pybind11/cast.h>

#include "bindings/named_pair.h"
#include "bindings/row_texts.h"
#include "bindings/signature.h"
#include "bindings/tensor_type.h"

namespace gpukit::bindings {

namespace {

/// Calls the Python function of the same name, without underscores around it, with the arguments
/// that were given.
PyObject* composed(const Arguments& a) {
  std::string_view name = a.op();
  if (name.starts_with("__")) name = name.substr(2, name.size() - 4);
  const py::object function =
      imported("gpukit._operators.composed").attr(std::string(name).c_str());
  return function(**a.as_keywords()).release().ptr();
}

/// Of all elements a tensor, along a dimension values and their indices.
PyObject* median(const Arguments& a) {
  py::object result = owned(composed(a));
  if (PyTuple_Check(result.ptr()) == 0) return result.release().ptr();
  return named_pair(a.op(), tensor_of(PyTuple_GET_ITEM(result.ptr(), 0)),
                    tensor_of(PyTuple_GET_ITEM(result.ptr(), 1)));
}

constexpr FunctionRow row(FunctionRow said) {
  said.call = composed;
  said.cost = cost::kNone;
  said.where |= kWaits;
  return said;
}

// clang-format off
constexpr Docs kHstackDocs = {.parameters = "tensors: a list or tuple of tensors whose sizes agree but for that dimension.\n",
    .returns = "the dtype that all have in common.",
    .raises = "ValueError: tensors is empty.\nShapeError: sizes differ.\n" GPUKIT_RAISES_DEVICES};

constexpr FunctionRow kComposedRows[] = {
  row({.signature = "einsum(equation: str, *operands: Tensor)",
   .doc = "Sums of products, written with a letter for each dimension: 'ij,jk->ik' is a matrix product.\n\n"
           "'...' stands for dimensions that broadcast; without '->' the result has the letters that occur once, in alphabetical\norder. Operands are taken from left to right, each pair as one batched product.",
   .docs = {.parameters = "equation: text such as 'ij,jk->ik'.\noperands: a tensor for each part, or one list of them.\n",
             .returns = "the shape that the letters behind '->' say; the operands' dtype.",
             .raises = "ValueError: the equation is wrong, or names another number of operands.\nShapeError: a letter has two sizes, or an operand another number of dimensions.\nDTypeError: dtypes differ, or are bool.\n" GPUKIT_RAISES_DEVICES},
   .example = ">>> gpukit.einsum('ij->j', gpukit.ones(2, 3))\n" "tensor([2., 2., 2.])",
   .where = kFunction}),
  row({.signature = "tensordot(input, other: Tensor, dims: int | Sequence[Sequence[int]] = 2)",
   .doc = "Products summed over dims: a number of dimensions (the last of input with the first of other), or two lists of them.",
   .docs = {.parameters = "other: a tensor of input's dtype.\ndims: how many, or two lists of dimensions.\n",
             .returns = "the dimensions of input that are left, then those of other; input's dtype.",
             .raises = "ShapeError: sizes differ, or the lists in length.\nIndexError: a list names no dimension.\nValueError: there are fewer dimensions.\nDTypeError: dtypes differ, or are bool.\n" GPUKIT_RAISES_DEVICES},
   .example = ">>> gpukit.tensordot(gpukit.ones(2, 3), gpukit.ones(3, 2), dims=1)\n" "tensor([[3., 3.],\n" "        [3., 3.]])",
   .out = Out::kCopied}),
  row({.signature = "vecdot(input, other: Tensor, dim=-1)",
   .doc = "Inner products along a dimension of what both broadcast to.",
   .docs = {.parameters = "other: broadcasts with input; input's dtype. dim is of the broadcast shape.\n",
             .returns = "the broadcast shape without dim; input's dtype.",
             .raises = GPUKIT_RAISES_DIM "ShapeError: the shapes do not broadcast.\nDTypeError: dtypes differ, or are bool.\n" GPUKIT_RAISES_DEVICES},
   .example = ">>> gpukit.vecdot(gpukit.ones(2, 3), gpukit.ones(2, 3))\n" "tensor([3., 3.])"}),
  row({.signature = "trace(input)",
   .doc = "Sum of the diagonal of a matrix.",
   .docs = {.parameters = "input: (n, m).\n",
             .returns = "0-d; input's dtype, but int64 for bool and other integers than uint64.",
             .raises = "ShapeError: input is not a matrix.\n"},
   .example = ">>> gpukit.trace(gpukit.tensor([[1, 2], [3, 4]]))\n" "tensor(5)"}),
  row({.signature = "roll(input, shifts: int | Sequence[int], dims: int | Sequence[int] | None = None)",
   .doc = "Elements moved by shifts along dims, those that fall off put in at the other end; without dims the tensor is\nflattened for it.",
   .docs = {.parameters = "shifts: an int, or one for each of dims.\ndims: a dimension, a tuple of them, or None.\n",
             .returns = "a copy of input's shape and dtype.",
             .raises = "IndexError: there is no such dimension.\nShapeError: shifts and dims differ in number.\nValueError: several shifts without dims.\n"},
   .example = ">>> gpukit.roll(gpukit.arange(4), 1)\n" "tensor([3, 0, 1, 2])"}),
  row({.signature = "diag(input, diagonal=0)",
   .doc = "A matrix with the vector on its diagonal, or the diagonal of a matrix as a vector. A copy.",
   .docs = {.parameters = "input: a vector or a matrix.\ndiagonal: 0 is the main diagonal, above it positive.\n",
             .returns = "a copy; input's dtype.",
             .raises = "ShapeError: input is neither a vector nor a matrix.\n"},
   .example = ">>> gpukit.diag(gpukit.tensor([1, 2]))\n" "tensor([[1, 0],\n" "        [0, 2]])",
   .out = Out::kCopied}),
  row({.signature = "meshgrid(*tensors: Tensor, indexing='ij') -> tuple[Tensor, ...]",
   .doc = "Coordinate grids of 1-d tensors, as views; indexing 'ij' (rows first) or 'xy' (columns first).",
   .docs = {.parameters = "tensors: 1-d tensors, or one list of them.\nindexing: 'ij' or 'xy'.\n",
             .returns = "a tuple of as many views, all of one shape.",
             .raises = "ShapeError: a tensor is not 1-d.\nValueError: indexing is another one.\n"},
   .example = ">>> x, y = gpukit.meshgrid(gpukit.arange(2), gpukit.arange(3))\n" ">>> x.shape\n" "(2, 3)",
   .where = kFunction}),
  row({.signature = "searchsorted(sorted_sequence: Tensor, input: Tensor | Number, *, right=False, side: str | None = None)",
   .doc = "Indices at which the values would be put to keep the sequence in order; int64.",
   .docs = {.parameters = "sorted_sequence: ascending along its last dimension; 1-d, or of the leading sizes of input.\ninput: a tensor of any shape, or a number.\nright: behind equal elements instead of before them.\nside: 'left' or 'right', the same as right in words.\n",
             .returns = "input's shape; int64.",
             .raises = "ShapeError: the leading sizes differ.\nValueError: side is another one.\n" GPUKIT_RAISES_DEVICES},
   .example = ">>> gpukit.searchsorted(gpukit.tensor([1, 3, 5]), gpukit.tensor([3, 4]))\n" "tensor([1, 2])",
   .where = kFunction, .out = Out::kCopied}),
  row({.signature = "isin(elements: Tensor | Number, test_elements: Tensor | Number, *, invert=False)",
   .doc = "True where an element is among test_elements.",
   .docs = {.parameters = "elements: a tensor of any shape, or a number.\ntest_elements: a tensor of any shape, or a number.\ninvert: True where it is not among them.\n",
             .returns = "the shape of elements; bool.",
             .raises = GPUKIT_RAISES_DEVICES "DTypeError: uint64 with signed integers.\n"},
   .example = ">>> gpukit.isin(gpukit.tensor([1, 2]), gpukit.tensor([2, 3]))\n" "tensor([False,  True])",
   .where = kFunction, .out = Out::kCopied}),
  row({.signature = "repeat_interleave(input, repeats: int | Tensor, dim=None)",
   .doc = "Each element repeats times, one after the other; repeats is an int or one int for each index along dim.",
   .docs = {.parameters = "repeats: an int, or a 1-d integer tensor with one count an index, or one for all.\ndim: the dimension; None flattens first.\n",
             .returns = "a copy; input's dtype.",
             .raises = GPUKIT_RAISES_DIM "TypeError: repeats is not of integers.\nValueError: a count is negative.\nShapeError: repeats has another length than dim.\n"},
   .example = ">>> gpukit.repeat_interleave(gpukit.tensor([1, 2]), 2)\n" "tensor([1, 1, 2, 2])"}),
  row({.signature = "tile(input, *dims: int)",
   .doc = "The tensor repeated dims times along its dimensions; missing counts at the front are 1.",
   .docs = {.parameters = "dims: counts, ints or one tuple.\n",
             .returns = "a copy.",
             .raises = "ValueError: a count is negative.\n"},
   .example = ">>> gpukit.tile(gpukit.tensor([1, 2]), 2)\n" "tensor([1, 2, 1, 2])"}),
  row({.signature = "moveaxis(input, source: int | Sequence[int], destination: int | Sequence[int])",
   .doc = "Dimensions moved to other positions; the others keep their order. A view.",
   .docs = {.parameters = "source: a dimension or a tuple of them.\ndestination: their new positions, as many.\n",
             .returns = "a view.",
             .raises = "IndexError: there is no such dimension.\nValueError: one occurs twice, or their numbers differ.\n"},
   .example = ">>> gpukit.moveaxis(gpukit.ones(2, 3, 4), 0, -1).shape\n" "(3, 4, 2)"}),
  {.signature = "movedim", .same_as = "moveaxis",
   .example = ">>> gpukit.movedim(gpukit.ones(2, 3, 4), 0, -1).shape\n(3, 4, 2)"},
  row({.signature = "diff(input, n=1, dim=-1, prepend: Tensor | None = None, append: Tensor | None = None)",
   .doc = "Differences of neighbours along dim, n times over; of bool, whether they differ.",
   .docs = {.parameters = "n: how often.\nprepend: a tensor put before input along dim first.\nappend: a tensor put behind it.\n",
             .returns = "n elements less along dim, none below 0; the dtype that input, prepend and append have in common.",
             .raises = GPUKIT_RAISES_DIM "ValueError: n is negative.\nShapeError: input is 0-d, or another tensor does not fit.\n"},
   .example = ">>> gpukit.diff(gpukit.tensor([1, 4, 9]))\n" "tensor([3, 5])",
   .out = Out::kCopied}),
  row({.signature = "take_along_dim(input, indices: Tensor, dim=None)",
   .doc = "As gather, with the other dimensions broadcast; without dim both are flattened.",
   .docs = {.parameters = "indices: integers, of as many dimensions as input.\ndim: the dimension; None flattens both.\n",
             .returns = "the broadcast shape of the other dimensions; input's dtype.",
             .raises = "ShapeError: indices do not fit.\nDTypeError: indices are not of an integer dtype.\nIndexError: an index or dim is out of range; of a GPU's index at the next wait.\n" GPUKIT_RAISES_INDEX_DEVICE},
   .example = ">>> x = gpukit.tensor([[3, 1], [2, 4]])\n" ">>> gpukit.take_along_dim(x, gpukit.argsort(x, dim=1), dim=1)\n" "tensor([[1, 3],\n" "        [2, 4]])",
   .out = Out::kCopied}),
  row({.signature = "where(input, condition: Tensor, other)",
   .doc = "input where condition is true, else other; all three broadcast.",
   .docs = kWhereDocs,
   .example = ">>> gpukit.where(gpukit.tensor([True, False]), 1, 0)\n" "tensor([1, 0])",
   .where = kMethod}),
  row({.signature = "scatter(input, dim, index: Tensor, src: Tensor | Number)",
   .doc = "A copy with src written at the indices that index names along dim; see scatter_.",
   .docs = kScatterDocs,
   .example = ">>> gpukit.scatter(gpukit.zeros(3), 0, gpukit.tensor([2, 0]), gpukit.tensor([5.0, 6.0]))\n" "tensor([6., 0., 5.])"}),
  row({.signature = "scatter_add(input, dim, index: Tensor, src: Tensor)",
   .doc = "A copy with src added at the indices that index names along dim.",
   .docs = kScatterDocs,
   .example = ">>> gpukit.scatter_add(gpukit.zeros(2), 0, gpukit.tensor([1, 1]), gpukit.ones(2))\n" "tensor([0., 2.])"}),
  row({.signature = "index_add(input, dim, index: Tensor, source: Tensor, *, alpha: Number = 1)",
   .doc = "A copy with slices of source added at the indices of index along dim.",
   .docs = kIndexAddDocs,
   .example = ">>> gpukit.index_add(gpukit.zeros(3), 0, gpukit.tensor([1, 1]), gpukit.ones(2))\n" "tensor([0., 2., 0.])"}),
  row({.signature = "broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]",
   .doc = "The tensors broadcast to one shape, as views.",
   .docs = {.parameters = "tensors: tensors of any dtypes.\n",
             .returns = "a tuple of views of one shape.",
             .raises = "ShapeError: the shapes do not broadcast.\n"},
   .example = ">>> [x.shape for x in gpukit.broadcast_tensors(gpukit.ones(3, 1), gpukit.ones(2))]\n" "[(3, 2), (3, 2)]",
   .where = kFunction}),
  row({.signature = "broadcast_shapes(*shapes: int | Sequence[int]) -> tuple[int, ...]",
   .doc = "The shape that tensors of these shapes broadcast to.",
   .docs = {.parameters = "shapes: tuples of ints.\n",
             .returns = "a tuple of ints.",
             .raises = "ShapeError: the shapes do not broadcast.\nValueError: a size is negative.\n"},
   .example = ">>> gpukit.broadcast_shapes((2, 1), (3,))\n" "(2, 3)",
   .where = kFunction}),
  row({.signature = "unstack(input, dim=0) -> tuple[Tensor, ...]",
   .doc = "A tuple of all slices along dim, as views: the array API's name of unbind.",
   .docs = kUnbindDocs,
   .example = ">>> gpukit.unstack(gpukit.tensor([[1, 2], [3, 4]]))\n" "(tensor([1, 2]), tensor([3, 4]))",
   .where = kFunction}),
  row({.signature = "positive(input)",
   .doc = "The tensor itself; bool raises, as + does.",
   .docs = {.returns = "input itself.", .raises = "DTypeError: input is bool.\n"},
   .example = ">>> gpukit.positive(gpukit.tensor([1, -2]))\n" "tensor([ 1, -2])"}),
  row({.signature = "hstack(tensors: Sequence[Tensor])",
   .doc = "cat along the second dimension, of 1-d tensors along the first.",
   .docs = kHstackDocs,
   .example = ">>> gpukit.hstack([gpukit.ones(2, 1), gpukit.zeros(2, 1)])\n" "tensor([[1., 0.],\n" "        [1., 0.]])",
   .where = kFunction}),
  row({.signature = "vstack(tensors: Sequence[Tensor])",
   .doc = "cat along the first dimension; 1-d tensors are rows.",
   .docs = kHstackDocs,
   .example = ">>> gpukit.vstack([gpukit.zeros(2), gpukit.ones(2)])\n" "tensor([[0., 0.],\n" "        [1., 1.]])",
   .where = kFunction}),
  row({.signature = "normal(mean: Tensor | Number, std: Tensor | Number = 1.0, size: int | Sequence[int] | None = None, *, generator=None, dtype=None, device=None, requires_grad=False)",
   .doc = "Normal numbers of a mean and a standard deviation: of one size, or one number for each element of mean and std.",
   .docs = {.parameters = "mean: a number, or a tensor with one mean an element.\nstd: the standard deviation, likewise.\nsize: ints, of numbers; None takes the broadcast shape of mean and std.\n",
             .returns = "a tensor of that size; dtype, or that of mean or std, or the default floating dtype.",
             .raises = "TypeError: neither size nor a tensor is given, or both.\nValueError: std is negative or NaN (on a GPU only a number is checked).\n" GPUKIT_RAISES_CREATE},
   .example = ">>> gpukit.normal(0, 0.01, (2, 3)).shape\n" "(2, 3)",
   .where = kFunction}),
  row({.signature = "bernoulli(input, p: float | None = None, *, generator=None)",
   .doc = "1 with the probability that input names, else 0.",
   .docs = {.parameters = "input: probabilities, floating.\np: one probability in place of those of input.\n",
             .returns = "input's shape and dtype.",
             .raises = "DTypeError: input is not floating.\nValueError: on the CPU, one is outside 0 to 1.\n"},
   .example = ">>> gpukit.bernoulli(gpukit.tensor([0.0, 1.0]))\n" "tensor([0., 1.])"}),
  row({.signature = "multinomial(input, num_samples: int, replacement=False, *, generator=None)",
   .doc = "Indices drawn by their weights: of a vector, or of each row of a matrix.",
   .docs = {.parameters = "input: weights, 0 or more, 1-d or 2-d; they need not sum to 1.\nnum_samples: how many indices are drawn.\nreplacement: draw a place again and again.\n",
             .returns = "(num_samples,) or (rows, num_samples), int64.",
             .raises = "ShapeError: input is neither a vector nor a matrix.\nDTypeError: input is not floating.\nValueError: a weight is negative, infinite or NaN; num_samples is not positive, or more than there are weights over 0.\n"},
   .example = ">>> gpukit.multinomial(gpukit.tensor([0.0, 3.0]), 2, replacement=True)\n" "tensor([1, 1])"}),
  {.signature = "median(input, dim=None, keepdim=False) -> Tensor | ValuesAndIndices", .call = median, .cost = cost::kNone,
   .doc = "The element in the middle, the lower one of two; of all, or along dim with its indices. NaN where there is one.",
   .docs = {.parameters = "dim: the dimension; None is all of them, as one.\n",
             .returns = "0-d of input's dtype; with dim a pair of values and int64 indices.",
             .raises = GPUKIT_RAISES_DIM "ShapeError: there is no element along dim, or none of integers.\n"},
   .example = ">>> gpukit.median(gpukit.tensor([3.0, 1.0, 2.0]))\n" "tensor(2.)",
   .where = kBoth | kWaits, .out = Out::kCopied,
   .overloads = "(input, dim: None = None, keepdim=False, *, out=None) -> Tensor\n" "(input, dim: int, keepdim=False, *, out: tuple[Tensor, Tensor] | None = None) -> ValuesAndIndices"},
  row({.signature = "bincount(input, weights: Tensor | None = None, minlength=0)",
   .doc = "How often each number from 0 on occurs, or the sum of its weights. Waits for the largest number.",
   .docs = {.parameters = "input: integers, 0 or more, 1-d.\nweights: as many numbers, or None.\nminlength: the least length of the result.\n",
             .returns = "1-d; int64, or floating with weights.",
             .raises = "ShapeError: input is not 1-d, or weights have another length.\nDTypeError: input is not of integers.\nValueError: a number or minlength is negative.\n"},
   .example = ">>> gpukit.bincount(gpukit.tensor([0, 2, 2]))\n" "tensor([1, 0, 2])"}),
  row({.signature = "nan_to_num(input, nan: float | None = 0.0, posinf: float | None = None, neginf: float | None = None)",
   .doc = "A copy with numbers for NaN and the infinities; None means the largest and the smallest of the dtype.",
   .docs = {.parameters = "nan: for NaN.\nposinf: for infinity.\nneginf: for minus infinity.\n",
             .returns = "input's shape and dtype."},
   .example = ">>> gpukit.nan_to_num(gpukit.tensor([1.0, float('nan')]))\n" "tensor([1., 0.])"}),
  row({.signature = "argwhere(input)",
   .doc = "The same as nonzero.",
   .docs = {.returns = "(count, ndim), int64; rows in the order of the elements."},
   .example = ">>> gpukit.argwhere(gpukit.tensor([0, 5]))\n" "tensor([[1]])"}),
  row({.signature = "new_full(input, size: int | Sequence[int], fill_value: Number, *, dtype=None, device=None, requires_grad=False)",
   .doc = "full() with the tensor's dtype and device.",
   .docs = {.parameters = "size: an int or a tuple of ints.\nfill_value: a number.\ndevice: where the result lies; None is the tensor's.\n",
             .returns = "a tensor of that size; dtype, or the tensor's.",
             .raises = "ValueError: a size is negative.\n" GPUKIT_RAISES_FITS GPUKIT_RAISES_CREATE},
   .example = ">>> gpukit.ones(1).new_full((2,), 3)\n" "tensor([3., 3.])",
   .where = kMethod}),
  row({.signature = "type_as(input, other: Tensor)",
   .doc = "Converted to the dtype and the device of another tensor.",
   .docs = {.parameters = "other: a tensor.\n",
             .returns = "the same shape; itself when nothing changes.",
             .raises = "TransferError: the copy failed.\n"},
   .example = ">>> gpukit.ones(1).type_as(gpukit.tensor([1])).dtype\n" "gpukit.int64",
   .where = kMethod}),
  row({.signature = "__array_namespace__(input, *, api_version: str | None = None) -> ModuleType",
   .doc = "The module gpukit.array_api: the array API standard over this library.",
   .where = kMethod}),
  row({.signature = "to_device(input, device, *, stream: Stream | None = None)",
   .doc = "The array API's name of to(device).",
   .docs = {.parameters = "device: a device or its name.\nstream: a stream to copy on; None is gpukit's own for copies.\n",
             .returns = "a tensor of the same shape and dtype.",
             .raises = "InvalidDeviceError: device is not a device.\nDeviceNotFoundError: it does not exist.\n"},
   .example = ">>> gpukit.ones(2).to_device(\"cpu\").device\n" "device(type='cpu')",
   .where = kMethod}),
  row({.signature = "__complex__(input) -> complex",
   .doc = "The one element as a complex number.",
   .where = kMethod}),
};
// clang-format on

}  // namespace

template <>
FunctionTable& functions<Family::kComposed>() {
  return function_table<kComposedRows>();
}

}  // namespace gpukit::bindings
