// Views of a tensor that was changed in place, by way of itself or of another view. The tensor
// that is no view itself, the base, gets a node for each recorded change ("CopySlices"), and counts
// them. A view whose count is older is stale: its node is of what the base was. Whoever asks for it
// first, refresh_view makes it again, as a view of what the base is now.
#include <algorithm>
#include <type_traits>

#include "autograd/gradient_math.h"
#include "autograd/indexing.h"
#include "autograd/pieces.h"
#include "autograd/record.h"
#include "autograd/shape.h"
#include "base/check.h"
#include "base/error.h"
#include "core/layout.h"
#include "ops/creation.h"
#include "tensor/storage_view.h"
#include "tensor/view.h"

namespace gpukit::autograd {

namespace changed_views {
namespace {

Tensor base_of(const Tensor& view) { return Tensor::share_raw(view.impl()->base); }

/// Where the elements of a view lie in the memory of its base. The parts of complex numbers are
/// elements too.
struct Geometry {
  Shape shape;
  Strides strides;
  std::int64_t start;  ///< in elements of `dtype` from the lowest of the base
  DType dtype;
};

/// The elements of the lowest address that a tensor has, counted in `dtype` from its storage's.
std::int64_t lowest_element(const Tensor& base, DType dtype) {
  const OffsetRange range = offset_range(base.shape(), base.strides());
  return (base.offset() + range.lowest) * static_cast<std::int64_t>(itemsize(base.dtype())) /
         static_cast<std::int64_t>(itemsize(dtype));
}

Geometry geometry_in(const Tensor& base, const Tensor& view) {
  return {view.shape(), view.strides(), view.offset() - lowest_element(base, view.dtype()),
          view.dtype()};
}

/// Whether the base still holds all that the view shows: its data may have been replaced, or the
/// tensor made smaller, since the view was made.
bool lies_in(const Tensor& base, const Tensor& view) {
  if (base.storage() != view.storage()) return false;
  if (view.count() == 0) return true;
  const auto size = static_cast<std::int64_t>(itemsize(view.dtype()));
  const auto base_size = static_cast<std::int64_t>(itemsize(base.dtype()));
  const OffsetRange range = offset_range(view.shape(), view.strides());
  const OffsetRange all = offset_range(base.shape(), base.strides());
  return (view.offset() + range.lowest) * size >= (base.offset() + all.lowest) * base_size &&
         (view.offset() + range.highest + 1) * size <=
             (base.offset() + all.highest + 1) * base_size;
}

/// True if the view has all elements of its base in their order.
bool is_whole(const Tensor& base, const Tensor& view) {
  return view.is_contiguous() && base.is_contiguous() && view.count() == base.count() &&
         view.dtype() == base.dtype() && view.offset() == base.offset();
}

Tensor part(const Tensor& whole, const Geometry& geometry);

struct Part {
  Geometry geometry;
  Tensor operator()(const Tensor& whole) const { return part(whole, geometry); }
};

/// The memory from the lowest element of a tensor to its highest, with what lies between.
struct Memory {
  explicit Memory(const Tensor& tensor)
      : own(geometry_in(tensor, tensor)), plain(tensor.is_contiguous()) {
    const OffsetRange range = offset_range(own.shape, own.strides);
    count = plain ? tensor.count() : range.highest - range.lowest + 1;
  }

  /// Extends it to what `other`, of the same dtype, reaches.
  void include(Geometry& other);
  /// Such memory in which `value`, of the tensor's shape, lies as the tensor does in its own.
  Tensor holding(const Tensor& value) const;
  /// The tensor's elements in such memory.
  Tensor shown(const Tensor& memory) const { return plain ? memory : part(memory, own); }

  Geometry own;
  bool plain;  ///< nothing but the tensor's elements, in their order
  std::int64_t count = 0;
};

void Memory::include(Geometry& other) {
  const OffsetRange range = offset_range(other.shape, other.strides);
  const std::int64_t before = std::max<std::int64_t>(0, -(other.start + range.lowest));
  const std::int64_t after = std::max<std::int64_t>(0, other.start + range.highest + 1 - count);
  own.start += before;
  other.start += before;
  count += before + after;
  plain = plain && before + after == 0;
}

Tensor Memory::holding(const Tensor& value) const {
  if (plain) return contiguous(value);
  Tensor memory = ops::zeros(Shape{count}, value.dtype(), value.device());
  add_to_piece(memory, value, Part{own});
  return memory;
}

/// The derivative of a view: elements that it shows several times receive the sum.
struct PartFormula {
  PartFormula(const Geometry& geometry, const Memory& whole) : once{geometry}, memory(whole) {
    for (int i = 0; i < geometry.shape.size(); ++i) {
      if (geometry.strides[i] == 0 && geometry.shape[i] > 1) once.geometry.shape[i] = 1;
    }
    overlaps = !is_non_overlapping(once.geometry.shape, once.geometry.strides);
  }

  void operator()(Pass& pass) const {
    const Tensor& g = pass.gradient();
    const Tensor sum = sum_to_shape(g, GradientKind(once.geometry.shape, g.dtype(), g.device()));
    if (memory.plain && !overlaps)
      return pass.add_into(0, [&](const Tensor& whole) { add_to_piece(whole, sum, once); });
    if (!pass.needs_input_grad(0)) return;
    const Tensor all = ops::zeros(Shape{memory.count}, memory.own.dtype, g.device());
    if (overlaps) {
      index_add_(all, 0, places(g.device()), autograd::reshape(sum, Shape{sum.count()}));
    } else {
      add_to_piece(all, sum, once);
    }
    pass.accumulate_grad(
        0, memory.plain ? autograd::reshape(all, memory.own.shape) : memory.shown(all));
  }

  /// Where in the memory each element of the view lies.
  Tensor places(Device device) const {
    Geometry geometry = once.geometry;
    geometry.dtype = DType::kInt64;
    const Tensor all = ops::arange(Scalar::integer(0), Scalar::integer(memory.count),
                                   Scalar::integer(1), DType::kInt64, device);
    return autograd::reshape(part(all, geometry), Shape{element_count(geometry.shape)});
  }

  Part once;
  Memory memory;
  bool overlaps;
};

Tensor part(const Tensor& any, const Geometry& geometry) {
  const Tensor whole = contiguous(any);
  const Tensor out = Tensor::make_view(whole, geometry.dtype, geometry.shape, geometry.strides,
                                       geometry.start + lowest_element(whole, geometry.dtype));
  if (records(whole))
    record(out, "AsStridedBackward0", {&whole}, PartFormula(geometry, Memory(whole)));
  return out;
}

/// The derivative of a change of a part. Edges: what the base was, unless all of it was written to,
/// and what the part is.
struct ChangeFormula {
  static constexpr bool kHoldsNoTensors = false;  // it runs once, see Once

  void operator()(Pass& pass) const {
    const Tensor& g = pass.gradient();
    if (whole) return pass.accumulate_grad(1, autograd::reshape(g, geometry.shape));
    const Tensor all = memory.holding(g);
    if (pass.needs_input_grad(0)) {
      const Tensor rest = clone(all);
      fill_(part(rest, geometry), Scalar::integer(0));
      pass.accumulate_grad(0, memory.shown(rest));
    }
    if (pass.needs_input_grad(1)) pass.accumulate_grad(1, part(all, geometry));
  }

  Geometry geometry;
  Memory memory;
  bool whole;
};

/// Nobody but one view has the tensor, such as the copy that reshape() made: the view is then as
/// good as a tensor of its own.
bool is_unseen(const Tensor& base) { return base.use_count() == 2 && !base.requires_grad(); }

void check_base(std::string_view op, const Tensor& target, const Tensor& base) {
  if (base.requires_grad() && is_leaf(base)) {
    throw AutogradError(
        concat(op,
               ": X is a view of a leaf that requires grad; changing it in place would lose what "
               "its gradient belongs to. Use `with gpukit.no_grad():` around it, or a view of "
               "leaf.clone()."))
        .with_fix("with gpukit.no_grad():");
  }
  GPUKIT_CHECK(is_non_overlapping(base.shape(), base.strides()), AutogradError, op,
               ": X is a view of a tensor of strides ", to_string(base.strides()),
               ", of which several elements share memory. Make the view of its clone().");
  GPUKIT_CHECK(is_non_overlapping(target.shape(), target.strides()), AutogradError, op,
               ": X is a view of strides ", to_string(target.strides()),
               ", of which several elements share memory. Use X.clone().");
}

/// The derivative of views of this geometry is known.
bool is_known(const Tensor& base, const Tensor& view) {
  return is_non_overlapping(base.shape(), base.strides()) &&
         (view.dtype() == base.dtype() || is_non_overlapping(view.shape(), view.strides()));
}

}  // namespace
}  // namespace changed_views

void refresh_view(const Tensor& view) {
  const Tensor base = changed_views::base_of(view);
  TensorImpl& impl = *view.impl();
  if (!changed_views::lies_in(base, view)) return impl.drop_base();
  if (base.requires_grad()) {
    GPUKIT_CHECK(!impl.made_unrecorded, AutogradError, "a view of shape ", to_string(view.shape()),
                 " was made inside no_grad(), and its tensor, or another view of it, was changed "
                 "in place outside of it. Make the view outside of no_grad(), or of the detach()ed "
                 "tensor.");
    GPUKIT_CHECK(changed_views::is_known(base, view), AutogradError, "a view of shape ",
                 to_string(view.shape()),
                 " was used after its tensor had been changed in place, "
                 "and several of its elements share memory. Make the view again after the change.");
  }
  impl.changes = base.impl()->changes;
  if (!base.requires_grad()) {
    impl.autograd = nullptr;
    impl.requires_grad = false;
  } else if (changed_views::is_whole(base, view)) {
    record(view, "AsStridedBackward0", {&base}, [shape = base.shape()](Pass& pass) {
      pass.accumulate_grad(0, autograd::reshape(pass.gradient(), shape));
    });
  } else {
    record(view, "AsStridedBackward0", {&base},
           changed_views::PartFormula(changed_views::geometry_in(base, view),
                                      changed_views::Memory(base)));
  }
}

Tensor as_strided(const Tensor& input, const Shape& shape, const Strides& strides,
                  std::int64_t offset) {
  const Tensor at = storage_view(input, input.dtype(), shape, strides, offset, "as_strided");
  const Tensor out = Tensor::make_view(input, at.dtype(), at.shape(), at.strides(), at.offset());
  if (!records(input)) return out;
  GPUKIT_CHECK(is_non_overlapping(input.shape(), input.strides()), AutogradError,
               "as_strided: the tensor records gradients, and several of its elements share "
               "memory. Use X.contiguous() first");
  changed_views::Geometry geometry = changed_views::geometry_in(input, out);
  changed_views::Memory memory(input);
  const std::int64_t shown = memory.count;
  if (out.count() > 0) memory.include(geometry);
  out.impl()->beyond_input = memory.count > shown;
  record(out, "AsStridedBackward0", {&input}, changed_views::PartFormula(geometry, memory));
  return out;
}

void detail::note_change(const Tensor& target) {
  if (target.impl()->base == nullptr) {
    ++target.impl()->changes;
    return;
  }
  const Tensor base = changed_views::base_of(target);
  if (!changed_views::lies_in(base, target)) return target.impl()->drop_base();
  const bool whole = changed_views::is_whole(base, target);
  Edges edges(2);
  if (!whole) edges[0] = edge_to(base);
  edges[1] = NodePtr::share(node_of(target));
  record(base, "CopySlices", std::move(edges),
         changed_views::ChangeFormula{changed_views::geometry_in(base, target),
                                      changed_views::Memory(base), whole});
  ++base.impl()->changes;
}

void check_in_place(std::string_view op, const Tensor& target) {
  TensorImpl& impl = *target.impl();
  if (impl.base != nullptr) {
    const Tensor base = changed_views::base_of(target);
    GPUKIT_CHECK(
        !impl.made_unrecorded || changed_views::is_unseen(base), AutogradError, op,
        ": X is a view that was made inside no_grad(), and would be changed outside of it. "
        "Make the view where it is changed.");
    const bool is_inside =
        base.storage() != target.storage() || changed_views::lies_in(base, target);
    GPUKIT_CHECK(is_inside, AutogradError, op,
                 ": X is a view of a tensor that was made smaller since. Make the view again.");
    changed_views::check_base(op, target, base);
    // Its node knows the input alone; the change reaches what lies beside that, too.
    if (impl.beyond_input && base.requires_grad()) refresh_view(target);
    impl.beyond_input = false;
  }
  if (target.requires_grad() && is_leaf(target)) {
    throw AutogradError(
        concat(op,
               ": X is a leaf that requires grad; changing it in place would lose what its "
               "gradient belongs to. Use `with gpukit.no_grad():` around it, or X.detach()."))
        .with_fix("with gpukit.no_grad():");
  }
  GPUKIT_CHECK(
      impl.base != nullptr || !impl.is_view || target.storage().use_count() == 1, AutogradError, op,
      ": X is a view as another dtype, and the tensor it is a view of would not learn of the "
      "change. Use X.clone(), or the form that gives a new tensor.");
}

}  // namespace gpukit::autograd
