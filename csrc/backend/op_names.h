// User-facing names of the operators.
#pragma once

#include <string_view>

#include "kernels/op_codes.h"

namespace gpukit {

std::string_view operator_name(UnaryOp op) noexcept;
std::string_view operator_name(BinaryOp op) noexcept;
std::string_view operator_name(ReduceOp op) noexcept;

}  // namespace gpukit
