// An optimizer's step for devices without their own kernel, as op_codes.h defines it.
#include "backend/composition.h"

namespace gpukit {

namespace {

/// One parameter, its gradient and its states, in the dtype that they are computed in.
class ComposedStep {
 public:
  ComposedStep(DeviceOps& ops, Workspace* workspace, StreamRef stream, const OptimizerArgs& args,
               const OptimizerItem& item)
      : c_(ops, workspace, stream),
        settings_(args.settings),
        item_(item),
        dtype_(args.dtype),
        shape_{1, item.count},
        parameter_(c_.widened(shape_, stored(item.parameter))),
        part_(c_.scratch_dense(shape_, working_dtype(dtype_))),
        gradient_(c_.scratch_dense(shape_, working_dtype(dtype_))) {}

  void run() {
    const bool adam = settings_.rule == OptimizerRule::kAdam;
    if (adam) scale(parameter_, settings_.shrink);
    const Operand given = c_.widened(shape_, stored(item_.gradient));
    c_.binary(BinaryOp::kMul, shape_, given, settings_.maximize != 0 ? -1.0 : 1.0, gradient_);
    if (settings_.weight_decay != 0) add(gradient_, settings_.weight_decay, parameter_);
    if (adam) {
      adam_step();
    } else {
      sgd_step();
    }
    c_.finish(shape_, parameter_, stored(item_.parameter));
  }

 private:
  Operand stored(const void* data) const { return dense(data, dtype_, item_.count); }

  void scale(const Operand& values, double factor) {
    c_.binary(BinaryOp::kMul, shape_, values, factor, values);
  }
  /// values += factor * more
  void add(const Operand& values, double factor, const Operand& more) {
    c_.binary(BinaryOp::kMul, shape_, more, factor, part_);
    c_.binary(BinaryOp::kAdd, shape_, values, part_, values);
  }
  void move_parameter(const Operand& update) {
    c_.binary(BinaryOp::kMul, shape_, update, item_.step_size, part_);
    c_.binary(BinaryOp::kSub, shape_, parameter_, part_, parameter_);
  }

  void sgd_step() {
    if (item_.first == nullptr) return move_parameter(gradient_);
    const Operand first = c_.widened(shape_, stored(item_.first));
    if (item_.fresh) {
      c_.copy(shape_, gradient_, first);
    } else {
      scale(first, settings_.kept);
      add(first, settings_.taken, gradient_);
    }
    c_.finish(shape_, first, stored(item_.first));
    if (settings_.nesterov == 0) return move_parameter(first);
    add(gradient_, settings_.kept, first);
    move_parameter(gradient_);
  }

  /// A state that is not initialised yet is 0.
  Operand state(const void* data) {
    const Operand value = c_.widened(shape_, stored(data));
    if (item_.fresh) c_.fill(shape_, 0, value);
    return value;
  }

  void adam_step() {
    const Operand first = state(item_.first);
    Operand square = state(item_.second);
    scale(first, settings_.kept);
    add(first, settings_.taken, gradient_);
    scale(square, settings_.kept_square);
    c_.binary(BinaryOp::kMul, shape_, gradient_, settings_.taken_square, part_);
    c_.binary(BinaryOp::kMul, shape_, part_, gradient_, part_);
    c_.binary(BinaryOp::kAdd, shape_, square, part_, square);
    c_.finish(shape_, first, stored(item_.first));
    c_.finish(shape_, square, stored(item_.second));
    if (item_.largest != nullptr) square = largest_of(square);
    c_.unary(UnaryOp::kSqrt, shape_, square, part_);
    c_.binary(BinaryOp::kDiv, shape_, part_, item_.root_correction, part_);
    c_.binary(BinaryOp::kAdd, shape_, part_, settings_.eps, part_);
    c_.binary(BinaryOp::kDiv, shape_, first, part_, gradient_);
    move_parameter(gradient_);
  }

  Operand largest_of(const Operand& square) {
    const Operand largest = state(item_.largest);
    c_.binary(BinaryOp::kMaximum, shape_, largest, square, largest);
    c_.finish(shape_, largest, stored(item_.largest));
    return largest;
  }

  Composition c_;
  const OptimizerSettings& settings_;
  const OptimizerItem& item_;
  DType dtype_;
  Shape shape_;
  Operand parameter_, part_, gradient_;
};

}  // namespace

void DeviceOps::optimizer_step(const OptimizerArgs& args, StreamRef stream) {
  if (args.rates != nullptr) throw_not_supported("an optimizer's step in a graph");
  for (const OptimizerItem& item : args.items)
    ComposedStep(*this, workspace_, stream, args, item).run();
}

}  // namespace gpukit
