// Reductions made of several passes: variance, norms, logsumexp, softmax.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "ops/complex.h"
#include "ops/creation.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/promotion.h"
#include "ops/reduce.h"
#include "tensor/view.h"

namespace gpukit::ops {

namespace {

void check_floating(const Tensor& input, std::string_view op) {
  if (is_floating(input.dtype())) return;
  throw DTypeError(concat(op, ": dtype ", name(input.dtype()),
                          " is not a floating type. Use X.float().", op, "()."))
      .with_fix(concat("X.float().", op, "()"));
}

Tensor floating(const Tensor& input) {
  const DType other = default_floating();
  return cast(input, of_kind(kind_of(input.dtype()), other, other, input.dtype(), input.dtype()));
}

Tensor sum_of_squares_about_mean(const Tensor& in, ReducedDims dims, bool keepdim) {
  const Tensor mean = reduce(ReduceOp::kMean, in, dims, true);
  const Tensor squares = binary(BinaryOp::kSub, in, mean);
  unary_(UnaryOp::kSquare, squares);
  return reduce(ReduceOp::kSum, squares, dims, keepdim);
}

Tensor general_norm(const Tensor& in, double p, ReducedDims dims, bool keepdim) {
  const Tensor powers = unary(UnaryOp::kAbs, cast(in, working_dtype(in.dtype())));
  binary_(BinaryOp::kPow, powers, Scalar::floating(p));
  const Tensor sum = reduce(ReduceOp::kSum, powers, dims, keepdim);
  binary_(BinaryOp::kPow, sum, Scalar::floating(1.0 / p));
  return cast(sum, in.dtype());
}

Tensor extreme_norm(ReduceOp op, const Tensor& in, ReducedDims dims, bool keepdim) {
  if (op == ReduceOp::kMax && reduced_count(in.shape(), dims) == 0) {
    const Tensor out =
        empty_on(in.open_device(), reduced_shape(in.shape(), dims, keepdim), in.dtype());
    fill_(out, Scalar::integer(0));
    return out;
  }
  return reduce(op, unary(UnaryOp::kAbs, in), dims, keepdim);
}

Tensor exponentials_summed(const Tensor& in, const Tensor& shift, ReducedDims dims, bool keepdim) {
  const Tensor powers = binary(BinaryOp::kSub, in, shift);
  unary_(UnaryOp::kExp, powers);
  const Tensor sum = reduce(ReduceOp::kSum, powers, dims, keepdim);
  unary_(UnaryOp::kLog, sum);
  return sum;
}

/// The largest value of each set, with 0 where that is infinite (so that no inf - inf is computed).
Tensor finite_maximum(const Tensor& in, ReducedDims dims) {
  const Tensor largest = reduce(ReduceOp::kMax, in, dims, true);
  const Tensor zero = full(Shape{}, Scalar::integer(0), in.dtype(), in.device());
  return where(unary(UnaryOp::kIsInf, largest), zero, largest);
}

/// The variances of the parts add up.
Tensor complex_variance(const Tensor& input, ReducedDims dims, bool keepdim, double correction,
                        bool root) {
  const Tensor sum = variance(real_part(input), dims, keepdim, correction, false);
  binary_(BinaryOp::kAdd, sum, variance(imag_part(input), dims, keepdim, correction, false));
  if (root) unary_(UnaryOp::kSqrt, sum);
  return sum;
}

}  // namespace

Tensor variance(const Tensor& input, ReducedDims dims, bool keepdim, double correction, bool root) {
  const std::string_view op = root ? "std" : "var";
  if (is_complex(input.dtype())) return complex_variance(input, dims, keepdim, correction, root);
  check_floating(input, op);
  const Tensor in = cast(input, working_dtype(input.dtype()));
  const Tensor result = sum_of_squares_about_mean(in, dims, keepdim);
  const auto count = static_cast<double>(reduced_count(in.shape(), dims));
  binary_(BinaryOp::kDiv, result, Scalar::floating(std::max(0.0, count - correction)));
  if (root) unary_(UnaryOp::kSqrt, result);
  return cast(result, input.dtype());
}

Tensor norm(const Tensor& input, double p, ReducedDims dims, bool keepdim,
            std::optional<DType> dtype) {
  const Tensor given = cast(input, dtype.value_or(input.dtype()));
  const Tensor in = is_complex(given.dtype()) ? unary(UnaryOp::kAbs, given) : given;
  check_floating(in, "norm");
  GPUKIT_CHECK(!std::isnan(p), ValueError, "norm: p is nan. Use a number, 'fro' or inf.");
  if (p == 2.0) return reduce(ReduceOp::kNorm2, in, dims, keepdim);
  if (p == 1.0) return reduce(ReduceOp::kNorm1, in, dims, keepdim);
  if (p == 0.0) return cast(reduce(ReduceOp::kCountNonzero, in, dims, keepdim), in.dtype());
  if (std::isinf(p))
    return extreme_norm(p > 0 ? ReduceOp::kMax : ReduceOp::kMin, in, dims, keepdim);
  return general_norm(in, p, dims, keepdim);
}

Tensor logsumexp(const Tensor& input, ReducedDims dims, bool keepdim) {
  check_real("logsumexp", input);
  const Tensor given = floating(input);
  const Tensor in = cast(given, working_dtype(given.dtype()));
  if (in.count() == 0) {
    const Tensor out =
        empty_on(in.open_device(), reduced_shape(in.shape(), dims, keepdim), given.dtype());
    fill_(out, Scalar::floating(-std::numeric_limits<double>::infinity()));
    return out;
  }
  const Tensor shift = finite_maximum(in, dims);
  const Tensor result = exponentials_summed(in, shift, dims, true);
  binary_(BinaryOp::kAdd, result, shift);
  const Shape shape = reduced_shape(in.shape(), dims, keepdim);
  return cast(view(result, shape), given.dtype());
}

Tensor softmax(const Tensor& input, int dim, bool log) {
  check_real(log ? "log_softmax" : "softmax", input);
  const Tensor in = floating(input);
  const int last = in.rank() - 1;
  if (last >= 0 && dim != last) {
    return contiguous(transpose(softmax(transpose(in, dim, last), last, log), dim, last));
  }
  const Tensor rows = contiguous(in);
  Tensor out = empty_on(rows.open_device(), rows.shape(), rows.dtype());
  if (rows.count() == 0) return out;
  const Call call(rows);
  SoftmaxArgs args;
  args.columns = rows.rank() == 0 ? 1 : rows.size(last);
  args.rows = rows.count() / args.columns;
  args.in = rows.data();
  args.out = out.data();
  args.dtype = rows.dtype();
  args.log = log;
  call.use(rows);
  call.ops.softmax(args, call.stream);
  return out;
}

namespace {

/// weight or bias, contiguous, or undefined.
Tensor companion(const Tensor& input, const Shape& shape, std::string_view what,
                 const Tensor& given) {
  if (!given.defined()) return given;
  GPUKIT_CHECK(given.shape() == shape, ShapeError, "layer_norm: ", what, " is ",
               to_string(given.shape()), "; ", to_string(shape), " is needed.");
  GPUKIT_CHECK(given.dtype() == input.dtype(), DTypeError, "layer_norm: ", what, " is ",
               name(given.dtype()), ", input ", name(input.dtype()), ". Use ", what, ".to('",
               name(input.dtype()), "').");
  check_same_device("layer_norm", input, given);
  return contiguous(given);
}

void* address_or_null(const Tensor& tensor) { return tensor.defined() ? tensor.data() : nullptr; }

}  // namespace

LayerNorm layer_norm(const Tensor& input, int dims, const Tensor& weight, const Tensor& bias,
                     double eps, bool statistics) {
  check_real("layer_norm", input);
  const Tensor in = contiguous(floating(input));
  LayerNorm result;
  result.sizes = Shape(std::span(in.shape().end() - dims, static_cast<std::size_t>(dims)));
  const Tensor scale = companion(in, result.sizes, "weight", weight);
  const Tensor shift = companion(in, result.sizes, "bias", bias);
  result.out = empty_on(in.open_device(), in.shape(), in.dtype());
  LayerNormArgs args;
  args.columns = element_count(result.sizes);
  args.rows = in.count() == 0 ? 0 : in.count() / args.columns;
  if (statistics) {
    result.mean = empty_on(in.open_device(), Shape{args.rows}, working_dtype(in.dtype()));
    result.rstd = empty_on(in.open_device(), Shape{args.rows}, working_dtype(in.dtype()));
  }
  if (args.rows == 0) return result;
  args.in = in.data();
  args.weight = address_or_null(scale);
  args.bias = address_or_null(shift);
  args.out = result.out.data();
  args.mean = address_or_null(result.mean);
  args.rstd = address_or_null(result.rstd);
  args.dtype = in.dtype();
  args.eps = eps;
  const Call call(in);
  call.use(in);
  if (scale.defined()) call.use(scale);
  if (shift.defined()) call.use(shift);
  call.ops.layer_norm(args, call.stream);
  return result;
}

}  // namespace gpukit::ops
