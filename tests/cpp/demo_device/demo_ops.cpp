#include "demo_ops.h"

#include <algorithm>
#include <cmath>

#include "demo_runtime.h"

namespace demo {

using namespace gpukit;

namespace {

/// A value of any dtype: integers as they are, floating numbers in double precision.
struct Value {
  double number = 0;
  std::int64_t whole = 0;
  bool is_whole = false;

  static Value of(double number) { return {number, static_cast<std::int64_t>(number), false}; }
  static Value of_whole(std::int64_t whole) { return {static_cast<double>(whole), whole, true}; }
};

Value load(const void* data, DType dtype, std::int64_t at) {
  return visit_real_dtype(dtype, [&]<class T>() {
    const T value = static_cast<const T*>(data)[at];
    if constexpr (std::is_integral_v<T>) {
      return Value::of_whole(static_cast<std::int64_t>(value));
    } else if constexpr (std::is_floating_point_v<T>) {
      return Value::of(static_cast<double>(value));
    } else {
      return Value::of(static_cast<double>(static_cast<float>(value)));
    }
  });
}

void store(void* data, DType dtype, std::int64_t at, Value value) {
  visit_real_dtype(dtype, [&]<class T>() {
    T& place = static_cast<T*>(data)[at];
    if constexpr (std::is_same_v<T, bool>) {
      place = value.is_whole ? value.whole != 0 : value.number != 0;
    } else if constexpr (std::is_integral_v<T>) {
      place =
          static_cast<T>(value.is_whole ? value.whole : static_cast<std::int64_t>(value.number));
    } else if constexpr (std::is_floating_point_v<T>) {
      place = static_cast<T>(value.number);
    } else {
      place = T(static_cast<float>(value.number));
    }
  });
}

Value scalar_value(Scalar scalar, DType dtype) {
  const bool whole = !scalar.is_floating() && !is_floating(dtype);
  return whole ? Value::of_whole(scalar.as_int64()) : Value::of(scalar.as_double());
}

/// Calls body(index) for every index of a shape.
template <class Body>
void for_each(const Shape& shape, const Body& body) {
  Shape index = Shape::filled(shape.size(), 0);
  for (;;) {
    body(index);
    int dim = shape.size() - 1;
    while (dim >= 0 && ++index[dim] == shape[dim]) index[dim--] = 0;
    if (dim < 0) return;
  }
}

std::int64_t offset_of(const Shape& index, const Strides& strides) {
  std::int64_t offset = 0;
  for (int i = 0; i < index.size(); ++i) offset += index[i] * strides[i];
  return offset;
}

Value load(const Operand& operand, const Shape& index) {
  return load(operand.data, operand.dtype, offset_of(index, operand.strides));
}
void store(const Operand& operand, const Shape& index, Value value) {
  store(operand.data, operand.dtype, offset_of(index, operand.strides), value);
}

bool has(UnaryOp op) {
  return op == UnaryOp::kExp || op == UnaryOp::kLog || op == UnaryOp::kSqrt || op == UnaryOp::kAbs;
}

Value apply(UnaryOp op, Value x) {
  switch (op) {
    case UnaryOp::kExp:
      return Value::of(std::exp(x.number));
    case UnaryOp::kLog:
      return Value::of(std::log(x.number));
    case UnaryOp::kSqrt:
      return Value::of(std::sqrt(x.number));
    default:
      return x.is_whole ? Value::of_whole(std::abs(x.whole)) : Value::of(std::fabs(x.number));
  }
}

bool has(BinaryOp op) {
  switch (op) {
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
    case BinaryOp::kMul:
    case BinaryOp::kDiv:
    case BinaryOp::kMaximum:
    case BinaryOp::kMinimum:
      return true;
    default:
      return is_comparison(op);
  }
}

template <class T>
bool compare(BinaryOp op, T a, T b) {
  switch (op) {
    case BinaryOp::kEq:
      return a == b;
    case BinaryOp::kNe:
      return a != b;
    case BinaryOp::kLt:
      return a < b;
    case BinaryOp::kLe:
      return a <= b;
    case BinaryOp::kGt:
      return a > b;
    default:
      return a >= b;
  }
}

template <class T>
T arithmetic(BinaryOp op, T a, T b) {
  switch (op) {
    case BinaryOp::kAdd:
      return a + b;
    case BinaryOp::kSub:
      return a - b;
    case BinaryOp::kMul:
      return a * b;
    case BinaryOp::kDiv:
      return a / b;
    case BinaryOp::kMaximum:
      return a != a || a > b ? a : b;  // NaN wins
    default:
      return a != a || a < b ? a : b;
  }
}

Value apply(BinaryOp op, Value a, Value b) {
  const bool whole = a.is_whole && b.is_whole;
  if (is_comparison(op)) {
    const bool answer = whole ? compare(op, a.whole, b.whole) : compare(op, a.number, b.number);
    return Value::of_whole(answer ? 1 : 0);
  }
  if (whole) return Value::of_whole(arithmetic(op, a.whole, b.whole));
  return Value::of(arithmetic(op, a.number, b.number));
}

bool has(ReduceOp op) {
  return op == ReduceOp::kSum || op == ReduceOp::kMax || op == ReduceOp::kMin;
}

Value combine(ReduceOp op, Value a, Value b) {
  if (op == ReduceOp::kSum) return apply(BinaryOp::kAdd, a, b);
  return apply(op == ReduceOp::kMax ? BinaryOp::kMaximum : BinaryOp::kMinimum, a, b);
}

}  // namespace

void Ops::fill(const FillArgs& args, StreamRef stream) {
  Runtime::at(stream).add([args] {
    const Value value = scalar_value(args.value, args.out.dtype);
    for_each(args.shape, [&](const Shape& index) { store(args.out, index, value); });
  });
}

void Ops::copy(const CopyArgs& args, StreamRef stream) {
  Runtime::at(stream).add([args] {
    for_each(args.shape, [&](const Shape& index) { store(args.out, index, load(args.in, index)); });
  });
}

void Ops::unary(const UnaryArgs& args, StreamRef stream) {
  if (!has(args.op)) return DeviceOps::unary(args, stream);
  Runtime::at(stream).add([args] {
    for_each(args.shape, [&](const Shape& index) {
      store(args.out, index, apply(args.op, load(args.in, index)));
    });
  });
}

void Ops::binary(const BinaryArgs& args, StreamRef stream) {
  if (!has(args.op)) return DeviceOps::binary(args, stream);
  Runtime::at(stream).add([args] {
    for_each(args.shape, [&](const Shape& index) {
      const Value left = args.scalar_side == ScalarSide::kLeft
                             ? scalar_value(args.scalar, args.right.dtype)
                             : load(args.left, index);
      const Value right = args.scalar_side == ScalarSide::kRight
                              ? scalar_value(args.scalar, args.left.dtype)
                              : load(args.right, index);
      store(args.out, index, apply(args.op, left, right));
    });
  });
}

void Ops::where(const WhereArgs& args, StreamRef stream) {
  Runtime::at(stream).add([args] {
    for_each(args.shape, [&](const Shape& index) {
      const bool left = load(args.condition, index).whole != 0;
      store(args.out, index, load(left ? args.left : args.right, index));
    });
  });
}

void Ops::ramp(const RampArgs& args, StreamRef stream) {
  Runtime::at(stream).add([args] {
    const bool floating = is_floating(args.dtype);
    for (std::int64_t i = 0; i < args.count; ++i) {
      const Value value = floating ? Value::of(args.start + static_cast<double>(i) * args.step)
                                   : Value::of_whole(args.start_int + i * args.step_int);
      store(args.out, args.dtype, i, value);
    }
  });
}

void Ops::reduce(const ReduceArgs& args, StreamRef stream) {
  if (!has(args.op)) return DeviceOps::reduce(args, stream);
  Runtime::at(stream).add([args] {
    std::int64_t place = 0;
    for_each(args.kept, [&](const Shape& kept) {
      const std::int64_t start = offset_of(kept, args.kept_strides);
      Value total;
      bool first = true;
      for_each(args.reduced, [&](const Shape& index) {
        const Value value =
            load(args.in, args.in_dtype, start + offset_of(index, args.reduced_strides));
        total = first ? value : combine(args.op, total, value);
        first = false;
      });
      store(args.out, args.out_dtype, place++, total);
    });
  });
}

void Ops::matmul(const MatmulArgs& args, StreamRef stream) {
  if (args.bias != nullptr || args.row_sums != nullptr) return DeviceOps::matmul(args, stream);
  Runtime::at(stream).add([args] {
    const auto at = [](const MatrixRef& matrix, std::int64_t b, std::int64_t row,
                       std::int64_t column) {
      return b * matrix.batch_stride + row * matrix.row_stride + column * matrix.column_stride;
    };
    for_each(Shape{args.batch, args.m, args.n}, [&](const Shape& i) {
      double sum = 0;
      for (std::int64_t k = 0; k < args.k; ++k) {
        sum += load(args.a.data, args.dtype, at(args.a, i[0], i[1], k)).number *
               load(args.b.data, args.dtype, at(args.b, i[0], k, i[2])).number;
      }
      const std::int64_t place = i[0] * args.c.batch_stride + i[1] * args.c.row_stride + i[2];
      double result = args.alpha * sum;
      if (args.beta != 0) result += args.beta * load(args.c.data, args.dtype, place).number;
      store(args.c.data, args.dtype, place, Value::of(result));
    });
  });
}

}  // namespace demo
