#include "base/half.h"
#include "cpu/scalar_loops.h"
#include "kernels/scalar_ops.h"

namespace gpukit::cpu {
namespace {

template <BinaryOp op, class T>
void binary_loop(void* out_address, const void* left_address, std::int64_t left_step,
                 const void* right_address, std::int64_t right_step, std::int64_t count) {
  using Out = decltype(apply_binary<op, T>(T{}, T{}));
  Out* out = static_cast<Out*>(out_address);
  const T* left = static_cast<const T*>(left_address);
  const T* right = static_cast<const T*>(right_address);
  for (std::int64_t i = 0; i < count; ++i) {
    out[i] = apply_binary<op, T>(left[i * left_step], right[i * right_step]);
  }
}

template <class T>
void add_binary(SimdTable& table, DType dtype) {
  for (int code = 0; code < kBinaryOpCount; ++code) {
    visit_binary<T>(static_cast<BinaryOp>(code), [&](auto tag) {
      table.binary[code][static_cast<int>(dtype)] = binary_loop<decltype(tag)::value, T>;
    });
  }
}

template <class T>
void add_unsigned_binary(SimdTable& table) {
  for (int code = 0; code < kBinaryOpCount; ++code) {
    visit_binary<T>(static_cast<BinaryOp>(code), [&](auto tag) {
      if constexpr (sign_matters(decltype(tag)::value)) {
        table.binary[code][static_cast<int>(DTypeOf<T>::value)] =
            binary_loop<decltype(tag)::value, T>;
      }
    });
  }
}

// The neighbour of a 16-bit number is a matter of its bits; float would round the step away.
template <class T>
void half_nextafter_loop(void* out_address, const void* left_address, std::int64_t left_step,
                         const void* right_address, std::int64_t right_step, std::int64_t count) {
  T* out = static_cast<T*>(out_address);
  const T* left = static_cast<const T*>(left_address);
  const T* right = static_cast<const T*>(right_address);
  for (std::int64_t i = 0; i < count; ++i) {
    const T from = left[i * left_step], to = right[i * right_step];
    out[i].bits =
        next_after_16(from.bits, static_cast<float>(from), to.bits, static_cast<float>(to));
  }
}

}  // namespace

void add_scalar_binary(SimdTable& table) {
  add_binary<bool>(table, DType::kBool);
  add_binary<std::uint8_t>(table, DType::kUInt8);
  add_binary<std::int8_t>(table, DType::kInt8);
  add_binary<std::int16_t>(table, DType::kInt16);
  add_binary<std::int32_t>(table, DType::kInt32);
  add_binary<std::int64_t>(table, DType::kInt64);
  add_binary<float>(table, DType::kFloat32);
  add_binary<double>(table, DType::kFloat64);
  add_unsigned_binary<std::uint16_t>(table);
  add_unsigned_binary<std::uint32_t>(table);
  add_unsigned_binary<std::uint64_t>(table);
  constexpr int kNextafter = static_cast<int>(BinaryOp::kNextafter);
  table.binary[kNextafter][static_cast<int>(DType::kFloat16)] = half_nextafter_loop<Half>;
  table.binary[kNextafter][static_cast<int>(DType::kBFloat16)] = half_nextafter_loop<BFloat16>;
}

}  // namespace gpukit::cpu
