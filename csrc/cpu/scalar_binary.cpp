#include <type_traits>

#include "base/half.h"
#include "cpu/scalar_loops.h"
#include "kernels/scalar_ops.h"

namespace gpukit::cpu {
namespace scalar_binary {
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
void add_binary(SimdTable& table) {
  static_assert(std::is_arithmetic_v<T>);
  constexpr int kColumn = static_cast<int>(DTypeOf<T>::value);
  for (int code = 0; code < kBinaryOpCount; ++code) {
    visit_binary<T>(static_cast<BinaryOp>(code), [&](auto tag) {
      table.binary[code][kColumn] = binary_loop<decltype(tag)::value, T>;
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
  static_assert(sizeof(T) == 2);
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
}  // namespace scalar_binary

void add_scalar_binary(SimdTable& table) {
  for_each_real_dtype([&]<class T>() {
    if constexpr (is_half_type<T>) {
      table.binary[static_cast<int>(BinaryOp::kNextafter)][static_cast<int>(DTypeOf<T>::value)] =
          scalar_binary::half_nextafter_loop<T>;
    } else if constexpr (is_wide_unsigned<T>) {
      scalar_binary::add_unsigned_binary<T>(table);
    } else {
      scalar_binary::add_binary<T>(table);
    }
  });
}

}  // namespace gpukit::cpu
