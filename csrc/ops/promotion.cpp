#include "ops/promotion.h"

#include <atomic>

#include "base/check.h"
#include "base/error.h"
#include "tensor/transfer.h"

namespace gpukit::ops {

namespace {

std::atomic<DType>& default_dtype_slot() noexcept {
  static std::atomic<DType> dtype{DType::kFloat32};
  return dtype;
}

template <class T>
Scalar to_scalar(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return Scalar::boolean(value);
  } else if constexpr (std::is_same_v<T, std::uint64_t>) {
    return Scalar::unsigned_integer(value);
  } else if constexpr (std::is_integral_v<T>) {
    return Scalar::integer(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return Scalar::floating(static_cast<double>(value));
  } else if constexpr (is_complex_type<T>) {
    return Scalar::complex({static_cast<double>(value.real()), static_cast<double>(value.imag())});
  } else {
    static_assert(is_half_type<T>);
    return Scalar::floating(static_cast<double>(static_cast<float>(value)));
  }
}

}  // namespace

Scalar load_scalar(DType dtype, const void* address) {
  return visit_dtype(dtype, [&]<class T>() { return to_scalar(*static_cast<const T*>(address)); });
}

DType default_floating() noexcept { return default_dtype_slot().load(std::memory_order_relaxed); }

void set_default_floating(DType dtype) {
  GPUKIT_CHECK(is_floating(dtype), DTypeError, "set_default_dtype: dtype ", name(dtype),
               " is not a floating type. Use float32 or float64.");
  default_dtype_slot().store(dtype, std::memory_order_relaxed);
}

DType result_dtype(const Tensor& left, const Tensor& right) {
  const DType a = left.dtype();
  const DType b = right.dtype();
  if (a == b) return a;
  const bool left_weak = left.rank() == 0 && right.rank() > 0;
  const bool right_weak = right.rank() == 0 && left.rank() > 0;
  if (left_weak && kind_of(a) <= kind_of(b)) return b;
  if (right_weak && kind_of(b) <= kind_of(a)) return a;
  // A weak complex operand does not widen a floating one.
  if (left_weak && is_complex(a) && is_floating(b)) return complex_dtype(b);
  if (right_weak && is_complex(b) && is_floating(a)) return complex_dtype(a);
  return promote(a, b);
}

DType result_dtype(const Tensor& tensor, Scalar scalar) noexcept {
  return promote_with_scalar(tensor.dtype(), scalar.kind(), default_floating());
}

DType number_dtype(Scalar number) noexcept {
  switch (number.kind()) {
    case DTypeKind::kBool:
      return DType::kBool;
    case DTypeKind::kInteger:
      return number.is_huge() ? DType::kUInt64 : DType::kInt64;
    case DTypeKind::kFloating:
      return default_floating();
    case DTypeKind::kComplex:
      return complex_dtype(default_floating());
  }
  __builtin_unreachable();
}

bool can_store(DType from, DType to) noexcept { return kind_of(from) <= kind_of(to); }

Scalar read_scalar(const Tensor& tensor) { return load_scalar(tensor.dtype(), tensor.data()); }

Scalar read_item(const Tensor& tensor) {
  if (tensor.on_host()) return read_scalar(tensor);
  alignas(kWidestItem) std::byte value[kWidestItem];
  read_to_host(tensor, value, itemsize(tensor.dtype()));
  return load_scalar(tensor.dtype(), value);
}

}  // namespace gpukit::ops
