// Views of a tensor that was changed in place, by way of itself or of another view. The tensor
// that is no view itself, the base, gets a node for each recorded change ("CopySlices"), and counts
// them. A view whose count is older is stale: its node is of what the base was. Whoever asks for it
// first, refresh_view makes it again, as a view of what the base is now.
#include <type_traits>

#include "autograd/gradient_math.h"
#include "autograd/pieces.h"
#include "autograd/record.h"
#include "autograd/shape.h"
#include "base/check.h"
#include "base/error.h"
#include "core/layout.h"
#include "ops/creation.h"
#include "tensor/view.h"

namespace gpukit::autograd {

namespace changed_views {
namespace {

Tensor base_of(const Tensor& view) { return Tensor::share_raw(view.impl()->base); }

/// Where the elements of a view lie in its contiguous base. The parts of complex numbers are
/// elements too.
struct Geometry {
  Shape shape;
  Strides strides;
  std::int64_t start;  ///< in elements of `dtype` from the first of the base
  DType dtype;
};

std::int64_t first_element(const Tensor& base, DType dtype) {
  return base.offset() * static_cast<std::int64_t>(itemsize(base.dtype())) /
         static_cast<std::int64_t>(itemsize(dtype));
}

Geometry geometry_in(const Tensor& base, const Tensor& view) {
  return {view.shape(), view.strides(), view.offset() - first_element(base, view.dtype()),
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
  return (view.offset() + range.lowest) * size >= base.offset() * base_size &&
         (view.offset() + range.highest + 1) * size <= (base.offset() + base.count()) * base_size;
}

/// True if the view has all elements of its base in their order.
bool is_whole(const Tensor& base, const Tensor& view) {
  return view.is_contiguous() && view.count() == base.count() && view.dtype() == base.dtype() &&
         view.offset() == base.offset();
}

Tensor part(const Tensor& whole, const Geometry& geometry);

struct Part {
  Geometry geometry;
  Tensor operator()(const Tensor& whole) const { return part(whole, geometry); }
};

/// The derivative of a view: elements that it shows several times receive the sum.
struct PartFormula {
  explicit PartFormula(const Geometry& geometry) : once{geometry} {
    for (int i = 0; i < geometry.shape.size(); ++i) {
      if (geometry.strides[i] == 0 && geometry.shape[i] > 1) once.geometry.shape[i] = 1;
    }
  }

  void operator()(Pass& pass) const {
    const Tensor& g = pass.gradient();
    const Tensor sum = sum_to_shape(g, GradientKind(once.geometry.shape, g.dtype(), g.device()));
    pass.add_into(0, [&](const Tensor& whole) { add_to_piece(whole, sum, once); });
  }

  Part once;
};

Tensor part(const Tensor& any, const Geometry& geometry) {
  const Tensor whole = contiguous(any);
  const Tensor out = Tensor::make_view(whole, geometry.dtype, geometry.shape, geometry.strides,
                                       geometry.start + first_element(whole, geometry.dtype));
  if (records(whole)) record(out, "AsStridedBackward0", {&whole}, PartFormula(geometry));
  return out;
}

/// The derivative of a change of a part. Edges: what the base was, unless all of it was written to,
/// and what the part is.
struct ChangeFormula {
  void operator()(Pass& pass) const {
    const Tensor& g = pass.gradient();
    if (whole) return pass.accumulate_grad(1, autograd::reshape(g, geometry.shape));
    if (pass.needs_input_grad(0)) {
      const Tensor rest = clone(g);
      fill_(part(rest, geometry), Scalar::integer(0));
      pass.accumulate_grad(0, rest);
    }
    if (pass.needs_input_grad(1)) pass.accumulate_grad(1, part(g, geometry));
  }

  Geometry geometry;
  bool whole;
};

void check_base(std::string_view op, const Tensor& target, const Tensor& base) {
  if (base.requires_grad() && is_leaf(base)) {
    throw AutogradError(
        concat(op,
               ": X is a view of a leaf that requires grad; changing it in place would lose what "
               "its gradient belongs to. Use `with gpukit.no_grad():` around it, or a view of "
               "leaf.clone()."))
        .with_fix("with gpukit.no_grad():");
  }
  GPUKIT_CHECK(!base.requires_grad() || target.requires_grad(), AutogradError, op,
               ": X is a view that was made inside no_grad(), and would be changed outside of it. "
               "Make the view where it is changed.");
  GPUKIT_CHECK(
      is_differentiable(base.dtype()) && real_dtype(base.dtype()) == real_dtype(target.dtype()),
      AutogradError, op, ": X is a view as ", name(target.dtype()), " of a tensor of ",
      name(base.dtype()), ", which has no gradient of it. Use X.clone().");
  GPUKIT_CHECK(base.is_contiguous(), AutogradError, op, ": X is a view of a tensor of strides ",
               to_string(base.strides()),
               ", which is not contiguous. Make the view of its contiguous() form.");
}

}  // namespace
}  // namespace changed_views

void refresh_view(const Tensor& view) {
  const Tensor base = changed_views::base_of(view);
  TensorImpl& impl = *view.impl();
  if (!changed_views::lies_in(base, view)) return impl.drop_base();
  GPUKIT_CHECK(base.is_contiguous(), AutogradError, "a view of shape ", to_string(view.shape()),
               " was used after its tensor, which is not contiguous, had been changed in place. "
               "Make the view again after the change.");
  impl.changes = base.impl()->changes;
  if (!base.requires_grad() || !is_differentiable(view.dtype())) {
    impl.autograd = nullptr;
    impl.requires_grad = false;
  } else if (changed_views::is_whole(base, view)) {
    record(view, "AsStridedBackward0", {&base}, [shape = base.shape()](Pass& pass) {
      pass.accumulate_grad(0, autograd::reshape(pass.gradient(), shape));
    });
  } else {
    record(view, "AsStridedBackward0", {&base},
           changed_views::PartFormula(changed_views::geometry_in(base, view)));
  }
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
         changed_views::ChangeFormula{changed_views::geometry_in(base, target), whole});
  ++base.impl()->changes;
}

void check_in_place(std::string_view op, const Tensor& target) {
  if (target.requires_grad() && is_leaf(target)) {
    throw AutogradError(
        concat(op,
               ": X is a leaf that requires grad; changing it in place would lose what its "
               "gradient belongs to. Use `with gpukit.no_grad():` around it, or X.detach()."))
        .with_fix("with gpukit.no_grad():");
  }
  if (target.impl()->base != nullptr) {
    const Tensor base = changed_views::base_of(target);
    const bool is_inside =
        base.storage() != target.storage() || changed_views::lies_in(base, target);
    GPUKIT_CHECK(is_inside, AutogradError, op,
                 ": X is a view of a tensor that was made smaller since. Make the view again.");
    return changed_views::check_base(op, target, base);
  }
  GPUKIT_CHECK(
      !target.impl()->is_view || target.storage().use_count() == 1, AutogradError, op,
      ": X is a view, and the tensor it is a view of would not learn of the change. Write "
      "through the whole tensor, Y[...] = value, or use the form that gives a new tensor.");
}

}  // namespace gpukit::autograd
