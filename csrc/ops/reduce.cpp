#include "ops/reduce.h"

#include <limits>

#include "base/check.h"
#include "base/error.h"
#include "ops/complex.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/out_tensor.h"

namespace gpukit::ops {

namespace {

bool is_arg(ReduceOp op) { return op == ReduceOp::kArgMax || op == ReduceOp::kArgMin; }
bool is_sum_like(ReduceOp op) { return op == ReduceOp::kSum || op == ReduceOp::kProd; }
bool needs_floating(ReduceOp op) {
  return op == ReduceOp::kMean || op == ReduceOp::kNorm1 || op == ReduceOp::kNorm2;
}
bool is_extreme(ReduceOp op) { return op == ReduceOp::kMax || op == ReduceOp::kMin; }

DType result_dtype(ReduceOp op, DType in) {
  if (is_arg(op) || op == ReduceOp::kCountNonzero) return DType::kInt64;
  if (op == ReduceOp::kAll || op == ReduceOp::kAny) return DType::kBool;
  return is_sum_like(op) ? sum_dtype(in) : in;
}

/// The input in the dtype that is reduced.
static_assert(kDTypeKindCount == 4, "max, min, argmax and argmin take kinds that have an order");
Tensor prepare(ReduceOp op, const Tensor& input, std::optional<DType> dtype) {
  if (needs_floating(op)) {
    const DType wanted = dtype.value_or(input.dtype());
    if (!is_differentiable(wanted)) {
      throw DTypeError(concat(name(op), ": dtype ", name(wanted),
                              " is not a floating type. Use X.float().", name(op), "()."))
          .with_fix(concat("X.float().", name(op), "()"));
    }
    return cast(input, wanted);
  }
  // Truth values are taken before they are added up, or halves and fractions would cancel.
  if (is_sum_like(op) && dtype == DType::kBool) return cast(input, DType::kBool);
  // Sums of integers are kept in 64 bits, whatever integer dtype is wanted in the end.
  if (is_sum_like(op) && dtype) {
    const auto has_fractions = [](DType of) {
      return of_kind(kind_of(of), false, false, true, true);
    };
    if (has_fractions(*dtype)) return cast(input, *dtype);
    if (has_fractions(input.dtype())) return cast(input, sum_dtype(*dtype));
  }
  if (is_arg(op) && input.dtype() == DType::kBool) return cast(input, DType::kUInt8);
  return input;
}

/// Truth values: the largest is "any", the smallest "all".
ReduceOp for_dtype(ReduceOp op, DType in) {
  if (in != DType::kBool || !is_extreme(op)) return op;
  return op == ReduceOp::kMax ? ReduceOp::kAny : ReduceOp::kAll;
}

Scalar empty_result(ReduceOp op) {
  if (op == ReduceOp::kMean) return Scalar::floating(std::numeric_limits<double>::quiet_NaN());
  const bool one = op == ReduceOp::kProd || op == ReduceOp::kAll;
  return Scalar::integer(one ? 1 : 0);
}

void check_not_empty(ReduceOp op, const Tensor& input) {
  GPUKIT_CHECK(!is_arg(op) && !is_extreme(op), DimensionError, name(op), ": ", describe("X", input),
               "; there are no elements to choose from.");
}

void run(ReduceOp op, const Tensor& out, const Tensor& in, ReducedDims dims) {
  ReduceArgs args;
  args.op = op;
  split_dims(in, dims, is_arg(op), args);
  if (is_arg(op) && args.reduced.size() > 1) {
    // The index is counted in row-major order, which only one run in memory gives.
    const Tensor packed = contiguous(in);
    if (!packed.is_same(in)) return run(op, out, packed, dims);
  }
  const Call call(in);
  args.in = in.data();
  args.in_dtype = in.dtype();
  args.out = out.data();
  args.out_dtype = out.dtype();
  call.use(out, in);
  call.ops.reduce(args, call.stream);
}

}  // namespace

Tensor reduce(ReduceOp op, const Tensor& input, ReducedDims dims, bool keepdim,
              std::optional<DType> dtype, const Tensor* out) {
  const Tensor in = prepare(op, input, dtype);
  if (is_complex(in.dtype())) [[unlikely]] {
    const Tensor made = complex_reduce(op, in, dims, keepdim);
    return is_sum_like(op) ? cast(made, dtype.value_or(made.dtype())) : made;
  }
  const ReduceOp effective = for_dtype(op, in.dtype());
  const Shape shape = reduced_shape(in.shape(), dims, keepdim);
  const DType out_dtype = result_dtype(op, in.dtype());
  check_shape(shape, itemsize(out_dtype), name(op));
  Tensor made = result_apart(out, in.open_device(), shape, out_dtype, in);
  if (in.count() > 0) {
    run(effective, made, in, dims);
  } else {
    if (reduced_count(in.shape(), dims) == 0) check_not_empty(op, input);
    fill_(made, empty_result(op));
  }
  return is_sum_like(op) ? cast(made, dtype.value_or(out_dtype)) : made;
}

Tensor cumulative(const Tensor& input, int dim, bool product, const Tensor* out) {
  if (is_complex(input.dtype())) [[unlikely]]
    return complex_cumulative(input, dim, product);
  const Tensor in = contiguous(cast(input, sum_dtype(input.dtype())));
  Tensor made = result_apart(out, in.open_device(), in.shape(), in.dtype(), in);
  if (in.count() == 0) return made;
  const Around sizes = around(in.shape(), dim);
  const Call call(in);
  CumulativeArgs args;
  args.outer = sizes.outer;
  args.length = sizes.extent;
  args.inner = sizes.inner;
  args.in = in.data();
  args.out = made.data();
  args.dtype = in.dtype();
  args.product = product;
  call.use(made, in);
  call.ops.cumulative(args, call.stream);
  return made;
}

}  // namespace gpukit::ops
