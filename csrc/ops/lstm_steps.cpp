// All steps of an LSTM: checks, results, and the call of the device.
#include "base/check.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/layers.h"
#include "ops/matmul.h"

namespace gpukit::ops {

namespace lstm_steps_op {
namespace {

constexpr const char* kOp = "lstm_steps";

/// An operand with its shape; with adjacent columns, or contiguous.
Tensor operand_of(const char* what, const Tensor& given, const Tensor& like, const Shape& shape,
                  bool whole = true) {
  GPUKIT_CHECK(given.shape() == shape, ShapeError, kOp, ": ", what, " is ",
               to_string(given.shape()), "; ", to_string(shape), " is needed.");
  GPUKIT_CHECK(given.dtype() == like.dtype(), DTypeError, kOp, ": ", what, " is ",
               name(given.dtype()), ", gates ", name(like.dtype()), ".");
  check_same_device(kOp, like, given);
  return whole || given.strides()[2] != 1 ? contiguous(given) : given;
}

LstmStepsArgs sizes_of(const Tensor& gates) {
  const DType dtype = gates.dtype();
  GPUKIT_CHECK(dtype == DType::kFloat32 || dtype == DType::kFloat64, DTypeError, kOp, ": gates is ",
               name(dtype), "; it is computed in float32 and float64.");
  GPUKIT_CHECK(gates.rank() == 3 && gates.size(2) % 4 == 0 && gates.count() > 0, ShapeError, kOp,
               ": gates is ", to_string(gates.shape()),
               "; (steps, rows, 4 * hidden) is needed, none of them 0.");
  LstmStepsArgs args;
  args.steps = gates.size(0);
  args.rows = gates.size(1);
  args.hidden = gates.size(2) / 4;
  args.dtype = dtype;
  args.allow_tf32 =
      dtype == DType::kFloat32 && float32_matmul_precision() != MatmulPrecision::kHighest;
  return args;
}

Tensor made(const Tensor& like, const Shape& shape) {
  return empty_on(like.open_device(), shape, like.dtype());
}

}  // namespace
}  // namespace lstm_steps_op

LstmSteps lstm_steps(const Tensor& gates, const Tensor& h, const Tensor& c, const Tensor& weight,
                     bool reverse, bool keep) {
  using namespace lstm_steps_op;
  LstmStepsArgs args = sizes_of(gates);
  const std::int64_t hidden = args.hidden;
  const Shape step{args.steps, args.rows, hidden}, row{args.rows, hidden};
  const Tensor in = operand_of("gates", gates, gates, gates.shape(), false);
  const Tensor first = operand_of("h", h, gates, row), cell = operand_of("c", c, gates, row);
  const Tensor right = operand_of("weight", weight, gates, Shape{4 * hidden, hidden});
  LstmSteps result{made(gates, step), made(gates, step),
                   made(gates, Shape{keep ? args.steps : 1, args.rows, 4 * hidden})};
  args.reverse = reverse;
  args.keep = keep;
  args.gates = in.data();
  args.gates_step = in.strides()[0];
  args.gates_row = in.strides()[1];
  args.h = first.data();
  args.c = cell.data();
  args.weight = right.data();
  args.outputs = result.outputs.data();
  args.cells = result.cells.data();
  args.active = result.active.data();
  const Call call(in);
  call.use(in, first, cell, right, result.outputs, result.cells, result.active);
  call.ops.lstm_steps(args, call.stream);
  return result;
}

LstmStepsGradients lstm_steps_backward(const LstmSteps& forward, const Tensor& c,
                                       const Tensor& weight, const Tensor& by_outputs,
                                       const Tensor& by_cell, bool reverse) {
  using namespace lstm_steps_op;
  const Tensor& like = forward.active;
  LstmStepsBackwardArgs args;
  args.forward = sizes_of(like);
  const std::int64_t hidden = args.forward.hidden;
  const Shape step{args.forward.steps, args.forward.rows, hidden}, row{args.forward.rows, hidden};
  const Tensor active = contiguous(like), cells = operand_of("cells", forward.cells, like, step);
  const Tensor first = operand_of("c", c, like, row);
  const Tensor right = operand_of("weight", weight, like, Shape{4 * hidden, hidden});
  const Tensor g = operand_of("the gradient", by_outputs, like, step, false);
  const Tensor last = operand_of("the gradient", by_cell, like, row);
  LstmStepsGradients result{made(like, like.shape()), made(like, row), made(like, row)};
  args.forward.reverse = reverse;
  args.forward.c = first.data();
  args.forward.weight = right.data();
  args.forward.cells = cells.data();
  args.forward.active = active.data();
  args.out_gradient = g.data();
  args.out_step = g.strides()[0];
  args.out_row = g.strides()[1];
  args.last_gradient = last.data();
  args.gates_gradient = result.gates.data();
  args.h_gradient = result.h.data();
  args.c_gradient = result.c.data();
  const Call call(active);
  call.use(active, cells, first, right, g, last);
  call.use(result.gates, result.h, result.c);
  call.ops.lstm_steps_backward(args, call.stream);
  return result;
}

}  // namespace gpukit::ops
