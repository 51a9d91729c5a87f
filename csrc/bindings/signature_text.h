// Parses the text of a signature, "sum(input, dim: int | None = None, *, dtype=None) -> Tensor".
// Types contain no round brackets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpukit::bindings {

/// One parameter, or the nameless "*" between positional and keyword-only ones.
struct ParameterText {
  std::string_view name;
  std::string_view type;      ///< empty where none is written
  std::string_view fallback;  ///< the default; empty if the parameter is required
  bool star = false;

  /// Without its type: "dim=None", "*size".
  std::string plain() const;
};

std::string_view name_in(std::string_view signature);
std::vector<ParameterText> parameters_in(std::string_view signature);
/// The text after "->", or "Tensor".
std::string_view result_in(std::string_view signature);

/// The signature with a keyword argument out=None at its end.
std::string signature_with_out(std::string_view signature);

}  // namespace gpukit::bindings
