// Docstrings with what a call takes, gives and raises.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gpukit::bindings {

/// `doc`, and below it Args, Returns and Raises of the function of that name. `parameters` are its
/// names in order; the first of a method is its tensor, which has no entry of its own.
std::string with_facts(std::string_view name, std::string_view doc,
                       std::span<const std::string_view> parameters, bool method);

}  // namespace gpukit::bindings
