// The known name that a mistyped one was meant to be.
#pragma once

#include <span>
#include <string_view>

namespace gpukit {

/// The candidate that is at most two slips of a key away (one for names of up to three letters), or
/// "". A slip is a wrong, missing, extra or swapped letter; upper and lower case count as equal.
std::string_view nearest_name(std::string_view text,
                              std::span<const std::string_view> candidates) noexcept;

}  // namespace gpukit
