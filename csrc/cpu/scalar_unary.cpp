#include <type_traits>

#include "cpu/scalar_loops.h"
#include "kernels/scalar_ops.h"

namespace gpukit::cpu {
namespace {

template <UnaryOp op, class T>
void unary_loop(void* out_address, const void* in_address, std::int64_t count) {
  using Out = decltype(apply_unary<op, T>(T{}));
  Out* out = static_cast<Out*>(out_address);
  const T* in = static_cast<const T*>(in_address);
  for (std::int64_t i = 0; i < count; ++i) out[i] = apply_unary<op, T>(in[i]);
}

template <class T>
void add_unary(SimdTable& table, DType dtype) {
  for (int code = 0; code < kUnaryOpCount; ++code) {
    visit_unary<T>(static_cast<UnaryOp>(code), [&](auto tag) {
      table.unary[code][static_cast<int>(dtype)] = unary_loop<decltype(tag)::value, T>;
    });
  }
}

template <class T>
void add_unsigned_unary(SimdTable& table) {
  for (int code = 0; code < kUnaryOpCount; ++code) {
    visit_unary<T>(static_cast<UnaryOp>(code), [&](auto tag) {
      if constexpr (sign_matters(decltype(tag)::value)) {
        table.unary[code][static_cast<int>(DTypeOf<T>::value)] =
            unary_loop<decltype(tag)::value, T>;
      }
    });
  }
}

}  // namespace

void add_scalar_unary(SimdTable& table) {
  add_unary<bool>(table, DType::kBool);
  add_unary<std::uint8_t>(table, DType::kUInt8);
  add_unary<std::int8_t>(table, DType::kInt8);
  add_unary<std::int16_t>(table, DType::kInt16);
  add_unary<std::int32_t>(table, DType::kInt32);
  add_unary<std::int64_t>(table, DType::kInt64);
  add_unary<float>(table, DType::kFloat32);
  add_unary<double>(table, DType::kFloat64);
  add_unsigned_unary<std::uint16_t>(table);
  add_unsigned_unary<std::uint32_t>(table);
  add_unsigned_unary<std::uint64_t>(table);
}

}  // namespace gpukit::cpu
