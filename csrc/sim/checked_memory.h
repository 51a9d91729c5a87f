// Reading what a caller's pointer points to, without trusting it or the size that it comes with.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace gpukit::sim {

/// Copies; false, with anything in `to`, where not all of it can be read.
bool copy_checked(void* to, const void* from, std::size_t bytes);

/// Whether all of it can be read.
bool can_read(const void* from, std::size_t bytes);

/// The text up to its NUL, or up to `most` bytes; nothing where memory ends before.
std::optional<std::string> read_text_checked(const void* from, std::size_t most);

}  // namespace gpukit::sim
