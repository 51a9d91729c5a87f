// Docstrings of rows, and the types of their parameters.
#pragma once

#include <string>
#include <string_view>

#include "bindings/function_row.h"

namespace gpukit::bindings {

/// "sum(input: Tensor, dim: int | Sequence[int] | None = None) -> Tensor". A method's first
/// parameter is self.
std::string typed_signature(std::string_view signature, bool method, std::string_view input_type);

/// The typed signature, what the function does, Args, Returns and Raises, and the example.
/// `signature` is the row's, with `out` where it is taken.
std::string docstring(const FunctionRow& row, std::string_view signature, bool method);

/// `doc`, and below it the example; nullptr is none.
std::string with_example(std::string_view doc, const char* example);

}  // namespace gpukit::bindings
