// Sums, means, products and extremes, and what picks elements along a dimension.
#include "autograd/elementwise.h"
#include "autograd/gradient_math.h"
#include "autograd/indexing.h"
#include "autograd/record.h"
#include "autograd/reduce.h"
#include "autograd/reduced.h"
#include "autograd/shape.h"
#include "ops/dispatch.h"
#include "tensor/view.h"

namespace gpukit::autograd {

namespace {

void record_sum(const Tensor& out, const Tensor& input, const Reduced& reduced) {
  record(out, reduced.whole() ? "SumBackward0" : "SumBackward1", {&input},
         [reduced](Pass& pass) { pass.accumulate_grad(0, reduced.expand(pass.gradient())); });
}

void record_mean(const Tensor& out, const Tensor& input, const Reduced& reduced) {
  record(out, reduced.whole() ? "MeanBackward0" : "MeanBackward1", {&input}, [reduced](Pass& pass) {
    pass.accumulate_grad(0, reduced.expand(div(pass.gradient(), reduced.count())));
  });
}

/// All elements that equal the extreme share its gradient; where it is NaN, all that are NaN.
void record_extreme(const Tensor& out, const char* name, const Tensor& input,
                    const Reduced& reduced) {
  record(out, name, {&input},
         [reduced, x = SavedTensor::input(0, input), y = SavedTensor::result(out)](Pass& pass) {
           const Tensor in = pass(x);
           const Tensor equal = ops::binary(BinaryOp::kEq, in, reduced.expand(pass(y)));
           const Tensor hits =
               ops::binary(BinaryOp::kLogicalOr, equal, ops::unary(UnaryOp::kIsNan, in));
           const Tensor count = reduced.again(ReduceOp::kSum, cast(hits, in.dtype()));
           pass.accumulate_grad(0, where_true(hits, div(reduced.expand(pass.gradient()), count)));
         });
}

/// The product of all other elements, also where some are 0.
Tensor product_of_others(const Tensor& rows) {
  const Tensor ones =
      ops::binary(BinaryOp::kPow, gpukit::narrow(rows, -1, 0, 1), Scalar::integer(0));  // no graph
  const std::int64_t length = rows.size(rows.rank() - 1);
  const auto before = [&](const Tensor& tensor) {
    const Tensor parts[] = {ones, autograd::narrow(tensor, -1, 0, length - 1)};
    return cumulative(autograd::cat(parts, -1), -1, true);
  };
  const Dims last{-1};
  return mul(before(rows), autograd::flip(before(autograd::flip(rows, last)), last));
}

void record_product(const Tensor& out, const Tensor& input, const Reduced& reduced) {
  record(out, reduced.whole() ? "ProdBackward0" : "ProdBackward1", {&input},
         [reduced, x = SavedTensor::input(0, input)](Pass& pass) {
           const Tensor in = pass(x);
           if (in.count() == 0) return pass.accumulate_grad(0, zeros_like(in));
           const Tensor others = reduced.from_rows(product_of_others(reduced.as_rows(in)));
           pass.accumulate_grad(0, mul(reduced.expand(pass.gradient()), conj(others)));
         });
}

const char* extreme_name(ReduceOp op, bool whole) {
  if (op == ReduceOp::kMax) return whole ? "MaxBackward1" : "AmaxBackward0";
  return whole ? "MinBackward1" : "AminBackward0";
}

void record_norm(const Tensor& out, const Tensor& input, const Reduced& reduced, ReduceOp op) {
  record(out, "LinalgVectorNormBackward0", {&input},
         [reduced, op, x = SavedTensor::input(0, input), y = SavedTensor::result(out)](Pass& pass) {
           const Tensor g = reduced.expand(pass.gradient());
           if (op == ReduceOp::kNorm1) return pass.accumulate_grad(0, mul(g, sgn(pass(x))));
           const Tensor norm = reduced.expand(pass(y));
           pass.accumulate_grad(
               0, where_false(compare(BinaryOp::kEq, norm, 0.0), mul(pass(x), div(g, norm))));
         });
}

void record_reduction(ReduceOp op, const Tensor& out, const Tensor& input, const Reduced& reduced) {
  switch (op) {
    case ReduceOp::kSum:
      return record_sum(out, input, reduced);
    case ReduceOp::kMean:
      return record_mean(out, input, reduced);
    case ReduceOp::kProd:
      return record_product(out, input, reduced);
    case ReduceOp::kMax:
    case ReduceOp::kMin:
      return record_extreme(out, extreme_name(op, reduced.whole()), input, reduced);
    case ReduceOp::kNorm1:
    case ReduceOp::kNorm2:
      return record_norm(out, input, reduced, op);
    default:  // indices, counts and truth values: no gradient
      return;
  }
}

/// The values were taken from `indices` along `dim`.
void record_picked(const Tensor& values, const char* name, const Tensor& input,
                   const Tensor& indices, int dim) {
  record(values, name, {&input}, [dim, index = SavedTensor::constant(indices)](Pass& pass) {
    const Tensor at = pass(index);
    pass.add_into(
        0, [&](const Tensor& target) { autograd::scatter_add_(target, dim, at, pass.gradient()); });
  });
}

}  // namespace

Tensor reduce(ReduceOp op, const Tensor& input, const std::optional<Dims>& dims, bool keepdim,
              std::optional<DType> dtype, const Tensor* out) {
  const ops::ReducedDims reduced = ops::reduced_dims(input, dims, ops::name(op));
  if (!records(input)) return ops::reduce(op, input, reduced, keepdim, dtype, out);
  const Tensor in = dtype && is_differentiable(*dtype) ? cast(input, *dtype) : input;
  const Tensor made = ops::reduce(op, in, reduced, keepdim, dtype);
  if (is_differentiable(made.dtype())) record_reduction(op, made, in, Reduced(in, reduced));
  return made;
}

Extremes extremes(ReduceOp op, const Tensor& input, std::int64_t named, bool keepdim) {
  const int dim = ops::dim_of(input, named, ops::name(op));
  const ReduceOp index_op = op == ReduceOp::kMax ? ReduceOp::kArgMax : ReduceOp::kArgMin;
  const ops::ReducedDims dims = ops::ReducedDims::only(dim);
  Extremes found{ops::reduce(op, input, dims, keepdim),
                 ops::reduce(index_op, input, dims, keepdim)};
  if (!records(input)) return found;
  const Reduced reduced(input, dims);
  record(found.values, op == ReduceOp::kMax ? "MaxBackward0" : "MinBackward0", {&input},
         [reduced, dim, index = SavedTensor::constant(found.indices)](Pass& pass) {
           const Tensor at = reduced.kept(pass(index)), g = reduced.kept(pass.gradient());
           pass.add_into(0,
                         [&](const Tensor& target) { autograd::scatter_add_(target, dim, at, g); });
         });
  return found;
}

ops::Sorted sort(const Tensor& input, std::int64_t named, bool descending) {
  const int dim = ops::dim_of(input, named, "sort");
  ops::Sorted sorted = ops::sort(input, dim, descending);
  if (records(input)) record_picked(sorted.values, "SortBackward0", input, sorted.indices, dim);
  return sorted;
}

ops::Sorted topk(const Tensor& input, std::int64_t k, std::int64_t named, bool largest) {
  const int dim = ops::dim_of(input, named, "topk");
  ops::Sorted found = ops::topk(input, k, dim, largest);
  if (records(input)) record_picked(found.values, "TopkBackward0", input, found.indices, dim);
  return found;
}

}  // namespace gpukit::autograd
