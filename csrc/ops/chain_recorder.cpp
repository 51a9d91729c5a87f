#include "ops/chain_recorder.h"

#include <cmath>

#include "core/layout.h"
#include "ops/promotion.h"

namespace gpukit::ops {
namespace chain_recorder {
namespace {

ChainStep step_of(ChainStepKind kind, DType in, DType out, int op = 0) {
  ChainStep step;
  step.kind = kind;
  step.op = op;
  step.in_dtype = in;
  step.out_dtype = out;
  return step;
}

bool same_number(const RecordedValue& a, const RecordedValue& b) {
  const double left = a.constant.as_double(), right = b.constant.as_double();
  return left == right && std::signbit(left) == std::signbit(right);
}

}  // namespace
}  // namespace chain_recorder

int ChainRecorder::add_operand(const Tensor& tensor) {
  const int number = static_cast<int>(entries_.size());
  entries_.push_back({true, tensor.dtype(), {}});
  values_[tensor.data()] = {number, tensor.dtype(), {}};
  count_ = tensor.count();
  return number;
}

std::optional<RecordedValue> ChainRecorder::value_of(const Tensor& tensor) const {
  const auto found = values_.find(tensor.data());
  if (found == values_.end() || found->second.dtype != tensor.dtype()) return std::nullopt;
  const bool is_whole = tensor.is_contiguous() && tensor.count() == count_;
  if (!is_whole && !found->second.is_constant()) return std::nullopt;
  return found->second;
}

ChainRecorder::Found ChainRecorder::value_of(const Operand& operand, const Shape& shape) const {
  const auto found = values_.find(operand.data);
  if (found == values_.end() || found->second.dtype != operand.dtype) return std::nullopt;
  const bool is_whole = element_count(shape) == count_ && is_contiguous(shape, operand.strides);
  if (!is_whole && !found->second.is_constant()) return std::nullopt;
  return found->second;
}

void ChainRecorder::place_operand(ChainStep& step, int place, const RecordedValue& value) {
  if (value.is_constant()) {
    step.number = value.constant;
  } else {
    step.operands[place] = value.number;
  }
}

void ChainRecorder::add_step(const ChainStep& step, const Operand& out, const Shape& shape) {
  if (element_count(shape) != count_ || !is_contiguous(shape, out.strides)) return refuse();
  values_[out.data] = {static_cast<int>(entries_.size()), out.dtype, {}};
  entries_.push_back({false, out.dtype, step});
  ++recorded_;
}

/// All elements have one value, which is there already.
void ChainRecorder::add_constant(const Operand& out) {
  values_[out.data] = {-1, out.dtype, load_scalar(out.dtype, out.data)};
  ++recorded_;
}

void ChainRecorder::alias(const Operand& out, const RecordedValue& value) {
  values_[out.data] = value;
  ++recorded_;
}

void ChainRecorder::record(const UnaryArgs& args) {
  const Found in = value_of(args.in, args.shape);
  if (!in) return refuse();
  if (in->is_constant()) return add_constant(args.out);
  ChainStep step = chain_recorder::step_of(ChainStepKind::kUnary, args.in.dtype, args.out.dtype,
                                           static_cast<int>(args.op));
  place_operand(step, 0, *in);
  add_step(step, args.out, args.shape);
}

void ChainRecorder::record(const BinaryArgs& args) {
  const bool number_left = args.scalar_side == ScalarSide::kLeft;
  const bool number_right = args.scalar_side == ScalarSide::kRight;
  const DType dtype = number_left ? args.right.dtype : args.left.dtype;
  const RecordedValue number{-1, dtype, args.scalar};
  const Found left = number_left ? number : value_of(args.left, args.shape);
  const Found right = number_right ? number : value_of(args.right, args.shape);
  if (!left || !right) return refuse();
  if (left->is_constant() && right->is_constant()) return add_constant(args.out);
  ChainStep step = chain_recorder::step_of(ChainStepKind::kBinary, dtype, args.out.dtype,
                                           static_cast<int>(args.op));
  place_operand(step, 0, *left);
  place_operand(step, 1, *right);
  add_step(step, args.out, args.shape);
}

void ChainRecorder::record(const WhereArgs& args) {
  const Found condition = value_of(args.condition, args.shape);
  const Found left = value_of(args.left, args.shape);
  const Found right = value_of(args.right, args.shape);
  if (!condition || !left || !right) return refuse();
  if (condition->is_constant())
    return alias(args.out, condition->constant.as_bool() ? *left : *right);
  if (left->is_constant() && right->is_constant())
    return chain_recorder::same_number(*left, *right) ? add_constant(args.out) : refuse();
  ChainStep step = chain_recorder::step_of(ChainStepKind::kSelect, args.left.dtype, args.out.dtype);
  place_operand(step, 0, *condition);
  place_operand(step, 1, *left);
  place_operand(step, 2, *right);
  add_step(step, args.out, args.shape);
}

void ChainRecorder::record(const ClampArgs& args) {
  const Found in = value_of(args.in, args.shape);
  if (!in) return refuse();
  if (in->is_constant()) return add_constant(args.out);
  ChainStep step = chain_recorder::step_of(ChainStepKind::kClamp, args.in.dtype, args.out.dtype);
  place_operand(step, 0, *in);
  step.has_low = args.has_low;
  step.has_high = args.has_high;
  step.number = args.low;
  step.high = args.high;
  add_step(step, args.out, args.shape);
}

void ChainRecorder::record(const CopyArgs& args) {
  const Found in = value_of(args.in, args.shape);
  if (!in) return refuse();
  if (in->is_constant()) return add_constant(args.out);
  if (args.in.dtype == args.out.dtype) return alias(args.out, *in);
  ChainStep step = chain_recorder::step_of(ChainStepKind::kConvert, args.in.dtype, args.out.dtype);
  place_operand(step, 0, *in);
  add_step(step, args.out, args.shape);
}

void ChainRecorder::record(const FillArgs& args) { add_constant(args.out); }

}  // namespace gpukit::ops
