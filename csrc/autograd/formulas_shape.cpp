// Views: the gradient is the same view taken back.
#include "autograd/gradient_math.h"
#include "autograd/indexing.h"
#include "autograd/pieces.h"
#include "autograd/record.h"
#include "autograd/shape.h"
#include "ops/creation.h"
#include "ops/joining.h"
#include "tensor/storage_view.h"
#include "tensor/view.h"

namespace gpukit::autograd {

namespace {

/// The elements stay in order.
Tensor reshaped(const Tensor& out, const char* name, const Tensor& input) {
  if (!records(input) || out.is_same(input)) return out;
  const auto formula = [shape = input.shape()](Pass& pass) {
    pass.accumulate_grad(0, autograd::reshape(pass.gradient(), shape));
  };
  if (out.storage() == input.storage()) {
    record(out, name, {&input}, formula);
  } else {
    record(out, "UnsafeViewBackward0", {&input}, formula);
  }
  return out;
}

/// A piece of the input: `piece(whole)` takes it from a tensor of the input's shape.
template <class Piece>
Tensor piece_of(const Tensor& out, const char* name, const Tensor& input, Piece piece) {
  if (!records(input)) return out;
  record(out, name, {&input}, [piece](Pass& pass) {
    pass.add_into(0, [&](const Tensor& whole) { add_to_piece(whole, pass.gradient(), piece); });
  });
  return out;
}

}  // namespace

Tensor reshape(const Tensor& tensor, const Shape& shape) {
  return reshaped(ops::reshape(tensor, shape), "ViewBackward0", tensor);
}

Tensor view(const Tensor& tensor, const Shape& shape) {
  return reshaped(gpukit::view(tensor, shape), "ViewBackward0", tensor);
}

Tensor flatten(const Tensor& tensor, std::int64_t start, std::int64_t end) {
  return reshaped(ops::flatten(tensor, start, end), "ViewBackward0", tensor);
}

Tensor squeeze(const Tensor& tensor, const std::optional<Dims>& dims) {
  const char* name = !dims               ? "SqueezeBackward0"
                     : dims->size() == 1 ? "SqueezeBackward1"
                                         : "SqueezeBackward2";
  return reshaped(gpukit::squeeze(tensor, dims), name, tensor);
}

Tensor unsqueeze(const Tensor& tensor, std::int64_t dim) {
  return reshaped(gpukit::unsqueeze(tensor, dim), "UnsqueezeBackward0", tensor);
}

Tensor permute(const Tensor& tensor, const Dims& named) {
  const Dims order = permutation(tensor, named);
  const Tensor out = permuted(tensor, order);
  if (!records(tensor)) return out;
  Dims back = order;
  for (int i = 0; i < order.size(); ++i) back[static_cast<int>(order[i])] = i;
  record(out, "PermuteBackward0", {&tensor},
         [back](Pass& pass) { pass.accumulate_grad(0, autograd::permute(pass.gradient(), back)); });
  return out;
}

Tensor transpose(const Tensor& tensor, std::int64_t dim0, std::int64_t dim1) {
  const Tensor out = gpukit::transpose(tensor, dim0, dim1);
  if (!records(tensor)) return out;
  record(out, "TransposeBackward0", {&tensor}, [dim0, dim1](Pass& pass) {
    pass.accumulate_grad(0, autograd::transpose(pass.gradient(), dim0, dim1));
  });
  return out;
}

Tensor t(const Tensor& tensor) {
  const Tensor out = gpukit::t(tensor);
  if (!records(tensor)) return out;
  record(out, "TBackward0", {&tensor},
         [](Pass& pass) { pass.accumulate_grad(0, autograd::t(pass.gradient())); });
  return out;
}

Tensor reverse_dims(const Tensor& tensor) {
  const Tensor out = gpukit::reverse_dims(tensor);
  if (!records(tensor)) return out;
  record(out, "PermuteBackward0", {&tensor},
         [](Pass& pass) { pass.accumulate_grad(0, autograd::reverse_dims(pass.gradient())); });
  return out;
}

Tensor expand(const Tensor& tensor, const Shape& shape) {
  const Tensor out = gpukit::expand(tensor, shape);
  if (!records(tensor)) return out;
  record(out, "ExpandBackward0", {&tensor},
         [](Pass& pass) { pass.accumulate_grad(0, pass.gradient()); });
  return out;
}

Tensor flip(const Tensor& tensor, const Dims& dims) {
  const Tensor out = gpukit::flip(tensor, dims);
  if (!records(tensor)) return out;
  record(out, "FlipBackward0", {&tensor},
         [dims](Pass& pass) { pass.accumulate_grad(0, autograd::flip(pass.gradient(), dims)); });
  return out;
}

Tensor diagonal(const Tensor& tensor, std::int64_t offset) {
  return piece_of(gpukit::diagonal(tensor, offset), "DiagonalBackward0", tensor,
                  [offset](const Tensor& whole) { return autograd::diagonal(whole, offset); });
}

Tensor narrow(const Tensor& tensor, std::int64_t dim, std::int64_t start, std::int64_t length,
              const char* name) {
  return piece_of(gpukit::narrow(tensor, dim, start, length), name, tensor,
                  [dim, start, length](const Tensor& whole) {
                    return autograd::narrow(whole, dim, start, length);
                  });
}

Tensor select(const Tensor& tensor, std::int64_t dim, std::int64_t index, const char* name) {
  return piece_of(
      gpukit::select(tensor, dim, index), name, tensor,
      [dim, index](const Tensor& whole) { return autograd::select(whole, dim, index); });
}

Tensor unfold(const Tensor& tensor, int dim, std::int64_t size, std::int64_t step) {
  Shape shape = tensor.shape();
  Strides strides = tensor.strides();
  const std::int64_t count = (shape[dim] - size) / step + 1;
  strides.push_back(strides[dim]);
  if (count > 1) strides[dim] *= step;  // of one window it is not used, and may overflow
  shape[dim] = count;
  shape.push_back(size);
  const Tensor out = Tensor::make_view(tensor, tensor.dtype(), shape, strides, tensor.offset());
  if (!records(tensor)) return out;
  record(out, "UnfoldBackward0", {&tensor}, [dim, count, size, step](Pass& pass) {
    const Tensor& g = pass.gradient();
    Dims order;
    for (int i = 0; i + 1 < g.rank(); ++i) {
      order.push_back(i);
      if (i == dim) order.push_back(g.rank() - 1);
    }
    Shape windows = g.shape();
    windows.erase(g.rank() - 1);
    windows[dim] = count * size;
    const Tensor all = ops::arange(Scalar::integer(0), Scalar::integer((count - 1) * step + size),
                                   Scalar::integer(1), DType::kInt64, g.device());
    const Tensor places =
        ops::reshape(storage_view(all, DType::kInt64, Shape{count, size}, Strides{step, 1}, 0),
                     Shape{count * size});
    const Tensor value = autograd::reshape(autograd::permute(g, order), windows);
    pass.add_into(0, [&](const Tensor& whole) { index_add_(whole, dim, places, value); });
  });
  return out;
}

Tensor alias(const Tensor& tensor) {
  return reshaped(gpukit::alias(tensor), "AliasBackward0", tensor);
}

Tensor tril(const Tensor& tensor, std::int64_t diagonal) {
  const Tensor out = ops::tril(tensor, diagonal);
  if (!records(tensor)) return out;
  record(out, "TrilBackward0", {&tensor}, [diagonal](Pass& pass) {
    pass.accumulate_grad(0, autograd::tril(pass.gradient(), diagonal));
  });
  return out;
}

Tensor triu(const Tensor& tensor, std::int64_t diagonal) {
  const Tensor out = ops::triu(tensor, diagonal);
  if (!records(tensor)) return out;
  record(out, "TriuBackward0", {&tensor}, [diagonal](Pass& pass) {
    pass.accumulate_grad(0, autograd::triu(pass.gradient(), diagonal));
  });
  return out;
}

}  // namespace gpukit::autograd
