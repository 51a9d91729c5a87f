#include "ops/loss.h"

#include <limits>

#include "base/check.h"
#include "base/error.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "tensor/transfer.h"

namespace gpukit::ops {

namespace {

constexpr std::string_view kOp = "cross_entropy";

[[noreturn]] void throw_mismatch(const Tensor& logits, std::string_view what,
                                 const Tensor& companion) {
  const std::string fix = concat(what, ".to('", to_string(logits.device()), "')");
  throw DeviceMismatchError(concat(kOp, ": input is on ", to_string(logits.device()), ", ", what,
                                   " on ", to_string(companion.device()), ". Move one first, e.g. ",
                                   fix, "."))
      .with_fix(fix);
}

void check_weight(const Tensor& logits, const Tensor& weight) {
  if (!weight.defined()) return;
  GPUKIT_CHECK(weight.rank() == 1 && weight.size(0) == logits.size(1), ShapeError, kOp,
               ": weight is ", to_string(weight.shape()), "; one number for each of the ",
               logits.size(1), " classes is needed.");
  GPUKIT_CHECK(weight.dtype() == logits.dtype(), DTypeError, kOp, ": weight is ",
               name(weight.dtype()), ", input ", name(logits.dtype()), ". Use weight.to('",
               name(logits.dtype()), "').");
  if (&weight.open_device() != &logits.open_device()) throw_mismatch(logits, "weight", weight);
}

void check(const Tensor& logits, const Tensor& target, const Tensor& weight,
           const CrossEntropyOptions& options) {
  GPUKIT_CHECK(is_floating(logits.dtype()) && !is_half(logits.dtype()), DTypeError, kOp,
               ": input is ", name(logits.dtype()),
               "; float32 or float64 is needed. Use input.float().");
  GPUKIT_CHECK(logits.rank() == 2, ShapeError, kOp, ": input is ", to_string(logits.shape()),
               "; (rows, classes) is needed.");
  GPUKIT_CHECK(target.dtype() == DType::kInt64, DTypeError, kOp, ": target is ",
               name(target.dtype()), "; class numbers in int64 are needed. Use target.long().");
  GPUKIT_CHECK(target.rank() == 1 && target.size(0) == logits.size(0), ShapeError, kOp,
               ": input is ", to_string(logits.shape()), ", target ", to_string(target.shape()),
               "; a class number for each of the ", logits.size(0), " rows is needed.");
  GPUKIT_CHECK(logits.size(1) > 0, ShapeError, kOp, ": input has no classes.");
  GPUKIT_CHECK(options.smoothing >= 0 && options.smoothing <= 1, ValueError, kOp,
               ": label_smoothing must be between 0 and 1, got ", options.smoothing, ".");
  if (&target.open_device() != &logits.open_device()) throw_mismatch(logits, "target", target);
  check_weight(logits, weight);
}

/// Contiguous operands, kept alive, and the arguments that point to them.
struct Rows {
  Rows(const Tensor& logits, const Tensor& target, const Tensor& weight,
       const CrossEntropyOptions& options)
      : logits(contiguous(logits)),
        target(contiguous(target)),
        weight(weight.defined() ? contiguous(weight) : weight) {
    args.rows = logits.size(0);
    args.columns = logits.size(1);
    args.dtype = logits.dtype();
    args.logits = this->logits.data();
    args.target = this->target.data_as<const std::int64_t>();
    args.weight = this->weight.defined() ? this->weight.data() : nullptr;
    args.ignore_index = options.ignore_index;
    args.smoothing = options.smoothing;
  }
  void note(const Call& call) const {
    call.use(logits, target);
    if (weight.defined()) call.use(weight);
  }

  Tensor logits, target, weight;
  CrossEntropyRows args;
};

void check_classes(const std::int64_t* target, const CrossEntropyRows& rows) {
  for (std::int64_t r = 0; r < rows.rows; ++r) {
    const bool counts = target[r] != rows.ignore_index;
    if (counts && (target[r] < 0 || target[r] >= rows.columns))
      throw_index_fault({IndexedOp::kCrossEntropy, 0, target[r], rows.columns, r});
  }
}

/// A GPU that cannot report is waited for.
IndexCheck check_in_kernel(OpenDevice& device, const Rows& rows) {
  if (device.runtime().reports_indices()) return {IndexedOp::kCrossEntropy, 0, true};
  const Tensor classes = copy_to_device(rows.target, Device::cpu(), false);
  check_classes(classes.data_as<const std::int64_t>(), rows.args);
  return {};
}

/// No rows at all: the sum is 0, the mean is 0 / 0.
CrossEntropy empty_cross_entropy(const Tensor& logits, Reduction reduction, CrossEntropy result) {
  if (reduction == Reduction::kNone) return result;
  const double nothing =
      reduction == Reduction::kMean ? std::numeric_limits<double>::quiet_NaN() : 0.0;
  result.loss = empty_on(logits.open_device(), Shape{}, logits.dtype());
  result.scale = empty_on(logits.open_device(), Shape{}, logits.dtype());
  fill_(result.loss, Scalar::floating(nothing));
  fill_(result.scale, Scalar::floating(1.0));
  return result;
}

}  // namespace

CrossEntropy cross_entropy(const Tensor& logits, const Tensor& target, const Tensor& weight,
                           const CrossEntropyOptions& options) {
  check(logits, target, weight, options);
  OpenDevice& device = logits.open_device();
  const Shape by_row{logits.size(0)};
  CrossEntropy result;
  const Tensor losses = empty_on(device, by_row, logits.dtype());
  result.loss = losses;
  result.log_sums = empty_on(device, by_row, logits.dtype());
  if (logits.size(0) == 0) return empty_cross_entropy(logits, options.reduction, std::move(result));
  const Rows rows(logits, target, weight, options);
  CrossEntropyArgs args;
  args.input = rows.args;
  args.losses = losses.data();
  args.log_sums = result.log_sums.data();
  args.mean = options.reduction == Reduction::kMean;
  const Call call(logits);
  if (options.reduction != Reduction::kNone) {
    result.loss = empty_on(device, Shape{}, logits.dtype());
    result.scale = empty_on(device, Shape{}, logits.dtype());
    args.total = result.loss.data();
    args.scale = result.scale.data();
  }
  bool outside = false;
  if (logits.on_host()) {
    args.outside = &outside;
  } else {
    args.check = check_in_kernel(device, rows);
  }
  rows.note(call);
  call.ops.cross_entropy(args, call.stream);
  if (outside) check_classes(rows.args.target, rows.args);
  return result;
}

Tensor cross_entropy_backward(const Tensor& gradient, const Tensor& logits, const Tensor& target,
                              const Tensor& weight, const CrossEntropy& forward,
                              const CrossEntropyOptions& options) {
  Tensor out = empty_on(logits.open_device(), logits.shape(), logits.dtype());
  if (out.count() == 0) return out;
  const Rows rows(logits, target, weight, options);
  const Tensor upstream = contiguous(gradient);
  CrossEntropyBackwardArgs args;
  args.input = rows.args;
  args.log_sums = forward.log_sums.data();
  args.gradient = upstream.data();
  args.scale = forward.scale.defined() ? forward.scale.data() : nullptr;
  args.by_row = options.reduction == Reduction::kNone;
  args.out = out.data();
  const Call call(logits);
  rows.note(call);
  call.use(out, upstream, forward.log_sums);
  if (forward.scale.defined()) call.use(forward.scale);
  call.ops.cross_entropy_backward(args, call.stream);
  return out;
}

}  // namespace gpukit::ops
