// All steps of an LSTM: a product and a cell each. The device sees one after the other.
#include "base/check.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/layers.h"
#include "ops/matmul.h"
#include "tensor/view.h"

namespace gpukit::ops {

namespace lstm_steps_op {
namespace {

constexpr const char* kOp = "lstm_steps";

void check(const char* what, const Tensor& given, const Tensor& like, const Shape& shape) {
  GPUKIT_CHECK(given.shape() == shape, ShapeError, kOp, ": ", what, " is ",
               to_string(given.shape()), "; ", to_string(shape), " is needed.");
  GPUKIT_CHECK(given.dtype() == like.dtype(), DTypeError, kOp, ": ", what, " is ",
               name(given.dtype()), ", gates ", name(like.dtype()), ".");
  check_same_device(kOp, like, given);
}

/// The sizes of a call, and its operations on the device.
class Steps {
 public:
  explicit Steps(const Tensor& gates) : call_(gates), dtype_(gates.dtype()) {
    GPUKIT_CHECK(dtype_ == DType::kFloat32 || dtype_ == DType::kFloat64, DTypeError, kOp,
                 ": gates is ", name(dtype_), "; it is computed in float32 and float64.");
    GPUKIT_CHECK(gates.rank() == 3 && gates.size(2) % 4 == 0 && gates.count() > 0, ShapeError, kOp,
                 ": gates is ", to_string(gates.shape()),
                 "; (steps, rows, 4 * hidden) is needed, none of them 0.");
    count = gates.size(0);
    rows = gates.size(1);
    hidden = gates.size(2) / 4;
  }

  Shape row_shape(std::int64_t columns) const { return Shape{rows, columns}; }
  Shape step_shape(std::int64_t columns) const { return Shape{count, rows, columns}; }
  Tensor made(const Tensor& like, const Shape& shape) const {
    return empty_on(like.open_device(), shape, dtype_);
  }
  /// A step of a contiguous (count, rows, columns).
  char* at(const Tensor& tensor, std::int64_t step) const {
    return static_cast<char*>(tensor.data()) +
           step * rows * tensor.size(2) * static_cast<std::int64_t>(itemsize(dtype_));
  }

  /// Writes a step of any (count, rows, columns) to contiguous rows.
  void copy(void* target, const Tensor& source, std::int64_t step) const {
    const Operand from = operand(select(source, 0, step));
    const std::int64_t columns = source.size(2);
    call_.ops.copy({row_shape(columns), {target, dtype_, Strides{columns, 1}}, from},
                   call_.stream);
  }
  /// c (rows, columns) = a (rows, depth) * b (depth, columns) + beta * c
  void multiply(void* c, const void* a, const Tensor& b, double beta) const {
    MatmulArgs args;
    args.m = rows;
    args.k = b.size(0);
    args.n = b.size(1);
    args.dtype = dtype_;
    args.a = {const_cast<void*>(a), args.k, 1, 0};
    args.b = {b.data(), args.n, 1, 0};
    args.c = {c, args.n, 1, 0};
    args.beta = beta;
    args.allow_tf32 =
        dtype_ == DType::kFloat32 && float32_matmul_precision() != MatmulPrecision::kHighest;
    call_.ops.matmul(args, call_.stream);
  }
  const Call& call() const { return call_; }
  DType dtype() const { return dtype_; }

  std::int64_t count = 0, rows = 0, hidden = 0;

 private:
  Call call_;
  DType dtype_;
};

}  // namespace
}  // namespace lstm_steps_op

LstmSteps lstm_steps(const Tensor& gates, const Tensor& h, const Tensor& c, const Tensor& weight,
                     bool reverse, bool keep) {
  using namespace lstm_steps_op;
  const Steps steps(gates);
  const std::int64_t hidden = steps.hidden;
  check("h", h, gates, steps.row_shape(hidden));
  check("c", c, gates, steps.row_shape(hidden));
  check("weight", weight, gates, Shape{4 * hidden, hidden});
  const Tensor first = contiguous(h), cell = contiguous(c), right = contiguous(t(weight));
  LstmSteps result{steps.made(gates, steps.step_shape(hidden)),
                   steps.made(gates, steps.step_shape(hidden)),
                   keep ? steps.made(gates, steps.step_shape(4 * hidden))
                        : steps.made(gates, Shape{1, steps.rows, 4 * hidden})};
  steps.call().use(gates, first, cell, right, result.outputs, result.cells, result.active);
  const void *before = first.data(), *kept = cell.data();
  for (std::int64_t i = 0; i < steps.count; ++i) {
    const std::int64_t step = reverse ? steps.count - 1 - i : i;
    LstmCellArgs args;
    args.rows = steps.rows;
    args.hidden = hidden;
    args.dtype = steps.dtype();
    args.active = steps.at(result.active, keep ? step : 0);
    args.gates = args.active;
    args.cell = kept;
    args.next = steps.at(result.cells, step);
    args.out = steps.at(result.outputs, step);
    steps.copy(args.active, gates, step);
    steps.multiply(args.active, before, right, 1.0);
    steps.call().ops.lstm_cell(args, steps.call().stream);
    before = args.out;
    kept = args.next;
  }
  return result;
}

LstmStepsGradients lstm_steps_backward(const LstmSteps& forward, const Tensor& c,
                                       const Tensor& weight, const Tensor& by_outputs,
                                       const Tensor& by_cell, bool reverse) {
  using namespace lstm_steps_op;
  const Steps steps(forward.active);
  const std::int64_t hidden = steps.hidden;
  check("cells", forward.cells, forward.active, steps.step_shape(hidden));
  check("c", c, forward.active, steps.row_shape(hidden));
  check("weight", weight, forward.active, Shape{4 * hidden, hidden});
  check("the gradient", by_outputs, forward.active, steps.step_shape(hidden));
  check("the gradient", by_cell, forward.active, steps.row_shape(hidden));
  const Tensor active = contiguous(forward.active), cells = contiguous(forward.cells);
  const Tensor first = contiguous(c), right = contiguous(weight), last = contiguous(by_cell);
  LstmStepsGradients result{steps.made(active, active.shape()),
                            steps.made(active, steps.row_shape(hidden)),
                            steps.made(active, steps.row_shape(hidden))};
  steps.call().use(active, cells, first, right, last, by_outputs);
  steps.call().use(result.gates, result.h, result.c);
  steps.copy(result.h.data(), by_outputs, reverse ? 0 : steps.count - 1);
  for (std::int64_t i = steps.count - 1; i >= 0; --i) {
    const auto place = [&](std::int64_t number) {
      return reverse ? steps.count - 1 - number : number;
    };
    LstmCellBackwardArgs args;
    args.rows = steps.rows;
    args.hidden = hidden;
    args.dtype = steps.dtype();
    args.active = steps.at(active, place(i));
    args.cell = i > 0 ? steps.at(cells, place(i - 1)) : first.data();
    args.next = steps.at(cells, place(i));
    args.out_gradient = result.h.data();
    args.next_gradient = i == steps.count - 1 ? last.data() : result.c.data();
    args.gates_gradient = steps.at(result.gates, place(i));
    args.cell_gradient = result.c.data();
    steps.call().ops.lstm_cell_backward(args, steps.call().stream);
    if (i > 0) steps.copy(result.h.data(), by_outputs, place(i - 1));
    steps.multiply(result.h.data(), args.gates_gradient, right, i > 0 ? 1.0 : 0.0);
  }
  return result;
}

}  // namespace gpukit::ops
