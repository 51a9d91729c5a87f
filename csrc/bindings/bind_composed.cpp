// Functions composed of others; bind_composed_<family>.cpp has more.
#include <pybind11/cast.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "bindings/composed_row.h"
#include "bindings/graph_object.h"
#include "bindings/named_pair.h"
#include "bindings/row_texts.h"
#include "bindings/tensor_type.h"

namespace gpukit::bindings {

namespace {

/// torch's node of the whole call, where it is one: of a tensor, and of several results.
struct NodeNames {
  std::string_view op;
  const char* one;
  const char* several;
};
constexpr NodeNames kNodeNames[] = {
    {"addcdiv", "AddcdivBackward0", nullptr},
    {"addcmul", "AddcmulBackward0", nullptr},
    {"aminmax", nullptr, "AminmaxBackward0"},
    {"as_strided_scatter", "AsStridedScatterBackward0", nullptr},
    {"baddbmm", "BaddbmmBackward0", nullptr},
    {"block_diag", "BlockDiagBackward0", nullptr},
    {"clamp_max", "ClampMaxBackward0", nullptr},
    {"clamp_min", "ClampMinBackward0", nullptr},
    {"cummax", nullptr, "CummaxBackward0"},
    {"cummin", nullptr, "CumminBackward0"},
    {"diag_embed", "DiagEmbedBackward0", nullptr},
    {"dist", "DistBackward0", nullptr},
    {"fliplr", "FlipBackward0", nullptr},
    {"flipud", "FlipBackward0", nullptr},
    {"fmax", "FmaxBackward0", nullptr},
    {"fmin", "FminBackward0", nullptr},
    {"fmod", "FmodBackward0", nullptr},
    {"frac", "FracBackward0", nullptr},
    {"hardshrink", "HardshrinkBackward0", nullptr},
    {"index_copy", "IndexCopyBackward0", nullptr},
    {"index_fill", "IndexFillBackward0", nullptr},
    {"index_put", "IndexPutBackward0", nullptr},
    {"lerp", "LerpBackward0", nullptr},
    {"logcumsumexp", "LogcumsumexpBackward0", nullptr},
    {"masked_scatter", "MaskedScatterBackward0", nullptr},
    {"median", "MedianBackward0", "MedianBackward1"},
    {"mvlgamma", "MvlgammaBackward0", nullptr},
    {"nan_to_num", "NanToNumBackward0", nullptr},
    {"nanmedian", "NanmedianBackward0", "NanmedianBackward1"},
    {"nansum", "NansumBackward0", nullptr},
    {"prelu", "PreluKernelBackward0", nullptr},
    {"renorm", "RenormBackward0", nullptr},
    {"roll", "RollBackward0", nullptr},
    {"rot90", "Rot90Backward0", nullptr},
    {"scatter_reduce", "ScatterReduceBackward0", nullptr},
    {"std_mean", nullptr, "StdMeanBackward0"},
    {"trace", "TraceBackward0", nullptr},
    {"var_mean", nullptr, "VarMeanBackward0"},
};

static_assert(std::ranges::is_sorted(kNodeNames, {}, &NodeNames::op));

void name_results(const Arguments& a, std::string_view op, PyObject* result) {
  const auto found = std::ranges::lower_bound(kNodeNames, op, {}, &NodeNames::op);
  if (found == std::end(kNodeNames) || found->op != op) return;
  std::vector<PyObject*> arguments;
  for (int i = 0; i < a.size(); ++i) arguments.push_back(a[i]);
  if (is_tensor(result) && found->one != nullptr)
    name_node(tensor_of(result), found->one, arguments);
  if (PyTuple_Check(result) == 0 || found->several == nullptr) return;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(result); ++i) {
    PyObject* item = PyTuple_GET_ITEM(result, i);
    if (is_tensor(item)) name_node(tensor_of(item), found->several, arguments);
  }
}

}  // namespace

PyObject* composed(const Arguments& a) {
  std::string_view name = a.op();
  if (name.starts_with("__")) name = name.substr(2, name.size() - 4);
  const py::object function =
      imported("gpukit._operators.composed").attr(std::string(name).c_str());
  py::object result = function(**a.as_keywords());
  name_results(a, name, result.ptr());
  // Its parts may have been written in place; a result that nobody else has was not changed yet.
  if (is_tensor(result.ptr()) && Py_REFCNT(result.ptr()) == 1)
    tensor_of(result.ptr()).storage().forget_changes();
  return result.release().ptr();
}

namespace {

/// Of all elements a tensor, along a dimension values and their indices.
PyObject* median(const Arguments& a) {
  py::object result = owned(composed(a));
  if (PyTuple_Check(result.ptr()) == 0) return result.release().ptr();
  return named_pair(a.op(), tensor_of(PyTuple_GET_ITEM(result.ptr(), 0)),
                    tensor_of(PyTuple_GET_ITEM(result.ptr(), 1)));
}

constexpr FunctionRow row(const FunctionRow& said) { return composed_row(said); }

// clang-format off
constexpr Docs kScatterOrJoinDocs = {.parameters = "index: integers, of as many dimensions as the tensor; negative ones count from the end.\nsrc: a tensor at least as long as index along each dimension, or a number.\nreduce: 'add' or 'multiply' joins src with what is there, also several for one place.\n",
    .returns = GPUKIT_OWN_FORM,
    .raises = "RangeError: src is a number that does not fit into the dtype.\nShapeError: index or src does not fit.\nValueError: reduce is another one.\n" GPUKIT_RAISES_INDEX GPUKIT_RAISES_LEAF};
constexpr Docs kHstackDocs = {.parameters = "tensors: a list or tuple of tensors whose sizes agree but for that dimension.\n",
    .returns = "the dtype that all have in common.",
    .raises = "ValueError: tensors is empty.\nShapeError: sizes differ.\n" GPUKIT_RAISES_DEVICES};

constexpr Docs kTrapezoidDocs = {.parameters = "y: the samples.\nx: their points, 1-d or of y's shape.\ndx: the distance of neighbours where x is not given; 1 by default.\n",
    .returns = "y's shape without dim; floating.",
    .raises = GPUKIT_RAISES_DIM "ShapeError: x has other sizes.\nValueError: both x and dx are given.\n" GPUKIT_RAISES_DEVICES};

constexpr FunctionRow kComposedRows[] = {
  row({.signature = "einsum(equation: str | Tensor, *operands: Tensor | Sequence[int])",
   .doc = "Sums of products, written with a letter for each dimension: 'ij,jk->ik' is a matrix product.\n\n"
           "'...' stands for dimensions that broadcast; without '->' the result has the letters that occur once, in alphabetical\norder. Operands are taken from left to right, each pair as one batched product.",
   .docs = {.parameters = "equation: text such as 'ij,jk->ik'; or the first operand, each operand followed by a list of its dimensions' numbers, and\n    behind them the list of the result's: einsum(a, [0, 1], b, [1, 2], [0, 2]).\noperands: a tensor for each part, or one list of them.\n",
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
  row({.signature = "mvlgamma(input, p: int)",
   .doc = "Logarithm of the multivariate gamma function of dimension p.",
   .docs = {.parameters = "p: the dimension, 1 or more.\n",
             .returns = "input's shape; its dtype if floating, else the default floating dtype.",
             .raises = "ValueError: p is below 1.\n"},
   .example = ">>> gpukit.mvlgamma(gpukit.tensor([3.0]), 2)\n" "tensor([1.5502])",
   .out = Out::kCopied}),
  row({.signature = "histogram(input, bins: int | Tensor, *, range: tuple[float, float] | None = None, weight: Tensor | None = None, density=False) -> tuple[Tensor, Tensor]",
   .doc = "How many elements each bin has, and the edges of the bins; the last bin has its right edge.",
   .docs = {.parameters = "bins: how many of equal width, or their edges in order.\nrange: the outer edges; by default the smallest and the largest element.\nweight: what each element counts; input's shape and dtype.\ndensity: divide by the total and by the widths.\n",
             .returns = "1-d counts and edges, of input's dtype, without gradients.",
             .raises = "DTypeError: input is not floating, or another tensor has another dtype.\nShapeError: weight has another shape, or bins are not 1-d.\nValueError: bins is below 1, or range does not ascend.\nRangeError: the range is not finite.\n"},
   .example = ">>> gpukit.histogram(gpukit.tensor([0.0, 1.0, 1.5, 4.0]), 2).bin_edges\n" "tensor([0., 2., 4.])"}),
  row({.signature = "nanquantile(input, q: float | Tensor, dim: int | None = None, keepdim=False, *, interpolation='linear')",
   .doc = "The elements at fractions q of the sorted order, without NaN.",
   .docs = {.parameters = "q: a number from 0 to 1, or several in a 1-d tensor of input's dtype.\ndim: the dimension; None is all of them, as one.\ninterpolation: 'linear', 'lower', 'higher', 'midpoint' or 'nearest', between two elements.\n",
             .returns = "the dimensions of q, then those of input without dim; input's dtype. NaN where there is no number.",
             .raises = GPUKIT_RAISES_DIM "DTypeError: input is not float32 or float64, or q has another dtype.\nValueError: q is outside of [0, 1], or interpolation is another one.\nShapeError: q has several dimensions, or there is no element along dim.\n"},
   .example = ">>> gpukit.nanquantile(gpukit.tensor([1.0, gpukit.nan, 4.0]), 0.5)\n" "tensor(2.5000)",
   .out = Out::kCopied}),
  row({.signature = "interp(x: Tensor, xp: Tensor, fp: Tensor, left: float | None = None, right: float | None = None)",
   .doc = "The values at x of the lines through the points (xp, fp), as numpy.interp.",
   .docs = {.parameters = "x: where, of any shape.\nxp: 1-d, ascending.\nfp: the values at xp.\nleft: the result below xp[0]; by default fp[0].\nright: the result above xp[-1]; by default fp[-1].\n",
             .returns = "x's shape; the floating dtype that x and fp have in common.",
             .raises = "ShapeError: xp and fp are not 1-d, of one size above 0.\n" GPUKIT_RAISES_DEVICES},
   .example = ">>> gpukit.interp(gpukit.tensor([0.5, 9.0]), gpukit.tensor([0.0, 1.0]), gpukit.tensor([2.0, 4.0]))\n" "tensor([3., 4.])",
   .where = kFunction}),
  row({.signature = "trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float | None = None, dim=-1)",
   .doc = "The area under samples along dim, by the trapezoidal rule.",
   .docs = kTrapezoidDocs,
   .example = ">>> gpukit.trapezoid(gpukit.tensor([1.0, 5.0, 10.0]))\n" "tensor(10.5000)",
   .where = kFunction}),
  {.signature = "trapz", .same_as = "trapezoid",
   .example = ">>> gpukit.trapz(gpukit.tensor([1.0, 3.0]), dx=2.0)\ntensor(4.)"},
  row({.signature = "cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float | None = None, dim=-1)",
   .doc = "The areas under samples along dim, from the first up to each of the others.",
   .docs = {.parameters = kTrapezoidDocs.parameters, .returns = "one element less along dim; floating.", .raises = kTrapezoidDocs.raises},
   .example = ">>> gpukit.cumulative_trapezoid(gpukit.tensor([1.0, 5.0, 10.0]))\n" "tensor([ 3.0000, 10.5000])",
   .where = kFunction}),
  row({.signature = "gradient(input, *, spacing: float | Sequence[float | Tensor] | None = 1, dim: int | Sequence[int] | None = None, edge_order=1) -> tuple[Tensor, ...]",
   .doc = "The slopes of samples along each of dim: central differences, and one-sided ones at both ends.",
   .docs = {.parameters = "spacing: the distance of neighbours; or a list with a distance or a 1-d tensor of points for each of dim.\ndim: a dimension, a tuple of them, or None for all.\nedge_order: 1 or 2: of the differences at the ends.\n",
             .returns = "a tensor for each of dim; input's shape, floating.",
             .raises = GPUKIT_RAISES_DIM "ValueError: edge_order is another one, a dimension is named twice, or spacing does not fit dim.\nShapeError: there are too few elements along dim, or points of another number.\n"},
   .example = ">>> gpukit.gradient(gpukit.tensor([1.0, 4.0, 9.0]))\n" "(tensor([3., 4., 5.]),)",
   .where = kFunction}),
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
  row({.signature = "searchsorted(sorted_sequence: Tensor, input: Tensor | Number, *, right=False, side: str | None = None, out_int32=False)",
   .doc = "Indices at which the values would be put to keep the sequence in order; int64.",
   .docs = {.parameters = "sorted_sequence: ascending along its last dimension; 1-d, or of the leading sizes of input.\ninput: a tensor of any shape, or a number.\nright: behind equal elements instead of before them.\nside: 'left' or 'right', the same as right in words.\nout_int32: indices of int32 in place of int64.\n",
             .returns = "input's shape; int64, or int32.",
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
  row({.signature = "scatter(input, dim, index: Tensor, src: Tensor | Number, *, reduce: str | None = None)",
   .doc = "A copy with src written at the indices that index names along dim; see scatter_.",
   .docs = kScatterOrJoinDocs,
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
  {.signature = "nanmedian(input, dim=None, keepdim=False) -> Tensor | ValuesAndIndices", .call = median, .cost = cost::kNone,
   .doc = "As median, of the elements that are not NaN; NaN where there is no other.",
   .docs = {.parameters = "dim: the dimension; None is all of them, as one.\n",
             .returns = "0-d of input's dtype; with dim a pair of values and int64 indices.",
             .raises = GPUKIT_RAISES_DIM "ShapeError: there is no element along dim, or none of integers.\n"},
   .example = ">>> gpukit.nanmedian(gpukit.tensor([3.0, float('nan'), 2.0]))\n" "tensor(2.)",
   .where = kBoth | kWaits, .out = Out::kCopied,
   .overloads = "(input, dim: None = None, keepdim=False, *, out=None) -> Tensor\n" "(input, dim: int, keepdim=False, *, out: tuple[Tensor, Tensor] | None = None) -> ValuesAndIndices"},
  {.signature = "cummax(input, dim) -> ValuesAndIndices", .call = median, .cost = cost::kNone,
   .doc = "The largest of each element and those before it along dim, with indices; the last of equal ones. NaN is the largest.",
   .docs = {.returns = "values and int64 indices, of input's shape.", .raises = GPUKIT_RAISES_DIM "DTypeError: input is complex.\n"},
   .example = ">>> gpukit.cummax(gpukit.tensor([1, 3, 2]), 0).values\n" "tensor([1, 3, 3])",
   .where = kBoth | kWaits, .out = Out::kCopied,
   .overloads = "(input, dim, *, out: tuple[Tensor, Tensor] | None = None) -> ValuesAndIndices"},
  {.signature = "cummin(input, dim) -> ValuesAndIndices", .call = median, .cost = cost::kNone,
   .doc = "The smallest of each element and those before it along dim, with indices; the last of equal ones. NaN is the smallest.",
   .docs = {.returns = "values and int64 indices, of input's shape.", .raises = GPUKIT_RAISES_DIM "DTypeError: input is complex.\n"},
   .example = ">>> gpukit.cummin(gpukit.tensor([2, 3, 1]), 0).values\n" "tensor([2, 2, 1])",
   .where = kBoth | kWaits, .out = Out::kCopied,
   .overloads = "(input, dim, *, out: tuple[Tensor, Tensor] | None = None) -> ValuesAndIndices"},
  {.signature = "kthvalue(input, k: int, dim=-1, keepdim=False) -> ValuesAndIndices", .call = median, .cost = cost::kNone,
   .doc = "The k-th smallest elements along dim, with indices; k is counted from 1, and NaN is the largest.",
   .docs = {.parameters = "k: from 1 to the size of dim.\n",
             .returns = "values and int64 indices, without dim.",
             .raises = GPUKIT_RAISES_DIM "ValueError: k is out of range.\nDTypeError: input is complex.\n"},
   .example = ">>> gpukit.kthvalue(gpukit.tensor([3, 1, 2]), 2).values\n" "tensor(2)",
   .where = kBoth | kWaits, .out = Out::kCopied,
   .overloads = "(input, k: int, dim: int = -1, keepdim=False, *, out: tuple[Tensor, Tensor] | None = None) -> ValuesAndIndices"},
  {.signature = "mode(input, dim=-1, keepdim=False) -> ValuesAndIndices", .call = median, .cost = cost::kNone,
   .doc = "The most frequent elements along dim, the smallest of equally frequent ones, with the last index of each.",
   .docs = {.returns = "values and int64 indices, without dim.",
             .raises = GPUKIT_RAISES_DIM "DimensionError: there are no elements along dim.\nDTypeError: input is complex.\n"},
   .example = ">>> gpukit.mode(gpukit.tensor([3, 1, 3])).values\n" "tensor(3)",
   .where = kBoth | kWaits, .out = Out::kCopied,
   .overloads = "(input, dim: int = -1, keepdim=False, *, out: tuple[Tensor, Tensor] | None = None) -> ValuesAndIndices"},
  row({.signature = "logcumsumexp(input, dim)",
   .doc = "Logarithms of running sums of exponentials along dim, which do not overflow.",
   .docs = {.returns = GPUKIT_OWN_FORM, .raises = GPUKIT_RAISES_DIM "DTypeError: input is not floating.\n"},
   .example = ">>> gpukit.logcumsumexp(gpukit.zeros(2), 0)\n" "tensor([0.0000, 0.6931])",
   .out = Out::kCopied}),
  row({.signature = "tril_indices(row: int, col: int, offset=0, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None)",
   .doc = "Row and column indices of the lower triangle of a matrix, row by row.",
   .docs = {.parameters = "row: how many rows.\ncol: how many columns.\noffset: the diagonal, above the main one positive.\ndtype: int64, or int32.\n",
             .returns = "(2, n).", .raises = "ValueError: row or col is negative.\nDTypeError: dtype is another one.\n"},
   .example = ">>> gpukit.tril_indices(2, 2)\n" "tensor([[0, 1, 1],\n" "        [0, 0, 1]])",
   .where = kFunction}),
  row({.signature = "triu_indices(row: int, col: int, offset=0, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None)",
   .doc = "Row and column indices of the upper triangle of a matrix, row by row.",
   .docs = {.parameters = "row: how many rows.\ncol: how many columns.\noffset: the diagonal, above the main one positive.\ndtype: int64, or int32.\n",
             .returns = "(2, n).", .raises = "ValueError: row or col is negative.\nDTypeError: dtype is another one.\n"},
   .example = ">>> gpukit.triu_indices(2, 2)\n" "tensor([[0, 0, 1],\n" "        [0, 1, 1]])",
   .where = kFunction}),
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
