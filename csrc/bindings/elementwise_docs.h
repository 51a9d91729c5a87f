// What docstrings say of the operators of elementwise.def: by their domain, but for a few.
#pragma once

#include <string_view>

#include "bindings/row_texts.h"
#include "kernels/op_codes.h"

namespace gpukit::bindings {

// clang-format off
inline constexpr Docs kRoundDocs = {
    .parameters = "decimals: digits behind the decimal point; negative ones before it.\n",
    .returns = "input's shape and dtype.",
    .raises = "DTypeError: decimals of integers.\nValueError: decimals is beyond the dtype's digits.\n"};
inline constexpr Docs kRoundInPlaceDocs = {
    .parameters = kRoundDocs.parameters,
    .returns = "the tensor itself.",
    .raises = "DTypeError: decimals of integers.\nValueError: decimals is beyond the dtype's digits.\n" GPUKIT_RAISES_IN_PLACE};
inline constexpr Docs kAddDocs = {
    .parameters = "alpha: a number that other is multiplied by first, in the dtype of the result.\n",
    .returns = "the broadcast shape; the dtype that both have in common, where numbers count by their kind only.",
    .raises = GPUKIT_RAISES_BROADCAST "DTypeError: bool from bool, in sub; or the dtypes have none in common; or alpha is a float for integers, or a bool for others than bool.\nRangeError: alpha does not fit into the result's dtype.\n"};
inline constexpr Docs kAddInPlaceDocs = {
    .parameters = "other: a tensor that broadcasts to this one, or a number.\nalpha: a number that other is multiplied by first, in the dtype that both have in common.\n",
    .returns = "the tensor itself.",
    .raises = GPUKIT_RAISES_IN_PLACE_OTHER "RangeError: alpha does not fit into that dtype.\n"};
inline constexpr Docs kDivDocs = {
    .parameters = "rounding_mode: None, 'floor' (down) or 'trunc' (towards 0).\n",
    .returns = "the broadcast shape; floating; with a rounding_mode integers stay integers, and over 0 they give 0.",
    .raises = GPUKIT_RAISES_BROADCAST "DTypeError: both are bool beside a rounding_mode, or the dtypes have none in common.\nValueError: rounding_mode is another one.\n"};
inline constexpr Docs kDivInPlaceDocs = {
    .parameters = "other: a tensor that broadcasts to this one, or a number.\nrounding_mode: None, 'floor' (down) or 'trunc' (towards 0).\n",
    .returns = "the tensor itself.",
    .raises = GPUKIT_RAISES_IN_PLACE_OTHER "ValueError: rounding_mode is another one.\n"};
inline constexpr Docs kFloorDivideDocs = {
    .returns = "the broadcast shape; the dtype in common. Integers over 0 give 0.",
    .raises = GPUKIT_RAISES_BROADCAST "DTypeError: both are bool, or the dtypes have none in common.\n"};
inline constexpr Docs kPowDocs = {
    .parameters = "exponent: a tensor that broadcasts with input on the same device, or a number.\n",
    .returns = "the broadcast shape; the dtype in common.",
    .raises = GPUKIT_RAISES_BROADCAST "DTypeError: both are bool, or the dtypes have none in common.\nValueError: integers to a negative integer number.\nRangeError: exponent does not fit into integers or a half type.\n"};
inline constexpr Docs kPowInPlaceDocs = {
    .parameters = "exponent: a tensor that broadcasts to this one, or a number.\n",
    .returns = "the tensor itself.",
    .raises = GPUKIT_RAISES_IN_PLACE_OTHER "ValueError: integers to a negative integer number.\nRangeError: exponent does not fit into integers or a half type.\n"};

inline constexpr Docs kLogitDocs = {
    .parameters = "eps: a number from 0 to 0.5, or None.\n",
    .returns = "input's shape; its dtype if floating, else the default floating dtype. NaN outside of [0, 1] without eps."};
inline constexpr Docs kPolygammaDocs = {
    .parameters = "n: the order, 0 or more.\n",
    .returns = "input's shape; its dtype if floating, else the default floating dtype.",
    .raises = "ValueError: n is negative.\n"};

constexpr Docs unary_docs(Domain domain) {
  switch (domain) {
    case Domain::kFunction:
      return {.returns = "input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined."};
    case Domain::kArithmetic:
      return {.returns = "input's shape and dtype.", .raises = "DTypeError: input is bool.\n"};
    case Domain::kBoolAsInteger:
      return {.returns = "input's shape and dtype; of bool, int64."};
    case Domain::kBitwise:
      return {.parameters = "input: a tensor of any shape; integers or bool.\n", .returns = "input's shape and dtype.", .raises = "DTypeError: input is floating.\n"};
    case Domain::kShift:
      return {.parameters = "input: a tensor of any shape; integers.\n", .returns = "input's shape and dtype.", .raises = "DTypeError: input is floating or bool.\n"};
    case Domain::kRounding:
    case Domain::kMagnitude:
    case Domain::kAny:
      return {.returns = "input's shape and dtype."};
    case Domain::kComparison:
    case Domain::kTest:
      return {.returns = "input's shape; bool."};
  }
  return {};
}

constexpr Docs binary_docs(Domain domain) {
  switch (domain) {
    case Domain::kFunction:
    case Domain::kRounding:
      return {.returns = "the broadcast shape; the dtype in common if it is floating, else the default floating dtype.", .raises = GPUKIT_RAISES_BROADCAST "DTypeError: uint64 with signed integers.\n"};
    case Domain::kArithmetic:
    case Domain::kMagnitude:
    case Domain::kBoolAsInteger:
      return {.returns = "the broadcast shape; the dtype that both have in common.", .raises = GPUKIT_RAISES_BROADCAST "DTypeError: both are bool, or the dtypes have none in common.\n"};
    case Domain::kBitwise:
      return {.returns = "the broadcast shape; the integer dtype in common, or bool.", .raises = GPUKIT_RAISES_BROADCAST "DTypeError: one is floating, or the dtypes have none in common.\n"};
    case Domain::kShift:
      return {.returns = "the broadcast shape; the integer dtype in common.", .raises = GPUKIT_RAISES_BROADCAST "DTypeError: one is floating, or both are bool.\n"};
    case Domain::kAny:
      return {.returns = "the broadcast shape; the dtype that both have in common.", .raises = GPUKIT_RAISES_BROADCAST "DTypeError: the dtypes have none in common.\n"};
    case Domain::kComparison:
    case Domain::kTest:
      return {.returns = "the broadcast shape; bool.", .raises = GPUKIT_RAISES_BROADCAST "DTypeError: uint64 with signed integers.\n"};
  }
  return {};
}
// clang-format on

/// div(rounding_mode=...); true_divide has no such parameter.
constexpr bool rounds(std::string_view parameters) {
  return parameters.find("rounding_mode") != std::string_view::npos;
}

constexpr Docs docs_of(UnaryOp op) {
  if (op == UnaryOp::kLogit) return kLogitDocs;
  return op == UnaryOp::kRound ? kRoundDocs : unary_docs(domain_of(op));
}

constexpr Docs docs_of(BinaryOp op, std::string_view parameters) {
  if (op == BinaryOp::kAdd || op == BinaryOp::kSub) return kAddDocs;
  if (op == BinaryOp::kDiv && rounds(parameters)) return kDivDocs;
  if (op == BinaryOp::kFloorDivide || op == BinaryOp::kRemainder) return kFloorDivideDocs;
  if (op == BinaryOp::kPow) return kPowDocs;
  return binary_docs(domain_of(op));
}

constexpr Docs in_place_docs_of(UnaryOp op) {
  if (op == UnaryOp::kRound) return kRoundInPlaceDocs;
  if (op == UnaryOp::kLogit)
    return {.parameters = kLogitDocs.parameters,
            .returns = "the tensor itself.",
            .raises = GPUKIT_RAISES_IN_PLACE};
  return {.returns = "the tensor itself.", .raises = GPUKIT_RAISES_IN_PLACE};
}

constexpr Docs in_place_docs_of(BinaryOp op, std::string_view parameters) {
  if (op == BinaryOp::kAdd || op == BinaryOp::kSub) return kAddInPlaceDocs;
  if (op == BinaryOp::kDiv && rounds(parameters)) return kDivInPlaceDocs;
  if (op == BinaryOp::kPow) return kPowInPlaceDocs;
  return {.parameters = "other: a tensor that broadcasts to this one, or a number.\n",
          .returns = "the tensor itself.",
          .raises = GPUKIT_RAISES_IN_PLACE_OTHER};
}

}  // namespace gpukit::bindings
