// Functions composed of others. Their rows, names and arguments are those of every function; what
// they do is written in Python, in gpukit/_composed.py, so that whatever the parts record is
// recorded here too.
#include <pybind11/cast.h>

#include "bindings/named_pair.h"
#include "bindings/signature.h"
#include "bindings/tensor_type.h"

namespace gpukit::bindings {

namespace {

/// Calls the Python function of the same name, without underscores around it, with the arguments
/// that were given.
PyObject* composed(const Arguments& a) {
  std::string_view name = a.op();
  if (name.starts_with("__")) name = name.substr(2, name.size() - 4);
  const py::object function = imported("gpukit._composed").attr(std::string(name).c_str());
  return function(**a.as_keywords()).release().ptr();
}

/// Of all elements a tensor, along a dimension values and their places.
PyObject* median(const Arguments& a) {
  py::object result = owned(composed(a));
  if (PyTuple_Check(result.ptr()) == 0) return result.release().ptr();
  return named_pair(a.op(), tensor_of(PyTuple_GET_ITEM(result.ptr(), 0)),
                    tensor_of(PyTuple_GET_ITEM(result.ptr(), 1)));
}

constexpr FunctionRow row(const char* signature, const char* doc, unsigned where = kBoth,
                          const char* returns = "Tensor") {
  return {signature, composed, doc, where | kWaits, returns};
}

// clang-format off
constexpr FunctionRow kComposedRows[] = {
  row("einsum(equation, *operands)",
      "Sums of products, written with a letter for each dimension: 'ij,jk->ik' is a matrix product.\n\n"
      "'...' stands for dimensions that broadcast; without '->' the result has the letters that occur once, in alphabetical\n"
      "order. Operands are taken from left to right, each pair as one batched product.\n\n"
      "Example:\n    >>> import gpukit\n    >>> gpukit.einsum('ij->j', gpukit.ones(2, 3))\n    tensor([2., 2., 2.])\n", kFunction),
  row("tensordot(input, other, dims=2)",
      "Products summed over dims: a number of dimensions (the last of input with the first of other), or two lists of them.\n\n"
      "Example:\n    >>> import gpukit\n    >>> gpukit.tensordot(gpukit.ones(2, 3), gpukit.ones(3, 2), dims=1)\n    tensor([[3., 3.],\n            [3., 3.]])\n"),
  row("vecdot(input, other, dim=-1)", "Inner products along a dimension of what both broadcast to."),
  row("trace(input)", "Sum of the diagonal of a matrix."),
  row("roll(input, shifts, dims=None)",
      "Elements moved by shifts along dims, those that fall off put in at the other end; without dims the tensor is\nflattened for it.\n\n"
      "Example:\n    >>> import gpukit\n    >>> gpukit.roll(gpukit.arange(4), 1)\n    tensor([3, 0, 1, 2])\n"),
  row("diag(input, diagonal=0)",
      "A matrix with the vector on its diagonal, or the diagonal of a matrix as a vector. A copy.\n\n"
      "Example:\n    >>> import gpukit\n    >>> gpukit.diag(gpukit.tensor([1, 2]))\n    tensor([[1, 0],\n            [0, 2]])\n"),
  row("meshgrid(*tensors, indexing='ij')",
      "Coordinate grids of 1-d tensors, as views; indexing 'ij' (rows first) or 'xy' (columns first).\n\n"
      "Example:\n    >>> import gpukit\n    >>> x, y = gpukit.meshgrid(gpukit.arange(2), gpukit.arange(3))\n    >>> x.shape\n    (2, 3)\n", kFunction, "tuple[Tensor, ...]"),
  row("searchsorted(sorted_sequence, input, *, right=False, side=None)",
      "Places at which the values would be put to keep the sequence in order; int64.\n\n"
      "Example:\n    >>> import gpukit\n    >>> gpukit.searchsorted(gpukit.tensor([1, 3, 5]), gpukit.tensor([3, 4]))\n    tensor([1, 2])\n", kFunction),
  row("isin(elements, test_elements, *, invert=False)",
      "True where an element is among test_elements.\n\n"
      "Example:\n    >>> import gpukit\n    >>> gpukit.isin(gpukit.tensor([1, 2]), gpukit.tensor([2, 3]))\n    tensor([False,  True])\n", kFunction),
  row("repeat_interleave(input, repeats, dim=None)",
      "Each element repeats times, one after the other; repeats is an int or one int for each place along dim.\n\n"
      "Example:\n    >>> import gpukit\n    >>> gpukit.repeat_interleave(gpukit.tensor([1, 2]), 2)\n    tensor([1, 1, 2, 2])\n"),
  row("tile(input, *dims)",
      "The tensor repeated dims times along its dimensions; missing counts at the front are 1.\n\n"
      "Example:\n    >>> import gpukit\n    >>> gpukit.tile(gpukit.tensor([1, 2]), 2)\n    tensor([1, 2, 1, 2])\n"),
  row("moveaxis(input, source, destination)",
      "Dimensions moved to other places; the others keep their order. A view.\n\n"
      "Example:\n    >>> import gpukit\n    >>> gpukit.moveaxis(gpukit.ones(2, 3, 4), 0, -1).shape\n    (3, 4, 2)\n"),
  row("movedim(input, source, destination)", "The same as moveaxis."),
  row("diff(input, n=1, dim=-1, prepend=None, append=None)",
      "Differences of neighbours along dim, n times over; of bool, whether they differ.\n\n"
      "Example:\n    >>> import gpukit\n    >>> gpukit.diff(gpukit.tensor([1, 4, 9]))\n    tensor([3, 5])\n"),
  row("take_along_dim(input, indices, dim=None)",
      "As gather, with the other dimensions broadcast; without dim both are flattened.\n\n"
      "Example:\n    >>> import gpukit\n    >>> x = gpukit.tensor([[3, 1], [2, 4]])\n    >>> gpukit.take_along_dim(x, gpukit.argsort(x, dim=1), dim=1)\n    tensor([[1, 3],\n            [2, 4]])\n"),
  row("where(input, condition, other)", "input where condition is true, else other; all three broadcast.", kMethod),
  row("scatter(input, dim, index, src)", "A copy with src written at the places that index names along dim; see scatter_."),
  row("scatter_add(input, dim, index, src)", "A copy with src added at the places that index names along dim."),
  row("index_add(input, dim, index, source)",
      "A copy with slices of source added at the places of index along dim.\n\n"
      "Example:\n    >>> import gpukit\n    >>> gpukit.index_add(gpukit.zeros(3), 0, gpukit.tensor([1, 1]), gpukit.ones(2))\n    tensor([0., 2., 0.])\n"),
  row("broadcast_tensors(*tensors)", "The tensors broadcast to one shape, as views.", kFunction, "tuple[Tensor, ...]"),
  row("broadcast_shapes(*shapes)",
      "The shape that tensors of these shapes broadcast to.\n\n"
      "Example:\n    >>> import gpukit\n    >>> gpukit.broadcast_shapes((2, 1), (3,))\n    (2, 3)\n", kFunction, "tuple[builtins.int, ...]"),
  row("unstack(input, dim=0)", "A tuple of all slices along dim, as views: the array API's name of unbind.", kFunction, "tuple[Tensor, ...]"),
  row("positive(input)", "The tensor itself; bool raises, as + does.", kBoth),
  row("hstack(tensors)", "cat along the second dimension, of 1-d tensors along the first.", kFunction),
  row("vstack(tensors)", "cat along the first dimension; 1-d tensors are rows.", kFunction),
  row("normal(mean, std=1.0, size=None, *, generator=None, dtype=None, device=None, requires_grad=False)",
      "Normal numbers of a mean and a standard deviation: of one size, or one number for each element of mean and std.\n\n"
      "Example:\n    >>> import gpukit\n    >>> gpukit.normal(0, 0.01, (2, 3)).shape\n    (2, 3)\n", kFunction),
  row("bernoulli(input, *, generator=None)",
      "1 with the probability that input names, else 0.\n\n"
      "Example:\n    >>> import gpukit\n    >>> gpukit.bernoulli(gpukit.tensor([0.0, 1.0]))\n    tensor([0., 1.])\n"),
  row("multinomial(input, num_samples, replacement=False, *, generator=None)",
      "Places drawn by their weights: of a vector, or of each row of a matrix.\n\n"
      "Example:\n    >>> import gpukit\n    >>> gpukit.multinomial(gpukit.tensor([0.0, 3.0]), 2, replacement=True)\n    tensor([1, 1])\n"),
  {"median(input, dim=None, keepdim=False)", median,
   "The element in the middle, the lower one of two; of all, or along dim with its places. NaN where there is one.\n\n"
   "Example:\n    >>> import gpukit\n    >>> gpukit.median(gpukit.tensor([3.0, 1.0, 2.0]))\n    tensor(2.)\n", kBoth | kWaits, "typing.Any"},
  row("bincount(input, weights=None, minlength=0)",
      "How often each number from 0 on occurs, or the sum of the weights beside it. Waits for the largest.\n\n"
      "Example:\n    >>> import gpukit\n    >>> gpukit.bincount(gpukit.tensor([0, 2, 2]))\n    tensor([1, 0, 2])\n"),
  row("nan_to_num(input, nan=0.0, posinf=None, neginf=None)",
      "A copy with numbers for NaN and the infinities; None stands for the largest and the smallest of the dtype.\n\n"
      "Example:\n    >>> import gpukit\n    >>> gpukit.nan_to_num(gpukit.tensor([1.0, float('nan')]))\n    tensor([1., 0.])\n"),
  row("argwhere(input)",
      "The same as nonzero.\n\n"
      "Example:\n    >>> import gpukit\n    >>> gpukit.argwhere(gpukit.tensor([0, 5]))\n    tensor([[1]])\n"),
  row("new_full(input, size, fill_value, *, dtype=None, device=None, requires_grad=False)",
      "full() with the tensor's dtype and device.\n\n"
      "Example:\n    >>> import gpukit\n    >>> gpukit.ones(1).new_full((2,), 3)\n    tensor([3., 3.])\n", kMethod),
  row("type_as(input, other)",
      "Converted to the dtype and the device of another tensor.\n\n"
      "Example:\n    >>> import gpukit\n    >>> gpukit.ones(1).type_as(gpukit.tensor([1])).dtype\n    gpukit.int64\n", kMethod),
  row("__array_namespace__(input, *, api_version=None)", "The module gpukit.array_api: the array API standard over this library.", kMethod, "typing.Any"),
  row("to_device(input, device, *, stream=None)", "The array API's name of to(device).", kMethod),
  row("__complex__(input)", "The one element as a complex number.", kMethod, "complex"),
};
// clang-format on

}  // namespace

FunctionTable& composed_functions() { return function_table<kComposedRows>(); }

}  // namespace gpukit::bindings
