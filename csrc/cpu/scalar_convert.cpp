#include <cstring>
#include <type_traits>

#include "base/half.h"
#include "core/dtype.h"
#include "cpu/scalar_loops.h"
#include "kernels/scalar_ops.h"

namespace gpukit::cpu {
namespace scalar_convert {
namespace {

// double to float so that a second rounding, to fewer bits, is right: an inexact result is made
// odd.
float round_to_odd(double value) {
  const float rounded = static_cast<float>(value);
  const double back = static_cast<double>(rounded);
  if (back == value || value != value) return rounded;
  std::uint32_t bits;
  std::memcpy(&bits, &rounded, sizeof bits);
  const bool too_large = (back < 0 ? -back : back) > (value < 0 ? -value : value);
  if (too_large) --bits;
  bits |= 1u;
  float odd;
  std::memcpy(&odd, &bits, sizeof odd);
  return odd;
}

template <class To, class From>
To convert_one(From x) {
  if constexpr (is_half_type<From>) {
    return convert_one<To>(static_cast<float>(x));
  } else if constexpr (is_half_type<To> && std::is_same_v<From, double>) {
    return To(round_to_odd(x));
  } else if constexpr (is_half_type<To>) {
    return To(convert_scalar<float>(x));
  } else {
    static_assert(std::is_arithmetic_v<To> && std::is_arithmetic_v<From>);
    return convert_scalar<To>(x);
  }
}

template <class To, class From>
void convert_loop(void* out_address, const void* in_address, std::int64_t count) {
  To* out = static_cast<To*>(out_address);
  const From* in = static_cast<const From*>(in_address);
  for (std::int64_t i = 0; i < count; ++i) {
    if constexpr (std::is_same_v<To, From>) {
      out[i] = in[i];
    } else {
      out[i] = convert_one<To>(in[i]);
    }
  }
}

template <class T>
inline constexpr bool is_floating_item = is_half_type<T> || std::is_floating_point_v<T>;

/// True where the sign decides: widening, and floating values that the signed dtype does not hold.
template <class To, class From>
inline constexpr bool has_own_loop =
    is_wide_unsigned<To> ? is_floating_item<From> && (sizeof(To) > 2)
    : is_wide_unsigned<From>
        ? is_floating_item<To> || (sizeof(To) > sizeof(From) && !std::is_same_v<To, bool>)
        : true;

struct AddFrom {
  SimdTable& table;
  template <class From>
  void operator()() const {
    ConvertKernel* row = table.convert[static_cast<int>(DTypeOf<From>::value)];
    for_each_real_dtype([row]<class To>() {
      if constexpr (has_own_loop<To, From>)
        row[static_cast<int>(DTypeOf<To>::value)] = convert_loop<To, From>;
    });
  }
};

}  // namespace
}  // namespace scalar_convert

void add_scalar_conversions(SimdTable& table) {
  for_each_real_dtype(scalar_convert::AddFrom{table});
}

}  // namespace gpukit::cpu
