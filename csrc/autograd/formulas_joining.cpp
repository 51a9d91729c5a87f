// Tensors put together and taken apart.
#include "autograd/gradient_math.h"
#include "autograd/record.h"
#include "autograd/reduce.h"
#include "autograd/shape.h"
#include "ops/joining.h"
#include "tensor/view.h"

namespace gpukit::autograd {

namespace {

/// Each input gets its part of the gradient.
struct CatFormula {
  static constexpr bool kHoldsNoTensors = true;
  int dim;
  std::vector<Shape> shapes;

  void operator()(Pass& pass) const {
    std::int64_t start = 0;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      // An empty 1-d tensor is ignored among tensors of any rank.
      const bool nothing = shapes[i].size() == 1 && shapes[i][0] == 0;
      const std::int64_t length = nothing ? 0 : shapes[i][dim];
      if (pass.needs_input_grad(i))
        pass.accumulate_grad(i, nothing ? zeros_of(pass.kind(i))
                                        : autograd::narrow(pass.gradient(), dim, start, length));
      start += length;
    }
  }
};

std::vector<Shape> shapes_of(std::span<const Tensor> tensors) {
  std::vector<Shape> shapes;
  for (const Tensor& tensor : tensors) shapes.push_back(tensor.shape());
  return shapes;
}

/// The gradient of one copy: the sum over all copies along a dimension.
Tensor summed_copies(const Tensor& gradient, int dim, std::int64_t count) {
  Shape shape = gradient.shape();
  shape[dim] /= count;
  std::int64_t outer = 1;
  for (int i = 0; i < dim; ++i) outer *= shape[i];
  const std::int64_t copy = outer == 0 ? 0 : element_count(shape) / outer;
  const Tensor copies = autograd::reshape(gradient, Shape{outer, count, copy});
  return autograd::view(autograd::reduce(ReduceOp::kSum, copies, Dims{1}, false), shape);
}

/// Pieces as views, each with its node.
std::vector<Tensor> recorded_pieces(const Tensor& tensor, int dim,
                                    const std::vector<Tensor>& pieces) {
  if (!records(tensor)) return pieces;
  std::vector<Tensor> result;
  std::int64_t start = 0;
  for (const Tensor& piece : pieces) {
    result.push_back(autograd::narrow(tensor, dim, start, piece.size(dim), "SplitBackward0"));
    start += piece.size(dim);
  }
  return result;
}

}  // namespace

Tensor cat(std::span<const Tensor> tensors, std::int64_t named) {
  const int dim = ops::cat_dim(tensors, named);
  const Tensor out = ops::cat(tensors, dim);
  if (!records(tensors)) return out;
  record(out, "CatBackward0", detail::edges_to(tensors), CatFormula{dim, shapes_of(tensors)});
  return out;
}

Tensor stack(std::span<const Tensor> tensors, std::int64_t named) {
  const int dim = ops::stack_dim(tensors, named);
  const Tensor out = ops::stack(tensors, dim);
  if (!records(tensors)) return out;
  const auto count = static_cast<std::int64_t>(tensors.size());
  record(out, "StackBackward0", detail::edges_to(tensors), [dim, count](Pass& pass) {
    for (std::int64_t i = 0; i < count; ++i) {
      const auto input = static_cast<std::size_t>(i);
      if (pass.needs_input_grad(input))
        pass.accumulate_grad(input, autograd::select(pass.gradient(), dim, i));
    }
  });
  return out;
}

std::vector<Tensor> split(const Tensor& tensor, std::int64_t size, std::int64_t named) {
  const int dim = ops::split_dim(tensor, named, "split");
  return recorded_pieces(tensor, dim, ops::split(tensor, size, dim));
}

std::vector<Tensor> chunk(const Tensor& tensor, std::int64_t chunks, std::int64_t named) {
  const int dim = ops::split_dim(tensor, named, "chunk");
  return recorded_pieces(tensor, dim, ops::chunk(tensor, chunks, dim));
}

void record_repeat(const Tensor& out, const Tensor& input, const Dims& counts) {
  if (!records(input)) return;
  record(out, "RepeatBackward0", {&input}, [counts](Pass& pass) {
    Tensor gradient = pass.gradient();
    for (int dim = 0; dim < counts.size(); ++dim) {
      if (counts[dim] == 0) return pass.accumulate_grad(0, zeros_of(pass.kind(0)));
      if (counts[dim] > 1) gradient = summed_copies(gradient, dim, counts[dim]);
    }
    pass.accumulate_grad(0, gradient);
  });
}

}  // namespace gpukit::autograd
