// What compositions are written with: scratch values, and simple operations on rows and columns.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backend/device_ops.h"
#include "backend/scratch.h"

namespace gpukit {

/// Operands of the shape (rows, columns): all of it, a value a row, a value a column, one value.
inline Operand dense(const void* data, DType dtype, std::int64_t columns) {
  return {const_cast<void*>(data), dtype, Strides{columns, 1}};
}
inline Operand per_row(const void* data, DType dtype) {
  return {const_cast<void*>(data), dtype, Strides{1, 0}};
}
inline Operand per_column(const void* data, DType dtype) {
  return {const_cast<void*>(data), dtype, Strides{0, 1}};
}
inline Operand single(const void* data, DType dtype) {
  return {const_cast<void*>(data), dtype, Strides{0, 0}};
}

/// One operation of a device done by others of it. Its scratch memory goes back when it ends, in
/// the order of the stream. Each function broadcasts its operands to `shape`; a result may be an
/// operand.
class Composition {
 public:
  Composition(DeviceOps& ops, Workspace* workspace, StreamRef stream)
      : ops_(ops), workspace_(workspace), stream_(stream) {}

  /// Room for `count` elements.
  void* scratch(std::int64_t count, DType dtype);
  Operand scratch_dense(const Shape& shape, DType dtype) {
    return dense(scratch(shape[0] * shape[1], dtype), dtype, shape[1]);
  }
  Operand scratch_row_values(const Shape& shape, DType dtype) {
    return per_row(scratch(shape[0], dtype), dtype);
  }
  Operand scratch_value(double value, DType dtype);

  /// The operand in the dtype that it is computed in: itself, or a copy.
  Operand widened(const Shape& shape, const Operand& in);
  /// The operand to compute `out` in: itself, or scratch that `finish` copies.
  Operand wide_result(const Shape& shape, const Operand& out);
  void finish(const Shape& shape, const Operand& wide, const Operand& out);

  void fill(const Shape& shape, double value, const Operand& out);
  void copy(const Shape& shape, const Operand& in, const Operand& out);
  void unary(UnaryOp op, const Shape& shape, const Operand& in, const Operand& out);
  void binary(BinaryOp op, const Shape& shape, const Operand& left, const Operand& right,
              const Operand& out);
  void binary(BinaryOp op, const Shape& shape, const Operand& left, Scalar right,
              const Operand& out);
  void binary(BinaryOp op, const Shape& shape, Scalar left, const Operand& right,
              const Operand& out);
  void binary(BinaryOp op, const Shape& shape, const Operand& left, double right,
              const Operand& out) {
    binary(op, shape, left, Scalar::floating(right), out);
  }
  void where(const Shape& shape, const Operand& condition, const Operand& left,
             const Operand& right, const Operand& out);
  /// 0, 1, 2 … as a value for each of `count` columns.
  Operand column_numbers(std::int64_t count);
  /// `out`, a value a row, reduces each row of `in`.
  void reduce_rows(ReduceOp op, const Shape& shape, const Operand& in, const Operand& out);

 private:
  DeviceOps& ops_;
  Workspace* workspace_;
  StreamRef stream_;
  std::vector<std::unique_ptr<Scratch>> held_;
};

/// The shape of a value a row of `shape`.
inline Shape row_shape(const Shape& shape) { return Shape{shape[0], 1}; }

}  // namespace gpukit
