// Docstrings with an example.
#pragma once

#include <string>
#include <string_view>

namespace gpukit::bindings {

/// `doc`, and below it the example of that name, unless `doc` has its own or there is none.
std::string with_example(std::string_view name, std::string_view doc);

}  // namespace gpukit::bindings
