#include "ops/elementwise_table.h"

namespace gpukit::ops {

namespace {

#define GK_INTERVAL(low, high) \
  Interval { low, high }

// Whether a derivative says that it exists.
#define OF_GRADIENT(...) true
#define OF_INPUT(...) true
#define OF_RESULT(...) true
#define BY_OPERAND(...) true
#define FLAT(...) true
#define NOT_DIFFERENTIABLE(...) false
#define NO_GRADIENT false

constexpr ElementwiseRow kUnaryRows[] = {
#define GK_UNARY(code, name, parameters, domain, sign, cost, forms, sampled, value, derivative, \
                 meaning, example)                                                              \
  {#name, #name "_", Domain::domain, Forms::forms, derivative, {GK_INTERVAL sampled}},
#include "kernels/elementwise.def"
};

constexpr ElementwiseRow kBinaryRows[] = {
#define GK_BINARY(code, name, parameters, domain, sign, cost, forms, left, right, value, \
                  derivative, meaning, example)                                          \
  {#name,        #name "_",  Domain::domain,                                             \
   Forms::forms, derivative, {GK_INTERVAL left, GK_INTERVAL right}},
#include "kernels/elementwise.def"
};

#undef OF_GRADIENT
#undef OF_INPUT
#undef OF_RESULT
#undef BY_OPERAND
#undef FLAT
#undef NOT_DIFFERENTIABLE
#undef NO_GRADIENT
#undef GK_INTERVAL

constexpr ElementwiseAlias kUnaryAliases[] = {
#define GK_UNARY_ALIAS(alias, code, name, parameters) \
  {#alias, &kUnaryRows[static_cast<int>(UnaryOp::code)]},
#include "kernels/elementwise.def"
};

constexpr ElementwiseAlias kBinaryAliases[] = {
#define GK_BINARY_ALIAS(alias, code, name, parameters) \
  {#alias, &kBinaryRows[static_cast<int>(BinaryOp::code)]},
#include "kernels/elementwise.def"
};

}  // namespace

const ElementwiseRow& row_of(UnaryOp op) noexcept { return kUnaryRows[static_cast<int>(op)]; }
const ElementwiseRow& row_of(BinaryOp op) noexcept { return kBinaryRows[static_cast<int>(op)]; }

std::span<const ElementwiseRow> unary_rows() noexcept { return kUnaryRows; }
std::span<const ElementwiseRow> binary_rows() noexcept { return kBinaryRows; }
std::span<const ElementwiseAlias> unary_aliases() noexcept { return kUnaryAliases; }
std::span<const ElementwiseAlias> binary_aliases() noexcept { return kBinaryAliases; }

}  // namespace gpukit::ops
