#include <cstring>
#include <type_traits>

#include "base/half.h"
#include "core/dtype.h"
#include "cpu/scalar_loops.h"
#include "kernels/scalar_ops.h"

namespace gpukit::cpu {
namespace {

template <class T>
inline constexpr bool is_half = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

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
  if constexpr (is_half<From>) {
    return convert_one<To>(static_cast<float>(x));
  } else if constexpr (is_half<To> && std::is_same_v<From, double>) {
    return To(round_to_odd(x));
  } else if constexpr (is_half<To>) {
    return To(convert_scalar<float>(x));
  } else {
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

/// uint16, uint32 and uint64 mostly use the loops of the signed dtypes of their size.
template <class T>
inline constexpr bool is_wide_unsigned =
    std::is_integral_v<T> && std::is_unsigned_v<T> && (sizeof(T) > 1);
template <class T>
inline constexpr bool is_floating_item = is_half<T> || std::is_floating_point_v<T>;

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
    for (int to = 0; to < kDTypeCount; ++to) {
      ConvertKernel& place = table.convert[static_cast<int>(DTypeOf<From>::value)][to];
      visit_dtype(static_cast<DType>(to), [&place]<class To>() {
        if constexpr (has_own_loop<To, From>) place = convert_loop<To, From>;
      });
    }
  }
};

}  // namespace

void add_scalar_conversions(SimdTable& table) {
  for (int from = 0; from < kDTypeCount; ++from)
    visit_dtype(static_cast<DType>(from), AddFrom{table});
}

}  // namespace gpukit::cpu
