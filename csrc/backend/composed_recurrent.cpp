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

}  // namespace gpukit
