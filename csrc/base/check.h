// GPUKIT_CHECK(condition, ExceptionType, message parts…): the message is built only when the check
// fails.
#pragma once

#include <sstream>
#include <string>

namespace gpukit {

/// Joins its arguments with operator<<.
template <class... Parts>
std::string concat(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

}  // namespace gpukit

#define GPUKIT_CHECK(condition, ExceptionType, ...)       \
  do {                                                    \
    if (!(condition)) [[unlikely]] {                      \
      throw ExceptionType(::gpukit::concat(__VA_ARGS__)); \
    }                                                     \
  } while (false)
