#include "ops/complex.h"

#include <numbers>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "ops/creation.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/joining.h"
#include "ops/matmul.h"
#include "ops/promotion.h"
#include "ops/reduce.h"
#include "tensor/view.h"

namespace gpukit::ops {

namespace {

Tensor operand_of(const Tensor& tensor, DType dtype, const Shape& shape) {
  const Tensor in = cast(tensor, dtype);
  return in.count() == 1 ? contiguous(in) : contiguous(expand(in, shape));
}

int step_of(const Tensor& operand) { return operand.count() == 1 ? 0 : 1; }

Tensor run(ComplexOp op, const Tensor& input) {
  const Tensor in = contiguous(input);
  Tensor out = empty_on(in.open_device(), in.shape(), in.dtype());
  if (out.count() == 0) return out;
  const Call call(in);
  call.use(in);
  ComplexArgs args{op, in.dtype(), in.count(), out.data(), in.data()};
  call.ops.complex_function(args, call.stream);
  return out;
}

Tensor run(ComplexOp op, const Tensor& left, const Tensor& right, const Shape& shape, DType dtype) {
  const Tensor a = operand_of(left, dtype, shape), b = operand_of(right, dtype, shape);
  Tensor out = empty_on(a.open_device(), shape, dtype);
  if (out.count() == 0) return out;
  const Call call(out);
  call.use(a, b);
  ComplexArgs args{op, dtype, out.count(), out.data(), a.data(), b.data(), step_of(a), step_of(b)};
  call.ops.complex_function(args, call.stream);
  return out;
}

/// Sums and differences are those of the parts.
Tensor added(BinaryOp op, const Tensor& left, const Tensor& right, const Shape& shape,
             DType dtype) {
  const Tensor a = contiguous(expand(cast(left, dtype), shape));
  const Tensor b = contiguous(expand(cast(right, dtype), shape));
  Tensor out = empty_on(a.open_device(), shape, dtype);
  const Tensor parts = flat_parts(out);
  binary(op, flat_parts(a), flat_parts(b), &parts);
  return out;
}

Tensor truth(const Tensor& tensor) { return cast(tensor, DType::kBool); }

/// Both parts equal; or one of them not.
Tensor compared(BinaryOp op, const Tensor& left, const Tensor& right, DType dtype) {
  const Tensor a = cast(left, dtype), b = cast(right, dtype);
  Tensor result = binary(op, real_part(a), real_part(b));
  binary_(op == BinaryOp::kEq ? BinaryOp::kLogicalAnd : BinaryOp::kLogicalOr, result,
          binary(op, imag_part(a), imag_part(b)));
  return result;
}

/// A test of both parts, joined.
Tensor tested(UnaryOp op, BinaryOp join, const Tensor& input) {
  Tensor result = unary(op, real_part(input));
  binary_(join, result, unary(op, imag_part(input)));
  return result;
}

[[noreturn]] void refuse(std::string_view op) {
  throw DTypeError(concat(op, ": not defined for complex tensors. Use X.abs(), X.real or X.imag."))
      .with_fix("X.abs()");
}

std::optional<ComplexOp> function_of(UnaryOp op) {
  switch (op) {
    case UnaryOp::kSqrt:
      return ComplexOp::kSqrt;
    case UnaryOp::kRsqrt:
      return ComplexOp::kRsqrt;
    case UnaryOp::kReciprocal:
      return ComplexOp::kReciprocal;
    case UnaryOp::kExp:
      return ComplexOp::kExp;
    case UnaryOp::kExp2:
      return ComplexOp::kExp2;
    case UnaryOp::kExpm1:
      return ComplexOp::kExpm1;
    case UnaryOp::kLog:
      return ComplexOp::kLog;
    case UnaryOp::kLog1p:
      return ComplexOp::kLog1p;
    case UnaryOp::kLog2:
      return ComplexOp::kLog2;
    case UnaryOp::kLog10:
      return ComplexOp::kLog10;
    case UnaryOp::kSin:
      return ComplexOp::kSin;
    case UnaryOp::kCos:
      return ComplexOp::kCos;
    case UnaryOp::kTan:
      return ComplexOp::kTan;
    case UnaryOp::kAsin:
      return ComplexOp::kAsin;
    case UnaryOp::kAcos:
      return ComplexOp::kAcos;
    case UnaryOp::kAtan:
      return ComplexOp::kAtan;
    case UnaryOp::kSinh:
      return ComplexOp::kSinh;
    case UnaryOp::kCosh:
      return ComplexOp::kCosh;
    case UnaryOp::kTanh:
      return ComplexOp::kTanh;
    case UnaryOp::kAsinh:
      return ComplexOp::kAsinh;
    case UnaryOp::kAcosh:
      return ComplexOp::kAcosh;
    case UnaryOp::kAtanh:
      return ComplexOp::kAtanh;
    case UnaryOp::kSigmoid:
      return ComplexOp::kSigmoid;
    default:
      return std::nullopt;
  }
}

bool takes_complex(BinaryOp op) {
  switch (op) {
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
    case BinaryOp::kMul:
    case BinaryOp::kDiv:
    case BinaryOp::kPow:
    case BinaryOp::kEq:
    case BinaryOp::kNe:
    case BinaryOp::kLogicalAnd:
    case BinaryOp::kLogicalOr:
    case BinaryOp::kLogicalXor:
      return true;
    default:
      return false;
  }
}

void check_parts(std::string_view op, const Tensor& first, const Tensor& second) {
  const DType dtype = first.dtype();
  if (dtype == second.dtype() && (dtype == DType::kFloat32 || dtype == DType::kFloat64))
    return check_same_device(op, first, second);
  throw DTypeError(concat(op, ": the parts are ", name(dtype), " and ", name(second.dtype()),
                          "; both must be float32 or both float64. Use .to('float32')."))
      .with_fix("X.to('float32')");
}

/// The product over the last dimension of a contiguous tensor of rank 1 or more: halves are
/// multiplied.
Tensor product_of_rows(Tensor rows) {
  const int last = rows.rank() - 1;
  while (rows.size(last) > 1) {
    const std::int64_t half = rows.size(last) / 2;
    const Tensor product =
        binary(BinaryOp::kMul, narrow(rows, last, 0, half), narrow(rows, last, half, half));
    if (rows.size(last) % 2 == 0) {
      rows = product;
    } else {
      const Tensor parts[] = {product, narrow(rows, last, 2 * half, 1)};
      rows = cat(parts, last);
    }
  }
  return rows;
}

Tensor product(const Tensor& input, ReducedDims dims, bool keepdim) {
  const Shape result = reduced_shape(input.shape(), dims, keepdim);
  const std::int64_t count = reduced_count(input.shape(), dims);
  if (count == 0 || element_count(result) == 0)
    return full(result, Scalar::integer(1), input.dtype(), input.device());
  Dims order;
  for (int i = 0; i < input.rank(); ++i) {
    if (!dims[i]) order.push_back(i);
  }
  for (int i = 0; i < input.rank(); ++i) {
    if (dims[i]) order.push_back(i);
  }
  const Tensor rows = reshape(permute(input, order), Shape{element_count(result), count});
  return reshape(product_of_rows(contiguous(rows)), result);
}

/// Each pass multiplies with what lies `step` before, for steps of 1, 2, 4, …
Tensor running_product(const Tensor& input, int dim) {
  Tensor result = clone(input);
  const std::int64_t length = input.rank() == 0 ? 1 : input.size(dim);
  for (std::int64_t step = 1; step < length; step *= 2) {
    const Tensor later = binary(BinaryOp::kMul, narrow(result, dim, step, length - step),
                                narrow(result, dim, 0, length - step));
    const Tensor parts[] = {narrow(result, dim, 0, step), later};
    result = cat(parts, dim);
  }
  return result;
}

}  // namespace

Tensor flat_parts(const Tensor& tensor) {
  return Tensor::make(tensor.storage(), real_dtype(tensor.dtype()), Shape{2 * tensor.count()},
                      Strides{1}, 2 * tensor.offset());
}

Tensor complex(const Tensor& real, const Tensor& imag) {
  check_parts("complex", real, imag);
  const Shape shape = broadcast_shapes(real.shape(), imag.shape(), "complex");
  const DType dtype = complex_dtype(real.dtype());
  check_shape(shape, itemsize(dtype), "complex");
  Tensor out = empty_on(real.open_device(), shape, dtype);
  copy_(real_part(out), real);
  copy_(imag_part(out), imag);
  return out;
}

Tensor polar(const Tensor& absolute, const Tensor& angle) {
  check_parts("polar", absolute, angle);
  return complex(binary(BinaryOp::kMul, absolute, unary(UnaryOp::kCos, angle)),
                 binary(BinaryOp::kMul, absolute, unary(UnaryOp::kSin, angle)));
}

Tensor conj(const Tensor& tensor) {
  if (!is_complex(tensor.dtype())) return tensor;
  Tensor out = clone(tensor);
  const Tensor imag = imag_part(out);
  if (out.count() > 0) unary(UnaryOp::kNeg, imag, &imag);
  return out;
}

Tensor angle(const Tensor& tensor) {
  if (is_complex(tensor.dtype()))
    return binary(BinaryOp::kAtan2, imag_part(tensor), real_part(tensor));
  // NaN stays NaN, and -0.0 counts as positive.
  const Tensor in = cast(tensor, is_floating(tensor.dtype()) ? tensor.dtype() : default_floating());
  const Tensor negative = cast(binary(BinaryOp::kLt, in, Scalar::integer(0)), in.dtype());
  const Tensor angles = binary(BinaryOp::kMul, negative, Scalar::floating(std::numbers::pi));
  return where(unary(UnaryOp::kIsNan, in), in, angles);
}

Tensor sgn(const Tensor& tensor) {
  if (!is_complex(tensor.dtype())) return unary(UnaryOp::kSign, tensor);
  const Tensor size = unary(UnaryOp::kAbs, tensor);
  const Tensor zero = full(Shape{}, Scalar::integer(0), tensor.dtype(), tensor.device());
  return where(binary(BinaryOp::kEq, size, Scalar::integer(0)), zero,
               complex(binary(BinaryOp::kDiv, real_part(tensor), size),
                       binary(BinaryOp::kDiv, imag_part(tensor), size)));
}

void check_real(std::string_view op, DType dtype) {
  if (is_complex(dtype)) [[unlikely]]
    refuse(op);
}

void check_real(std::string_view op, const Tensor& tensor) { check_real(op, tensor.dtype()); }

Tensor complex_unary(UnaryOp op, const Tensor& input) {
  if (const auto function = function_of(op)) return run(*function, input);
  switch (op) {
    case UnaryOp::kNeg: {
      Tensor out = clone(input);
      const Tensor parts = flat_parts(out);
      if (out.count() > 0) unary(UnaryOp::kNeg, parts, &parts);
      return out;
    }
    case UnaryOp::kAbs:
      return binary(BinaryOp::kHypot, real_part(input), imag_part(input));
    case UnaryOp::kSquare:
      return complex_binary(BinaryOp::kMul, input, input, input.dtype());
    case UnaryOp::kLogicalNot:
      return unary(UnaryOp::kLogicalNot, truth(input));
    case UnaryOp::kIsNan:
    case UnaryOp::kIsInf:
      return tested(op, BinaryOp::kLogicalOr, input);
    case UnaryOp::kIsFinite:
      return tested(op, BinaryOp::kLogicalAnd, input);
    default:
      refuse(name(op));
  }
}

void check_complex(BinaryOp op, std::string_view call) {
  if (!takes_complex(op)) refuse(call);
}

Tensor complex_binary(BinaryOp op, const Tensor& left, const Tensor& right, DType promoted) {
  check_complex(op, name(op));
  check_same_device(name(op), left, right);
  const Shape shape = broadcast_shapes(left.shape(), right.shape(), name(op));
  check_shape(shape, itemsize(promoted), name(op));
  switch (op) {
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
      return added(op, left, right, shape, promoted);
    case BinaryOp::kMul:
      return run(ComplexOp::kMul, left, right, shape, promoted);
    case BinaryOp::kDiv:
      return run(ComplexOp::kDiv, left, right, shape, promoted);
    case BinaryOp::kPow:
      return run(ComplexOp::kPow, left, right, shape, promoted);
    case BinaryOp::kEq:
    case BinaryOp::kNe:
      return compared(op, left, right, promoted);
    default:
      return binary(op, truth(left), truth(right));
  }
}

Tensor complex_reduce(ReduceOp op, const Tensor& input, ReducedDims dims, bool keepdim) {
  switch (op) {
    case ReduceOp::kSum:
    case ReduceOp::kMean:
      return complex(reduce(op, real_part(input), dims, keepdim),
                     reduce(op, imag_part(input), dims, keepdim));
    case ReduceOp::kProd:
      return product(input, dims, keepdim);
    case ReduceOp::kNorm1:
    case ReduceOp::kNorm2:
      return reduce(op, unary(UnaryOp::kAbs, input), dims, keepdim);
    case ReduceOp::kAll:
    case ReduceOp::kAny:
    case ReduceOp::kCountNonzero:
      return reduce(op, truth(input), dims, keepdim);
    default:
      refuse(name(op));
  }
}

Tensor complex_cumulative(const Tensor& input, int dim, bool product) {
  if (product) return running_product(input, dim);
  return complex(cumulative(real_part(input), dim, false),
                 cumulative(imag_part(input), dim, false));
}

Tensor complex_matmul(const Tensor& left, const Tensor& right, std::string_view op) {
  const Tensor a = contiguous(real_part(left)), b = contiguous(imag_part(left));
  const Tensor c = contiguous(real_part(right)), d = contiguous(imag_part(right));
  const Tensor real = matmul(a, c, nullptr, op), imag = matmul(a, d, nullptr, op);
  binary_(BinaryOp::kSub, real, matmul(b, d, nullptr, op));
  binary_(BinaryOp::kAdd, imag, matmul(b, c, nullptr, op));
  return complex(real, imag);
}

}  // namespace gpukit::ops
