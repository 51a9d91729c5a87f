#include <array>
#include <limits>

#include "base/check.h"
#include "base/error.h"
#include "core/number_range.h"
#include "ops/complex.h"
#include "ops/creation.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/out_tensor.h"
#include "ops/promotion.h"

namespace gpukit::ops {

namespace {

constexpr bool takes_dtype(BinaryOp op, DType dtype) {
  return takes(domain_of(op),
               [dtype](auto... answers) { return of_kind(kind_of(dtype), answers...); });
}

/// Bit d of entry op: operands of dtype d go to the backend as they are.
static_assert(kDTypeCount <= 16);
constexpr auto kDirect = [] {
  std::array<std::uint16_t, static_cast<std::size_t>(BinaryOp::kCount)> table{};
  for (std::size_t op = 0; op < table.size(); ++op) {
    for (int dtype = 0; dtype < kDTypeCount; ++dtype) {
      if (takes_dtype(static_cast<BinaryOp>(op), static_cast<DType>(dtype))) {
        table[op] = static_cast<std::uint16_t>(table[op] | 1u << dtype);
      }
    }
  }
  return table;
}();

inline bool is_direct(BinaryOp op, DType dtype) {
  return (kDirect[static_cast<std::size_t>(op)] >> static_cast<int>(dtype) & 1u) != 0;
}

[[noreturn]] void refuse_bool(BinaryOp op, std::string_view call) {
  if (op == BinaryOp::kSub) {
    throw DTypeError(
        "sub: bool tensors cannot be subtracted. Use X ^ Y (differs) or X & ~Y (without).")
        .with_fix("X ^ Y");
  }
  throw DTypeError(concat(call, ": not defined for bool tensors. Convert with .to('int64') first."))
      .with_fix("X.to('int64')");
}

[[noreturn]] void refuse(BinaryOp op, DType dtype, std::string_view call) {
  switch (kind_of(dtype)) {
    case DTypeKind::kBool:
      refuse_bool(op, call);
    case DTypeKind::kInteger:
    case DTypeKind::kFloating:
    case DTypeKind::kComplex:  // computed elsewhere
      throw DTypeError(concat(call, ": dtype ", name(dtype),
                              " is not an integer or bool type. Convert with .to(",
                              "'int64') first."))
          .with_fix("X.to('int64')");
  }
  __builtin_unreachable();
}

/// The dtype that both operands are converted to. `call`: what errors name, the operator where
/// empty.
DType compute_dtype(BinaryOp op, DType promoted, std::string_view call = {}) {
  if (is_direct(op, promoted)) return promoted;
  if (is_complex(promoted)) {
    check_complex(op, call.empty() ? name(op) : call);
    return promoted;
  }
  if (domain_of(op) == Domain::kFunction) return default_floating();
  refuse(op, promoted, call.empty() ? name(op) : call);
}

DType output_dtype(BinaryOp op, DType compute) { return gives_bool(op) ? DType::kBool : compute; }

/// out = op(left, right), all of their final dtypes; the operands broadcast to out.
void run(BinaryOp op, const Tensor& out, const Tensor& left, const Tensor& right) {
  if (out.count() == 0) return;
  const Call call(out);
  BinaryArgs args;
  args.op = op;
  const bool flat = out.is_contiguous() && left.is_contiguous() && right.is_contiguous() &&
                    left.count() == out.count() && right.count() == out.count();
  if (flat) {
    args.shape = flat_shape(out.count());
    args.out = flat_operand(out);
    args.left = flat_operand(left);
    args.right = flat_operand(right);
  } else {
    args.shape = out.shape();
    args.out = operand(out);
    args.left = operand(left, out.shape());
    args.right = operand(right, out.shape());
    merge_operands(args.shape, args.out, args.left, args.right);
  }
  call.use(out, left, right);
  call.ops.binary(args, call.stream);
}

void run(BinaryOp op, const Tensor& out, const Tensor& tensor, Scalar scalar, ScalarSide side) {
  if (out.count() == 0) return;
  const Call call(out);
  BinaryArgs args;
  args.op = op;
  args.scalar = scalar;
  args.scalar_side = side;
  Operand& in = side == ScalarSide::kLeft ? args.right : args.left;
  if (out.is_contiguous() && tensor.is_contiguous() && tensor.count() == out.count()) {
    args.shape = flat_shape(out.count());
    args.out = flat_operand(out);
    in = flat_operand(tensor);
  } else {
    args.shape = out.shape();
    args.out = operand(out);
    in = operand(tensor, out.shape());
    merge_operands(args.shape, args.out, in);
  }
  call.use(out, tensor);
  call.ops.binary(args, call.stream);
}

/// Two contiguous operands of one shape, dtype and device that the backend takes as they are.
bool are_alike(BinaryOp op, const Tensor& left, const Tensor& right) {
  return left.dtype() == right.dtype() && left.is_contiguous() && right.is_contiguous() &&
         &left.open_device() == &right.open_device() && left.shape() == right.shape() &&
         is_direct(op, left.dtype());
}

/// Without wrapping around, as an operand does not.
bool holds(Scalar number, DType dtype) {
  if (of_kind(kind_of(dtype), true, false, true, true)) return true;
  const std::int64_t value = number.as_int64();
  if (dtype == DType::kUInt64) return number.is_huge() || value >= 0;
  if (dtype == DType::kInt64 || number.is_huge()) return !number.is_huge();
  const int bits = static_cast<int>(itemsize(dtype)) * 8;
  if (!dtype_info(dtype).is_signed) return value >= 0 && value < std::int64_t{1} << bits;
  return value >= -(std::int64_t{1} << (bits - 1)) && value < std::int64_t{1} << (bits - 1);
}

/// Comparing with a number beyond the dtype must not wrap it around: uint8 < 300 is true. Below
/// uint64 there are negative numbers only, which float64 keeps apart from all of it.
DType comparison_dtype(BinaryOp op, DType promoted, Scalar scalar) {
  if (!is_comparison(op) || scalar.kind() > DTypeKind::kInteger || holds(scalar, promoted))
    return promoted;
  return promoted == DType::kUInt64 || scalar.is_huge() ? DType::kFloat64 : DType::kInt64;
}

/// The same for 0-d tensors, which are weak otherwise.
DType promoted_dtype(BinaryOp op, const Tensor& left, const Tensor& right) {
  const bool whole = is_integer(left.dtype()) && is_integer(right.dtype());
  return is_comparison(op) && whole ? promote(left.dtype(), right.dtype())
                                    : result_dtype(left, right);
}

void check_exponent(DType compute, Scalar exponent) {
  const bool whole = of_kind(kind_of(compute), true, true, false, false);
  GPUKIT_CHECK(!whole || exponent.as_double() >= 0, ValueError,
               "pow: Integers to negative integer powers are not allowed; the exponent is ",
               exponent.as_int64(), ". Use X.float() ** ", exponent.as_int64(), ".");
}

/// A number is an element of the result's dtype; of float32 and float64 any float will do.
void check_exponent_fits(BinaryOp op, DType result, Scalar exponent) {
  if (op != BinaryOp::kPow) return;
  const bool narrow = of_kind(kind_of(result), true, true, is_half(result), false);
  GPUKIT_CHECK(!narrow || fits(exponent, result), RangeError, "pow: exponent ",
               exponent.as_double(), " does not fit into ", name(result), " (", range_text(result),
               "). Use a dtype that holds it.");
}

Tensor complex_with_scalar(BinaryOp op, const Tensor& tensor, Scalar scalar, ScalarSide side,
                           DType promoted) {
  check_complex(op, name(op));
  const Tensor number = full(Shape{}, scalar, promoted, tensor.device());
  return side == ScalarSide::kRight ? complex_binary(op, tensor, number, promoted)
                                    : complex_binary(op, number, tensor, promoted);
}

Tensor with_scalar(BinaryOp op, const Tensor& tensor, Scalar scalar, ScalarSide side,
                   DType promoted, const Tensor* out) {
  if (is_complex(promoted)) return complex_with_scalar(op, tensor, scalar, side, promoted);
  const DType compute = compute_dtype(op, comparison_dtype(op, promoted, scalar));
  if (op == BinaryOp::kPow && side == ScalarSide::kRight) {
    check_exponent(compute, scalar);
    if (scalar.as_double() == 2.0) return unary(UnaryOp::kSquare, cast(tensor, compute), out);
  }
  const Tensor in = cast(tensor, compute);
  const Tensor made =
      result_of_elements(out, in.open_device(), in.shape(), output_dtype(op, compute), in);
  run(op, made, in, scalar, side);
  return made;
}

struct BinaryPlan {
  Shape shape;
  DType compute;
};

BinaryPlan plan(BinaryOp op, const Tensor& left, const Tensor& right, DType promoted,
                std::string_view call) {
  check_same_device(call, left, right);
  const BinaryPlan plan{broadcast_shapes(left.shape(), right.shape(), call),
                        compute_dtype(op, promoted, call)};
  check_shape(plan.shape, itemsize(plan.compute), call);
  return plan;
}

Tensor binary_mixed(BinaryOp op, const Tensor& left, const Tensor& right, const Tensor* out) {
  const DType promoted = promoted_dtype(op, left, right);
  if (is_host_scalar(right))
    return with_scalar(op, left, read_scalar(right), ScalarSide::kRight, promoted, out);
  if (is_host_scalar(left))
    return with_scalar(op, right, read_scalar(left), ScalarSide::kLeft, promoted, out);
  if (is_complex(promoted)) return complex_binary(op, left, right, promoted);
  const auto [shape, compute] = plan(op, left, right, promoted, name(op));
  const Tensor a = cast(left, compute), b = cast(right, compute);
  Tensor made = result_of_elements(out, left.open_device(), shape, output_dtype(op, compute), a, b);
  run(op, made, a, b);
  return made;
}

void check_storable(BinaryOp op, DType result, const Tensor& target) {
  if (can_store(result, target.dtype())) return;
  throw DTypeError(concat(in_place_name(op), ": the result is ", name(result),
                          ", which cannot be stored in X of ", name(target.dtype()),
                          ". Use the form that gives a new tensor, or X.to('", name(result),
                          "') first."))
      .with_fix(concat("X.to('", name(result), "')"));
}

/// True when the backend may write its result straight into the target.
bool writes_directly(BinaryOp op, const Tensor& target, DType compute) {
  return compute == target.dtype() && output_dtype(op, compute) == compute;
}

void assign_scalar_result(BinaryOp op, const Tensor& target, Scalar scalar, DType promoted) {
  check_target(in_place_name(op), target);
  const DType compute = compute_dtype(op, comparison_dtype(op, promoted, scalar));
  check_storable(op, output_dtype(op, compute), target);
  if (is_complex(compute))
    return copy_(target, with_scalar(op, target, scalar, ScalarSide::kRight, promoted, nullptr));
  if (op == BinaryOp::kPow) check_exponent(compute, scalar);
  if (writes_directly(op, target, compute)) {
    run(op, target, target, scalar, ScalarSide::kRight);
    target.storage()->bump_version();
  } else {
    copy_(target, with_scalar(op, target, scalar, ScalarSide::kRight, promoted, nullptr));
  }
}

void check_fits_target(BinaryOp op, const Tensor& target, const Tensor& right) {
  if (broadcasts_to(right.shape(), target.shape())) return;
  const Shape shape = broadcast_shapes(target.shape(), right.shape(), in_place_name(op));
  throw ShapeError(concat(in_place_name(op), ": ", describe("X", target), ", ",
                          describe("Y", right), "; the result of shape ", to_string(shape),
                          " does not fit into X. Use the form that gives a new tensor."));
}

}  // namespace

Tensor binary(BinaryOp op, const Tensor& left, const Tensor& right) {
  if (!are_alike(op, left, right)) [[unlikely]]
    return binary_mixed(op, left, right, nullptr);
  OpenDevice& device = left.open_device();
  const DType dtype = left.dtype(), out_dtype = output_dtype(op, dtype);
  Tensor out = empty_on(device, left.shape(), out_dtype);
  if (left.count() == 0) [[unlikely]]
    return out;
  const Call call(device);
  call.use(left, right);
  call.ops.flat_binary({op, dtype, out_dtype, left.count(), out.data(), left.data(), right.data()},
                       call.stream);
  return out;
}

Tensor binary(BinaryOp op, const Tensor& left, const Tensor& right, const Tensor* out) {
  return binary_mixed(op, left, right, out);
}

Tensor binary(BinaryOp op, const Tensor& left, Scalar right, const Tensor* out) {
  const DType result = result_dtype(left, right);
  check_exponent_fits(op, result, right);
  return with_scalar(op, left, right, ScalarSide::kRight, result, out);
}

Tensor binary(BinaryOp op, Scalar left, const Tensor& right, const Tensor* out) {
  return with_scalar(op, right, left, ScalarSide::kLeft, result_dtype(right, left), out);
}

void check_operands(BinaryOp op, const Tensor& left, const Tensor& right, std::string_view call) {
  const DType promoted = promoted_dtype(op, left, right);
  if (is_host_scalar(left) || is_host_scalar(right)) {
    compute_dtype(op, promoted, call);
  } else {
    plan(op, left, right, promoted, call);
  }
}

void check_operands(BinaryOp op, const Tensor& tensor, Scalar scalar, std::string_view call) {
  compute_dtype(op, result_dtype(tensor, scalar), call);
}

void binary_(BinaryOp op, const Tensor& target, const Tensor& right) {
  const DType promoted = promoted_dtype(op, target, right);
  if (is_host_scalar(right)) return assign_scalar_result(op, target, read_scalar(right), promoted);
  check_same_device(in_place_name(op), target, right);
  check_target(in_place_name(op), target);
  check_fits_target(op, target, right);
  const DType compute = compute_dtype(op, promoted);
  check_storable(op, output_dtype(op, compute), target);
  if (!writes_directly(op, target, compute) || is_complex(compute))
    return copy_(target, binary_mixed(op, target, right, nullptr));
  Tensor source = cast(right, compute);
  if (overlaps_shifted(target, source)) source = clone(source);
  run(op, target, target, source);
  target.storage()->bump_version();
}

void binary_(BinaryOp op, const Tensor& target, Scalar right) {
  const DType result = result_dtype(target, right);
  check_exponent_fits(op, result, right);
  assign_scalar_result(op, target, right, result);
}

}  // namespace gpukit::ops
