// Views, and functions that put tensors together and take them apart.
#include "autograd/elementwise.h"
#include "autograd/shape.h"
#include "base/check.h"
#include "base/error.h"
#include "bindings/signature.h"
#include "bindings/work.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/joining.h"
#include "tensor/view.h"

namespace gpukit::bindings {

namespace {

Shape wanted_shape(const Arguments& a) {
  GPUKIT_CHECK(a.star_given(), TypeError, a.op(), ": argument '", a.place(1).argument,
               "' is missing, e.g. x.", a.op(), "(2, -1)");
  return a.star_dims();
}

PyObject* reshape(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const Shape shape = wanted_shape(a);
  if (input.is_contiguous()) return wrap(autograd::reshape(input, shape));
  const bool release = is_long(input, input.count(), cost::kGather, site_of(kCopyFamily, 5));
  return wrap(run(release, [&] { return autograd::reshape(input, shape); }));
}

PyObject* view(const Arguments& a) { return wrap(autograd::view(a.tensor(0), wanted_shape(a))); }
PyObject* view_as(const Arguments& a) {
  return wrap(autograd::view(a.tensor(0), a.tensor(1).shape()));
}
PyObject* expand(const Arguments& a) {
  return wrap(autograd::expand(a.tensor(0), wanted_shape(a)));
}
PyObject* expand_as(const Arguments& a) {
  return wrap(autograd::expand(a.tensor(0), a.tensor(1).shape()));
}
PyObject* broadcast_to(const Arguments& a) {
  return wrap(autograd::expand(a.tensor(0), a.dims(1)));
}

PyObject* reshape_as(const Arguments& a) {
  const Tensor &input = a.tensor(0), &other = a.tensor(1);
  return wrap(run(!input.is_contiguous(), [&] { return autograd::reshape(input, other.shape()); }));
}

PyObject* flatten(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const std::int64_t start = a.integer(1, 0), end = a.integer(2, -1);
  return wrap(run(!input.is_contiguous(), [&] { return autograd::flatten(input, start, end); }));
}

PyObject* ravel(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const bool release = is_long(input, input.count(), cost::kGather, site_of(kCopyFamily, 7));
  return wrap(run(!input.is_contiguous() && release,
                  [&] { return autograd::flatten(autograd::contiguous(input), 0, -1); }));
}

PyObject* squeeze(const Arguments& a) {
  return wrap(autograd::squeeze(a.tensor(0), a.optional_dims(1)));
}
PyObject* unsqueeze(const Arguments& a) {
  return wrap(autograd::unsqueeze(a.tensor(0), a.integer(1)));
}

PyObject* permute(const Arguments& a) {
  GPUKIT_CHECK(a.star_given(), TypeError,
               "permute: argument 'dims' is missing, e.g. x.permute(1, 0)");
  return wrap(autograd::permute(a.tensor(0), a.star_dims()));
}
PyObject* permute_dims(const Arguments& a) {
  return wrap(autograd::permute(a.tensor(0), a.dims(1)));
}
PyObject* transpose(const Arguments& a) {
  return wrap(autograd::transpose(a.tensor(0), a.integer(1), a.integer(2)));
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
  const bool release = is_long(input, input.count(), cost::kGather, site_of(kCopyFamily, 6));
  return wrap(run(release, [&] { return autograd::clone(autograd::flip(input, dims)); }));
}

PyObject* diagonal(const Arguments& a) {
  return wrap(autograd::diagonal(a.tensor(0), a.integer(1, 0)));
}
PyObject* narrow(const Arguments& a) {
  return wrap(autograd::narrow(a.tensor(0), a.integer(1), a.integer(2), a.integer(3)));
}
PyObject* select(const Arguments& a) {
  return wrap(autograd::select(a.tensor(0), a.integer(1), a.integer(2)));
}

template <bool Upper>
PyObject* triangle(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const std::int64_t diagonal = a.integer(1, 0);
  const bool release =
      is_long(input, input.count(), cost::kCopy, site_of(kOtherFamily, 10 + Upper));
  return wrap(run(release, [&] {
    return Upper ? autograd::triu(input, diagonal) : autograd::tril(input, diagonal);
  }));
}

bool joining_is_long(const std::vector<Tensor>& tensors) {
  std::int64_t count = 0;
  for (const Tensor& tensor : tensors) count += tensor.count();
  return !tensors.empty() &&
         is_long(tensors.front(), count, cost::kCopy, site_of(kOtherFamily, 12));
}

PyObject* cat(const Arguments& a) {
  const std::vector<Tensor> tensors = to_tensors(a.place(0), a[0]);
  const std::int64_t dim = a.integer(1, 0);
  return wrap(run(joining_is_long(tensors), [&] { return autograd::cat(tensors, dim); }));
}

PyObject* stack(const Arguments& a) {
  const std::vector<Tensor> tensors = to_tensors(a.place(0), a[0]);
  const std::int64_t dim = a.integer(1, 0);
  return wrap(run(joining_is_long(tensors), [&] { return autograd::stack(tensors, dim); }));
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
    sizes.push_back(to_int64(a.place(1), PyTuple_GET_ITEM(given.ptr(), i)));
  return tuple_of(split_by_sizes(input, sizes, dim));
}

PyObject* chunk(const Arguments& a) {
  return tuple_of(autograd::chunk(a.tensor(0), a.integer(1), a.integer(2, 0)));
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

PyObject* repeat(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  GPUKIT_CHECK(a.star_given(), TypeError,
               "repeat: argument 'repeats' is missing, e.g. x.repeat(2, 1)");
  const Dims counts = a.star_dims();
  GPUKIT_CHECK(counts.size() >= input.rank(), ShapeError, "repeat: repeats has ", counts.size(),
               " counts, the tensor ", input.rank(), " dimensions; each dimension needs one");
  return wrap(run(true, [&] {
    Tensor result = input;
    bool is_copy = false;
    while (result.rank() < counts.size()) result = gpukit::unsqueeze(result, 0);
    for (int dim = 0; dim < counts.size(); ++dim) {
      GPUKIT_CHECK(counts[dim] >= 0, ValueError, "repeat: repeats holds ", counts[dim],
                   "; counts are 0 or more");
      if (counts[dim] == 1) continue;
      const std::vector<Tensor> copies(static_cast<std::size_t>(counts[dim]), result);
      result = copies.empty() ? gpukit::narrow(result, dim, 0, 0) : ops::cat(copies, dim);
      is_copy = true;
    }
    result = is_copy ? ops::contiguous(result) : ops::clone(result);
    autograd::record_repeat(result, input, counts);
    return result;
  }));
}

// clang-format off
constexpr FunctionRow kShapeRows[] = {
  {"reshape(input, *shape)", reshape,
   "The same elements in another shape; one size may be -1. A view when the strides allow it, else a copy.\n\n"
   "Example:\n    >>> import gpukit\n    >>> gpukit.arange(6).reshape(2, -1)\n    tensor([[0, 1, 2],\n            [3, 4, 5]])\n"},
  {"view(input, *shape)", view, "The same memory in another shape; ShapeError when that needs a copy.", kMethod},
  {"view_as(input, other)", view_as, "view() in the shape of another tensor.", kMethod},
  {"reshape_as(input, other)", reshape_as, "reshape() to the shape of another tensor.", kMethod},
  {"flatten(input, start_dim=0, end_dim=-1)", flatten, "The dimensions from start_dim to end_dim as one."},
  {"ravel(input)", ravel, "All dimensions as one: a view of a contiguous tensor, else a copy."},
  {"squeeze(input, dim=None)", squeeze, "Without dimensions of size 1: all of them, or those named. A view."},
  {"unsqueeze(input, dim)", unsqueeze, "With a new dimension of size 1 at dim. A view."},
  {"permute(input, *dims)", permute,
   "Dimensions in another order. A view.\n\nExample:\n    >>> import gpukit\n    >>> gpukit.ones(2, 3, 4).permute(2, 0, 1).shape\n    (4, 2, 3)\n"},
  {"permute_dims(input, dims)", permute_dims, "The array API's name of permute.", kFunction},
  {"transpose(input, dim0, dim1)", transpose, "Two dimensions swapped. A view."},
  {"swapaxes(input, dim0, dim1)", transpose, "The same as transpose."},
  {"t(input)", t, "A matrix with its dimensions swapped; 0-d and 1-d tensors stay. A view."},
  {"expand(input, *size)", expand, "Dimensions of size 1 repeated without copying; -1 keeps a size.", kMethod},
  {"expand_as(input, other)", expand_as, "expand() to the shape of another tensor.", kMethod},
  {"broadcast_to(input, size)", broadcast_to, "Broadcast to a shape without copying."},
  {"flip(input, *dims)", flip, "Reversed along dims. A copy; x[::-1] is a view."},
  {"diagonal(input, offset=0)", diagonal, "The diagonal of a matrix. A view."},
  {"narrow(input, dim, start, length)", narrow, "length elements from start along dim. A view."},
  {"select(input, dim, index)", select, "The slice at index along dim, which disappears. A view.", kMethod},
  {"tril(input, diagonal=0)", triangle<false>, "The lower triangle of matrices, 0 elsewhere."},
  {"triu(input, diagonal=0)", triangle<true>, "The upper triangle of matrices, 0 elsewhere."},
  {"cat(tensors, dim=0)", cat,
   "Tensors one after the other along dim.\n\nExample:\n    >>> import gpukit\n    >>> gpukit.cat([gpukit.zeros(2), gpukit.ones(1)])\n    tensor([0., 0., 1.])\n", kFunction},
  {"concat(tensors, dim=0)", cat, "The same as cat.", kFunction},
  {"concatenate(tensors, dim=0)", cat, "The same as cat.", kFunction},
  {"stack(tensors, dim=0)", stack, "Tensors of one shape beside each other along a new dimension.", kFunction},
  {"split(input, split_size_or_sections, dim=0)", split, "Views of a size, or of the listed sizes, along dim.", kBoth, "tuple[Tensor, ...]"},
  {"chunk(input, chunks, dim=0)", chunk, "At most `chunks` views of nearly equal size along dim.", kBoth, "tuple[Tensor, ...]"},
  {"unbind(input, dim=0)", unbind, "A tuple of all slices along dim.", kBoth, "tuple[Tensor, ...]"},
  {"repeat(input, *repeats)", repeat, "The tensor repeated along its dimensions; a copy.", kMethod},
};
// clang-format on

}  // namespace

FunctionTable& shape_functions() { return function_table<kShapeRows>(); }

}  // namespace gpukit::bindings
