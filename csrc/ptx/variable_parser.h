// Declarations of variables and parameters.
#pragma once

#include <vector>

#include "ptx/syntax.h"
#include "ptx/token_reader.h"

namespace gpukit::ptx {

/// .global .align 8 .u32 name[4] = {...}, other; after its linkage, which `variable` holds.
void read_variables(TokenReader& reader, Variable variable, std::vector<Variable>& into);
/// Alignment, attributes, vector and type; gives the vector's length.
unsigned read_type(TokenReader& reader, Variable& variable);
/// Name and lengths, after the type.
void read_declarator(TokenReader& reader, Variable& variable, unsigned vector);

}  // namespace gpukit::ptx
