// The step of an LSTM for devices without their own loops.
#include "backend/composition.h"

namespace gpukit {

namespace composed_recurrent {
namespace {

/// (rows, hidden): whole, or one of the four gates of a row.
struct Layout {
  Shape shape;
  DType dtype;

  Operand whole(const void* data) const { return dense(data, dtype, shape[1]); }
  Operand gate(const void* data, std::int64_t number) const {
    const std::int64_t offset = number * shape[1] * static_cast<std::int64_t>(itemsize(dtype));
    return {static_cast<char*>(const_cast<void*>(data)) + offset, dtype, Strides{4 * shape[1], 1}};
  }
};

/// (steps, rows, columns) and its operations.
struct Steps {
  char* at(const void* data, std::int64_t step, std::int64_t columns) const {
    return static_cast<char*>(const_cast<void*>(data)) + step * args.rows * columns * item;
  }
  void copy(void* target, const void* source, std::int64_t row, std::int64_t columns) const {
    ops.copy({Shape{args.rows, columns},
              {target, args.dtype, Strides{columns, 1}},
              {const_cast<void*>(source), args.dtype, Strides{row, 1}}},
             stream);
  }
  /// c (rows, n) = a (rows, k) * b + beta * c
  void multiply(void* c, const void* a, const MatrixRef& b, std::int64_t n, std::int64_t k,
                double beta) const {
    MatmulArgs product;
    product.m = args.rows;
    product.n = n;
    product.k = k;
    product.dtype = args.dtype;
    product.a = {const_cast<void*>(a), k, 1, 0};
    product.b = b;
    product.c = {c, n, 1, 0};
    product.beta = beta;
    product.allow_tf32 = args.allow_tf32;
    ops.matmul(product, stream);
  }

  DeviceOps& ops;
  const LstmStepsArgs& args;
  StreamRef stream;
  std::int64_t item = static_cast<std::int64_t>(itemsize(args.dtype));
};

}  // namespace
}  // namespace composed_recurrent

void DeviceOps::lstm_cell(const LstmCellArgs& args, StreamRef stream) {
  const composed_recurrent::Layout at{Shape{args.rows, args.hidden}, args.dtype};
  Composition c(*this, workspace_, stream);
  for (int gate = 0; gate < 4; ++gate)
    c.unary(gate == 2 ? UnaryOp::kTanh : UnaryOp::kSigmoid, at.shape, at.gate(args.gates, gate),
            at.gate(args.active, gate));
  const Operand next = at.whole(args.next), out = at.whole(args.out);
  c.binary(BinaryOp::kMul, at.shape, at.gate(args.active, 0), at.gate(args.active, 2), out);
  c.binary(BinaryOp::kMul, at.shape, at.gate(args.active, 1), at.whole(args.cell), next);
  c.binary(BinaryOp::kAdd, at.shape, next, out, next);
  c.unary(UnaryOp::kTanh, at.shape, next, out);
  c.binary(BinaryOp::kMul, at.shape, out, at.gate(args.active, 3), out);
}

void DeviceOps::lstm_cell_backward(const LstmCellBackwardArgs& args, StreamRef stream) {
  const composed_recurrent::Layout at{Shape{args.rows, args.hidden}, args.dtype};
  Composition c(*this, workspace_, stream);
  const Shape& shape = at.shape;
  const auto scratch = [&] { return c.scratch_dense(shape, args.dtype); };
  const Operand in = at.gate(args.active, 0), forget = at.gate(args.active, 1);
  const Operand fresh = at.gate(args.active, 2), shown = at.gate(args.active, 3);
  const Operand g = at.whole(args.out_gradient);
  const Operand bounded = scratch(), kept = scratch(), slope = scratch();
  Operand parts[4] = {scratch(), scratch(), scratch(), scratch()};
  c.unary(UnaryOp::kTanh, shape, at.whole(args.next), bounded);
  // kept = next_gradient + g * shown * (1 - bounded^2)
  c.binary(BinaryOp::kMul, shape, bounded, bounded, slope);
  c.binary(BinaryOp::kSub, shape, Scalar::floating(1), slope, slope);
  c.binary(BinaryOp::kMul, shape, slope, shown, slope);
  c.binary(BinaryOp::kMul, shape, slope, g, slope);
  c.binary(BinaryOp::kAdd, shape, at.whole(args.next_gradient), slope, kept);
  c.binary(BinaryOp::kMul, shape, kept, fresh, parts[0]);
  c.binary(BinaryOp::kMul, shape, kept, at.whole(args.cell), parts[1]);
  c.binary(BinaryOp::kMul, shape, kept, in, parts[2]);
  c.binary(BinaryOp::kMul, shape, g, bounded, parts[3]);
  c.binary(BinaryOp::kMul, shape, kept, forget, at.whole(args.cell_gradient));
  for (int gate = 0; gate < 4; ++gate) {
    const Operand active = at.gate(args.active, gate);
    // tanh: 1 - a * a; sigmoid: a - a * a.
    c.binary(BinaryOp::kMul, shape, active, active, slope);
    if (gate == 2) {
      c.binary(BinaryOp::kSub, shape, Scalar::floating(1), slope, slope);
    } else {
      c.binary(BinaryOp::kSub, shape, active, slope, slope);
    }
    c.binary(BinaryOp::kMul, shape, parts[gate], slope, at.gate(args.gates_gradient, gate));
  }
}

void DeviceOps::lstm_steps(const LstmStepsArgs& args, StreamRef stream) {
  const composed_recurrent::Steps steps{*this, args, stream};
  const std::int64_t hidden = args.hidden;
  const MatrixRef transposed{const_cast<void*>(args.weight), 1, hidden, 0};
  LstmCellArgs cell;
  cell.rows = args.rows;
  cell.hidden = hidden;
  cell.dtype = args.dtype;
  const void* before = args.h;
  cell.cell = args.c;
  for (std::int64_t i = 0; i < args.steps; ++i) {
    const std::int64_t place = args.place(i);
    cell.active = steps.at(args.active, args.keep ? place : 0, 4 * hidden);
    cell.gates = cell.active;
    cell.next = steps.at(args.cells, place, hidden);
    cell.out = steps.at(args.outputs, place, hidden);
    steps.copy(cell.active,
               static_cast<const char*>(args.gates) + place * args.gates_step * steps.item,
               args.gates_row, 4 * hidden);
    steps.multiply(cell.active, before, transposed, 4 * hidden, hidden, 1.0);
    lstm_cell(cell, stream);
    before = cell.out;
    cell.cell = cell.next;
  }
}

void DeviceOps::lstm_steps_backward(const LstmStepsBackwardArgs& args, StreamRef stream) {
  const LstmStepsArgs& forward = args.forward;
  const composed_recurrent::Steps steps{*this, forward, stream};
  const std::int64_t hidden = forward.hidden;
  const MatrixRef weight{const_cast<void*>(forward.weight), hidden, 1, 0};
  const auto take = [&](std::int64_t place) {
    steps.copy(args.h_gradient,
               static_cast<const char*>(args.out_gradient) + place * args.out_step * steps.item,
               args.out_row, hidden);
  };
  LstmCellBackwardArgs cell;
  cell.rows = forward.rows;
  cell.hidden = hidden;
  cell.dtype = forward.dtype;
  cell.out_gradient = args.h_gradient;
  cell.next_gradient = args.last_gradient;
  cell.cell_gradient = args.c_gradient;
  take(forward.place(forward.steps - 1));
  for (std::int64_t i = forward.steps - 1; i >= 0; --i) {
    const std::int64_t place = forward.place(i);
    cell.active = steps.at(forward.active, place, 4 * hidden);
    cell.next = steps.at(forward.cells, place, hidden);
    cell.cell = i > 0 ? steps.at(forward.cells, forward.place(i - 1), hidden) : forward.c;
    cell.gates_gradient = steps.at(args.gates_gradient, place, 4 * hidden);
    lstm_cell_backward(cell, stream);
    cell.next_gradient = args.c_gradient;
    if (i > 0) take(forward.place(i - 1));
    steps.multiply(args.h_gradient, cell.gates_gradient, weight, hidden, 4 * hidden,
                   i > 0 ? 1.0 : 0.0);
  }
}

}  // namespace gpukit
