// What elementwise.def says of each operator beyond its arithmetic: names, forms, samples.
#pragma once

#include <span>
#include <string_view>

#include "kernels/op_codes.h"

namespace gpukit::ops {

/// The interval that tests draw an operand from.
struct Interval {
  double low = 0, high = 0;
};

struct ElementwiseRow {
  const char* name;           ///< "exp"
  const char* in_place_name;  ///< "exp_"
  Domain domain;
  Forms forms;
  bool differentiable;
  Interval sampled[2];  ///< of each operand
};

/// Another name of an operator.
struct ElementwiseAlias {
  const char* name;
  const ElementwiseRow* row;
};

const ElementwiseRow& row_of(UnaryOp op) noexcept;
const ElementwiseRow& row_of(BinaryOp op) noexcept;

std::span<const ElementwiseRow> unary_rows() noexcept;
std::span<const ElementwiseRow> binary_rows() noexcept;
std::span<const ElementwiseAlias> unary_aliases() noexcept;
std::span<const ElementwiseAlias> binary_aliases() noexcept;

constexpr bool is_public(Forms forms) noexcept { return forms != Forms::kInternal; }
constexpr bool has_out(Forms forms) noexcept {
  return forms == Forms::kOut || forms == Forms::kOutAndInPlace;
}
constexpr bool has_in_place(Forms forms) noexcept {
  return forms == Forms::kInPlace || forms == Forms::kOutAndInPlace;
}

constexpr Forms forms_of(UnaryOp op) noexcept {
  switch (op) {
#define GK_UNARY(code, name, parameters, domain, sign, cost, forms, ...) \
  case UnaryOp::code:                                                    \
    return Forms::forms;
#include "kernels/elementwise.def"
    case UnaryOp::kCount:
      break;
  }
  return Forms::kInternal;
}
constexpr Forms forms_of(BinaryOp op) noexcept {
  switch (op) {
#define GK_BINARY(code, name, parameters, domain, sign, cost, forms, ...) \
  case BinaryOp::code:                                                    \
    return Forms::forms;
#include "kernels/elementwise.def"
    case BinaryOp::kCount:
      break;
  }
  return Forms::kInternal;
}

}  // namespace gpukit::ops
