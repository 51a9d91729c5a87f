// Cross-entropy for devices without their own kernel. The formulas are those of
// cpu/cpu_loss.cpp: a row's loss is (1 - smoothing) * weight[target] * (log_sum - x[target]), and
// smoothing distributed over all classes.
#include "backend/composition.h"

namespace gpukit {

namespace {

/// What forward and backward share. Values "a row" are scratch unless a caller gives them.
class ComposedLoss {
 public:
  ComposedLoss(DeviceOps& ops, Workspace* workspace, StreamRef stream,
               const CrossEntropyRows& input)
      : c_(ops, workspace, stream),
        input_(input),
        shape_{input.rows, input.columns},
        rows_(row_shape(shape_)),
        smoothing_(input.smoothing / static_cast<double>(input.columns)),
        logits_(dense(input.logits, input.dtype, input.columns)),
        target_(per_row(input.target, DType::kInt64)),
        zero_(c_.scratch_value(0, input.dtype)),
        work_(c_.scratch_dense(shape_, input.dtype)),
        is_target_(c_.scratch_dense(shape_, DType::kBool)),
        counts_(row_values(DType::kBool)),
        hits_(row_values(input.dtype)),
        target_weight_(hits_) {
    c_.binary(BinaryOp::kEq, shape_, c_.column_numbers(input.columns), target_, is_target_);
    c_.binary(BinaryOp::kNe, rows_, target_, Scalar::integer(input.ignore_index), counts_);
    at_target(c_.scratch_value(1, input.dtype), hits_);
    if (input.weight == nullptr) return;
    target_weight_ = row_values(input.dtype);
    at_target(weight(), target_weight_);
  }

  void forward(const CrossEntropyArgs& args) {
    const Operand log_sums = per_row(args.log_sums, input_.dtype);
    const Operand losses = per_row(args.losses, input_.dtype);
    log_sum_exp(log_sums);
    const Operand part = row_values(input_.dtype);
    at_target(logits_, part);
    c_.binary(BinaryOp::kSub, rows_, log_sums, part, losses);
    c_.binary(BinaryOp::kMul, rows_, losses, target_weight_, losses);
    c_.binary(BinaryOp::kMul, rows_, losses, 1 - input_.smoothing, losses);
    if (input_.smoothing != 0) add_smoothing_losses(log_sums, part, losses);
    add_nan_outside(part, losses);
    c_.where(rows_, counts_, losses, zero_, losses);
    if (args.total != nullptr) total(args, part);
  }

  void backward(const CrossEntropyBackwardArgs& args) {
    const Operand out = dense(args.out, input_.dtype, input_.columns);
    const Operand sharp = row_values(input_.dtype);
    const Operand upstream = row_values(input_.dtype);
    c_.binary(BinaryOp::kSub, shape_, logits_, per_row(args.log_sums, input_.dtype), out);
    c_.unary(UnaryOp::kExp, shape_, out, out);
    c_.binary(BinaryOp::kMul, rows_, target_weight_, 1 - input_.smoothing, sharp);
    c_.binary(BinaryOp::kAdd, rows_, sharp, smoothing_weight(), upstream);
    c_.binary(BinaryOp::kMul, shape_, out, upstream, out);
    subtract_smoothing(out);
    c_.where(shape_, is_target_, sharp, zero_, work_);
    c_.binary(BinaryOp::kSub, shape_, out, work_, out);
    upstream_gradient(args, upstream);
    add_nan_outside(sharp, upstream);
    c_.binary(BinaryOp::kMul, shape_, out, upstream, out);
    c_.where(shape_, counts_, out, zero_, out);
  }

 private:
  Operand row_values(DType dtype) { return c_.scratch_row_values(shape_, dtype); }
  Operand weight() const { return per_column(input_.weight, input_.dtype); }

  /// For each row what `values` has at its target; 0 where the target is not a valid class.
  void at_target(const Operand& values, const Operand& out) {
    c_.where(shape_, is_target_, values, zero_, work_);
    c_.reduce_rows(ReduceOp::kSum, shape_, work_, out);
  }

  void log_sum_exp(const Operand& out) {
    const Operand largest = row_values(input_.dtype);
    c_.reduce_rows(ReduceOp::kMax, shape_, logits_, largest);
    c_.binary(BinaryOp::kSub, shape_, logits_, largest, work_);
    c_.unary(UnaryOp::kExp, shape_, work_, work_);
    c_.reduce_rows(ReduceOp::kSum, shape_, work_, out);
    c_.unary(UnaryOp::kLog, rows_, out, out);
    c_.binary(BinaryOp::kAdd, rows_, out, largest, out);
  }

  void add_smoothing_losses(const Operand& log_sums, const Operand& part, const Operand& losses) {
    c_.binary(BinaryOp::kSub, shape_, log_sums, logits_, work_);
    if (input_.weight != nullptr) c_.binary(BinaryOp::kMul, shape_, work_, weight(), work_);
    c_.reduce_rows(ReduceOp::kSum, shape_, work_, part);
    c_.binary(BinaryOp::kMul, rows_, part, smoothing_, part);
    c_.binary(BinaryOp::kAdd, rows_, losses, part, losses);
  }

  /// 0 / hits: NaN where the target is not a valid class, 0 elsewhere.
  void add_nan_outside(const Operand& part, const Operand& values) {
    c_.binary(BinaryOp::kDiv, rows_, Scalar::floating(0), hits_, part);
    c_.binary(BinaryOp::kAdd, rows_, values, part, values);
  }

  void total(const CrossEntropyArgs& args, const Operand& part) {
    const Shape one{1, 1};
    const Operand total = single(args.total, input_.dtype);
    const Operand scale = single(args.scale, input_.dtype);
    sum_of_rows(args.losses, total);
    if (!args.mean) return c_.fill(one, 1, scale);
    c_.where(rows_, counts_, target_weight_, zero_, part);
    sum_of_rows(part.data, scale);
    c_.binary(BinaryOp::kDiv, one, total, scale, total);
    c_.binary(BinaryOp::kDiv, one, Scalar::floating(1), scale, scale);
  }

  void sum_of_rows(const void* values, const Operand& out) {
    const Shape flat{1, input_.rows};
    c_.reduce_rows(ReduceOp::kSum, flat, dense(values, input_.dtype, input_.rows), out);
  }

  /// smoothing / classes times the sum of all weights.
  Operand smoothing_weight() {
    if (input_.weight == nullptr) return c_.scratch_value(input_.smoothing, input_.dtype);
    const Operand sum = single(c_.scratch(1, input_.dtype), input_.dtype);
    c_.reduce_rows(ReduceOp::kSum, Shape{1, input_.columns},
                   dense(input_.weight, input_.dtype, input_.columns), sum);
    c_.binary(BinaryOp::kMul, Shape{1, 1}, sum, smoothing_, sum);
    return sum;
  }

  void subtract_smoothing(const Operand& out) {
    if (input_.smoothing == 0) return;
    if (input_.weight == nullptr) return c_.binary(BinaryOp::kSub, shape_, out, smoothing_, out);
    const Operand part = per_column(c_.scratch(input_.columns, input_.dtype), input_.dtype);
    c_.binary(BinaryOp::kMul, Shape{1, input_.columns}, weight(), smoothing_, part);
    c_.binary(BinaryOp::kSub, shape_, out, part, out);
  }

  void upstream_gradient(const CrossEntropyBackwardArgs& args, const Operand& out) {
    const Operand gradient =
        args.by_row ? per_row(args.gradient, input_.dtype) : single(args.gradient, input_.dtype);
    if (args.scale == nullptr) return c_.copy(rows_, gradient, out);
    c_.binary(BinaryOp::kMul, rows_, gradient, single(args.scale, input_.dtype), out);
  }

  Composition c_;
  const CrossEntropyRows& input_;
  Shape shape_, rows_;
  double smoothing_;  ///< smoothing of one class
  Operand logits_, target_, zero_, work_, is_target_, counts_;
  Operand hits_;           ///< 1, or 0 where the target is not a valid class
  Operand target_weight_;  ///< the weight of the target, in the same layout
};

}  // namespace

void DeviceOps::cross_entropy(const CrossEntropyArgs& args, StreamRef stream) {
  ComposedLoss(*this, workspace_, stream, args.input).forward(args);
}

void DeviceOps::cross_entropy_backward(const CrossEntropyBackwardArgs& args, StreamRef stream) {
  ComposedLoss(*this, workspace_, stream, args.input).backward(args);
}

}  // namespace gpukit
