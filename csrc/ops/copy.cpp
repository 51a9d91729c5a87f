// Conversions and copies: cast, clone, contiguous, copy_, fill_.
#include "base/check.h"
#include "base/error.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/promotion.h"
#include "tensor/transfer.h"
#include "tensor/view.h"

namespace gpukit::ops {

namespace {

/// Same device, no dangerous overlap; the source broadcasts to the target.
void run_copy(const Tensor& target, const Tensor& source) {
  if (target.count() == 0) return;
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

OffsetRange spanned(const Tensor& input) { return offset_range(input.shape(), input.strides()); }

/// A strided tensor may cross as it lies when it has no gaps (transposed, flipped) or shows
/// elements several times (expanded), and is put in order where it arrives: a GPU does so far
/// faster than the host, and an expanded one crosses in its small form.
bool is_cheaper_behind_the_bus(const Tensor& input, Device target, bool non_blocking,
                               bool stream_named) {
  constexpr std::size_t kWorthALaunch = std::size_t{256} << 10;
  if (input.is_contiguous() || stream_named || input.count() == 0) return false;
  const OffsetRange range = spanned(input);
  const std::int64_t span = range.highest - range.lowest + 1;
  if (input.on_host()) return span <= input.count() && input.bytes() >= kWorthALaunch;
  return target.is_cpu() && !non_blocking && span < input.count();
}

/// The bytes that must cross: contiguous, not yet broadcast, in the smaller of the two dtypes.
Tensor ready_to_send(const Tensor& source, DType target_dtype) {
  const bool smaller = itemsize(target_dtype) < itemsize(source.dtype());
  return contiguous(smaller ? cast(source, target_dtype) : source);
}

void copy_between_devices(const Tensor& target, const Tensor& source, bool non_blocking) {
  const Tensor packed = ready_to_send(source, target.dtype());
  const bool direct = target.is_contiguous() && packed.dtype() == target.dtype() &&
                      packed.shape() == target.shape();
  if (direct) {
    copy_bytes(target, packed, non_blocking);
    return;
  }
  // A second step on the CPU reads what arrived, so it has to have arrived.
  const bool may_return_early = non_blocking && !target.on_host();
  run_copy(target, copy_to_device(packed, target.device(), may_return_early));
}

}  // namespace

Tensor to_device(const Tensor& input, Device device, bool non_blocking,
                 std::optional<StreamRef> stream) {
  if (!is_cheaper_behind_the_bus(input, device, non_blocking, stream.has_value()))
    return copy_to_device(contiguous(input), device, non_blocking, stream);
  const OffsetRange range = spanned(input);
  const Tensor run =
      Tensor::make(input.storage(), input.dtype(), Shape{range.highest - range.lowest + 1},
                   Strides{1}, input.offset() + range.lowest);
  const Tensor moved = copy_to_device(run, device, non_blocking);
  return contiguous(
      Tensor::make(moved.storage(), input.dtype(), input.shape(), input.strides(), -range.lowest));
}

Tensor cast(const Tensor& input, DType dtype) {
  return input.dtype() == dtype ? input : compact(input, dtype);
}

Tensor clone(const Tensor& input) { return compact(input, input.dtype()); }

Tensor contiguous(const Tensor& input) { return input.is_contiguous() ? input : clone(input); }

void copy_(const Tensor& target, const Tensor& source, bool non_blocking) {
  check_target("copy_", target);
  check_copy_shapes(target, source);
  if (target.count() == 0 || target.is_same(source)) return;
  if (is_host_scalar(source) && !target.on_host()) return fill_(target, read_scalar(source));
  if (&target.open_device() != &source.open_device()) {
    copy_between_devices(target, source, non_blocking);
  } else {
    run_copy(target, overlaps_shifted(target, source) ? clone(source) : source);
  }
  target.storage()->bump_version();
}

void fill_(const Tensor& target, Scalar value) {
  check_target("fill_", target);
  if (target.count() == 0) return;
  const Call call(target);
  FillArgs args;
  args.value = value;
  args.shape = target.shape();
  args.out = operand(target);
  merge_operands(args.shape, args.out);
  call.use(target);
  call.ops.fill(args, call.stream);
  target.storage()->bump_version();
}

}  // namespace gpukit::ops
