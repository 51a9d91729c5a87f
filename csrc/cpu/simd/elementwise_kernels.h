// Elementwise loops over contiguous arrays, for the light operations that have a vector
// instruction.
#pragma once

#include <type_traits>

#include "cpu/simd/vector.h"
#include "kernels/scalar_ops.h"

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {

template <BinaryOp op, class T>
GPUKIT_SIMD_FN auto vector_binary(Vec<T> a, Vec<T> b) {
  if constexpr (op == BinaryOp::kAdd)
    return a + b;
  else if constexpr (op == BinaryOp::kSub)
    return a - b;
  else if constexpr (op == BinaryOp::kMul)
    return a * b;
  else if constexpr (op == BinaryOp::kDiv)
    return a / b;
  else if constexpr (op == BinaryOp::kReluGradient)
    return b <= Vec<T>{} ? Vec<T>{} : a;
  else if constexpr (op == BinaryOp::kMaximum && is_floating_scalar<T>)
    return ((a > b) | (a != a)) ? a : b;
  else if constexpr (op == BinaryOp::kMinimum && is_floating_scalar<T>)
    return ((a < b) | (a != a)) ? a : b;
  else if constexpr (op == BinaryOp::kMaximum)
    return a > b ? a : b;
  else if constexpr (op == BinaryOp::kMinimum)
    return a < b ? a : b;
  else if constexpr (op == BinaryOp::kBitwiseAnd)
    return a & b;
  else if constexpr (op == BinaryOp::kBitwiseOr)
    return a | b;
  else if constexpr (op == BinaryOp::kBitwiseXor)
    return a ^ b;
  else if constexpr (op == BinaryOp::kEq)
    return a == b;
  else if constexpr (op == BinaryOp::kNe)
    return a != b;
  else if constexpr (op == BinaryOp::kLt)
    return a < b;
  else if constexpr (op == BinaryOp::kLe)
    return a <= b;
  else if constexpr (op == BinaryOp::kGt)
    return a > b;
  else
    return a >= b;
}

template <UnaryOp op, class T>
GPUKIT_SIMD_FN Vec<T> vector_unary(Vec<T> x) {
  if constexpr (op == UnaryOp::kNeg)
    return -x;
  else if constexpr (op == UnaryOp::kAbs && is_floating_scalar<T>) {
    typedef Vec<std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>> Bits;
    const Bits magnitude = Bits{} + (sizeof(T) == 4 ? INT32_MAX : INT64_MAX);
    return bits_as<Vec<T>>(bits_as<Bits>(x) & magnitude);
  } else if constexpr (op == UnaryOp::kSquare)
    return x * x;
  else if constexpr (op == UnaryOp::kSqrt)
    return square_root(x);
  else if constexpr (op == UnaryOp::kRsqrt)
    return static_cast<T>(1) / square_root(x);
  else if constexpr (op == UnaryOp::kReciprocal)
    return static_cast<T>(1) / x;
  else if constexpr (op == UnaryOp::kRelu)
    return x <= static_cast<T>(0) ? Vec<T>{} : x;
  else if constexpr (op == UnaryOp::kFloor)
    return floor_of(x);
  else if constexpr (op == UnaryOp::kCeil)
    return ceil_of(x);
  else if constexpr (op == UnaryOp::kRound)
    return rint_of(x);
  else
    return trunc_of(x);
}

/// A value of one element, repeated so that vector loads may read it.
template <class T>
struct Repeated {
  alignas(kBytes) T values[kLanes<T>];
  explicit Repeated(const T* value) { store(values, broadcast(*value)); }
};

template <BinaryOp op, class T, class Out>
GPUKIT_SIMD_FN void binary_step(Out* out, const T* left, const T* right) {
  if constexpr (gives_bool(op)) {
    store_mask(out, vector_binary<op, T>(load(left), load(right)));
  } else {
    store(out, vector_binary<op, T>(load(left), load(right)));
  }
}

template <BinaryOp op, class T, class Out>
void binary_few(Out* out, const T* left, std::int64_t left_step, const T* right,
                std::int64_t right_step, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<Out>(apply_binary<op, T>(left[i * left_step], right[i * right_step]));
    GPUKIT_SIMD_SCALAR_LOOP;
  }
}

// The last vector overlaps the one before it. Its inputs are read before anything is stored, so
// working in place gives the same result.
template <BinaryOp op, class T, class Out>
__attribute__((noinline)) void binary_many(Out* out, const T* left, std::int64_t left_step,
                                           const T* right, std::int64_t right_step,
                                           std::int64_t count) {
  constexpr std::int64_t kStep = kLanes<T>;
  const Repeated<T> left_value(left), right_value(right);
  if (left_step == 0) left = left_value.values;
  if (right_step == 0) right = right_value.values;
  const std::int64_t last = count - kStep;
  const auto last_result =
      vector_binary<op, T>(load(left + last * left_step), load(right + last * right_step));
  const std::int64_t left_stride = left_step * kStep, right_stride = right_step * kStep;
  std::int64_t i = 0;
  for (; i + 4 * kStep <= last; i += 4 * kStep) {
    binary_step<op>(out + i, left, right);
    binary_step<op>(out + i + kStep, left + left_stride, right + right_stride);
    binary_step<op>(out + i + 2 * kStep, left + 2 * left_stride, right + 2 * right_stride);
    binary_step<op>(out + i + 3 * kStep, left + 3 * left_stride, right + 3 * right_stride);
    left += 4 * left_stride;
    right += 4 * right_stride;
  }
  for (; i < last; i += kStep, left += left_stride, right += right_stride) {
    binary_step<op>(out + i, left, right);
  }
  if constexpr (gives_bool(op)) {
    store_mask(out + last, last_result);
  } else {
    store(out + last, last_result);
  }
}

template <BinaryOp op, class T>
void binary_loop(void* out, const void* left, std::int64_t left_step, const void* right,
                 std::int64_t right_step, std::int64_t count) {
  using Out = std::conditional_t<gives_bool(op), std::uint8_t, T>;
  Out* target = static_cast<Out*>(out);
  const T* a = static_cast<const T*>(left);
  const T* b = static_cast<const T*>(right);
  if (count < kLanes<T>) return binary_few<op, T, Out>(target, a, left_step, b, right_step, count);
  binary_many<op, T, Out>(target, a, left_step, b, right_step, count);
}

template <BinaryOp op, class T>
void binary_streaming_loop(void* out_address, const void* left_address, std::int64_t left_step,
                           const void* right_address, std::int64_t right_step, std::int64_t count) {
  constexpr std::int64_t kStep = kLanes<T>;
  T* out = static_cast<T*>(out_address);
  const T* left = static_cast<const T*>(left_address);
  const T* right = static_cast<const T*>(right_address);
  if (count < 4 * kStep || !is_element_aligned(out)) {
    return binary_loop<op, T>(out, left, left_step, right, right_step, count);
  }
  const std::int64_t head = elements_to_alignment(out);
  if (head > 0) binary_loop<op, T>(out, left, left_step, right, right_step, head);
  const Repeated<T> left_value(left), right_value(right);
  left = left_step == 0 ? left_value.values : left + head;
  right = right_step == 0 ? right_value.values : right + head;
  const std::int64_t left_stride = left_step * kStep, right_stride = right_step * kStep;
  std::int64_t i = head;
  for (; i + kStep <= count; i += kStep, left += left_stride, right += right_stride) {
    stream(out + i, vector_binary<op, T>(load(left), load(right)));
  }
  finish_streaming();
  binary_few<op, T, T>(out + i, left, left_step, right, right_step, count - i);
}

template <UnaryOp op, class T>
GPUKIT_SIMD_FN void unary_few(T* out, const T* in, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    out[i] = apply_unary<op, T>(in[i]);
    GPUKIT_SIMD_SCALAR_LOOP;
  }
}

template <UnaryOp op, class T>
void unary_loop(void* out_address, const void* in_address, std::int64_t count) {
  constexpr std::int64_t kStep = kLanes<T>;
  T* out = static_cast<T*>(out_address);
  const T* in = static_cast<const T*>(in_address);
  if (count < kStep) return unary_few<op>(out, in, count);
  const std::int64_t last = count - kStep;
  const Vec<T> last_result = vector_unary<op, T>(load(in + last));
  std::int64_t i = 0;
  for (; i + 4 * kStep <= last; i += 4 * kStep) {
    store(out + i, vector_unary<op, T>(load(in + i)));
    store(out + i + kStep, vector_unary<op, T>(load(in + i + kStep)));
    store(out + i + 2 * kStep, vector_unary<op, T>(load(in + i + 2 * kStep)));
    store(out + i + 3 * kStep, vector_unary<op, T>(load(in + i + 3 * kStep)));
  }
  for (; i < last; i += kStep) store(out + i, vector_unary<op, T>(load(in + i)));
  store(out + last, last_result);
}

template <UnaryOp op, class T>
void unary_streaming_loop(void* out_address, const void* in_address, std::int64_t count) {
  constexpr std::int64_t kStep = kLanes<T>;
  T* out = static_cast<T*>(out_address);
  const T* in = static_cast<const T*>(in_address);
  if (count < 4 * kStep || !is_element_aligned(out)) return unary_loop<op, T>(out, in, count);
  const std::int64_t head = elements_to_alignment(out);
  if (head > 0) unary_loop<op, T>(out, in, head);
  std::int64_t i = head;
  for (; i + kStep <= count; i += kStep) stream(out + i, vector_unary<op, T>(load(in + i)));
  finish_streaming();
  unary_few<op>(out + i, in + i, count - i);
}

// The condition's bytes become lanes of the element's width.
template <class T>
void select_loop(void* out_address, const std::uint8_t* condition, std::int64_t condition_step,
                 const void* left_address, std::int64_t left_step, const void* right_address,
                 std::int64_t right_step, std::int64_t count) {
  constexpr std::int64_t kStep = kLanes<T>;
  T* out = static_cast<T*>(out_address);
  const T* left = static_cast<const T*>(left_address);
  const T* right = static_cast<const T*>(right_address);
  std::int64_t i = 0;
  if (count >= kStep) {
    const Repeated<T> left_value(left), right_value(right);
    const T* l = left_step == 0 ? left_value.values : left;
    const T* r = right_step == 0 ? right_value.values : right;
    VecN<std::uint8_t, kStep> bytes = {};
    if (condition_step == 0) bytes = bytes + *condition;
    for (; i + kStep <= count; i += kStep) {
      if (condition_step != 0) bytes = load_as<VecN<std::uint8_t, kStep>>(condition + i);
      const auto mask = __builtin_convertvector(bytes, Vec<T>) != static_cast<T>(0);
      store(out + i, mask ? load(l + i * left_step) : load(r + i * right_step));
    }
  }
  for (; i < count; ++i) {
    out[i] = condition[i * condition_step] != 0 ? left[i * left_step] : right[i * right_step];
    GPUKIT_SIMD_SCALAR_LOOP;
  }
}

inline int at(BinaryOp op) { return static_cast<int>(op); }
inline int at(UnaryOp op) { return static_cast<int>(op); }
inline int at(DType dtype) { return static_cast<int>(dtype); }

template <BinaryOp op, class T>
void add_binary(SimdTable& table, DType dtype) {
  table.binary[at(op)][at(dtype)] = binary_loop<op, T>;
}
template <BinaryOp op, class T>
void add_binary_streaming(SimdTable& table, DType dtype) {
  table.binary[at(op)][at(dtype)] = binary_loop<op, T>;
  table.binary_streaming[at(op)][at(dtype)] = binary_streaming_loop<op, T>;
}
template <UnaryOp op, class T>
void add_unary(SimdTable& table, DType dtype) {
  table.unary[at(op)][at(dtype)] = unary_loop<op, T>;
}
template <UnaryOp op, class T>
void add_unary_streaming(SimdTable& table, DType dtype) {
  table.unary[at(op)][at(dtype)] = unary_loop<op, T>;
  table.unary_streaming[at(op)][at(dtype)] = unary_streaming_loop<op, T>;
}

template <class T>
void add_floating(SimdTable& table, DType dtype) {
  add_binary_streaming<BinaryOp::kAdd, T>(table, dtype);
  add_binary_streaming<BinaryOp::kSub, T>(table, dtype);
  add_binary_streaming<BinaryOp::kMul, T>(table, dtype);
  add_binary_streaming<BinaryOp::kDiv, T>(table, dtype);
  add_binary<BinaryOp::kMaximum, T>(table, dtype);
  add_binary<BinaryOp::kMinimum, T>(table, dtype);
  add_binary<BinaryOp::kReluGradient, T>(table, dtype);
  add_unary<UnaryOp::kNeg, T>(table, dtype);
  add_unary<UnaryOp::kAbs, T>(table, dtype);
  add_unary<UnaryOp::kSquare, T>(table, dtype);
  add_unary<UnaryOp::kSqrt, T>(table, dtype);
  add_unary<UnaryOp::kRsqrt, T>(table, dtype);
  add_unary<UnaryOp::kReciprocal, T>(table, dtype);
  add_unary_streaming<UnaryOp::kRelu, T>(table, dtype);
  add_unary<UnaryOp::kFloor, T>(table, dtype);
  add_unary<UnaryOp::kCeil, T>(table, dtype);
  add_unary<UnaryOp::kRound, T>(table, dtype);
  add_unary<UnaryOp::kTrunc, T>(table, dtype);
}

// Wrapping arithmetic and bits are the same for both signednesses.
template <class Unsigned>
void add_wrapping(SimdTable& table, DType dtype) {
  add_binary<BinaryOp::kAdd, Unsigned>(table, dtype);
  add_binary<BinaryOp::kSub, Unsigned>(table, dtype);
  add_binary<BinaryOp::kMul, Unsigned>(table, dtype);
  add_binary<BinaryOp::kBitwiseAnd, Unsigned>(table, dtype);
  add_binary<BinaryOp::kBitwiseOr, Unsigned>(table, dtype);
  add_binary<BinaryOp::kBitwiseXor, Unsigned>(table, dtype);
  add_unary<UnaryOp::kNeg, Unsigned>(table, dtype);
}

template <class T>
void add_ordering(SimdTable& table, DType dtype) {
  add_binary<BinaryOp::kEq, T>(table, dtype);
  add_binary<BinaryOp::kNe, T>(table, dtype);
  add_binary<BinaryOp::kLt, T>(table, dtype);
  add_binary<BinaryOp::kLe, T>(table, dtype);
  add_binary<BinaryOp::kGt, T>(table, dtype);
  add_binary<BinaryOp::kGe, T>(table, dtype);
}
template <class T>
void add_extremes(SimdTable& table, DType dtype) {
  add_binary<BinaryOp::kMaximum, T>(table, dtype);
  add_binary<BinaryOp::kMinimum, T>(table, dtype);
}

// Booleans are bytes of 0 or 1.
inline void add_boolean(SimdTable& table) {
  for (BinaryOp op :
       {BinaryOp::kBitwiseAnd, BinaryOp::kLogicalAnd, BinaryOp::kMul, BinaryOp::kMinimum}) {
    table.binary[at(op)][at(DType::kBool)] = binary_loop<BinaryOp::kBitwiseAnd, std::uint8_t>;
  }
  for (BinaryOp op :
       {BinaryOp::kBitwiseOr, BinaryOp::kLogicalOr, BinaryOp::kAdd, BinaryOp::kMaximum}) {
    table.binary[at(op)][at(DType::kBool)] = binary_loop<BinaryOp::kBitwiseOr, std::uint8_t>;
  }
  for (BinaryOp op : {BinaryOp::kBitwiseXor, BinaryOp::kLogicalXor, BinaryOp::kNe}) {
    table.binary[at(op)][at(DType::kBool)] = binary_loop<BinaryOp::kBitwiseXor, std::uint8_t>;
  }
}

void add_elementwise(SimdTable& table) {
  table.level = GPUKIT_SIMD_NAME(GPUKIT_SIMD_LEVEL);
  add_floating<float>(table, DType::kFloat32);
  add_floating<double>(table, DType::kFloat64);
  add_wrapping<std::uint8_t>(table, DType::kUInt8);
  add_wrapping<std::uint8_t>(table, DType::kInt8);
  add_wrapping<std::uint16_t>(table, DType::kInt16);
  add_wrapping<std::uint32_t>(table, DType::kInt32);
  add_wrapping<std::uint64_t>(table, DType::kInt64);
  add_boolean(table);
  add_ordering<float>(table, DType::kFloat32);
  add_ordering<double>(table, DType::kFloat64);
  add_ordering<std::int32_t>(table, DType::kInt32);
  add_ordering<std::int64_t>(table, DType::kInt64);
  add_ordering<std::uint8_t>(table, DType::kUInt8);
  add_extremes<std::uint8_t>(table, DType::kUInt8);
  add_extremes<std::int8_t>(table, DType::kInt8);
  add_extremes<std::int16_t>(table, DType::kInt16);
  add_extremes<std::int32_t>(table, DType::kInt32);
  add_extremes<std::int64_t>(table, DType::kInt64);
  table.select[1] = select_loop<std::uint8_t>;
  table.select[2] = select_loop<std::uint16_t>;
  table.select[4] = select_loop<std::uint32_t>;
  table.select[8] = select_loop<std::uint64_t>;
}

}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
