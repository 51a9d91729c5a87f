// Bodies of functions: their registers, variables, labels and statements.
#pragma once

#include "ptx/syntax.h"
#include "ptx/token_reader.h"

namespace gpukit::ptx {

/// From { to }.
void read_body(TokenReader& reader, Module& module, Function& function);
/// .file 1 "name", in and between bodies.
void read_file(TokenReader& reader, Module& module);

}  // namespace gpukit::ptx
