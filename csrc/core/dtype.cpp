#include "core/dtype.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/check.h"
#include "base/error.h"
#include "core/nearest_name.h"

namespace gpukit {

namespace dtype {
namespace {

constexpr std::array kAliases = std::to_array<DTypeAlias>({
#define GK_DTYPE_ALIAS(name, Name) {#name, DType::k##Name},
#include "base/dtypes.def"
});

/// What promote relies on.
constexpr bool is_in_order() {
  for (std::size_t i = 1; i < kDTypes.size(); ++i) {
    const DTypeInfo &before = kDTypes[i - 1], &row = kDTypes[i];
    if (row.kind < before.kind) return false;
    if (row.kind == before.kind && row.itemsize < before.itemsize) return false;
  }
  return true;
}
static_assert(is_in_order(), "base/dtypes.def: kinds from low to high, narrow dtypes first");

std::array<std::string_view, kDTypeCount + kAliases.size()> known_names() {
  std::array<std::string_view, kDTypeCount + kAliases.size()> names;
  auto out = std::transform(kDTypes.begin(), kDTypes.end(), names.begin(),
                            [](const DTypeInfo& row) { return row.name; });
  std::transform(kAliases.begin(), kAliases.end(), out,
                 [](const DTypeAlias& row) { return row.name; });
  return names;
}

std::string_view without_number(std::string_view name) noexcept {
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
  return name;
}

/// A typestr such as "<f4". One of plain bytes ("<V2") does not say which dtype they hold.
bool is_code_of(const DTypeInfo& row, std::string_view text) noexcept {
  return text.size() > 1 && row.numpy_code == text && text[1] != 'V';
}

bool is_numpy_code(std::string_view text) noexcept {
  return std::ranges::any_of(kDTypes, [&](const DTypeInfo& row) { return is_code_of(row, text); });
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

/// A signed dtype holds an unsigned one if it is wider; else both fit into the signed one that is
/// twice as wide as the unsigned.
DType promote_integers(DType a, DType b) {
  const DType wide = std::max(a, b);
  if (dtype_info(a).is_signed == dtype_info(b).is_signed) return wide;
  const DType without_sign = dtype_info(a).is_signed ? b : a;
  if (itemsize(wide) > itemsize(without_sign)) return wide;
  if (without_sign == DType::kUInt64) throw_no_common_dtype(a, b);
  return signed_integer(2 * itemsize(without_sign));
}

DType promote_floating(DType a, DType b) noexcept {
  if (is_half(a) && is_half(b)) return promote_floating(working_dtype(a), working_dtype(b));
  return std::max(a, b);
}

}  // namespace
}  // namespace dtype

void throw_complex() {
  throw DTypeError(
      "this operation is not defined for complex dtypes. Use X.real, X.imag or X.abs()")
      .with_fix("X.abs()");
}

bool names_dtype(std::string_view text) noexcept {
  const auto begins = [text](const auto& row) {
    return !text.empty() && text[0] == row.name[0] &&
           text.starts_with(dtype::without_number(row.name));
  };
  return std::ranges::any_of(kDTypes, begins) || std::ranges::any_of(dtype::kAliases, begins) ||
         dtype::is_numpy_code(text);
}

std::span<const DTypeAlias> dtype_aliases() noexcept { return dtype::kAliases; }

std::optional<DType> find_dtype(std::string_view text) noexcept {
  for (std::size_t i = 0; i < kDTypes.size(); ++i) {
    if (kDTypes[i].name == text || dtype::is_code_of(kDTypes[i], text))
      return static_cast<DType>(i);
  }
  for (const DTypeAlias& alias : dtype::kAliases) {
    if (alias.name == text) return alias.dtype;
  }
  return std::nullopt;
}

DType parse_dtype(std::string_view text) {
  if (const auto found = find_dtype(text)) return *found;
  dtype::throw_unknown_dtype(text);
}

DType promote(DType a, DType b) {
  if (a == b) return a;
  const bool alike = kind_of(a) == kind_of(b);
  const DType higher = std::max(a, b);  // kinds are in order
  switch (kind_of(higher)) {
    case DTypeKind::kBool:
      return higher;
    case DTypeKind::kInteger:
      return alike ? dtype::promote_integers(a, b) : higher;
    case DTypeKind::kFloating:
      return alike ? dtype::promote_floating(a, b) : higher;
    case DTypeKind::kComplex:
      if (alike || !is_floating(std::min(a, b))) return higher;
      return std::max(higher, complex_dtype(std::min(a, b)));
  }
  __builtin_unreachable();
}

DType promote_with_scalar(DType tensor, DTypeKind scalar, DType default_floating) noexcept {
  if (scalar <= kind_of(tensor)) return tensor;
  const DType complex = complex_dtype(is_floating(tensor) ? tensor : default_floating);
  return of_kind(scalar, tensor, DType::kInt64, default_floating, complex);
}

DType sum_dtype(DType dtype) noexcept {
  const DType integer = dtype == DType::kUInt64 ? dtype : DType::kInt64;
  return of_kind(kind_of(dtype), DType::kInt64, integer, dtype, dtype);
}

}  // namespace gpukit
