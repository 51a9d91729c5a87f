// The system loader's own index of libraries, read as data: nothing is loaded and LD_LIBRARY_PATH
// plays no part.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpukit::driver {

/// Absolute paths that /etc/ld.so.cache holds for a soname, in its order. Empty when there is no
/// readable cache.
std::vector<std::string> cached_libraries(std::string_view soname);

/// The same for the content of a cache file; damaged content gives what could be read safely.
std::vector<std::string> find_in_cache(std::string_view content, std::string_view soname);

}  // namespace gpukit::driver
