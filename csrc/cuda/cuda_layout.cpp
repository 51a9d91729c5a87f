#include "cuda/cuda_layout.h"

#include <cstring>
#include <type_traits>

namespace gpukit::cuda {

MagicDivisor make_magic(std::int64_t divisor) noexcept {
  const auto d = static_cast<std::uint64_t>(divisor);
  std::uint32_t shift = 0;
  while ((std::uint64_t{1} << shift) < d) ++shift;
  const std::uint64_t multiplier =
      ((std::uint64_t{1} << 32) * ((std::uint64_t{1} << shift) - d)) / d + 1;
  return {static_cast<gk_u32>(d), static_cast<gk_u32>(multiplier), shift};
}

ScalarValue scalar_value(const Scalar& value, DType dtype) {
  return visit_real_dtype(dtype, [&]<class T>() -> ScalarValue {
    if constexpr (std::is_same_v<T, bool>) {
      return {value.as_bool() ? 1.0 : 0.0, value.as_bool() ? 1 : 0};
    } else if constexpr (std::is_integral_v<T>) {
      const T number = value.as<T>();
      return {static_cast<double>(number), static_cast<gk_i64>(number)};
    } else if constexpr (std::is_floating_point_v<T>) {
      return {static_cast<double>(value.as<T>()), value.as_int64()};
    } else {
      static_assert(is_half_type<T>);
      return {static_cast<double>(static_cast<float>(value.as<T>())), value.as_int64()};
    }
  });
}

std::uint64_t scalar_bits(const Scalar& value, DType dtype) {
  return visit_real_dtype(dtype, [&]<class T>() {
    const T number = value.as<T>();
    std::uint64_t bits = 0;
    static_assert(sizeof number <= sizeof bits);
    std::memcpy(&bits, &number, sizeof number);
    return bits;
  });
}

}  // namespace gpukit::cuda
