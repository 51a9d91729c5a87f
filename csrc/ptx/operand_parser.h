// Operands of instructions.
#pragma once

#include "ptx/syntax.h"
#include "ptx/token_reader.h"

namespace gpukit::ptx {

Operand read_operand(TokenReader& reader);
/// A whole or floating-point number with its sign.
Operand read_number(TokenReader& reader);

}  // namespace gpukit::ptx
