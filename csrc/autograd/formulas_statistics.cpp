// Reductions made of several passes: variance, norms of any order, logsumexp, softmax, running
// sums.
#include <cmath>
#include <vector>

#include "autograd/elementwise.h"
#include "autograd/gradient_math.h"
#include "autograd/record.h"
#include "autograd/reduce.h"
#include "autograd/reduced.h"
#include "autograd/shape.h"
#include "ops/creation.h"
#include "ops/dispatch.h"

namespace gpukit::autograd {

namespace {

Tensor sum_along(const Tensor& tensor, int dim) {
  return reduce(ReduceOp::kSum, tensor, Dims{dim}, true);
}

/// 1 in place of 0, where the value is not used.
Tensor without_zeros(const Tensor& x) {
  return where(compare(BinaryOp::kEq, x, 0.0), ops::ones(Shape{}, x.dtype(), x.device()), x);
}

/// |x|^p summed and rooted, for orders that no single reduction serves.
Tensor order_gradient(const Tensor& g, const Tensor& x, Tensor norm, double p, bool recorded) {
  Tensor size = unary(UnaryOp::kAbs, x);
  const Tensor flat = ops::binary(BinaryOp::kLogicalOr, compare(BinaryOp::kEq, norm, 0.0),
                                  compare(BinaryOp::kEq, size, 0.0));
  if (recorded) {  // powers of 0 have derivatives that no mask takes away
    size = without_zeros(size);
    norm = without_zeros(norm);
  }
  const Tensor slope = mul(sign(x), mul(pow(size, p - 1.0), pow(norm, 1.0 - p)));
  return where_false(flat, mul(g, slope));
}

/// The elements whose size is the norm share its gradient.
Tensor extreme_gradient(const Tensor& g, const Tensor& x, const Tensor& norm,
                        const Reduced& reduced) {
  const Tensor hits = ops::binary(BinaryOp::kEq, ops::unary(UnaryOp::kAbs, x), norm);
  const Tensor count = reduced.again(ReduceOp::kSum, cast(hits, x.dtype()));
  return where_true(hits, div(mul(g, sign(x)), count));
}

/// Sums from each element to the end.
Tensor reversed_cumsum(const Tensor& tensor, int dim) {
  const Dims along{dim};
  return autograd::flip(cumulative(autograd::flip(tensor, along), dim, false), along);
}

/// d(running products): for each element the sum over all later products of g times the product
/// without it. Elements that are 0 make quotients useless, so it computes each position separately.
Tensor running_product_gradient(const Tensor& g, const Tensor& x, int dim) {
  const std::int64_t length = x.size(dim);
  if (length == 0) return zeros_like(x);
  const auto part = [dim](const Tensor& whole, std::int64_t start, std::int64_t count) {
    return autograd::narrow(whole, dim, start, count);
  };
  const Tensor one = ops::ones(part(detached(x), 0, 1).shape(), x.dtype(), x.device());
  std::vector<Tensor> slopes;
  for (std::int64_t i = 0; i < length; ++i) {
    const Tensor factors[] = {one, part(x, i + 1, length - i - 1)};
    Tensor terms = mul(cumulative(autograd::cat(factors, dim), dim, true), part(g, i, length - i));
    if (i > 0) terms = mul(terms, reduce(ReduceOp::kProd, part(x, 0, i), Dims{dim}, true));
    slopes.push_back(sum_along(terms, dim));
  }
  return autograd::cat(slopes, dim);
}

void record_cumulative(const Tensor& out, const Tensor& input, int dim, bool product) {
  if (input.rank() == 0) {
    record(out, product ? "CumprodBackward0" : "CumsumBackward0", {&input},
           [](Pass& pass) { pass.accumulate_grad(0, pass.gradient()); });
  } else if (product) {
    record(out, "CumprodBackward0", {&input}, [dim, x = SavedTensor::input(0, input)](Pass& pass) {
      const Tensor in = pass(x);
      pass.accumulate_grad(0, conjugated(pass.gradient(), [&](const Tensor& g) {
                             return running_product_gradient(g, in, dim);
                           }));
    });
  } else {
    record(out, "CumsumBackward0", {&input},
           [dim](Pass& pass) { pass.accumulate_grad(0, reversed_cumsum(pass.gradient(), dim)); });
  }
}

/// Rows are worked on as (rows, columns), in float32 at least.
struct LayerNormFormula {
  SavedTensor input, weight, mean, rstd;
  Shape shape, row_shape;
  double eps;
  bool has_weight, has_bias;

  /// The normal form of each row, and what its deviation was multiplied with.
  struct Normal {
    Tensor rows, factor;
  };

  void operator()(Pass& pass) const {
    const auto [normal, factor] = pass.recorded() ? composed(pass) : saved(pass);
    const Tensor g = flat(pass.gradient());
    const std::size_t bias_index = has_weight ? 2 : 1;
    if (has_weight && pass.needs_input_grad(1))
      pass.accumulate_grad(1, sum_of_rows(mul(g, normal)));
    if (has_bias && pass.needs_input_grad(bias_index))
      pass.accumulate_grad(bias_index, sum_of_rows(g));
    if (!pass.needs_input_grad(0)) return;
    const Tensor scaled = has_weight ? mul(g, as_row(pass(weight))) : g;
    const Tensor slope = mul(normal, mean_along(mul(scaled, normal)));
    const Tensor centred = sub(sub(scaled, mean_along(scaled)), slope);
    pass.accumulate_grad(0, autograd::reshape(mul(centred, factor), shape));
  }

  Normal saved(const Pass& pass) const {
    const Tensor factor = column(pass(rstd));
    return {mul(sub(flat(pass(input)), column(pass(mean))), factor), factor};
  }
  /// The statistics as functions of the input, so that they have derivatives too.
  Normal composed(const Pass& pass) const {
    const Tensor rows = flat(pass(input));
    const Tensor distance = sub(rows, mean_along(rows));
    const Tensor factor = rsqrt(add(mean_along(square(distance)), eps));
    return {mul(distance, factor), factor};
  }

  Tensor wide(const Tensor& tensor) const { return cast(tensor, mean.dtype()); }
  Tensor as_row(const Tensor& tensor) const {
    return autograd::reshape(wide(tensor), Shape{element_count(row_shape)});
  }
  Tensor flat(const Tensor& tensor) const {
    return autograd::reshape(wide(tensor), Shape{mean.count(), element_count(row_shape)});
  }
  static Tensor column(const Tensor& tensor) { return gpukit::unsqueeze(tensor, 1); }
  static Tensor mean_along(const Tensor& rows) {
    return reduce(ReduceOp::kMean, rows, Dims{1}, true);
  }
  Tensor sum_of_rows(const Tensor& rows) const {
    return autograd::reshape(reduce(ReduceOp::kSum, rows, Dims{0}, false), row_shape);
  }
};

Edges layer_norm_edges(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  if (weight.defined() && bias.defined()) return detail::edges_to({&input, &weight, &bias});
  if (weight.defined()) return detail::edges_to({&input, &weight});
  if (bias.defined()) return detail::edges_to({&input, &bias});
  return detail::edges_to({&input});
}

}  // namespace

Tensor variance(const Tensor& input, const std::optional<Dims>& named, bool keepdim,
                double correction, bool root) {
  const ops::ReducedDims dims = ops::reduced_dims(input, named, root ? "std" : "var");
  const Tensor out = ops::variance(input, dims, keepdim, correction, root);
  if (!records(input)) return out;
  record(out, root ? "StdBackward0" : "VarBackward0", {&input},
         [reduced = Reduced(input, dims), correction, root, x = SavedTensor::input(0, input),
          y = SavedTensor::result(out, root)](Pass& pass) {
           const Tensor in = pass(x);
           Tensor g = reduced.expand(pass.gradient());
           if (root) {
             const Tensor deviation = reduced.expand(pass(y));
             g = where_false(compare(BinaryOp::kEq, deviation, 0.0), div(g, mul(deviation, 2.0)));
           }
           const double degrees = std::max(0.0, reduced.count() - correction);
           const Tensor distance = sub(in, reduced.again(ReduceOp::kMean, in));
           pass.accumulate_grad(0, mul(g, mul(distance, 2.0 / degrees)));
         });
  return out;
}

Tensor norm(const Tensor& input, double p, const std::optional<Dims>& named, bool keepdim,
            std::optional<DType> dtype) {
  const bool recorded = records(input);
  const Tensor in = recorded && dtype ? cast(input, *dtype) : input;
  if (recorded && is_complex(in.dtype())) return norm(unary(UnaryOp::kAbs, in), p, named, keepdim);
  if (recorded && (p == 1.0 || p == 2.0)) {
    const ReduceOp op = p == 1.0 ? ReduceOp::kNorm1 : ReduceOp::kNorm2;
    return reduce(op, in, named, keepdim);
  }
  const ops::ReducedDims dims = ops::reduced_dims(in, named, "norm");
  if (!recorded) return ops::norm(input, p, dims, keepdim, dtype);
  const Tensor out = ops::norm(in, p, dims, keepdim);
  record(out, "LinalgVectorNormBackward0", {&in},
         [reduced = Reduced(in, dims), p, x = SavedTensor::input(0, in),
          y = SavedTensor::result(out)](Pass& pass) {
           const Tensor norm = reduced.expand(pass(y));
           const Tensor g = reduced.expand(pass.gradient());
           if (p == 0.0) return pass.accumulate_grad(0, zeros_like(g));
           pass.accumulate_grad(0, std::isinf(p)
                                       ? extreme_gradient(g, pass(x), norm, reduced)
                                       : order_gradient(g, pass(x), norm, p, pass.recorded()));
         });
  return out;
}

Tensor logsumexp(const Tensor& input, const Dims& named, bool keepdim) {
  const ops::ReducedDims dims = ops::reduced_dims(input, named, "logsumexp");
  const Tensor out = ops::logsumexp(input, dims, keepdim);
  if (!records(input)) return out;
  record(out, "LogsumexpBackward0", {&input},
         [reduced = Reduced(input, dims), x = SavedTensor::input(0, input),
          y = SavedTensor::result(out)](Pass& pass) {
           const Tensor share = exp(sub(pass(x), reduced.expand(pass(y))));
           pass.accumulate_grad(0, mul(reduced.expand(pass.gradient()), share));
         });
  return out;
}

Tensor cumulative(const Tensor& input, std::int64_t named, bool product, const Tensor* out) {
  const int dim = ops::dim_of(input, named, product ? "cumprod" : "cumsum");
  const Tensor made = ops::cumulative(input, dim, product, out);
  if (records(input)) record_cumulative(made, input, dim, product);
  return made;
}

Tensor softmax(const Tensor& input, std::int64_t named, bool log) {
  const int dim = ops::dim_of(input, named, log ? "log_softmax" : "softmax");
  const Tensor out = ops::softmax(input, dim, log);
  if (!records(input)) return out;
  record(out, log ? "LogSoftmaxBackward0" : "SoftmaxBackward0", {&input},
         [dim, log, y = SavedTensor::result(out)](Pass& pass) {
           const Tensor& g = pass.gradient();
           const Tensor value = pass(y);
           if (log) return pass.accumulate_grad(0, sub(g, mul(exp(value), sum_along(g, dim))));
           const Tensor weighted = mul(g, value);
           pass.accumulate_grad(0, sub(weighted, mul(value, sum_along(weighted, dim))));
         });
  return out;
}

Tensor layer_norm(const Tensor& input, int dims, const Tensor& weight, const Tensor& bias,
                  double eps) {
  const auto wide = [](const Tensor& tensor) {
    return !tensor.defined() || tensor.dtype() == DType::kFloat32;
  };
  if (is_half(input.dtype()) && (weight.defined() || bias.defined()) && wide(weight) &&
      wide(bias)) {  // parameters that are kept in float32, as in mixed precision
    return cast(layer_norm(cast(input, DType::kFloat32), dims, weight, bias, eps), input.dtype());
  }
  const auto wanted = [](const Tensor& tensor) { return tensor.defined() && records(tensor); };
  const bool recorded = wanted(input) || wanted(weight) || wanted(bias);
  const ops::LayerNorm forward = ops::layer_norm(input, dims, weight, bias, eps, recorded);
  if (!recorded) return forward.out;
  record(forward.out, "NativeLayerNormBackward0", layer_norm_edges(input, weight, bias),
         LayerNormFormula{SavedTensor::input(0, input),
                          SavedTensor::input(1, weight, weight.defined()),
                          SavedTensor::constant(forward.mean), SavedTensor::constant(forward.rstd),
                          input.shape(), forward.sizes, eps, weight.defined(), bias.defined()});
  return forward.out;
}

}  // namespace gpukit::autograd
