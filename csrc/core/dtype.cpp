#include "core/dtype.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/check.h"
#include "base/error.h"
#include "core/nearest_name.h"

namespace gpukit {

namespace {

struct Alias {
  std::string_view name;
  DType dtype;
};

constexpr std::array<Alias, 6> kAliases = {{
    {"half", DType::kFloat16},
    {"float", DType::kFloat32},
    {"double", DType::kFloat64},
    {"short", DType::kInt16},
    {"int", DType::kInt32},
    {"long", DType::kInt64},
}};

std::array<std::string_view, kDTypeCount + kAliases.size()> known_names() {
  std::array<std::string_view, kDTypeCount + kAliases.size()> names;
  auto out = std::transform(kDTypes.begin(), kDTypes.end(), names.begin(),
                            [](const DTypeInfo& row) { return row.name; });
  std::transform(kAliases.begin(), kAliases.end(), out, [](const Alias& row) { return row.name; });
  return names;
}

[[noreturn]] void throw_unknown_dtype(std::string_view text) {
  const auto names = known_names();
  const std::string_view near = nearest_name(text, names);
  std::string message = concat("'", text, "' is not a dtype.");
  if (!near.empty()) message += concat(" Did you mean '", near, "'?");
  message += " Known:";
  for (const DTypeInfo& row : kDTypes)
    message += concat(&row == &kDTypes[0] ? " " : ", ", row.name);
  message += ".";
  throw DTypeError(message).with_fix(near.empty() ? "" : concat("dtype='", near, "'"));
}

[[noreturn]] void throw_no_common_dtype(DType a, DType b) {
  const DType other = a == DType::kUInt64 ? b : a;
  throw DTypeError(concat("uint64 and ", name(other),
                          " have no common integer dtype. Convert one of the tensors first, e.g. "
                          "X.to('int64') or X.to('float64')."))
      .with_fix("X.to('int64')");
}

/// The order of the enum is that of the sizes. A signed dtype holds an unsigned one if it is wider;
/// else both fit into the signed one that is twice as wide as the unsigned.
DType promote_integers(DType a, DType b) {
  const DType wide = std::max(a, b);
  if (dtype_info(a).is_signed == dtype_info(b).is_signed) return wide;
  const DType without_sign = dtype_info(a).is_signed ? b : a;
  if (itemsize(wide) > itemsize(without_sign)) return wide;
  if (without_sign == DType::kUInt64) throw_no_common_dtype(a, b);
  return static_cast<DType>(static_cast<int>(wrapping_dtype(without_sign)) + 2);
}

DType promote_floating(DType a, DType b) noexcept {
  const bool two_halves = a != b && itemsize(a) == 2 && itemsize(b) == 2;
  return two_halves ? DType::kFloat32 : std::max(a, b);
}

}  // namespace

DType parse_dtype(std::string_view text) {
  for (std::size_t i = 0; i < kDTypes.size(); ++i) {
    const bool numpy_name = kDTypes[i].numpy_code == text && text != "<V2";
    if (kDTypes[i].name == text || numpy_name) return static_cast<DType>(i);
  }
  for (const Alias& alias : kAliases) {
    if (alias.name == text) return alias.dtype;
  }
  throw_unknown_dtype(text);
}

DType promote(DType a, DType b) {
  if (a == b) return a;
  const DTypeKind kind_a = kind_of(a);
  const DTypeKind kind_b = kind_of(b);
  if (kind_a != kind_b) return kind_a > kind_b ? a : b;
  return kind_a == DTypeKind::kFloating ? promote_floating(a, b) : promote_integers(a, b);
}

DType promote_with_scalar(DType tensor, DTypeKind scalar, DType default_floating) noexcept {
  if (scalar <= kind_of(tensor)) return tensor;
  return scalar == DTypeKind::kFloating ? default_floating : DType::kInt64;
}

DType sum_dtype(DType dtype) noexcept {
  return is_floating(dtype) || dtype == DType::kUInt64 ? dtype : DType::kInt64;
}

}  // namespace gpukit
