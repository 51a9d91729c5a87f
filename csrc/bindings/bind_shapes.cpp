// Views, and functions that put tensors together and take them apart.
#include <algorithm>

#include "autograd/elementwise.h"
#include "autograd/shape.h"
#include "base/check.h"
#include "base/error.h"
#include "bindings/graph_object.h"
#include "bindings/row_texts.h"
#include "bindings/signature.h"
#include "bindings/work.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/joining.h"
#include "tensor/view.h"

namespace gpukit::bindings {

namespace {

Shape wanted_shape(const Arguments& a) {
  GPUKIT_CHECK(a.star_given(), TypeError, a.op(), ": argument '", a.argument(1).name,
               "' is missing, e.g. x.", a.op(), "(2, -1)");
  return a.star_dims();
}

PyObject* reshape(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const Shape shape = wanted_shape(a);
  if (input.is_contiguous()) return wrap(autograd::reshape(input, shape));
  return wrap(run(a.gil().releases(input), [&] { return autograd::reshape(input, shape); }));
}

/// For what gives a view of a contiguous tensor and may copy another one.
bool releases_for_copy(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  return !input.is_contiguous() && a.gil().releases(input);
}

PyObject* t(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  GPUKIT_CHECK(input.rank() <= 2, ShapeError, "t: at most 2 dimensions, the tensor is ",
               to_string(input.shape()), ". Use .T, .mT or permute()");
  return wrap(autograd::t(input));
}

PyObject* flip(const Arguments& a) {
  GPUKIT_CHECK(a.star_given(), TypeError, "flip: argument 'dims' is missing, e.g. x.flip(0)");
  const Tensor& input = a.tensor(0);
  const Dims dims = a.star_dims();
  const Tensor out =
      run(a.gil().releases(input), [&] { return autograd::clone(autograd::flip(input, dims)); });
  name_node(out, "FlipBackward0", {});
  return wrap(out);
}

PyObject* diagonal(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const std::int64_t offset = a.integer(1, 0);
  if (input.rank() < 2 || !(a.given(2) || a.given(3)))
    return wrap(autograd::diagonal(input, offset));
  const int rows = normalize_dim(a.integer(2, 0), input.rank(), a.op());
  const int columns = normalize_dim(a.integer(3, 1), input.rank(), a.op());
  GPUKIT_CHECK(rows != columns, ValueError, "diagonal: dim1 and dim2 are both dimension ", rows,
               "; a matrix has two");
  Dims order{rows, columns};
  for (int i = 0; i < input.rank(); ++i) {
    if (i != rows && i != columns) order.push_back(i);
  }
  return wrap(autograd::diagonal(autograd::permute(input, order), offset));
}

template <bool Upper>
PyObject* triangle(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const std::int64_t diagonal = a.integer(1, 0);
  return wrap(run(a.gil().releases(input), [&] {
    return Upper ? autograd::triu(input, diagonal) : autograd::tril(input, diagonal);
  }));
}

bool joining_releases_gil(const Arguments& a, const std::vector<Tensor>& tensors) {
  std::int64_t count = 0;
  for (const Tensor& tensor : tensors) count += tensor.count();
  return !tensors.empty() && a.gil().releases(tensors.front(), count);
}

PyObject* tuple_of(std::vector<Tensor> tensors) {
  py::tuple result(tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) result[i] = to_python(std::move(tensors[i]));
  return result.release().ptr();
}

/// Pieces of the listed sizes.
std::vector<Tensor> split_by_sizes(const Tensor& input, const std::vector<std::int64_t>& sizes,
                                   std::int64_t dim) {
  std::int64_t start = 0;
  for (const std::int64_t size : sizes) {
    GPUKIT_CHECK(size >= 0, ValueError, "split: split_size_or_sections holds ", size,
                 "; sizes are 0 or more");
    start += size;
  }
  const int axis = normalize_dim(dim, input.rank(), "split");
  GPUKIT_CHECK(start == input.size(axis), ShapeError, "split: the sizes add up to ", start,
               ", but dimension ", axis, " has ", input.size(axis));
  std::vector<Tensor> pieces;
  start = 0;
  for (const std::int64_t size : sizes) {
    pieces.push_back(autograd::narrow(input, axis, start, size, "SplitWithSizesBackward0"));
    start += size;
  }
  return pieces;
}

PyObject* split(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const std::int64_t dim = a.integer(2, 0);
  if (PyList_Check(a[1]) == 0 && PyTuple_Check(a[1]) == 0)
    return tuple_of(autograd::split(input, a.integer(1), dim));
  const auto given = owned(PySequence_Tuple(a[1]));  // __index__ may change a list
  std::vector<std::int64_t> sizes;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(given.ptr()); ++i)
    sizes.push_back(to_int64(a.argument(1), PyTuple_GET_ITEM(given.ptr(), i)));
  return tuple_of(split_by_sizes(input, sizes, dim));
}

PyObject* unbind(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  GPUKIT_CHECK(input.rank() > 0, DimensionError,
               "unbind: a 0-d tensor has no dimension to be taken apart. Use X.reshape(1).");
  const int dim = normalize_dim(a.integer(1, 0), input.rank(), "unbind");
  std::vector<Tensor> parts;
  for (std::int64_t i = 0; i < input.size(dim); ++i)
    parts.push_back(autograd::select(input, dim, i, "UnbindBackward0"));
  return tuple_of(std::move(parts));
}

std::int64_t repeated_count(const Tensor& input, const Dims& counts) {
  auto count = static_cast<double>(input.count());
  for (const std::int64_t times : counts)
    count *= static_cast<double>(std::max<std::int64_t>(times, 0));
  return saturated(count);
}

PyObject* repeat(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  GPUKIT_CHECK(a.star_given(), TypeError,
               "repeat: argument 'repeats' is missing, e.g. x.repeat(2, 1)");
  const Dims counts = a.star_dims();
  GPUKIT_CHECK(counts.size() >= input.rank(), ShapeError, "repeat: repeats has ", counts.size(),
               " counts, the tensor ", input.rank(), " dimensions; each dimension needs one");
  return wrap(run(a.gil().releases(input, repeated_count(input, counts)), [&] {
    Tensor result = ops::repeat(input, counts);
    autograd::record_repeat(result, input, counts);
    return result;
  }));
}

/// view(dtype): the bytes of the last dimension as elements of another dtype.
Tensor reinterpreted(const Tensor& input, DType dtype) {
  const auto from = static_cast<std::int64_t>(itemsize(input.dtype()));
  const auto to = static_cast<std::int64_t>(itemsize(dtype));
  GPUKIT_CHECK(!input.requires_grad() || !is_floating(dtype), AutogradError,
               "view: the tensor requires a gradient, and bytes read as another dtype have none. "
               "Use .detach().view(dtype)");
  GPUKIT_CHECK(dtype != DType::kBool || input.dtype() == DType::kBool, DTypeError,
               "view: bytes other than 0 and 1 are no bools. Use X != 0");
  if (dtype == input.dtype()) return autograd::alias(input);
  GPUKIT_CHECK(from == to || input.rank() > 0, DimensionError, "view: a 0-d tensor of ", from,
               " bytes cannot be read as ", name(dtype), ". Use X.reshape(1)");
  Shape shape = input.shape();
  Strides strides = input.strides();
  const int last = input.rank() - 1;
  std::int64_t offset = input.offset();
  if (from != to) {
    const std::int64_t bytes = shape[last] * from;
    GPUKIT_CHECK(strides[last] == 1 && bytes % to == 0 && offset * from % to == 0, ShapeError,
                 "view: the last dimension has ", bytes, " bytes at stride ", strides[last],
                 ", which cannot be read as ", name(dtype), ". Use X.contiguous() first");
    for (int i = 0; i < last; ++i) {
      GPUKIT_CHECK(strides[i] * from % to == 0, ShapeError, "view: stride ", strides[i],
                   " of dimension ", i, " is not a multiple of ", name(dtype));
      strides[i] = strides[i] * from / to;
    }
    shape[last] = bytes / to;
    offset = offset * from / to;
  }
  return Tensor::make_view(input, dtype, shape, strides, offset);
}

PyObject* view(const Arguments& a) {
  PyObject* only = a.only_star();
  if (only != nullptr && PyLong_CheckExact(only) == 0 && !is_integer(only) &&
      looks_like_dtype(only)) {
    return wrap(reinterpreted(a.tensor(0), to_dtype({a.op(), "dtype"}, only)));
  }
  return wrap(autograd::view(a.tensor(0), wanted_shape(a)));
}

PyObject* as_strided(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const Dims size = a.dims(1), stride = a.dims(2);
  return wrap(autograd::as_strided(input, size, stride, a.integer(3, input.offset())));
}

PyObject* unfold(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const std::int64_t size = a.integer(2), step = a.integer(3);
  const int dim = input.rank() == 0 ? 0 : normalize_dim(a.integer(1), input.rank(), a.op());
  const std::int64_t elements = input.rank() == 0 ? 1 : input.size(dim);
  GPUKIT_CHECK(size >= 0 && size <= elements, ValueError, "unfold: size is ", size, ", dimension ",
               dim, " has ", elements, " elements");
  GPUKIT_CHECK(step >= 1, ValueError, "unfold: step must be 1 or more, got ", step);
  // One window, without a dimension of windows.
  if (input.rank() == 0)
    return wrap(autograd::narrow(autograd::reshape(input, Shape{1}), 0, 0, size));
  GPUKIT_CHECK(input.rank() < kMaxRank, ShapeError, "unfold: the tensor has ", input.rank(),
               " dimensions, and may have ", kMaxRank, " with the new one");
  return wrap(autograd::unfold(input, dim, size, step));
}

// clang-format off
constexpr Docs kViewDocs = {.parameters = "shape: ints, or one tuple; one of them may be -1. Or a dtype, as which the same bytes are read.\n",
    .returns = "input's elements in the new shape.",
    .raises = "ShapeError: the number of elements differs, or a view would need a copy.\nAutogradError: another dtype, of a tensor that requires a gradient.\n"};
constexpr Docs kReshapeDocs = {.parameters = "shape: ints, or one tuple; one of them may be -1.\n",
    .returns = "input's elements and dtype in the new shape.",
    .raises = "ShapeError: the number of elements differs, or a view would need a copy.\n"};
constexpr Docs kViewAsDocs = {.parameters = "other: the tensor whose shape is taken.\n",
    .returns = "input's elements and dtype in the shape of other.",
    .raises = "ShapeError: input does not fit that shape.\n"};
constexpr Docs kExpandDocs = {.parameters = "size: the new shape; -1 keeps a size, new dimensions come first.\n",
    .returns = "a view in which repeated elements share memory.",
    .raises = "ShapeError: a size other than 1 would change.\n"};
constexpr Docs kTrilDocs = {.parameters = "input: two dimensions or more; the last two make the matrices.\ndiagonal: the last diagonal that stays; 0 is the main one, above it positive.\n",
    .returns = "a copy of input's shape and dtype.",
    .raises = "ShapeError: input has less than two dimensions.\n"};

constexpr FunctionRow kShapeRows[] = {
  {.signature = "reshape(input, *shape: int)", .call = reshape, .cost = cost::kGather,
   .doc = "The same elements in another shape; one size may be -1. A view when the strides allow it, else a copy.",
   .docs = kReshapeDocs,
   .example = ">>> gpukit.arange(6).reshape(2, -1)\n" "tensor([[0, 1, 2],\n" "        [3, 4, 5]])"},
  {.signature = "view(input, *shape: int | DTypeLike)",
   .call = view,
   .cost = cost::kNone,
   .doc = "The same memory in another shape, or read as another dtype; ShapeError when that needs a copy.",
   .docs = kViewDocs,
   .example = ">>> gpukit.arange(6).view(2, -1)\n" "tensor([[0, 1, 2],\n" "        [3, 4, 5]])",
   .where = kMethod},
  {.signature = "view_as(input, other: Tensor)",
   .call = [](const Arguments& a) { return wrap(autograd::view(a.tensor(0), a.tensor(1).shape())); },
   .cost = cost::kNone,
   .doc = "view() in the shape of another tensor.",
   .docs = kViewAsDocs,
   .example = ">>> gpukit.arange(4).view_as(gpukit.ones(2, 2))\n" "tensor([[0, 1],\n" "        [2, 3]])",
   .where = kMethod},
  {.signature = "reshape_as(input, other: Tensor)",
   .call = [](const Arguments& a) {
     const Tensor &input = a.tensor(0), &other = a.tensor(1);
     return wrap(run(releases_for_copy(a), [&] { return autograd::reshape(input, other.shape()); }));
   },
   .cost = cost::kGather,
   .doc = "reshape() to the shape of another tensor.",
   .docs = kViewAsDocs,
   .example = ">>> gpukit.arange(4).reshape_as(gpukit.ones(2, 2))\n" "tensor([[0, 1],\n" "        [2, 3]])",
   .where = kMethod},
  {.signature = "flatten(input, start_dim=0, end_dim=-1)",
   .call = [](const Arguments& a) {
     const Tensor& input = a.tensor(0);
     const std::int64_t start = a.integer(1, 0), end = a.integer(2, -1);
     return wrap(run(releases_for_copy(a), [&] { return autograd::flatten(input, start, end); }));
   },
   .cost = cost::kGather,
   .doc = "The dimensions from start_dim to end_dim as one.",
   .docs = {.parameters = "start_dim: the first dimension to join.\nend_dim: the last one, included.\n",
             .returns = "a view where the strides allow it, else a copy; input's dtype.",
             .raises = "IndexError: there is no such dimension.\nValueError: start_dim comes after end_dim.\n"},
   .example = ">>> gpukit.flatten(gpukit.ones(2, 3, 4), start_dim=1).shape\n" "(2, 12)"},
  {.signature = "ravel(input)",
   .call = [](const Arguments& a) {
     const Tensor& input = a.tensor(0);
     return wrap(run(releases_for_copy(a),
                     [&] { return autograd::flatten(autograd::contiguous(input), 0, -1); }));
   },
   .cost = cost::kGather,
   .doc = "All dimensions as one: a view of a contiguous tensor, else a copy.",
   .docs = {.returns = "1-d; a view if input is contiguous, else a copy."},
   .example = ">>> gpukit.ravel(gpukit.ones(2, 3)).shape\n" "(6,)"},
  {.signature = "squeeze(input, dim: int | Sequence[int] | None = None)",
   .call = [](const Arguments& a) { return wrap(autograd::squeeze(a.tensor(0), a.optional_dims(1))); },
   .cost = cost::kNone,
   .doc = "Without dimensions of size 1: all of them, or those named. A view.",
   .docs = {.parameters = "dim: a dimension, a tuple of them, or None for all; those of another size stay.\n",
             .returns = "a view.",
             .raises = GPUKIT_RAISES_DIM GPUKIT_RAISES_TWICE},
   .example = ">>> gpukit.squeeze(gpukit.ones(1, 3, 1)).shape\n" "(3,)"},
  {.signature = "unsqueeze(input, dim)",
   .call = [](const Arguments& a) { return wrap(autograd::unsqueeze(a.tensor(0), a.integer(1))); },
   .cost = cost::kNone,
   .doc = "With a new dimension of size 1 at dim. A view.",
   .docs = {.parameters = "dim: where the new dimension comes to stand, -ndim - 1 to ndim.\n",
             .returns = "a view.",
             .raises = "IndexError: dim is out of that range.\n"},
   .example = ">>> gpukit.unsqueeze(gpukit.ones(3), 0).shape\n" "(1, 3)"},
  {.signature = "as_strided(input, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None)",
   .call = as_strided, .cost = cost::kNone,
   .doc = "The memory behind the tensor with other sizes and strides. A view.",
   .docs = {.parameters = "size: sizes.\nstride: elements to step over for the next index of each dimension.\nstorage_offset: elements before the first; None is the tensor's.\n",
             .returns = "a view of that size.",
             .raises = "ValueError: size and stride differ in length, a stride is negative, or elements lie outside the memory.\n"},
   .example = ">>> gpukit.as_strided(gpukit.arange(4), (2, 2), (1, 1))\n" "tensor([[0, 1],\n" "        [1, 2]])"},
  {.signature = "unfold(input, dimension: int, size: int, step: int)",
   .call = unfold, .cost = cost::kNone,
   .doc = "Windows of size along dimension, step apart, as a new last dimension. A view.",
   .docs = {.parameters = "dimension: along which they move.\nsize: elements of a window.\nstep: between the beginnings of two.\n",
             .returns = "one dimension more; input's dtype.",
             .raises = "IndexError: there is no such dimension.\n" "ValueError: size or step is out of range.\n"},
   .example = ">>> gpukit.arange(4).unfold(0, 2, 1)\n" "tensor([[0, 1],\n" "        [1, 2],\n" "        [2, 3]])",
   .where = kMethod},
  {.signature = "permute(input, *dims: int)",
   .call = [](const Arguments& a) {
     GPUKIT_CHECK(a.star_given(), TypeError,
                  "permute: argument 'dims' is missing, e.g. x.permute(1, 0)");
     return wrap(autograd::permute(a.tensor(0), a.star_dims()));
   },
   .cost = cost::kNone,
   .doc = "Dimensions in another order. A view.",
   .docs = {.parameters = "dims: all dimensions in their new order, ints or one tuple.\n",
             .returns = "a view.",
             .raises = GPUKIT_RAISES_ORDER},
   .example = ">>> gpukit.ones(2, 3, 4).permute(2, 0, 1).shape\n" "(4, 2, 3)"},
  {.signature = "permute_dims(input, dims: Sequence[int])",
   .call = [](const Arguments& a) { return wrap(autograd::permute(a.tensor(0), a.dims(1))); },
   .cost = cost::kNone,
   .doc = "The array API's name of permute.",
   .docs = {.parameters = "dims: a tuple of all dimensions in their new order.\n",
             .returns = "a view.",
             .raises = GPUKIT_RAISES_ORDER},
   .example = ">>> gpukit.permute_dims(gpukit.ones(2, 3, 4), (2, 0, 1)).shape\n" "(4, 2, 3)",
   .where = kFunction},
  {.signature = "transpose(input, dim0: int, dim1: int)",
   .call = [](const Arguments& a) { return wrap(autograd::transpose(a.tensor(0), a.integer(1), a.integer(2))); },
   .cost = cost::kNone,
   .doc = "Two dimensions swapped. A view.",
   .docs = {.parameters = "dim0: the one dimension.\ndim1: the other.\n",
             .returns = "a view.",
             .raises = "IndexError: there is no such dimension.\n"},
   .example = ">>> gpukit.transpose(gpukit.ones(2, 3), 0, 1).shape\n" "(3, 2)"},
  {.signature = "swapaxes", .same_as = "transpose",
   .example = ">>> gpukit.swapaxes(gpukit.ones(2, 3), 0, 1).shape\n(3, 2)"},
  {.signature = "swapdims", .same_as = "transpose",
   .example = ">>> gpukit.swapdims(gpukit.ones(2, 3), 0, 1).shape\n(3, 2)"},
  {.signature = "t(input)", .call = t, .cost = cost::kNone,
   .doc = "A matrix with its dimensions swapped; 0-d and 1-d tensors stay. A view.",
   .docs = {.parameters = "input: at most two dimensions.\n",
             .returns = "a view.",
             .raises = "ShapeError: input has more than two dimensions.\n"},
   .example = ">>> gpukit.t(gpukit.tensor([[1, 2], [3, 4]]))\n" "tensor([[1, 3],\n" "        [2, 4]])"},
  {.signature = "expand(input, *size: int)",
   .call = [](const Arguments& a) { return wrap(autograd::expand(a.tensor(0), wanted_shape(a))); },
   .cost = cost::kNone,
   .doc = "Dimensions of size 1 repeated without copying; -1 keeps a size.",
   .docs = kExpandDocs,
   .example = ">>> gpukit.tensor([[1], [2]]).expand(2, 3)\n" "tensor([[1, 1, 1],\n" "        [2, 2, 2]])",
   .where = kMethod},
  {.signature = "expand_as(input, other: Tensor)",
   .call = [](const Arguments& a) { return wrap(autograd::expand(a.tensor(0), a.tensor(1).shape())); },
   .cost = cost::kNone,
   .doc = "expand() to the shape of another tensor.",
   .docs = kViewAsDocs,
   .example = ">>> gpukit.tensor([[1], [2]]).expand_as(gpukit.ones(2, 3))\n" "tensor([[1, 1, 1],\n" "        [2, 2, 2]])",
   .where = kMethod},
  {.signature = "broadcast_to(input, size: int | Sequence[int])",
   .call = [](const Arguments& a) { return wrap(autograd::expand(a.tensor(0), a.dims(1))); },
   .cost = cost::kNone,
   .doc = "Broadcast to a shape without copying.",
   .docs = kExpandDocs,
   .example = ">>> gpukit.broadcast_to(gpukit.tensor([1, 2]), (2, 2))\n" "tensor([[1, 2],\n" "        [1, 2]])"},
  {.signature = "flip(input, *dims: int)", .call = flip, .cost = cost::kGather,
   .doc = "Reversed along dims. A copy; x[::-1] is a view.",
   .docs = {.parameters = "dims: the dimensions to reverse, ints or one tuple.\n",
             .returns = "a copy of input's shape and dtype.",
             .raises = "IndexError: there is no such dimension.\nValueError: one is listed twice.\n"},
   .example = ">>> gpukit.flip(gpukit.arange(3), 0)\n" "tensor([2, 1, 0])"},
  {.signature = "diagonal(input, offset=0, dim1: int = 0, dim2: int = 1)", .call = diagonal, .cost = cost::kNone,
   .doc = "The diagonal of a matrix. A view.",
   .docs = {.parameters = "input: two dimensions or more.\noffset: 0 is the main diagonal, above it positive.\ndim1: the dimension of the rows.\ndim2: that of the columns.\n",
             .returns = "a view; the diagonal is the last dimension.",
             .raises = "DimensionError: input has less than two dimensions.\nIndexError: there is no such dimension.\nValueError: dim1 and dim2 are one.\n"},
   .example = ">>> gpukit.diagonal(gpukit.tensor([[1, 2], [3, 4]]))\n" "tensor([1, 4])"},
  {.signature = "narrow(input, dim, start: int | Tensor, length: int)",
   .call = [](const Arguments& a) { return wrap(autograd::narrow(a.tensor(0), a.integer(1), a.integer(2), a.integer(3))); },
   .cost = cost::kNone,
   .doc = "length elements from start along dim. A view.",
   .docs = {.parameters = "start: the first index; negative counts from the end.\nlength: how many.\n",
             .returns = "a view.",
             .raises = "IndexError: dim, start or length is out of range.\n"},
   .example = ">>> gpukit.narrow(gpukit.arange(5), 0, 1, 3)\n" "tensor([1, 2, 3])"},
  {.signature = "select(input, dim, index: int)",
   .call = [](const Arguments& a) { return wrap(autograd::select(a.tensor(0), a.integer(1), a.integer(2))); },
   .cost = cost::kNone,
   .doc = "The slice at index along dim, which disappears. A view.",
   .docs = {.parameters = "index: the index; negative counts from the end.\n",
             .returns = "a view with one dimension less.",
             .raises = "IndexError: dim or index is out of range.\n"},
   .example = ">>> gpukit.tensor([[1, 2], [3, 4]]).select(1, 0)\n" "tensor([1, 3])",
   .where = kMethod},
  {.signature = "tril(input, diagonal=0)", .call = triangle<false>, .cost = cost::kCopy,
   .doc = "The lower triangle of matrices, 0 elsewhere.",
   .docs = kTrilDocs,
   .example = ">>> gpukit.tril(gpukit.ones(2, 2))\n" "tensor([[1., 0.],\n" "        [1., 1.]])",
   .out = Out::kCopied},
  {.signature = "triu(input, diagonal=0)", .call = triangle<true>, .cost = cost::kCopy,
   .doc = "The upper triangle of matrices, 0 elsewhere.",
   .docs = kTrilDocs,
   .example = ">>> gpukit.triu(gpukit.ones(2, 2))\n" "tensor([[1., 1.],\n" "        [0., 1.]])",
   .out = Out::kCopied},
  {.signature = "cat(tensors: Sequence[Tensor], dim=0)",
   .call = [](const Arguments& a) {
     const std::vector<Tensor> tensors = to_tensors(a.argument(0), a[0]);
     const std::int64_t dim = a.integer(1, 0);
     return wrap(run(joining_releases_gil(a, tensors), [&] { return autograd::cat(tensors, dim); }));
   },
   .cost = cost::kCopy,
   .doc = "Tensors one after the other along dim.",
   .docs = {.parameters = "tensors: a list or tuple of tensors whose sizes agree but for dim.\n",
             .returns = "the dtype that all have in common.",
             .raises = GPUKIT_RAISES_DIM "ValueError: tensors is empty.\nShapeError: sizes differ.\nDTypeError: the dtypes have none in common.\n" GPUKIT_RAISES_DEVICES},
   .example = ">>> gpukit.cat([gpukit.zeros(2), gpukit.ones(1)])\n" "tensor([0., 0., 1.])",
   .where = kFunction, .out = Out::kCopied},
  {.signature = "concat", .same_as = "cat",
   .example = ">>> gpukit.concat([gpukit.zeros(1), gpukit.ones(2)])\ntensor([0., 1., 1.])"},
  {.signature = "concatenate", .same_as = "cat",
   .example = ">>> gpukit.concatenate([gpukit.zeros(1), gpukit.ones(2)])\ntensor([0., 1., 1.])"},
  {.signature = "stack(tensors: Sequence[Tensor], dim=0)",
   .call = [](const Arguments& a) {
     const std::vector<Tensor> tensors = to_tensors(a.argument(0), a[0]);
     const std::int64_t dim = a.integer(1, 0);
     return wrap(run(joining_releases_gil(a, tensors), [&] { return autograd::stack(tensors, dim); }));
   },
   .cost = cost::kCopy,
   .doc = "Stacks tensors of one shape along a new dimension.",
   .docs = {.parameters = "tensors: a list or tuple of tensors of one shape.\ndim: where the new dimension comes to stand.\n",
             .returns = "the dtype that all have in common.",
             .raises = GPUKIT_RAISES_DIM "ValueError: tensors is empty.\nShapeError: shapes differ.\n" GPUKIT_RAISES_DEVICES},
   .example = ">>> gpukit.stack([gpukit.zeros(2), gpukit.ones(2)])\n" "tensor([[0., 0.],\n" "        [1., 1.]])",
   .where = kFunction, .out = Out::kCopied},
  {.signature = "split(input, split_size_or_sections: int | Sequence[int], dim=0) -> tuple[Tensor, ...]", .call = split, .cost = cost::kNone,
   .doc = "Views of a size, or of the listed sizes, along dim.",
   .docs = {.parameters = "split_size_or_sections: an int, the size of all parts but perhaps the last; or a list of sizes.\n",
             .returns = "a tuple of views.",
             .raises = GPUKIT_RAISES_DIM "ValueError: the size is not positive.\nShapeError: the sizes do not add up.\n"},
   .example = ">>> gpukit.split(gpukit.arange(5), [2, 3])\n" "(tensor([0, 1]), tensor([2, 3, 4]))"},
  {.signature = "chunk(input, chunks: int, dim=0) -> tuple[Tensor, ...]",
   .call = [](const Arguments& a) { return tuple_of(autograd::chunk(a.tensor(0), a.integer(1), a.integer(2, 0))); },
   .cost = cost::kNone,
   .doc = "At most `chunks` views of nearly equal size along dim.",
   .docs = {.parameters = "chunks: how many at most; of an empty dimension, how many.\n",
             .returns = "a tuple of views.",
             .raises = GPUKIT_RAISES_DIM "ValueError: chunks is not positive.\n"},
   .example = ">>> gpukit.chunk(gpukit.arange(5), 2)\n" "(tensor([0, 1, 2]), tensor([3, 4]))"},
  {.signature = "unsafe_split", .same_as = "split",
   .example = ">>> gpukit.unsafe_split(gpukit.arange(3), 2)\n" "(tensor([0, 1]), tensor([2]))"},
  {.signature = "unsafe_chunk", .same_as = "chunk",
   .example = ">>> gpukit.unsafe_chunk(gpukit.arange(2), 2)\n" "(tensor([0]), tensor([1]))"},
  {.signature = "unbind(input, dim=0) -> tuple[Tensor, ...]", .call = unbind, .cost = cost::kNone,
   .doc = "A tuple of all slices along dim.",
   .docs = kUnbindDocs,
   .example = ">>> gpukit.unbind(gpukit.tensor([[1, 2], [3, 4]]))\n" "(tensor([1, 2]), tensor([3, 4]))"},
  {.signature = "repeat(input, *repeats: int)", .call = repeat, .cost = cost::kCopy,
   .doc = "The tensor repeated along its dimensions; a copy.",
   .docs = {.parameters = "repeats: a count for each dimension; further ones come in front.\n",
             .returns = "a copy.",
             .raises = "ShapeError: a dimension has no count.\nValueError: a count is negative.\n"},
   .example = ">>> gpukit.tensor([1, 2]).repeat(2, 2)\n" "tensor([[1, 2, 1, 2],\n" "        [1, 2, 1, 2]])",
   .where = kMethod},
};
// clang-format on

}  // namespace

template <>
FunctionTable& functions<Family::kShape>() {
  return function_table<kShapeRows>();
}

}  // namespace gpukit::bindings
