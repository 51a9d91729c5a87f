// Elements taken by index and written by index.
#include <utility>
#include <vector>

#include "autograd/gradient_math.h"
#include "autograd/indexing.h"
#include "autograd/record.h"
#include "ops/creation.h"
#include "ops/joining.h"
#include "tensor/view.h"

namespace gpukit::autograd {

namespace {

using Kind = IndexItem::Kind;

/// An index expression without tensors: the result is a view.
struct BasicIndex {
  static constexpr bool kHoldsNoTensors = true;
  std::vector<IndexItem> items;

  void operator()(Pass& pass) const {
    const Tensor piece = ops::plan_index(pass.buffer(0), items).view;
    ops::binary_(BinaryOp::kAdd, piece, pass.gradient());
  }
};

/// An index expression with its tensors saved.
class SavedIndex {
 public:
  explicit SavedIndex(std::span<const IndexItem> items) : items_(items.begin(), items.end()) {
    for (IndexItem& item : items_) {
      if (item.kind != Kind::kTensor) continue;
      saved_.emplace_back(item.index);
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

bool is_whole_slice(const IndexItem& item) {
  return item.kind == Kind::kSlice && !item.start && !item.stop && item.step.value_or(1) == 1;
}

/// torch applies the parts one by one and names the last one that does something.
const char* index_name(std::span<const IndexItem> items) {
  const char* name = "AliasBackward0";
  for (const IndexItem& item : items) {
    if (item.kind == Kind::kTensor) return "IndexBackward0";
    if (item.kind == Kind::kInteger) name = "SelectBackward0";
    if (item.kind == Kind::kNewAxis) name = "UnsqueezeBackward0";
    if (item.kind == Kind::kSlice && !is_whole_slice(item)) name = "SliceBackward0";
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

/// The gradient of what was there before: nothing where something was written.
Tensor without_part(const Tensor& gradient, std::span<const IndexItem> items) {
  const Tensor rest = ops::clone(gradient);
  ops::index_assign(rest, items, Scalar::integer(0));
  return rest;
}

bool changes_graph(const Tensor& target, const Tensor& source) {
  return is_differentiable(target.dtype()) && records(target, source);
}

/// The leading part of a source that is longer than its index.
Tensor part_of(Tensor whole, const Shape& shape) {
  for (int i = 0; i < shape.size(); ++i) whole = gpukit::narrow(whole, i, 0, shape[i]);
  return whole;
}

}  // namespace

Tensor index(const Tensor& tensor, std::span<const IndexItem> items) {
  const Tensor out = ops::index(tensor, items);
  if (!records(tensor)) return out;
  if (is_basic(items)) {
    record_view(out, index_name(items), tensor, BasicIndex{{items.begin(), items.end()}});
  } else {
    record(out, index_name(items), {&tensor}, [saved = SavedIndex(items)](Pass& pass) {
      ops::index_add_(ops::plan_index(pass.buffer(0), saved.items(pass)), pass.gradient());
    });
  }
  return out;
}

void index_assign(const Tensor& tensor, std::span<const IndexItem> items, const Tensor& value) {
  if (!changes_graph(tensor, value)) return ops::index_assign(tensor, items, value);
  check_in_place("X[...] = Y", tensor);
  ops::index_assign(tensor, items, value);
  record(tensor, assignment_name(items), superseded_edges(tensor, {&value}),
         [saved = SavedIndex(items)](Pass& pass) {
           const std::vector<IndexItem> part = saved.items(pass);
           if (pass.wants(0)) pass.give(0, without_part(pass.gradient(), part));
           if (pass.wants(1)) pass.give(1, ops::index(pass.gradient(), part));
         });
}

void index_assign(const Tensor& tensor, std::span<const IndexItem> items, Scalar value) {
  if (!records(tensor)) return ops::index_assign(tensor, items, value);
  check_in_place("X[...] = Y", tensor);
  ops::index_assign(tensor, items, value);
  record(tensor, assignment_name(items), superseded_edges(tensor),
         [saved = SavedIndex(items)](Pass& pass) {
           pass.give(0, without_part(pass.gradient(), saved.items(pass)));
         });
}

Tensor index_select(const Tensor& tensor, std::int64_t dim, const Tensor& index, IndexedOp op) {
  const Tensor out = ops::index_select(tensor, dim, index, op);
  if (!records(tensor)) return out;
  record(out, "IndexSelectBackward0", {&tensor}, [dim, places = SavedTensor(index)](Pass& pass) {
    const Tensor at = ops::reshape(pass(places), Shape{-1});
    Tensor target = pass.buffer(0);
    if (target.rank() == 0) target = gpukit::view(target, Shape{1});
    Shape shape = target.shape();
    shape[normalize_dim(dim, target.rank(), "backward")] = at.count();
    ops::index_add_(target, dim, at, ops::reshape(pass.gradient(), shape));
  });
  return out;
}

Tensor take(const Tensor& tensor, const Tensor& index) {
  const Tensor out = ops::take(tensor, index);
  if (!records(tensor)) return out;
  record(out, "TakeBackward0", {&tensor}, [places = SavedTensor(index)](Pass& pass) {
    const Tensor target = pass.buffer(0);
    ops::index_add_(gpukit::view(target, Shape{target.count()}), 0,
                    ops::reshape(pass(places), Shape{-1}),
                    ops::reshape(pass.gradient(), Shape{-1}));
  });
  return out;
}

Tensor gather(const Tensor& tensor, std::int64_t dim, const Tensor& index, IndexedOp op) {
  const Tensor out = ops::gather(tensor, dim, index, op);
  if (!records(tensor)) return out;
  record(out, "GatherBackward0", {&tensor}, [dim, places = SavedTensor(index)](Pass& pass) {
    ops::scatter_add_(pass.buffer(0), dim, pass(places), pass.gradient());
  });
  return out;
}

Tensor masked_select(const Tensor& tensor, const Tensor& mask) {
  const Tensor out = ops::masked_select(tensor, mask);
  if (!records(tensor)) return out;
  const Shape shape = broadcast_shapes(tensor.shape(), mask.shape(), "masked_select");
  record(out, "MaskedSelectBackward0", {&tensor}, [shape, chosen = SavedTensor(mask)](Pass& pass) {
    const Tensor& g = pass.gradient();
    const Tensor whole = ops::zeros(shape, g.dtype(), g.device());
    const IndexItem items[] = {IndexItem::tensor(gpukit::expand(pass(chosen), shape))};
    ops::index_assign(whole, items, g);
    pass.give(0, whole);
  });
  return out;
}

Tensor masked_fill(const Tensor& tensor, const Tensor& mask, Scalar value) {
  const Tensor out = ops::clone(tensor);
  ops::masked_fill_(out, mask, value);
  if (!records(tensor)) return out;
  record(out, "MaskedFillBackward0", {&tensor}, [filled = SavedTensor(mask)](Pass& pass) {
    pass.give(0, where_false(pass(filled), pass.gradient()));
  });
  return out;
}

void masked_fill_(const Tensor& target, const Tensor& mask, Scalar value) {
  if (!records(target)) return ops::masked_fill_(target, mask, value);
  check_in_place("masked_fill_", target);
  ops::masked_fill_(target, mask, value);
  record(target, "MaskedFillBackward0", superseded_edges(target),
         [filled = SavedTensor(mask)](Pass& pass) {
           pass.give(0, where_false(pass(filled), pass.gradient()));
         });
}

void index_add_(const Tensor& target, std::int64_t dim, const Tensor& index, const Tensor& source) {
  if (!changes_graph(target, source)) return ops::index_add_(target, dim, index, source);
  check_in_place("index_add_", target);
  ops::index_add_(target, dim, index, source);
  record(target, "IndexAddBackward0", superseded_edges(target, {&source}),
         [dim, places = SavedTensor(index)](Pass& pass) {
           pass.give(0, pass.gradient());
           if (pass.wants(1)) pass.give(1, ops::index_select(pass.gradient(), dim, pass(places)));
         });
}

void scatter_(const Tensor& target, std::int64_t dim, const Tensor& index, const Tensor& source) {
  if (!changes_graph(target, source)) return ops::scatter_(target, dim, index, source);
  check_in_place("scatter_", target);
  ops::scatter_(target, dim, index, source);
  record(target, "ScatterBackward0", superseded_edges(target, {&source}),
         [dim, places = SavedTensor(index)](Pass& pass) {
           const Tensor at = pass(places);
           const Tensor& g = pass.gradient();
           if (pass.wants(0)) {
             const Tensor rest = ops::clone(g);
             ops::scatter_(rest, dim, at, ops::zeros(at.shape(), g.dtype(), g.device()));
             pass.give(0, rest);
           }
           if (pass.wants(1))
             ops::binary_(BinaryOp::kAdd, part_of(pass.buffer(1), at.shape()),
                          ops::gather(g, dim, at));
         });
}

void scatter_add_(const Tensor& target, std::int64_t dim, const Tensor& index,
                  const Tensor& source) {
  if (!changes_graph(target, source)) return ops::scatter_add_(target, dim, index, source);
  check_in_place("scatter_add_", target);
  ops::scatter_add_(target, dim, index, source);
  record(target, "ScatterAddBackward0", superseded_edges(target, {&source}),
         [dim, places = SavedTensor(index)](Pass& pass) {
           const Tensor at = pass(places);
           pass.give(0, pass.gradient());
           if (pass.wants(1))
             ops::binary_(BinaryOp::kAdd, part_of(pass.buffer(1), at.shape()),
                          ops::gather(pass.gradient(), dim, at));
         });
}

}  // namespace gpukit::autograd
