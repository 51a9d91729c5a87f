#include <type_traits>

#include "cpu/scalar_loops.h"
#include "kernels/scalar_ops.h"

namespace gpukit::cpu {
namespace scalar_unary {
namespace {

template <UnaryOp op, class T>
void unary_loop(void* out_address, const void* in_address, std::int64_t count) {
  using Out = decltype(apply_unary<op, T>(T{}));
  Out* out = static_cast<Out*>(out_address);
  const T* in = static_cast<const T*>(in_address);
  for (std::int64_t i = 0; i < count; ++i) out[i] = apply_unary<op, T>(in[i]);
}

template <class T>
void add_unary(SimdTable& table) {
  static_assert(std::is_arithmetic_v<T>);
  constexpr int kColumn = static_cast<int>(DTypeOf<T>::value);
  for (int code = 0; code < kUnaryOpCount; ++code) {
    visit_unary<T>(static_cast<UnaryOp>(code), [&](auto tag) {
      table.unary[code][kColumn] = unary_loop<decltype(tag)::value, T>;
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
}  // namespace scalar_unary

void add_scalar_unary(SimdTable& table) {
  for_each_real_dtype([&]<class T>() {
    if constexpr (is_wide_unsigned<T>) {
      scalar_unary::add_unsigned_unary<T>(table);
    } else if constexpr (!is_half_type<T>) {  // half types are computed in float32
      scalar_unary::add_unary<T>(table);
    }
  });
}

}  // namespace gpukit::cpu
