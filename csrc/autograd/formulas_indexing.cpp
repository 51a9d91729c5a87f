// Elements taken by index and written by index.
#include <utility>
#include <vector>

#include "autograd/gradient_math.h"
#include "autograd/indexing.h"
#include "autograd/pieces.h"
#include "autograd/record.h"
#include "autograd/shape.h"
#include "ops/creation.h"
#include "ops/dispatch.h"
#include "ops/joining.h"
#include "tensor/view.h"

namespace gpukit::autograd {

namespace {

using Kind = IndexItem::Kind;

/// An index expression with its tensors saved.
class SavedIndex {
 public:
  explicit SavedIndex(std::span<const IndexItem> items) : items_(items.begin(), items.end()) {
    for (IndexItem& item : items_) {
      if (item.kind != Kind::kTensor) continue;
      saved_.push_back(SavedTensor::constant(item.index));
      item.index = Tensor();
    }
  }

  std::vector<IndexItem> items(const Pass& pass) const {
    std::vector<IndexItem> items = items_;
    std::size_t next = 0;
    for (IndexItem& item : items) {
      if (item.kind == Kind::kTensor) item.index = pass(saved_[next++]);
    }
    return items;
  }

 private:
  std::vector<IndexItem> items_;
  std::vector<SavedTensor> saved_;
};

/// Whether a slice keeps all of a dimension of `size`.
bool is_whole_slice(const IndexItem& item, std::int64_t size) {
  const std::int64_t start = item.start.value_or(0);
  return item.step.value_or(1) == 1 && item.stop.value_or(size) >= size &&
         (start == 0 || start <= -size);
}

/// The dimensions that the items take together.
int dims_of(std::span<const IndexItem> items) {
  int dims = 0;
  for (const IndexItem& item : items)
    dims += item.kind == Kind::kInteger || item.kind == Kind::kSlice;
  return dims;
}

/// torch applies the parts one by one and names the last one that does something; a slice alone
/// counts as that.
const char* index_name(std::span<const IndexItem> items, const Shape& shape) {
  if (items.size() == 1 && items[0].kind == Kind::kSlice) return "SliceBackward0";
  const char* name = "AliasBackward0";
  int dim = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const IndexItem& item = items[i];
    if (item.kind == Kind::kTensor) return "IndexBackward0";
    if (item.kind == Kind::kNewAxis) name = "UnsqueezeBackward0";
    if (item.kind == Kind::kEllipsis) dim = shape.size() - dims_of(items.subspan(i + 1));
    if (item.kind == Kind::kInteger) name = "SelectBackward0";
    if (item.kind == Kind::kSlice && !is_whole_slice(item, shape[dim])) name = "SliceBackward0";
    dim += item.kind == Kind::kInteger || item.kind == Kind::kSlice;
  }
  return name;
}

bool is_basic(std::span<const IndexItem> items) {
  for (const IndexItem& item : items) {
    if (item.kind == Kind::kTensor) return false;
  }
  return true;
}

const char* assignment_name(std::span<const IndexItem> items) {
  return is_basic(items) ? "CopySlices" : "IndexPutBackward0";
}

/// The gradient of the previous values: 0 where they were overwritten.
Tensor without_part(const Tensor& gradient, std::span<const IndexItem> items) {
  const Tensor rest = clone(gradient);
  autograd::index_assign(rest, items, Scalar::integer(0));
  return rest;
}

/// An index expression without tensors: the result is a view.
struct BasicIndex {
  static constexpr bool kHoldsNoTensors = true;
  std::vector<IndexItem> items;

  Tensor operator()(const Tensor& whole) const { return autograd::index(whole, items); }
  void operator()(Pass& pass) const {
    pass.add_into(0, [&](const Tensor& whole) { add_to_piece(whole, pass.gradient(), *this); });
  }
};

/// target[items] += value, where several may have one index.
void add_at(const Tensor& target, std::span<const IndexItem> items, const Tensor& value) {
  ops::index_add_(ops::plan_index(target, items), value);
  if (!records(target, value)) return;
  record_in_place(target, "IndexPutBackward0", {&value}, [saved = SavedIndex(items)](Pass& pass) {
    pass.accumulate_grad(0, pass.gradient());
    if (pass.needs_input_grad(1))
      pass.accumulate_grad(1, autograd::index(pass.gradient(), saved.items(pass)));
  });
}

/// What was filled passes no gradient on, but to the source of its value.
struct FilledFormula {
  FilledFormula(const Tensor& mask, bool sourced)
      : filled(SavedTensor::constant(mask)), sourced(sourced) {}

  void operator()(Pass& pass) const {
    const Tensor mask = pass(filled);
    if (pass.needs_input_grad(0)) pass.accumulate_grad(0, where_false(mask, pass.gradient()));
    if (sourced && pass.needs_input_grad(1))
      pass.accumulate_grad(1, where_true(mask, pass.gradient()));
  }

  SavedTensor filled;
  bool sourced;
};

bool changes_graph(const Tensor& target, const Tensor& source) {
  return is_differentiable(target.dtype()) && records(target, source);
}

/// The leading part of a source that is longer than its index.
struct LeadingPart {
  Shape shape;

  Tensor operator()(Tensor whole) const {
    for (int i = 0; i < shape.size(); ++i) whole = autograd::narrow(whole, i, 0, shape[i]);
    return whole;
  }
};

/// Adds the gradients of the elements that an index has used, one of a source without dimensions
/// with an index of one element, too.
void add_to_leading_part(const Tensor& whole, const Tensor& part) {
  if (part.count() == 0) return;
  const Shape one = whole.rank() == 0 ? Shape{} : Shape{1};
  const Tensor used = whole.rank() == part.rank() ? part : autograd::reshape(part, one);
  add_to_piece(whole, used, LeadingPart{used.shape()});
}

}  // namespace

Tensor index(const Tensor& tensor, std::span<const IndexItem> items) {
  const Tensor out = ops::index(tensor, items);
  if (!records(tensor)) return out;
  if (is_basic(items)) {
    record(out, index_name(items, tensor.shape()), {&tensor},
           BasicIndex{{items.begin(), items.end()}});
  } else {
    record(out, index_name(items, tensor.shape()), {&tensor},
           [saved = SavedIndex(items)](Pass& pass) {
             const std::vector<IndexItem> at = saved.items(pass);
             pass.add_into(0, [&](const Tensor& whole) { add_at(whole, at, pass.gradient()); });
           });
  }
  return out;
}

void index_assign(const Tensor& tensor, std::span<const IndexItem> items, const Tensor& value) {
  if (!changes_graph(tensor, value)) return ops::index_assign(tensor, items, value);
  check_in_place("X[...] = Y", tensor);
  ops::index_assign(tensor, items, value);
  record_in_place(tensor, assignment_name(items), {&value},
                  [saved = SavedIndex(items)](Pass& pass) {
                    const std::vector<IndexItem> part = saved.items(pass);
                    if (pass.needs_input_grad(0))
                      pass.accumulate_grad(0, without_part(pass.gradient(), part));
                    if (pass.needs_input_grad(1))
                      pass.accumulate_grad(1, autograd::index(pass.gradient(), part));
                  });
}

void index_assign(const Tensor& tensor, std::span<const IndexItem> items, Scalar value) {
  if (!records(tensor)) return ops::index_assign(tensor, items, value);
  check_in_place("X[...] = Y", tensor);
  ops::index_assign(tensor, items, value);
  record_in_place(tensor, assignment_name(items), {}, [saved = SavedIndex(items)](Pass& pass) {
    pass.accumulate_grad(0, without_part(pass.gradient(), saved.items(pass)));
  });
}

Tensor index_select(const Tensor& tensor, std::int64_t named, const Tensor& index, IndexedOp op) {
  const int dim = ops::dim_of(tensor, named, "index_select");
  const Tensor out = ops::index_select(tensor, dim, index, op);
  if (!records(tensor)) return out;
  record(out, "IndexSelectBackward0", {&tensor},
         [dim, indices = SavedTensor::constant(index)](Pass& pass) {
           if (!pass.needs_input_grad(0)) return;
           const Tensor at = ops::reshape(pass(indices), Shape{-1});
           const Shape whole = pass.kind(0).shape.empty() ? Shape{1} : pass.kind(0).shape;
           Shape rows = whole;
           rows[dim] = at.count();
           const Tensor g = autograd::reshape(pass.gradient(), rows);
           pass.add_into(0, whole,
                         [&](const Tensor& target) { autograd::index_add_(target, dim, at, g); });
         });
  return out;
}

Tensor take(const Tensor& tensor, const Tensor& index) {
  const Tensor out = ops::take(tensor, index);
  if (!records(tensor)) return out;
  record(out, "TakeBackward0", {&tensor}, [indices = SavedTensor::constant(index)](Pass& pass) {
    if (!pass.needs_input_grad(0)) return;
    const Tensor at = ops::reshape(pass(indices), Shape{-1});
    const Tensor g = autograd::reshape(pass.gradient(), Shape{-1});
    pass.add_into(0, Shape{element_count(pass.kind(0).shape)},
                  [&](const Tensor& target) { autograd::index_add_(target, 0, at, g); });
  });
  return out;
}

Tensor gather(const Tensor& tensor, std::int64_t dim, const Tensor& index, IndexedOp op) {
  const Tensor out = ops::gather(tensor, dim, index, op);
  if (!records(tensor)) return out;
  record(out, "GatherBackward0", {&tensor},
         [dim, indices = SavedTensor::constant(index)](Pass& pass) {
           const Tensor at = pass(indices);
           pass.add_into(0, [&](const Tensor& target) {
             autograd::scatter_add_(target, dim, at, pass.gradient());
           });
         });
  return out;
}

Tensor masked_select(const Tensor& tensor, const Tensor& mask) {
  const Tensor out = ops::masked_select(tensor, mask);
  if (!records(tensor)) return out;
  const Shape shape = broadcast_shapes(tensor.shape(), mask.shape(), "masked_select");
  record(out, "MaskedSelectBackward0", {&tensor},
         [shape, chosen = SavedTensor::constant(mask)](Pass& pass) {
           const Tensor& g = pass.gradient();
           const Tensor whole = ops::zeros(shape, g.dtype(), g.device());
           const IndexItem items[] = {IndexItem::tensor(gpukit::expand(pass(chosen), shape))};
           autograd::index_assign(whole, items, g);
           pass.accumulate_grad(0, whole);
         });
  return out;
}

Tensor masked_fill(const Tensor& tensor, const Tensor& mask, Scalar value, const Tensor& source) {
  const Tensor out = ops::clone(tensor);
  ops::masked_fill_(out, mask, value);
  if (!is_differentiable(out.dtype())) return out;
  if (source.defined() && records(source)) {
    record(out, "MaskedFillBackward1", {&tensor, &source}, FilledFormula{mask, true});
  } else if (records(tensor)) {
    record(out, "MaskedFillBackward0", {&tensor}, FilledFormula{mask, false});
  }
  return out;
}

void masked_fill_(const Tensor& target, const Tensor& mask, Scalar value, const Tensor& source) {
  const bool sourced = source.defined() && records(source) && is_differentiable(target.dtype());
  if (!sourced && !records(target)) return ops::masked_fill_(target, mask, value);
  check_in_place("masked_fill_", target);
  ops::masked_fill_(target, mask, value);
  if (sourced) {
    record_in_place(target, "MaskedFillBackward1", {&source}, FilledFormula{mask, true});
  } else {
    record_in_place(target, "MaskedFillBackward0", {}, FilledFormula{mask, false});
  }
}

void index_add_(const Tensor& target, std::int64_t dim, const Tensor& index, const Tensor& source) {
  if (!changes_graph(target, source)) return ops::index_add_(target, dim, index, source);
  check_in_place("index_add_", target);
  ops::index_add_(target, dim, index, source);
  record_in_place(
      target, "IndexAddBackward0", {&source},
      [dim, shape = source.shape(), indices = SavedTensor::constant(index)](Pass& pass) {
        const Tensor g = pass.gradient();
        pass.accumulate_grad(0, g);
        if (!pass.needs_input_grad(1)) return;
        const Tensor along = g.rank() == 0 ? autograd::reshape(g, Shape{1}) : g;
        const Tensor taken = autograd::index_select(along, g.rank() == 0 ? 0 : dim, pass(indices));
        pass.accumulate_grad(1, autograd::reshape(taken, shape));
      });
}

void scatter_(const Tensor& target, std::int64_t dim, const Tensor& index, const Tensor& source) {
  if (!changes_graph(target, source)) return ops::scatter_(target, dim, index, source);
  check_in_place("scatter_", target);
  ops::scatter_(target, dim, index, source);
  record_in_place(target, "ScatterBackward0", {&source},
                  [dim, indices = SavedTensor::constant(index)](Pass& pass) {
                    const Tensor at = pass(indices);
                    const Tensor& g = pass.gradient();
                    if (pass.needs_input_grad(0)) {
                      const Tensor rest = clone(g);
                      autograd::scatter_(rest, dim, at,
                                         ops::zeros(at.shape(), g.dtype(), g.device()));
                      pass.accumulate_grad(0, rest);
                    }
                    pass.add_into(1, [&](const Tensor& whole) {
                      add_to_leading_part(whole, autograd::gather(g, dim, at));
                    });
                  });
}

void scatter_add_(const Tensor& target, std::int64_t dim, const Tensor& index,
                  const Tensor& source) {
  if (!changes_graph(target, source)) return ops::scatter_add_(target, dim, index, source);
  check_in_place("scatter_add_", target);
  ops::scatter_add_(target, dim, index, source);
  record_in_place(target, "ScatterAddBackward0", {&source},
                  [dim, indices = SavedTensor::constant(index)](Pass& pass) {
                    const Tensor at = pass(indices);
                    pass.accumulate_grad(0, pass.gradient());
                    pass.add_into(1, [&](const Tensor& whole) {
                      add_to_leading_part(whole, autograd::gather(pass.gradient(), dim, at));
                    });
                  });
}

}  // namespace gpukit::autograd
