// Element types: one table row each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/half.h"

namespace gpukit {

/// The order is the promotion order inside a kind; the numbers are stable (kernels receive them).
enum class DType : std::uint8_t {
  kBool,
  kUInt8,
  kInt8,
  kUInt16,
  kInt16,
  kUInt32,
  kInt32,
  kUInt64,
  kInt64,
  kFloat16,
  kBFloat16,
  kFloat32,
  kFloat64,
  kCount
};

inline constexpr int kDTypeCount = static_cast<int>(DType::kCount);

/// bool < integer < floating: what a Python scalar may not raise within.
enum class DTypeKind : std::uint8_t { kBool, kInteger, kFloating };

struct DTypeInfo {
  std::string_view name;        ///< "float32"
  std::string_view short_name;  ///< "f32": the suffix of kernel names
  std::string_view numpy_code;  ///< "<f4": the typestr of NumPy and __cuda_array_interface__
  std::uint8_t itemsize;        ///< bytes
  DTypeKind kind;
  bool is_signed;
};

/// One row for each dtype, in the order of the enum.
inline constexpr std::array<DTypeInfo, kDTypeCount> kDTypes = {{
    {"bool", "b8", "|b1", 1, DTypeKind::kBool, false},
    {"uint8", "u8", "|u1", 1, DTypeKind::kInteger, false},
    {"int8", "i8", "|i1", 1, DTypeKind::kInteger, true},
    {"uint16", "u16", "<u2", 2, DTypeKind::kInteger, false},
    {"int16", "i16", "<i2", 2, DTypeKind::kInteger, true},
    {"uint32", "u32", "<u4", 4, DTypeKind::kInteger, false},
    {"int32", "i32", "<i4", 4, DTypeKind::kInteger, true},
    {"uint64", "u64", "<u8", 8, DTypeKind::kInteger, false},
    {"int64", "i64", "<i8", 8, DTypeKind::kInteger, true},
    {"float16", "f16", "<f2", 2, DTypeKind::kFloating, true},
    {"bfloat16", "bf16", "<V2", 2, DTypeKind::kFloating, true},
    {"float32", "f32", "<f4", 4, DTypeKind::kFloating, true},
    {"float64", "f64", "<f8", 8, DTypeKind::kFloating, true},
}};

/// The column that every call reads, as bytes.
inline constexpr auto kItemsizes = [] {
  std::array<std::uint8_t, kDTypeCount> sizes{};
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = kDTypes[i].itemsize;
  return sizes;
}();

inline const DTypeInfo& dtype_info(DType dtype) noexcept {
  return kDTypes[static_cast<std::size_t>(dtype)];
}
inline std::size_t itemsize(DType dtype) noexcept {
  return kItemsizes[static_cast<std::size_t>(dtype)];
}
inline std::string_view name(DType dtype) noexcept { return dtype_info(dtype).name; }
constexpr bool is_floating(DType dtype) noexcept { return dtype >= DType::kFloat16; }
inline bool is_integer(DType dtype) noexcept {
  return dtype >= DType::kUInt8 && dtype <= DType::kInt64;
}
inline bool is_half(DType dtype) noexcept {
  return dtype == DType::kFloat16 || dtype == DType::kBFloat16;
}
inline DTypeKind kind_of(DType dtype) noexcept { return dtype_info(dtype).kind; }

/// Accepts "float32", "float", "half", "long" …; a near name is suggested in the DTypeError
/// otherwise.
DType parse_dtype(std::string_view text);

/// The array API's promotion of two dtypes (int64 + float32 = float32; uint8 + int8 = int16).
/// Throws DTypeError for uint64 with a signed integer, which no integer dtype holds.
DType promote(DType a, DType b);

/// Promotion with a Python scalar of a kind: the scalar is weak, so only a higher kind changes the
/// dtype.
DType promote_with_scalar(DType tensor, DTypeKind scalar, DType default_floating) noexcept;

/// The dtype that sums are kept in: bool and integers in int64, uint64 and floating dtypes stay.
DType sum_dtype(DType dtype) noexcept;

/// The dtype that values are computed in: half types are storage only, all others stay.
inline DType working_dtype(DType dtype) noexcept {
  return is_half(dtype) ? DType::kFloat32 : dtype;
}

/// The signed integer dtype of the same size for an unsigned one, else the dtype itself: what only
/// adds, multiplies, moves or tests for equality has the same bits in both.
inline DType wrapping_dtype(DType dtype) noexcept {
  const bool is_unsigned = dtype == DType::kUInt8 || dtype == DType::kUInt16 ||
                           dtype == DType::kUInt32 || dtype == DType::kUInt64;
  return is_unsigned ? static_cast<DType>(static_cast<int>(dtype) + 1) : dtype;
}

/// What makes uint64, read as int64, comparable: these bits are turned over first.
inline std::int64_t order_mask(DType dtype) noexcept {
  return dtype == DType::kUInt64 ? INT64_MIN : 0;
}

/// Calls `visitor.template operator()<T>()` with the C++ type of `dtype` (bool is
/// std::uint8_t-sized `bool`).
template <class Visitor>
decltype(auto) visit_dtype(DType dtype, Visitor&& visitor) {
  switch (dtype) {
    case DType::kBool:
      return visitor.template operator()<bool>();
    case DType::kUInt8:
      return visitor.template operator()<std::uint8_t>();
    case DType::kInt8:
      return visitor.template operator()<std::int8_t>();
    case DType::kUInt16:
      return visitor.template operator()<std::uint16_t>();
    case DType::kInt16:
      return visitor.template operator()<std::int16_t>();
    case DType::kUInt32:
      return visitor.template operator()<std::uint32_t>();
    case DType::kInt32:
      return visitor.template operator()<std::int32_t>();
    case DType::kUInt64:
      return visitor.template operator()<std::uint64_t>();
    case DType::kInt64:
      return visitor.template operator()<std::int64_t>();
    case DType::kFloat16:
      return visitor.template operator()<Half>();
    case DType::kBFloat16:
      return visitor.template operator()<BFloat16>();
    case DType::kFloat32:
      return visitor.template operator()<float>();
    default:
      return visitor.template operator()<double>();
  }
}

template <class T>
struct DTypeOf;
template <>
struct DTypeOf<bool> {
  static constexpr DType value = DType::kBool;
};
template <>
struct DTypeOf<std::uint8_t> {
  static constexpr DType value = DType::kUInt8;
};
template <>
struct DTypeOf<std::int8_t> {
  static constexpr DType value = DType::kInt8;
};
template <>
struct DTypeOf<std::uint16_t> {
  static constexpr DType value = DType::kUInt16;
};
template <>
struct DTypeOf<std::int16_t> {
  static constexpr DType value = DType::kInt16;
};
template <>
struct DTypeOf<std::uint32_t> {
  static constexpr DType value = DType::kUInt32;
};
template <>
struct DTypeOf<std::int32_t> {
  static constexpr DType value = DType::kInt32;
};
template <>
struct DTypeOf<std::uint64_t> {
  static constexpr DType value = DType::kUInt64;
};
template <>
struct DTypeOf<std::int64_t> {
  static constexpr DType value = DType::kInt64;
};
template <>
struct DTypeOf<Half> {
  static constexpr DType value = DType::kFloat16;
};
template <>
struct DTypeOf<BFloat16> {
  static constexpr DType value = DType::kBFloat16;
};
template <>
struct DTypeOf<float> {
  static constexpr DType value = DType::kFloat32;
};
template <>
struct DTypeOf<double> {
  static constexpr DType value = DType::kFloat64;
};

}  // namespace gpukit
