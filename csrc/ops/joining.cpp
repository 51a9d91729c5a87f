#include "ops/joining.h"

#include <algorithm>

#include "base/check.h"
#include "base/error.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/indexing.h"
#include "ops/promotion.h"
#include "tensor/factory.h"
#include "tensor/view.h"

namespace gpukit::ops {

namespace {

/// More tensors than anyone means.
constexpr std::int64_t kMostEmptyChunks = 1 << 20;

/// torch ignores empty 1-d tensors.
bool is_legacy_empty(const Tensor& tensor) { return tensor.rank() == 1 && tensor.count() == 0; }

std::string numbered(std::size_t index) { return concat("tensors[", index, "]"); }

void check_joins(std::size_t index, const Tensor& tensor, const Tensor& first, int dim) {
  GPUKIT_CHECK(tensor.rank() == first.rank(), ShapeError, "cat: tensors[0] is ",
               to_string(first.shape()), ", ", describe(numbered(index), tensor),
               "; all need the same number of dimensions.");
  for (int i = 0; i < first.rank(); ++i) {
    GPUKIT_CHECK(i == dim || tensor.size(i) == first.size(i), ShapeError, "cat: tensors[0] is ",
                 to_string(first.shape()), ", ", describe(numbered(index), tensor), "; sizes ",
                 first.size(i), " and ", tensor.size(i), " of dimension ", i,
                 " differ. Only dimension ", dim, " may.");
  }
}

const Tensor& first_nonempty(std::span<const Tensor> tensors) {
  for (const Tensor& tensor : tensors) {
    if (!is_legacy_empty(tensor)) return tensor;
  }
  return tensors.front();
}

struct Joined {
  Shape shape;
  DType dtype;
};

Joined plan_cat(std::span<const Tensor> tensors, const Tensor& first, int dim) {
  Joined joined{first.shape(), tensors.front().dtype()};
  joined.shape[dim] = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    check_same_device("cat", first, tensors[i]);
    joined.dtype = promote(joined.dtype, tensors[i].dtype());
    if (is_legacy_empty(tensors[i])) continue;
    check_joins(i, tensors[i], first, dim);
    joined.shape[dim] += tensors[i].size(dim);
  }
  return joined;
}

Shape repeated_shape(const Tensor& tensor, const Dims& counts) {
  Shape shape = tensor.shape();
  for (int dim = 0; dim < counts.size(); ++dim) {
    GPUKIT_CHECK(counts[dim] >= 0, ValueError, "repeat: repeats holds ", counts[dim],
                 "; counts are 0 or more");
    if (__builtin_mul_overflow(shape[dim], counts[dim], &shape[dim])) shape[dim] = INT64_MAX;
  }
  check_shape(shape, itemsize(tensor.dtype()), "repeat");
  return shape;
}

/// One copy of the result's size, whatever the count: all copies are one expanded view.
Tensor copies_along(const Tensor& tensor, int dim, std::int64_t times) {
  Shape shape = tensor.shape();
  std::int64_t outer = 1;
  for (int i = 0; i < dim; ++i) outer *= shape[i];
  std::int64_t inner = 1;
  for (int i = dim; i < shape.size(); ++i) inner *= shape[i];
  shape[dim] *= times;
  const Tensor one = reshape(tensor, Shape{outer, 1, inner});
  return reshape(clone(expand(one, Shape{outer, times, inner})), shape);
}

}  // namespace

int cat_dim(std::span<const Tensor> tensors, std::int64_t dim) {
  GPUKIT_CHECK(!tensors.empty(), ValueError, "cat: tensors is empty. Pass at least one tensor.");
  const Tensor& first = first_nonempty(tensors);
  GPUKIT_CHECK(first.rank() > 0, ShapeError,
               "cat: tensors[0] is (); 0-d tensors cannot be joined. Use stack.");
  return normalize_dim(dim, first.rank(), "cat");
}

int stack_dim(std::span<const Tensor> tensors, std::int64_t dim) {
  GPUKIT_CHECK(!tensors.empty(), ValueError, "stack: tensors is empty. Pass at least one tensor.");
  return normalize_dim(dim, tensors.front().rank() + 1, "stack");
}

int split_dim(const Tensor& tensor, std::int64_t dim, std::string_view op) {
  GPUKIT_CHECK(tensor.rank() > 0, ShapeError, op,
               ": X is (); a 0-d tensor cannot be taken apart. Use X.reshape(1).");
  return normalize_dim(dim, tensor.rank(), op);
}

Tensor cat(std::span<const Tensor> tensors, int dim) {
  const Tensor& first = first_nonempty(tensors);
  const Joined joined = plan_cat(tensors, first, dim);
  check_shape(joined.shape, itemsize(joined.dtype), "cat");
  Tensor out = empty_on(first.open_device(), joined.shape, joined.dtype);
  std::int64_t start = 0;
  for (const Tensor& tensor : tensors) {
    if (tensor.count() == 0) continue;
    copy_(narrow(out, dim, start, tensor.size(dim)), tensor);
    start += tensor.size(dim);
  }
  return out;
}

Tensor stack(std::span<const Tensor> tensors, int dim) {
  const Tensor& first = tensors.front();
  std::vector<Tensor> rows;
  rows.reserve(tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    GPUKIT_CHECK(tensors[i].shape() == first.shape(), ShapeError, "stack: tensors[0] is ",
                 to_string(first.shape()), ", ", describe(numbered(i), tensors[i]),
                 "; all need the same shape. Use cat to join along one.");
    rows.push_back(unsqueeze(tensors[i], dim));
  }
  return cat(rows, dim);
}

std::vector<Tensor> split(const Tensor& tensor, std::int64_t size, int dim) {
  const std::int64_t extent = tensor.size(dim);
  GPUKIT_CHECK(size > 0 || (size == 0 && extent == 0), ValueError, "split: split_size is ", size,
               ". Use 1 or more.");
  if (extent == 0) return {narrow(tensor, dim, 0, 0)};
  std::vector<Tensor> parts;
  for (std::int64_t start = 0; start < extent; start += std::min(size, extent - start)) {
    parts.push_back(narrow(tensor, dim, start, std::min(size, extent - start)));
  }
  return parts;
}

std::vector<Tensor> chunk(const Tensor& tensor, std::int64_t chunks, int dim) {
  GPUKIT_CHECK(chunks > 0, ValueError, "chunk: chunks is ", chunks, ". Use 1 or more.");
  const std::int64_t extent = tensor.size(dim);
  const std::int64_t size = extent / chunks + (extent % chunks != 0 ? 1 : 0);
  if (size > 0) return split(tensor, size, dim);
  GPUKIT_CHECK(chunks <= kMostEmptyChunks, ValueError, "chunk: chunks is ", chunks,
               ", and an empty dimension gives as many tensors. Use ", kMostEmptyChunks,
               " or fewer.");
  return std::vector<Tensor>(static_cast<std::size_t>(chunks), narrow(tensor, dim, 0, 0));
}

Tensor repeat(const Tensor& input, const Dims& counts) {
  Tensor result = input;
  while (result.rank() < counts.size()) result = unsqueeze(result, 0);
  const Shape shape = repeated_shape(result, counts);
  if (element_count(shape) == 0) return empty(shape, input.dtype(), input.device(), "repeat");
  bool is_copy = false;
  for (int dim = counts.size() - 1; dim >= 0; --dim) {
    if (counts[dim] == 1) continue;
    result = copies_along(result, dim, counts[dim]);
    is_copy = true;
  }
  return is_copy ? result : clone(result);
}

Tensor reshape(const Tensor& tensor, const Shape& shape) {
  const Shape wanted = infer_shape(shape, tensor.count(), "reshape");
  if (wanted == tensor.shape()) return alias(tensor);
  if (const std::optional<Tensor> seen = try_view(tensor, wanted)) return *seen;
  const Tensor made = view(clone(tensor), wanted);
  made.impl()->drop_base();  // nobody else has the copy: no view of it
  return made;
}

Tensor flatten(const Tensor& tensor, std::int64_t start, std::int64_t end) {
  const int first = normalize_dim(start, tensor.rank(), "flatten");
  const int last = normalize_dim(end, tensor.rank(), "flatten");
  if (tensor.rank() == 0) return reshape(tensor, Shape{1});
  GPUKIT_CHECK(first <= last, ValueError, "flatten: start_dim ", start, " comes after end_dim ",
               end, " in ", to_string(tensor.shape()), ". Exchange them.");
  if (first == last) return tensor;
  Shape shape;
  for (int i = 0; i < tensor.rank(); ++i) {
    if (i <= first || i > last) {
      shape.push_back(tensor.size(i));
    } else {
      shape[first] *= tensor.size(i);
    }
  }
  return reshape(tensor, shape);
}

Tensor index_select(const Tensor& tensor, int dim, const Tensor& index, IndexedOp op) {
  GPUKIT_CHECK(index.rank() <= 1, DimensionError, "index_select: ", describe("index", index),
               "; one dimension at most. Use X[index] or take.");
  GPUKIT_CHECK(is_integer(index.dtype()), DTypeError, "index_select: index is ",
               name(index.dtype()), ", not an integer type. Use index.long().");
  if (tensor.rank() == 0) {
    return reshape(index_select(reshape(tensor, Shape{1}), dim, index, op),
                   index.count() == 1 ? Shape{} : index.shape());
  }
  IndexPlan plan;
  plan.view = tensor;
  plan.reader = op;
  const Tensor indices = index.rank() == 0 ? reshape(index, Shape{1}) : index;
  plan.parts.push_back({dim, 1, indices, dim});
  return index_get(plan);
}

}  // namespace gpukit::ops
