// Element types: the rows of base/dtypes.def and their properties.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/half.h"

namespace gpukit {

/// The rows of base/dtypes.def, in its order; the numbers are stable (kernels receive them).
enum class DType : std::uint8_t {
#define GK_DTYPE(Name, ...) k##Name,
#include "base/dtypes.def"
  kCount
};

inline constexpr int kDTypeCount = static_cast<int>(DType::kCount);

/// From low to high: what a Python scalar may not raise within.
enum class DTypeKind : std::uint8_t {
#define GK_DTYPE_KIND(Kind) k##Kind,
#include "base/dtypes.def"
};

/// Code that is not guarded by of_kind or a switch asserts that it knows every kind:
/// static_assert(kDTypeKindCount == 4, "what a new kind has to decide").
inline constexpr int kDTypeKindCount = 0
#define GK_DTYPE_KIND(Kind) +1
#include "base/dtypes.def"
    ;

struct DTypeInfo {
  std::string_view name;              ///< "float32"
  std::string_view short_name;        ///< "f32": the suffix of kernel names
  std::string_view numpy_code;        ///< "<f4": the typestr of NumPy and __cuda_array_interface__
  std::string_view safetensors_name;  ///< "F32"
  std::string_view storage_name;      ///< "FloatStorage": torch's class in pickled files, or ""
  std::string_view buffer_format;     ///< "f": the buffer protocol's code, or "" for NumPy has none
  std::uint8_t itemsize;              ///< bytes
  DTypeKind kind;
  bool is_signed;
  DType computed, accumulated;  ///< on a GPU: of elementwise work, and of sums
};

inline constexpr std::array<DTypeInfo, kDTypeCount> kDTypes = {{
#define GK_DTYPE(Name, name, suffix, Kind, is_signed, Host, Device, Computed, Accumulated, DLPack, \
                 numpy, format, safetensors, storage)                                              \
  {#name,                                                                                          \
   #suffix,                                                                                        \
   numpy,                                                                                          \
   safetensors,                                                                                    \
   storage,                                                                                        \
   format,                                                                                         \
   sizeof(Host),                                                                                   \
   DTypeKind::k##Kind,                                                                             \
   is_signed,                                                                                      \
   DType::k##Computed,                                                                             \
   DType::k##Accumulated},
#include "base/dtypes.def"
}};

/// A column that every call reads, by itself: the whole table is too wide for that.
template <class T>
constexpr std::array<T, kDTypeCount> column_of(T DTypeInfo::* field) noexcept {
  std::array<T, kDTypeCount> column{};
  for (std::size_t i = 0; i < column.size(); ++i) column[i] = kDTypes[i].*field;
  return column;
}
inline constexpr auto kItemsizes = column_of(&DTypeInfo::itemsize);
inline constexpr auto kKinds = column_of(&DTypeInfo::kind);
inline constexpr auto kComputedIn = column_of(&DTypeInfo::computed);

constexpr const DTypeInfo& dtype_info(DType dtype) noexcept {
  return kDTypes[static_cast<std::size_t>(dtype)];
}
constexpr std::size_t itemsize(DType dtype) noexcept {
  return kItemsizes[static_cast<std::size_t>(dtype)];
}
inline std::string_view name(DType dtype) noexcept { return dtype_info(dtype).name; }
constexpr DTypeKind kind_of(DType dtype) noexcept {
  return kKinds[static_cast<std::size_t>(dtype)];
}
/// On a GPU: the dtype of elementwise work.
constexpr DType computed_dtype(DType dtype) noexcept {
  return kComputedIn[static_cast<std::size_t>(dtype)];
}

/// One of the values, by the kind: of_kind(kind, for bool, for integers, for floating dtypes, for
/// complex ones). It has a parameter for each kind, so a new kind makes every call a compile error.
// clang-format off
template <class T>
constexpr T of_kind(DTypeKind kind
#define GK_DTYPE_KIND(Kind) , T for##Kind
#include "base/dtypes.def"
) noexcept {
  switch (kind) {
#define GK_DTYPE_KIND(Kind) case DTypeKind::k##Kind: return for##Kind;
#include "base/dtypes.def"
  }
  __builtin_unreachable();
}
// clang-format on

/// For questions to which every kind but floating answers "no", including kinds added later. What
/// does one thing for floating dtypes and another for all others asks of_kind.
constexpr bool is_floating(DType dtype) noexcept {
  return of_kind(kind_of(dtype), false, false, true, false);
}
constexpr bool is_complex(DType dtype) noexcept {
  return of_kind(kind_of(dtype), false, false, false, true);
}
constexpr bool is_integer(DType dtype) noexcept {
  return of_kind(kind_of(dtype), false, true, false, false);
}
/// Whether gradients flow through tensors of the dtype.
constexpr bool is_differentiable(DType dtype) noexcept {
  return of_kind(kind_of(dtype), false, false, true, true);
}
/// A floating dtype that is storage only: its values are computed in another one, float32.
constexpr bool is_half(DType dtype) noexcept {
  return is_floating(dtype) && computed_dtype(dtype) != dtype;
}

/// The floating dtype of a complex dtype's parts, which are half as wide; any other dtype itself.
constexpr DType real_dtype(DType dtype) noexcept {
  if (!is_complex(dtype)) return dtype;
  return dtype == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
}
/// The complex dtype whose parts hold the values of a dtype as `real_dtype`'s do; float32 and
/// narrower floating dtypes have complex64.
constexpr DType complex_dtype(DType dtype) noexcept {
  if (is_complex(dtype)) return dtype;
  return dtype == DType::kFloat64 ? DType::kComplex128 : DType::kComplex64;
}

struct DTypeAlias {
  std::string_view name;
  DType dtype;
};
/// "half", "float", "long" …
std::span<const DTypeAlias> dtype_aliases() noexcept;

/// Whether NumPy has the dtype; for the others the package ml_dtypes has.
constexpr bool is_in_numpy(DType dtype) noexcept {
  return !dtype_info(dtype).buffer_format.empty();
}

/// Accepts "float32", "float", "half", "long" …; a near name is suggested in the DTypeError
/// otherwise.
DType parse_dtype(std::string_view text);
/// The same, or nothing.
std::optional<DType> find_dtype(std::string_view text) noexcept;

/// True for a text that parse_dtype reads, and for one that begins as such a name does ("float31",
/// "floatt"): parse_dtype says what is wrong with it.
bool names_dtype(std::string_view text) noexcept;

/// The array API's promotion of two dtypes (int64 + float32 = float32; uint8 + int8 = int16).
/// Throws DTypeError for uint64 with a signed integer, which no integer dtype holds.
DType promote(DType a, DType b);

/// Promotion with a Python scalar of a kind: the scalar is weak, so only a higher kind changes the
/// dtype.
DType promote_with_scalar(DType tensor, DTypeKind scalar, DType default_floating) noexcept;

/// The dtype that sums are kept in: bool and integers in int64, uint64 and floating dtypes stay.
DType sum_dtype(DType dtype) noexcept;

/// The dtype that values are computed in: half types are storage only, all others stay.
constexpr DType working_dtype(DType dtype) noexcept {
  return is_half(dtype) ? computed_dtype(dtype) : dtype;
}

/// The signed integer dtype of this many bytes; kCount if there is none.
constexpr DType signed_integer(std::size_t itemsize) noexcept {
  for (int i = 0; i < kDTypeCount; ++i) {
    const DTypeInfo& row = kDTypes[static_cast<std::size_t>(i)];
    if (row.kind == DTypeKind::kInteger && row.is_signed && row.itemsize == itemsize)
      return static_cast<DType>(i);
  }
  return DType::kCount;
}

/// Bytes of the widest dtype: for buffers that hold an element of any.
inline constexpr std::size_t kWidestItem = [] {
  std::size_t widest = 0;
  for (const DTypeInfo& row : kDTypes) widest = row.itemsize > widest ? row.itemsize : widest;
  return widest;
}();

/// The same of the dtypes that are not complex, which are all that loops and kernels see.
inline constexpr std::size_t kWidestReal = [] {
  std::size_t widest = 0;
  for (const DTypeInfo& row : kDTypes) {
    if (row.kind != DTypeKind::kComplex && row.itemsize > widest) widest = row.itemsize;
  }
  return widest;
}();

/// The signed integer dtype of the same size for an unsigned one, else the dtype itself: what only
/// adds, multiplies, moves or tests for equality has the same bits in both.
inline DType wrapping_dtype(DType dtype) noexcept {
  static constexpr std::array<DType, kDTypeCount> kWrapping = [] {
    std::array<DType, kDTypeCount> table{};
    for (std::size_t i = 0; i < table.size(); ++i) {
      const bool is_unsigned = kDTypes[i].kind == DTypeKind::kInteger && !kDTypes[i].is_signed;
      table[i] = is_unsigned ? signed_integer(kDTypes[i].itemsize) : static_cast<DType>(i);
    }
    return table;
  }();
  return kWrapping[static_cast<std::size_t>(dtype)];
}

/// What makes uint64, read as int64, comparable: these bits are inverted first.
inline std::int64_t order_mask(DType dtype) noexcept {
  return dtype == DType::kUInt64 ? INT64_MIN : 0;
}

/// Calls `visitor.template operator()<T>()` with the C++ type of `dtype` (bool is
/// std::uint8_t-sized `bool`).
template <class Visitor>
decltype(auto) visit_dtype(DType dtype, Visitor&& visitor) {
  switch (dtype) {
#define GK_DTYPE(Name, name, suffix, Kind, is_signed, Host, ...) \
  case DType::k##Name:                                           \
    return visitor.template operator()<Host>();
#include "base/dtypes.def"
    case DType::kCount:
      break;
  }
  __builtin_unreachable();
}

/// For work that complex dtypes have no part in: they are taken apart before it (ops/complex.h).
[[noreturn]] void throw_complex();

/// The same for dtypes that are not complex; DTypeError for those that are.
template <class Visitor>
decltype(auto) visit_real_dtype(DType dtype, Visitor&& visitor) {
  switch (dtype) {
#define GK_DTYPE_VISIT_Bool(Name, Host) \
  case DType::k##Name:                  \
    return visitor.template operator()<Host>();
#define GK_DTYPE_VISIT_Integer(Name, Host) GK_DTYPE_VISIT_Bool(Name, Host)
#define GK_DTYPE_VISIT_Floating(Name, Host) GK_DTYPE_VISIT_Bool(Name, Host)
#define GK_DTYPE_VISIT_Complex(Name, Host) \
  case DType::k##Name:                     \
    throw_complex();
#define GK_DTYPE(Name, name, suffix, Kind, is_signed, Host, ...) GK_DTYPE_VISIT_##Kind(Name, Host)
#include "base/dtypes.def"
#undef GK_DTYPE_VISIT_Bool
#undef GK_DTYPE_VISIT_Integer
#undef GK_DTYPE_VISIT_Floating
#undef GK_DTYPE_VISIT_Complex
    case DType::kCount:
      break;
  }
  __builtin_unreachable();
}

/// Whether a C++ type is a complex element's.
template <class T>
inline constexpr bool is_complex_type = false;
template <class T>
inline constexpr bool is_complex_type<std::complex<T>> = true;

/// Calls visitor.template operator()<T>() for the C++ type of every dtype that is not complex.
template <class Visitor>
constexpr void for_each_real_dtype(Visitor&& visitor) {
  const auto visit = [&]<class T>() {
    if constexpr (!is_complex_type<T>) visitor.template operator()<T>();
  };
#define GK_DTYPE(Name, name, suffix, Kind, is_signed, Host, ...) visit.template operator()<Host>();
#include "base/dtypes.def"
}

/// Calls visitor.template operator()<T>() for the C++ type of every dtype.
template <class Visitor>
constexpr void for_each_dtype(Visitor&& visitor) {
#define GK_DTYPE(Name, name, suffix, Kind, is_signed, Host, ...) \
  visitor.template operator()<Host>();
#include "base/dtypes.def"
}

template <class T>
struct DTypeOf;
#define GK_DTYPE(Name, name, suffix, Kind, is_signed, Host, ...) \
  template <>                                                    \
  struct DTypeOf<Host> {                                         \
    static constexpr DType value = DType::k##Name;               \
  };
#include "base/dtypes.def"

/// The same of an element's C++ type.
template <class T>
inline constexpr bool is_half_type = is_half(DTypeOf<T>::value);

}  // namespace gpukit
