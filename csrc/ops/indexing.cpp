#include "ops/indexing.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "ops/creation.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/linear_index.h"
#include "ops/promotion.h"
#include "tensor/view.h"

namespace gpukit::ops {

namespace {

using Part = IndexPlan::Part;

int consumed_dims(const IndexItem& item) {
  switch (item.kind) {
    case IndexItem::Kind::kInteger:
    case IndexItem::Kind::kSlice:
      return 1;
    case IndexItem::Kind::kTensor:
      return item.index.dtype() == DType::kBool ? item.index.rank() : 1;
    default:
      return 0;
  }
}

/// How many dimensions an ellipsis covers. Dimensions without an item come at the end.
int unnamed_dims(const Tensor& tensor, std::span<const IndexItem> items) {
  int consumed = 0, ellipses = 0;
  for (const IndexItem& item : items) {
    consumed += consumed_dims(item);
    ellipses += item.kind == IndexItem::Kind::kEllipsis ? 1 : 0;
  }
  GPUKIT_CHECK(ellipses <= 1, IndexError,
               "X[...]: more than one Ellipsis. Use one, and : for the others.");
  GPUKIT_CHECK(consumed <= tensor.rank(), IndexError, "X[...]: ", consumed, " indices, but ",
               describe("X", tensor), " with ", tensor.rank(), " dimensions. Take indices away.");
  return tensor.rank() - consumed;
}

/// Python's slice rules. A negative step is a view of the reversed part.
Tensor take_slice(const Tensor& view, int dim, const IndexItem& item) {
  const std::int64_t size = view.size(dim);
  const std::int64_t step = item.step.value_or(1);
  GPUKIT_CHECK(step != 0, ValueError, "X[...]: slice step is 0. Use another one.");
  const bool forward = step > 0;
  const auto clip = [&](std::optional<std::int64_t> bound, std::int64_t missing) {
    if (!bound) return missing;
    const std::int64_t index = *bound < 0 ? *bound + size : *bound;
    return std::clamp<std::int64_t>(index, forward ? 0 : -1, forward ? size : size - 1);
  };
  const std::int64_t start = clip(item.start, forward ? 0 : size - 1);
  const std::int64_t stop = clip(item.stop, forward ? size : -1);
  const std::int64_t distance = forward ? stop - start : start - stop;
  const std::int64_t longest =
      std::max<std::int64_t>(size, 1);  // a longer step reaches nothing more
  const std::int64_t stride = forward ? std::min(step, longest) : -std::max(step, -longest);
  const std::int64_t length = distance > 0 ? (distance - 1) / stride + 1 : 0;
  if (forward) return slice(view, dim, length > 0 ? start : 0, length, stride);
  const std::int64_t lowest = length > 0 ? start - (length - 1) * stride : 0;
  return flip(slice(view, dim, lowest, length, stride), Dims{dim});
}

void check_index_tensor(const Part& part, const Tensor& view) {
  const DType dtype = part.index.dtype();
  GPUKIT_CHECK(of_kind(kind_of(dtype), true, true, false, false), IndexError,
               "X[...]: a tensor of ", name(dtype),
               " is not an index. Use integers or a bool mask, e.g. index.long().");
  if (dtype != DType::kBool) return;
  for (int i = 0; i < part.rank; ++i) {
    GPUKIT_CHECK(part.index.size(i) == view.size(part.dim + i), IndexError,
                 "X[...]: ", describe("the mask", part.index), ", but dimension ",
                 part.input_dim + i, " of X has size ", view.size(part.dim + i), ", not ",
                 part.index.size(i), ".");
  }
}

/// Walks an index expression from left to right.
class Planner {
 public:
  Planner(const Tensor& tensor, int unnamed) : plan_{tensor, {}}, unnamed_(unnamed) {}

  void add(const IndexItem& item) {
    switch (item.kind) {
      case IndexItem::Kind::kInteger:
        take_integer(item.value);
        break;
      case IndexItem::Kind::kSlice:
        plan_.view = take_slice(plan_.view, dim_++, item);
        ++input_dim_;
        break;
      case IndexItem::Kind::kNewAxis:
        plan_.view = unsqueeze(plan_.view, dim_++);
        break;
      case IndexItem::Kind::kEllipsis:
        dim_ += unnamed_;
        input_dim_ += unnamed_;
        break;
      case IndexItem::Kind::kTensor:
        add_tensor(item.index);
        break;
    }
  }

  IndexPlan finish() { return std::move(plan_); }

 private:
  void take_integer(std::int64_t value) {
    const std::int64_t size = plan_.view.size(dim_);
    GPUKIT_CHECK(value >= -size && value < size, IndexError, "X[...]: index ", value,
                 " is out of range for dimension ", input_dim_, " of size ", size, ".");
    plan_.view = select(plan_.view, dim_, value);
    ++input_dim_;
  }

  void add_tensor(const Tensor& index) {
    const bool mask = index.dtype() == DType::kBool;
    if (index.rank() == 0 && is_integer(index.dtype()))
      return take_integer(read_item(index).as_int64());
    Part part{dim_, mask ? index.rank() : 1, index, input_dim_};
    if (part.rank == 0) {  // a single truth value chooses over a new dimension of size 1
      plan_.view = unsqueeze(plan_.view, dim_);
      part.rank = 1;
      part.index = reshape_to_vector(index);
    } else {
      input_dim_ += part.rank;
    }
    check_index_tensor(part, plan_.view);
    dim_ += part.rank;
    plan_.parts.push_back(std::move(part));
  }

  static Tensor reshape_to_vector(const Tensor& index) { return unsqueeze(index, 0); }

  IndexPlan plan_;
  int unnamed_;
  int dim_ = 0;
  int input_dim_ = 0;
};

/// The parts as one index into one merged dimension of a permuted view.
struct Selection {
  Tensor source;   ///< view with the indexed dimensions side by side
  Around sizes;    ///< of `source`, the indexed dimensions as one
  Tensor indices;  ///< int64, contiguous
  IndexCheck check;
  Shape shape;  ///< of the result
};

bool side_by_side(const std::vector<Part>& parts) {
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i - 1].dim + parts[i - 1].rank != parts[i].dim) return false;
  }
  return true;
}

/// Indexed dimensions stay where they are when they are neighbours, else they come first, as in
/// NumPy.
Tensor bring_together(const IndexPlan& plan, int& first) {
  if (side_by_side(plan.parts)) {
    first = plan.parts.front().dim;
    return plan.view;
  }
  first = 0;
  std::array<bool, kMaxRank> indexed{};
  Dims order;
  for (const Part& part : plan.parts) {
    for (int i = part.dim; i < part.dim + part.rank; ++i) {
      indexed[static_cast<std::size_t>(i)] = true;
      order.push_back(i);
    }
  }
  for (int i = 0; i < plan.view.rank(); ++i) {
    if (!indexed[static_cast<std::size_t>(i)]) order.push_back(i);
  }
  return permute(plan.view, order);
}

std::int64_t extent_of(const Part& part, const Tensor& view) {
  std::int64_t extent = 1;
  for (int i = part.dim; i < part.dim + part.rank; ++i) extent *= view.size(i);
  return extent;
}

/// One part's index on the device of the view, int64 and contiguous; a mask as the indices where it
/// is true.
Tensor index_of(const IndexPlan& plan, const Part& part) {
  const Tensor index = index_on_device(part.index, plan.view, name(plan.reader));
  return index.dtype() == DType::kBool ? flat_nonzero(index) : index;
}

IndexCheck check_of(const IndexPlan& plan, const Part& part, IndexedOp op) {
  if (part.index.dtype() == DType::kBool) return {op, part.input_dim, false};
  return check_index(op, part.index, plan.view, plan.view.size(part.dim), part.input_dim);
}

/// Linear indices, and how the kernel that reads them checks them.
struct LinearIndex {
  Tensor values;
  IndexCheck check;
};

/// Several parts as one index, row-major over them and broadcast to one shape. An index out of
/// range is seen here.
LinearIndex combined(const IndexPlan& plan, IndexedOp op) {
  std::vector<Tensor> indices;
  std::vector<IndexPart> parts(plan.parts.size());
  IndexCheck check{op, 0, false};
  Shape shape;
  for (const Part& part : plan.parts) {
    indices.push_back(index_of(plan, part));
    check.report |= check_of(plan, part, op).report;
    const Shape& own = indices.back().shape();
    if (indices.size() == 1) shape = own;
    GPUKIT_CHECK(broadcast_together(shape, own), DimensionError, "X[...]: the indices are ",
                 to_string(shape), " and ", to_string(own), ", which do not broadcast together.");
    shape = broadcast_shapes(shape, own, "X[...]");
  }
  std::int64_t step = 1;
  for (std::size_t i = parts.size(); i-- > 0;) {
    parts[i] = {indices[i].data_as<const std::int64_t>(),
                broadcast_strides(indices[i].shape(), indices[i].strides(), shape),
                extent_of(plan.parts[i], plan.view), step, plan.parts[i].input_dim};
    step *= parts[i].extent;
  }
  const Strides still = Shape::filled(shape.size(), 0);
  return {combine_indices(shape, indices, parts, still, check), {op, 0, false}};
}

enum class Negatives { kAllowed, kResolved };

/// All parts as indices in the merged dimension.
LinearIndex merged_indices(const IndexPlan& plan, IndexedOp op, Negatives negatives) {
  const Part& first = plan.parts.front();
  const bool as_it_is = negatives == Negatives::kAllowed || first.index.dtype() == DType::kBool;
  if (plan.parts.size() > 1 || !as_it_is) return combined(plan, op);
  const Tensor index = index_of(plan, first);
  return {index, check_of(plan, first, op)};
}

Selection locate(const IndexPlan& plan, IndexedOp op, Negatives negatives) {
  Selection selection;
  int first = 0;
  selection.source = bring_together(plan, first);
  LinearIndex index = merged_indices(plan, op, negatives);
  selection.indices = std::move(index.values);
  selection.check = index.check;
  int covered = 0;
  for (const Part& part : plan.parts) covered += part.rank;
  const Shape& shape = selection.source.shape();
  selection.sizes = {};
  for (int i = 0; i < shape.size(); ++i) {
    Around& sizes = selection.sizes;
    (i < first ? sizes.outer : i < first + covered ? sizes.extent : sizes.inner) *= shape[i];
    if (i == first) {
      for (const std::int64_t size : selection.indices.shape()) selection.shape.push_back(size);
    }
    if (i < first || i >= first + covered) selection.shape.push_back(shape[i]);
  }
  return selection;
}

/// The value as `shape` in the target's dtype and on its device; leading dimensions of size 1 may
/// be too many.
Tensor fit_value(const IndexPlan& plan, const Tensor& value, const Shape& shape) {
  Tensor source = transfer_scalar(value, plan.view);
  while (source.rank() > shape.size() && source.size(0) == 1) source = select(source, 0, 0);
  check_same_device(name(plan.writer), plan.view, source);
  GPUKIT_CHECK(broadcasts_to(source.shape(), shape), ShapeError, name(plan.writer), ": ",
               describe("Y", value), ", which does not broadcast to ", to_string(shape), ".");
  return expand(cast(source, plan.view.dtype()), shape);
}

bool is_single_mask(const IndexPlan& plan) {
  return plan.parts.size() == 1 && plan.parts.front().index.dtype() == DType::kBool;
}

/// view[mask] = one value needs no list of indices, so nothing waits.
void fill_where_mask(const IndexPlan& plan, const Tensor& value) {
  const Part& part = plan.parts.front();
  Tensor mask = index_on_device(part.index, plan.view, "X[...]");
  while (mask.rank() < plan.view.rank() - part.dim) mask = unsqueeze(mask, mask.rank());
  const Tensor fill = cast(transfer_scalar(value, plan.view), plan.view.dtype());
  check_same_device("X[...] = Y", plan.view, fill);
  run_where(plan.view, mask, fill, plan.view);
  plan.view.storage()->bump_version();
}

void put(const IndexPlan& plan, const Tensor& value, Scatter how) {
  check_target(name(plan.writer), plan.view);
  const Selection selection =
      locate(plan, plan.writer, how == Scatter::kAdd ? Negatives::kResolved : Negatives::kAllowed);
  const Tensor source = fit_value(plan, value, selection.shape);
  scatter_linear(selection.source, selection.sizes, selection.indices, source, how,
                 selection.check);
}

}  // namespace

IndexItem IndexItem::integer(std::int64_t value) {
  IndexItem item;
  item.value = value;
  return item;
}

IndexItem IndexItem::slice(std::optional<std::int64_t> start, std::optional<std::int64_t> stop,
                           std::optional<std::int64_t> step) {
  IndexItem item;
  item.kind = Kind::kSlice;
  item.start = start;
  item.stop = stop;
  item.step = step;
  return item;
}

IndexItem IndexItem::new_axis() {
  IndexItem item;
  item.kind = Kind::kNewAxis;
  return item;
}

IndexItem IndexItem::ellipsis() {
  IndexItem item;
  item.kind = Kind::kEllipsis;
  return item;
}

IndexItem IndexItem::tensor(Tensor value) {
  IndexItem item;
  item.kind = Kind::kTensor;
  item.index = std::move(value);
  return item;
}

IndexPlan plan_index(const Tensor& tensor, std::span<const IndexItem> items) {
  Planner planner(tensor, unnamed_dims(tensor, items));
  for (const IndexItem& item : items) planner.add(item);
  return planner.finish();
}

Tensor index_get(const IndexPlan& plan) {
  if (plan.parts.empty()) return alias(plan.view);
  const Selection selection = locate(plan, plan.reader, Negatives::kAllowed);
  return gather_linear(contiguous(selection.source), selection.sizes, selection.indices,
                       selection.shape, selection.check);
}

void index_put_(const IndexPlan& plan, const Tensor& value) {
  if (plan.parts.empty()) return copy_(plan.view, fit_value(plan, value, plan.view.shape()));
  if (is_single_mask(plan) && value.rank() == 0 && plan.view.count() > 0) {
    check_target("X[...] = Y", plan.view);
    return fill_where_mask(plan, value);
  }
  put(plan, value, Scatter::kAssign);
}

void index_put_(const IndexPlan& plan, Scalar value) {
  if (plan.parts.empty()) return fill_(plan.view, value);
  index_put_(plan, full(Shape{}, value, plan.view.dtype(), plan.view.device()));
}

void index_add_(const IndexPlan& plan, const Tensor& value) {
  if (plan.parts.empty()) return binary_(BinaryOp::kAdd, plan.view, value);
  put(plan, value, Scatter::kAdd);
}

Tensor index(const Tensor& tensor, std::span<const IndexItem> items) {
  return index_get(plan_index(tensor, items));
}

void index_assign(const Tensor& tensor, std::span<const IndexItem> items, const Tensor& value) {
  index_put_(plan_index(tensor, items), value);
}

void index_assign(const Tensor& tensor, std::span<const IndexItem> items, Scalar value) {
  index_put_(plan_index(tensor, items), value);
}

}  // namespace gpukit::ops
