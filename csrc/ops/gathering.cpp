// Functions that find, take and put elements by index: the rest of indexing.h.
#include <algorithm>
#include <initializer_list>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "ops/creation.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/indexing.h"
#include "ops/joining.h"
#include "ops/linear_index.h"
#include "ops/promotion.h"
#include "ops/reduce.h"
#include "tensor/view.h"

namespace gpukit::ops {

namespace {

Tensor true_where_nonzero(const Tensor& tensor) {
  const bool is_mask = tensor.dtype() == DType::kBool;
  const Tensor mask =
      contiguous(is_mask ? tensor : binary(BinaryOp::kNe, tensor, Scalar::integer(0)));
  return view(mask, Shape{mask.count()});
}

Tensor host_nonzero(const Tensor& mask) {
  const std::int64_t count =
      read_item(reduce(ReduceOp::kCountNonzero, mask, ReducedDims::all(), false)).as_int64();
  Tensor out = empty_on(mask.open_device(), Shape{count}, DType::kInt64);
  const bool* truth = mask.data_as<const bool>();
  auto* next = out.data_as<std::int64_t>();
  for (std::int64_t i = 0, found = 0; found < count; ++i) {
    next[found] = i;
    found += truth[i] ? 1 : 0;
  }
  return out;
}

/// Every true element writes its index where the running count says; the others aim past the end.
Tensor device_nonzero(const Tensor& mask) {
  const Tensor running = cumulative(mask, 0, false);
  const std::int64_t total = read_item(select(running, 0, mask.count() - 1)).as_int64();
  Tensor out = empty_on(mask.open_device(), Shape{total}, DType::kInt64);
  if (total == 0) return out;
  const Tensor past = full(Shape{}, Scalar::integer(total), DType::kInt64, mask.device());
  const Tensor slots = where(mask, binary(BinaryOp::kSub, running, Scalar::integer(1)), past);
  const Tensor indices = arange(Scalar::integer(0), Scalar::integer(mask.count()),
                                Scalar::integer(1), DType::kInt64, mask.device());
  scatter_linear(out, {1, total, 1}, slots, indices, Scatter::kAssign);
  return out;
}

IndexPlan along_dim(const Tensor& tensor, int dim, const Tensor& index) {
  IndexPlan plan;
  plan.view = tensor;
  plan.parts.push_back({dim, 1, index, dim});
  return plan;
}

void check_integers(std::string_view op, const Tensor& index) {
  GPUKIT_CHECK(is_integer(index.dtype()), DTypeError, op, ": index is ", name(index.dtype()),
               ", not an integer type. Use index.long().");
}

void check_element_index(std::string_view op, const Tensor& tensor, int dim, const Tensor& index) {
  check_integers(op, index);
  GPUKIT_CHECK(tensor.rank() == index.rank(), ShapeError, op, ": ", describe("X", tensor), ", ",
               describe("index", index), "; both need the same number of dimensions.");
  for (int i = 0; i < index.rank(); ++i) {
    GPUKIT_CHECK(i == dim || index.size(i) <= tensor.size(i), ShapeError, op, ": ",
                 describe("X", tensor), ", ", describe("index", index), "; along dimension ", i,
                 " the index is longer.");
  }
}

/// For each element of `index` its index in the flattened tensor, where index counts along `dim`.
Tensor locate_elements(IndexedOp op, const Tensor& tensor, std::int64_t dim, const Tensor& index) {
  const int along = dim_of(tensor, dim, name(op));
  check_element_index(name(op), tensor, along, index);
  const Tensor whole[] = {index_on_device(index, tensor, name(op))};
  const std::int64_t extent = tensor.rank() == 0 ? 1 : tensor.size(along);
  const IndexCheck check = check_index(op, index, tensor, extent, along);
  Strides steps = contiguous_strides(tensor.shape());
  IndexPart part{whole[0].data_as<const std::int64_t>(), whole[0].strides(), extent, 1, along};
  if (!steps.empty()) part.step = std::exchange(steps[along], 0);
  return combine_indices(index.shape(), whole, {&part, 1}, steps, check);
}

/// A tensor without dimensions as one of a single element, which it counts as in torch.
Tensor as_vector(const Tensor& tensor) {
  return tensor.rank() == 0 ? reshape(tensor, Shape{1}) : tensor;
}

/// Whether some of the tensors have no dimension and the others have one.
bool mixes_single_elements(std::initializer_list<const Tensor*> tensors) {
  const auto [least, most] =
      std::minmax(tensors, [](const Tensor* a, const Tensor* b) { return a->rank() < b->rank(); });
  return least->rank() == 0 && most->rank() == 1;
}

void scatter_elements(IndexedOp which, const Tensor& target, std::int64_t dim, const Tensor& index,
                      const Tensor& source, Scatter how) {
  if (mixes_single_elements({&target, &index, &source})) {
    return scatter_elements(which, as_vector(target), dim, as_vector(index), as_vector(source),
                            how);
  }
  const std::string_view op = name(which);
  check_target(op, target);
  check_same_device(op, target, source);
  const Tensor indices = locate_elements(which, target, dim, index);
  GPUKIT_CHECK(source.rank() == index.rank(), ShapeError, op, ": ", describe("index", index), ", ",
               describe("source", source), "; both need the same number of dimensions.");
  Tensor part = cast(source, target.dtype());
  for (int i = 0; i < index.rank(); ++i) {
    GPUKIT_CHECK(index.size(i) <= source.size(i), ShapeError, op, ": ", describe("index", index),
                 ", ", describe("source", source), "; along dimension ", i,
                 " the index is longer.");
    part = narrow(part, i, 0, index.size(i));
  }
  scatter_linear(target, {1, target.count(), 1}, indices, part, how);
}

}  // namespace

Tensor flat_nonzero(const Tensor& tensor) {
  const Tensor mask = true_where_nonzero(tensor);
  if (mask.count() == 0) return empty_on(mask.open_device(), Shape{0}, DType::kInt64);
  return mask.on_host() ? host_nonzero(mask) : device_nonzero(mask);
}

Tensor nonzero(const Tensor& tensor) {
  const Tensor indices = flat_nonzero(tensor);
  const Strides strides = contiguous_strides(tensor.shape());
  const Tensor out =
      empty_on(tensor.open_device(), Shape{indices.count(), tensor.rank()}, DType::kInt64);
  if (indices.count() == 0) return out;
  for (int i = 0; i < tensor.rank(); ++i) {
    const Tensor coordinate = binary(BinaryOp::kFloorDivide, indices, Scalar::integer(strides[i]));
    copy_(select(out, 1, i),
          binary(BinaryOp::kRemainder, coordinate, Scalar::integer(tensor.size(i))));
  }
  return out;
}

Tensor masked_select(const Tensor& tensor, const Tensor& mask) {
  GPUKIT_CHECK(mask.dtype() == DType::kBool, DTypeError, "masked_select: mask is ",
               name(mask.dtype()), ", not bool. Use mask != 0.");
  Shape shape = broadcast_shapes(tensor.shape(), mask.shape(), "masked_select");
  if (shape.empty()) shape.push_back(1);
  IndexPlan plan;
  plan.view = expand(tensor, shape);
  plan.parts.push_back({0, shape.size(), expand(mask, shape), 0});
  return index_get(plan);
}

void masked_fill_(const Tensor& target, const Tensor& mask, Scalar value) {
  GPUKIT_CHECK(mask.dtype() == DType::kBool, DTypeError, "masked_fill_: mask is ",
               name(mask.dtype()), ", not bool. Use mask != 0.");
  check_target("masked_fill_", target);
  const Tensor condition = transfer_scalar(mask, target);
  check_same_device("masked_fill_", target, condition);
  GPUKIT_CHECK(broadcasts_to(condition.shape(), target.shape()), ShapeError,
               "masked_fill_: ", describe("X", target), ", ", describe("mask", mask),
               ", which does not broadcast to X.");
  run_where(target, condition, full(Shape{}, value, target.dtype(), target.device()), target);
  target.storage()->bump_version();
}

Tensor take(const Tensor& tensor, const Tensor& index) {
  check_integers("take", index);
  const Tensor flat = reshape(tensor, Shape{tensor.count()});
  const Tensor whole = index_on_device(index, tensor, "take");
  const IndexCheck check = check_index(IndexedOp::kTake, index, flat, flat.count(), 0);
  return gather_linear(contiguous(flat), {1, flat.count(), 1}, whole, index.shape(), check);
}

Tensor gather(const Tensor& tensor, std::int64_t dim, const Tensor& index, IndexedOp op) {
  if (mixes_single_elements({&tensor, &index})) {
    return reshape(gather(as_vector(tensor), dim, as_vector(index), op), index.shape());
  }
  const Tensor indices = locate_elements(op, tensor, dim, index);
  return gather_linear(contiguous(tensor), {1, tensor.count(), 1}, indices, index.shape());
}

void index_add_(const Tensor& target, std::int64_t dim, const Tensor& index, const Tensor& source) {
  check_integers("index_add_", index);
  if (index.rank() == 0) return index_add_(target, dim, as_vector(index), source);
  GPUKIT_CHECK(index.rank() == 1, ShapeError, "index_add_: ", describe("index", index),
               "; one dimension is needed. Use index.flatten().");
  const int along = dim_of(target, dim, "index_add_");
  if (target.rank() == 0) {  // as in torch, an element at dimension 0
    GPUKIT_CHECK(source.rank() == 0, ShapeError, "index_add_: ", describe("source", source),
                 ", but () is needed.");
    return index_add_(reshape(target, Shape{1}), 0, index, reshape(source, Shape{1}));
  }
  Shape shape = target.shape();
  shape[along] = index.count();
  GPUKIT_CHECK(source.shape() == shape, ShapeError, "index_add_: ", describe("source", source),
               ", but ", to_string(shape), " is needed.");
  IndexPlan plan = along_dim(target, along, index);
  plan.reader = plan.writer = IndexedOp::kIndexAdd;
  index_add_(plan, source);
}

void scatter_add_(const Tensor& target, std::int64_t dim, const Tensor& index,
                  const Tensor& source) {
  scatter_elements(IndexedOp::kScatterAdd, target, dim, index, source, Scatter::kAdd);
}

void scatter_(const Tensor& target, std::int64_t dim, const Tensor& index, const Tensor& source) {
  scatter_elements(IndexedOp::kScatter, target, dim, index, source, Scatter::kAssign);
}

}  // namespace gpukit::ops
