// Conversions and copies: cast, clone, contiguous, copy_, fill_.
#include "backend/registry.h"
#include "base/check.h"
#include "base/error.h"
#include "ops/complex.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/promotion.h"
#include "tensor/transfer.h"
#include "tensor/view.h"

namespace gpukit::ops {

namespace {

void run_copy(const Tensor& target, const Tensor& source);

/// A complex element as an integer of its size, where there is one.
Tensor as_items(const Tensor& tensor) {
  return Tensor::make(tensor.storage(), DType::kInt64, tensor.shape(), tensor.strides(),
                      tensor.offset());
}

void copy_complex(const Tensor& target, const Tensor& source) {
  const bool from_complex = is_complex(source.dtype()), to_complex = is_complex(target.dtype());
  if (!to_complex) {
    run_copy(target, real_part(source));
    if (target.dtype() == DType::kBool)
      binary_(BinaryOp::kLogicalOr, target, cast(imag_part(source), DType::kBool));
    return;
  }
  if (!from_complex) {
    run_copy(real_part(target), source);
    return fill_(imag_part(target), Scalar::integer(0));
  }
  if (target.is_contiguous() && source.is_contiguous() && target.count() == source.count())
    return run_copy(flat_parts(target), flat_parts(source));
  if (target.dtype() == source.dtype() && target.dtype() == DType::kComplex64)
    return run_copy(as_items(target), as_items(source));
  run_copy(real_part(target), real_part(source));
  run_copy(imag_part(target), imag_part(source));
}

/// Same device, no dangerous overlap; the source broadcasts to the target.
void run_copy(const Tensor& target, const Tensor& source) {
  if (target.count() == 0) return;
  if (is_complex(target.dtype()) || is_complex(source.dtype())) [[unlikely]]
    return copy_complex(target, source);
  const Call call(target);
  CopyArgs args;
  if (target.is_contiguous() && source.is_contiguous() && target.count() == source.count()) {
    args.shape = flat_shape(target.count());
    args.out = flat_operand(target);
    args.in = flat_operand(source);
  } else {
    args.shape = target.shape();
    args.out = operand(target);
    args.in = operand(source, target.shape());
    merge_operands(args.shape, args.out, args.in);
  }
  call.use(target, source);
  call.ops.copy(args, call.stream);
}

Tensor compact(const Tensor& input, DType dtype) {
  if (!input.is_contiguous()) check_shape(input.shape(), itemsize(dtype), "copy");
  Tensor out = empty_on(input.open_device(), input.shape(), dtype);
  run_copy(out, input);
  return out;
}

void check_copy_shapes(const Tensor& target, const Tensor& source) {
  GPUKIT_CHECK(broadcasts_to(source.shape(), target.shape()), ShapeError,
               "copy_: ", describe("target", target), ", ", describe("source", source),
               "; the source does not broadcast to the target.");
}

/// What the plan lets cross: contiguous, and in the dtype in which it crosses.
Tensor ready_to_send(const Tensor& source, DType target_dtype, const TransferPlan& plan) {
  return contiguous(plan.casts_on_target ? source : cast(source, target_dtype));
}

void copy_between_devices(const Tensor& target, const Tensor& source, bool non_blocking) {
  TransferPlan plan = plan_transfer(
      source, target.open_device(),
      {.dtype = target.dtype(), .non_blocking = non_blocking, .stream = {}, .packs_first = true});
  const Tensor packed = ready_to_send(source, target.dtype(), plan);
  const bool direct = target.is_contiguous() && packed.dtype() == target.dtype() &&
                      packed.shape() == target.shape();
  if (direct) {
    transfer(plan, packed, &target);
    return;
  }
  run_copy(target, transfer(plan, packed));
}

/// The whole memory of a strided tensor, as one dimension.
Tensor memory_of(const Tensor& input, const OffsetRange& range) {
  return Tensor::make(input.storage(), input.dtype(), Shape{range.highest - range.lowest + 1},
                      Strides{1}, input.offset() + range.lowest);
}

}  // namespace

Tensor to_device(const Tensor& input, Device device, const TransferOptions& options) {
  const DType dtype = options.dtype.value_or(input.dtype());
  const TransferPlan plan = plan_transfer(input, open_device(device), options);
  const Tensor sent = plan.casts_on_target ? input : cast(input, dtype);
  if (!plan.packs_on_target) return cast(transfer(plan, contiguous(sent)), dtype);
  const OffsetRange range = offset_range(sent.shape(), sent.strides());
  const Tensor arrived = transfer(plan, memory_of(sent, range));
  const Tensor strided =
      Tensor::make(arrived.storage(), sent.dtype(), sent.shape(), sent.strides(), -range.lowest);
  return cast(contiguous(strided), dtype);
}

Tensor cast(const Tensor& input, DType dtype) {
  return input.dtype() == dtype ? input : compact(input, dtype);
}

Tensor clone(const Tensor& input) { return compact(input, input.dtype()); }

Tensor contiguous(const Tensor& input) { return input.is_contiguous() ? input : clone(input); }

void copy_(const Tensor& target, const Tensor& source, bool non_blocking) {
  check_target("copy_", target);
  check_copy_shapes(target, source);
  if (target.is_same(source)) return target.storage()->bump_version();
  if (target.count() == 0) return;
  if (is_host_scalar(source) && !target.on_host()) return fill_(target, read_scalar(source));
  if (&target.open_device() != &source.open_device()) {
    copy_between_devices(target, source, non_blocking);
  } else {
    run_copy(target, overlaps_shifted(target, source) ? clone(source) : source);
  }
  target.storage()->bump_version();
}

namespace {

void run_fill(const Tensor& target, Scalar value) {
  if (is_complex(target.dtype())) [[unlikely]] {
    run_fill(real_part(target), Scalar::floating(value.as_double()));
    return run_fill(imag_part(target), Scalar::floating(value.imaginary()));
  }
  const Call call(target);
  FillArgs args;
  args.value = value;
  args.shape = target.shape();
  args.out = operand(target);
  merge_operands(args.shape, args.out);
  call.use(target);
  call.ops.fill(args, call.stream);
}

}  // namespace

void fill_(const Tensor& target, Scalar value) {
  check_target("fill_", target);
  if (target.count() == 0) return;
  run_fill(target, value);
  target.storage()->bump_version();
}

}  // namespace gpukit::ops
