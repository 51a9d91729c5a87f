#include "tensor/view.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "core/layout.h"

namespace gpukit {

namespace view_impl {
namespace {

Tensor with_layout(const Tensor& tensor, const Shape& shape, const Strides& strides,
                   std::int64_t offset) {
  return Tensor::make_view(tensor, tensor.dtype(), shape, strides, offset);
}

std::int64_t checked_product(const Shape& shape, int skip, std::string_view op) {
  std::int64_t product = 1;
  for (int i = 0; i < shape.size(); ++i) {
    if (i == skip) continue;
    const bool overflow = __builtin_mul_overflow(product, shape[i], &product);
    GPUKIT_CHECK(!overflow, ValueError, op, ": ", to_string(shape),
                 " is too big: its elements cannot be counted");
  }
  return product;
}

[[noreturn]] void fail(const Shape& wanted, std::int64_t count, std::string_view op) {
  throw ShapeError(
      concat(op, ": a tensor of ", count, " elements cannot have the shape ", to_string(wanted)));
}

int find_unknown(const Shape& wanted, std::string_view op) {
  int unknown = -1;
  for (int i = 0; i < wanted.size(); ++i) {
    if (wanted[i] >= 0) continue;
    GPUKIT_CHECK(wanted[i] == -1, ShapeError, op, ": size must be 0 or larger, or one -1; got ",
                 wanted[i], " in ", to_string(wanted));
    GPUKIT_CHECK(unknown < 0, ShapeError, op, ": only one size can be -1, got ", to_string(wanted));
    unknown = i;
  }
  return unknown;
}

/// Strides of `shape` over a run of `count` elements `step` apart, from `last` down to
/// where the run is used up; returns the next dimension to fill, or nothing when the sizes do not
/// fit the run.
std::optional<int> fill_run(const Shape& shape, Strides& strides, int last, std::int64_t count,
                            std::int64_t step) {
  std::int64_t used = 1;
  while (last >= 0 && (used < count || shape[last] == 1)) {
    strides[last] = used * step;
    used *= shape[last];
    --last;
  }
  if (used != count) return std::nullopt;
  return last;
}

/// Strides that show the elements in `shape` without a copy. Neither shape is empty; their counts
/// are equal.
std::optional<Strides> strides_for(const Shape& old_shape, const Strides& old_strides,
                                   const Shape& shape) {
  Strides strides = Strides::filled(shape.size(), 1);
  int next = shape.size() - 1;
  int dim = old_shape.size() - 1;
  while (dim >= 0) {
    // A run: nested dimensions without gaps.
    const std::int64_t step = old_strides[dim];
    std::int64_t count = old_shape[dim];
    while (dim > 0 && (old_shape[dim - 1] == 1 || old_strides[dim - 1] == count * step)) {
      count *= old_shape[--dim];
    }
    const std::optional<int> rest = fill_run(shape, strides, next, count, step);
    if (!rest) return std::nullopt;
    next = *rest;
    --dim;
  }
  return strides;
}

int dim_of(const Tensor& tensor, std::int64_t dim, std::string_view op) {
  GPUKIT_CHECK(tensor.rank() > 0, IndexError, op, ": a 0-d tensor has no dimensions to index");
  return normalize_dim(dim, tensor.rank(), op);
}

/// True for each dimension that is listed; a dimension listed twice throws.
std::array<bool, kMaxRank> marked_dims(const Tensor& tensor, const Dims& dims,
                                       std::string_view op) {
  std::array<bool, kMaxRank> marked{};
  for (std::int64_t dim : dims) {
    bool& mark = marked[static_cast<std::size_t>(normalize_dim(dim, tensor.rank(), op))];
    GPUKIT_CHECK(!mark, ValueError, op, ": dim ", dim, " is listed twice");
    mark = true;
  }
  return marked;
}

[[noreturn]] void throw_not_expandable(const Tensor& tensor, const Shape& shape) {
  throw ShapeError(concat("expand: a tensor of shape ", to_string(tensor.shape()),
                          " cannot be expanded to ", to_string(shape),
                          "; only sizes of 1 can grow, and new dimensions are added at the front"));
}

}  // namespace
}  // namespace view_impl

Shape infer_shape(const Shape& wanted, std::int64_t count, std::string_view op) {
  const int unknown = view_impl::find_unknown(wanted, op);
  const std::int64_t product = view_impl::checked_product(wanted, unknown, op);
  if (unknown < 0) {
    if (product != count) view_impl::fail(wanted, count, op);
    return wanted;
  }
  GPUKIT_CHECK(product != 0, ShapeError, op, ": -1 in ", to_string(wanted),
               " could be any size, for another size is 0. Say the size");
  if (count % product != 0) view_impl::fail(wanted, count, op);
  Shape shape = wanted;
  shape[unknown] = count / product;
  return shape;
}

std::optional<Tensor> try_view(const Tensor& tensor, const Shape& shape) {
  if (tensor.is_contiguous() || tensor.count() == 0) {
    return view_impl::with_layout(tensor, shape, contiguous_strides(shape), tensor.offset());
  }
  const std::optional<Strides> strides =
      view_impl::strides_for(tensor.shape(), tensor.strides(), shape);
  if (!strides) return std::nullopt;
  return view_impl::with_layout(tensor, shape, *strides, tensor.offset());
}

Tensor view(const Tensor& tensor, const Shape& shape) {
  std::optional<Tensor> result = try_view(tensor, infer_shape(shape, tensor.count(), "view"));
  if (!result) {
    throw ShapeError(concat("view: shape ", to_string(tensor.shape()), " with strides ",
                            to_string(tensor.strides()), " cannot be seen as ", to_string(shape),
                            " without a copy. Use reshape"))
        .with_fix(concat("X.reshape", to_string(shape)));
  }
  return *std::move(result);
}

Dims permutation(const Tensor& tensor, const Dims& order) {
  GPUKIT_CHECK(order.size() == tensor.rank(), ShapeError, "permute: ", order.size(),
               " dimensions were listed, the tensor has ", tensor.rank());
  view_impl::marked_dims(tensor, order, "permute");
  Dims counted = order;
  for (std::int64_t& dim : counted) dim += dim < 0 ? tensor.rank() : 0;
  return counted;
}

Tensor permute(const Tensor& tensor, const Dims& order) {
  return permuted(tensor, permutation(tensor, order));
}

Tensor permuted(const Tensor& tensor, const Dims& permutation) {
  Shape shape;
  Strides strides;
  for (const std::int64_t dim : permutation) {
    const int from = static_cast<int>(dim);
    shape.push_back(tensor.shape()[from]);
    strides.push_back(tensor.strides()[from]);
  }
  return view_impl::with_layout(tensor, shape, strides, tensor.offset());
}

Tensor transpose(const Tensor& tensor, std::int64_t dim0, std::int64_t dim1) {
  const int a = normalize_dim(dim0, tensor.rank(), "transpose");
  const int b = normalize_dim(dim1, tensor.rank(), "transpose");
  if (a == b) return alias(tensor);
  Shape shape = tensor.shape();
  Strides strides = tensor.strides();
  std::swap(shape[a], shape[b]);
  std::swap(strides[a], strides[b]);
  return view_impl::with_layout(tensor, shape, strides, tensor.offset());
}

Tensor t(const Tensor& tensor) {
  GPUKIT_CHECK(tensor.rank() <= 2, ShapeError, "t: the tensor has ", tensor.rank(),
               " dimensions; t() is for at most 2. Use transpose(dim0, dim1) or permute(...)");
  return tensor.rank() < 2 ? alias(tensor) : transpose(tensor, 0, 1);
}

Tensor reverse_dims(const Tensor& tensor) {
  Shape shape = tensor.shape();
  Strides strides = tensor.strides();
  std::reverse(shape.begin(), shape.end());
  std::reverse(strides.begin(), strides.end());
  return view_impl::with_layout(tensor, shape, strides, tensor.offset());
}

Tensor squeeze(const Tensor& tensor, std::optional<Dims> dims) {
  std::array<bool, kMaxRank> listed;
  listed.fill(true);
  if (dims) listed = view_impl::marked_dims(tensor, *dims, "squeeze");
  Shape shape;
  Strides strides;
  for (int i = 0; i < tensor.rank(); ++i) {
    if (tensor.size(i) == 1 && listed[static_cast<std::size_t>(i)]) continue;
    shape.push_back(tensor.shape()[i]);
    strides.push_back(tensor.strides()[i]);
  }
  return view_impl::with_layout(tensor, shape, strides, tensor.offset());
}

Tensor unsqueeze(const Tensor& tensor, std::int64_t dim) {
  const int position = normalize_dim(dim, tensor.rank() + 1, "unsqueeze");
  Shape shape = tensor.shape();
  Strides strides = tensor.strides();
  // The stride that keeps a contiguous tensor contiguous in the plain sense.
  const bool last = position == tensor.rank();
  const std::int64_t stride = last ? 1 : shape[position] * strides[position];
  shape.insert(position, 1);
  strides.insert(position, stride);
  return view_impl::with_layout(tensor, shape, strides, tensor.offset());
}

Tensor expand(const Tensor& tensor, const Shape& shape) {
  const int added = shape.size() - tensor.rank();
  if (added < 0) view_impl::throw_not_expandable(tensor, shape);
  Shape target = shape;
  for (int i = 0; i < target.size(); ++i) {
    const bool known = i >= added;
    const std::int64_t size = known ? tensor.size(i - added) : 1;
    if (target[i] == -1 && known) target[i] = size;
    const bool fits = target[i] == size || (size == 1 && target[i] >= 0);
    if (!fits) view_impl::throw_not_expandable(tensor, shape);
  }
  check_shape(target, itemsize(tensor.dtype()), "expand");
  Strides strides = broadcast_strides(tensor.shape(), tensor.strides(), target);
  for (int i = added; i < target.size(); ++i) {  // a size of 1 that stays keeps its stride
    if (target[i] == tensor.size(i - added)) strides[i] = tensor.strides()[i - added];
  }
  return view_impl::with_layout(tensor, target, strides, tensor.offset());
}

Tensor select(const Tensor& tensor, std::int64_t dim, std::int64_t index) {
  const int at = view_impl::dim_of(tensor, dim, "select");
  const std::int64_t size = tensor.size(at);
  GPUKIT_CHECK(index >= -size && index < size, IndexError, "index ", index,
               " is out of range for dimension ", at, " of size ", size);
  Shape shape = tensor.shape();
  Strides strides = tensor.strides();
  const std::int64_t offset = tensor.offset() + (index < 0 ? index + size : index) * strides[at];
  shape.erase(at);
  strides.erase(at);
  // An empty result points nowhere: its storage may have no bytes at all.
  return view_impl::with_layout(tensor, shape, strides,
                                tensor.count() == 0 ? tensor.offset() : offset);
}

Tensor slice(const Tensor& tensor, std::int64_t dim, std::int64_t start, std::int64_t length,
             std::int64_t step) {
  const int at = view_impl::dim_of(tensor, dim, "slice");
  const std::int64_t size = tensor.size(at);
  const bool inside = step > 0 && start >= 0 && length >= 0 && start <= size &&
                      (length == 0 || (start < size && (length - 1) <= (size - 1 - start) / step));
  GPUKIT_CHECK(inside, IndexError, "slice: start ", start, ", length ", length, " and step ", step,
               " do not stay inside dimension ", at, " of size ", size);
  Shape shape = tensor.shape();
  Strides strides = tensor.strides();
  const bool any = length > 0 && tensor.count() > 0;
  const std::int64_t offset = tensor.offset() + (any ? start * strides[at] : 0);
  shape[at] = length;
  if (length > 1) strides[at] *= step;
  return view_impl::with_layout(tensor, shape, strides, offset);
}

Tensor narrow(const Tensor& tensor, std::int64_t dim, std::int64_t start, std::int64_t length) {
  const int at = view_impl::dim_of(tensor, dim, "narrow");
  const std::int64_t size = tensor.size(at);
  GPUKIT_CHECK(start >= -size && start <= size, IndexError, "narrow: start ", start,
               " is out of range for dimension ", at, " of size ", size);
  const std::int64_t first = start < 0 ? start + size : start;
  GPUKIT_CHECK(length >= 0 && length <= size - first, IndexError, "narrow: length ", length,
               " from ", first, " passes the end of dimension ", at, " of size ", size);
  return slice(tensor, at, first, length, 1);
}

Tensor flip(const Tensor& tensor, const Dims& dims) {
  const auto flipped = view_impl::marked_dims(tensor, dims, "flip");
  Strides strides = tensor.strides();
  std::int64_t offset = tensor.offset();
  for (int i = 0; i < tensor.rank(); ++i) {
    if (!flipped[static_cast<std::size_t>(i)]) continue;
    if (tensor.count() > 0) offset += (tensor.size(i) - 1) * strides[i];
    strides[i] = -strides[i];
  }
  return view_impl::with_layout(tensor, tensor.shape(), strides, offset);
}

Tensor diagonal(const Tensor& tensor, std::int64_t offset) {
  GPUKIT_CHECK(tensor.rank() >= 2, DimensionError, "diagonal: the tensor has shape ",
               to_string(tensor.shape()), "; at least 2 dimensions are needed");
  const std::int64_t rows = tensor.size(0);
  const std::int64_t columns = tensor.size(1);
  const std::int64_t down =
      std::clamp<std::int64_t>(offset < 0 ? -std::max(offset, -rows) : 0, 0, rows);
  const std::int64_t right = std::clamp<std::int64_t>(offset, 0, columns);
  const std::int64_t length = std::min(rows - down, columns - right);
  Shape shape = tensor.shape();
  Strides strides = tensor.strides();
  const std::int64_t row_step = strides[0];
  const std::int64_t column_step = strides[1];
  for (int i = 0; i < 2; ++i) {
    shape.erase(0);
    strides.erase(0);
  }
  shape.push_back(length);
  strides.push_back(row_step + column_step);
  const bool any = element_count(shape) > 0;
  const std::int64_t first = any ? down * row_step + right * column_step : 0;
  return view_impl::with_layout(tensor, shape, strides, tensor.offset() + first);
}

namespace view_impl {
namespace {

/// Every second floating element, from `first` on.
Tensor part_of(const Tensor& tensor, std::int64_t first) {
  Strides strides = tensor.strides();
  for (std::int64_t& stride : strides) stride *= 2;
  return Tensor::make_view(tensor, real_dtype(tensor.dtype()), tensor.shape(), strides,
                           2 * tensor.offset() + first);
}

}  // namespace
}  // namespace view_impl

Tensor real_part(const Tensor& tensor) {
  return is_complex(tensor.dtype()) ? view_impl::part_of(tensor, 0) : tensor;
}

Tensor imag_part(const Tensor& tensor) {
  if (is_complex(tensor.dtype())) return view_impl::part_of(tensor, 1);
  throw DTypeError(concat("imag: not defined for real tensors, this one is ", name(tensor.dtype()),
                          ". Use gpukit.zeros_like(X)."))
      .with_fix("gpukit.zeros_like(X)");
}

Tensor view_as_real(const Tensor& tensor) {
  GPUKIT_CHECK(is_complex(tensor.dtype()), DTypeError, "view_as_real: the tensor is ",
               name(tensor.dtype()), ", not complex. Use X.to('complex64') first.");
  GPUKIT_CHECK(tensor.rank() < kMaxRank, ShapeError, "view_as_real: the tensor has ", kMaxRank,
               " dimensions, and the result would have one more. Use X.real and X.imag.");
  const Tensor part = view_impl::part_of(tensor, 0);
  Shape shape = part.shape();
  Strides strides = part.strides();
  shape.push_back(2);
  strides.push_back(1);
  return Tensor::make_view(part, part.dtype(), shape, strides, part.offset());
}

Tensor view_as_complex(const Tensor& tensor) {
  constexpr const char* kOp = "view_as_complex: the tensor ";
  const DType dtype = tensor.dtype();
  GPUKIT_CHECK(dtype == DType::kFloat32 || dtype == DType::kFloat64, DTypeError, kOp, "is ",
               name(dtype), "; float32 or float64 is needed. Use X.to('float32') first.");
  const int last = tensor.rank() - 1;
  GPUKIT_CHECK(last >= 0 && tensor.size(last) == 2, ShapeError, kOp, "is ",
               to_string(tensor.shape()), "; a last dimension of size 2 is needed.");
  Shape shape = tensor.shape();
  Strides strides = tensor.strides();
  bool fits = tensor.count() == 0 || strides[last] == 1;
  shape.resize(last);
  strides.resize(last);
  for (int i = 0; i < last; ++i) {
    fits = fits && (strides[i] % 2 == 0 || shape[i] <= 1 || tensor.count() == 0);
    strides[i] /= 2;
  }
  GPUKIT_CHECK(fits && tensor.offset() % 2 == 0, ShapeError, kOp, "of strides ",
               to_string(tensor.strides()), " from element ", tensor.offset(),
               " does not hold pairs side by side. Use X.contiguous() first.");
  return Tensor::make_view(tensor, complex_dtype(dtype), shape, strides, tensor.offset() / 2);
}

Tensor alias(const Tensor& tensor) {
  return view_impl::with_layout(tensor, tensor.shape(), tensor.strides(), tensor.offset());
}

Tensor detached(const Tensor& tensor) {
  Tensor result = Tensor::make(tensor.storage(), tensor.dtype(), tensor.shape(), tensor.strides(),
                               tensor.offset());
  result.impl()->is_inference = tensor.impl()->is_inference;
  return result;
}

}  // namespace gpukit
