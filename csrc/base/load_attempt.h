// One place that was tried for a library, and the result.
#pragma once

#include <string>

namespace gpukit {

struct LoadAttempt {
  std::string path;
  std::string origin;   ///< why this place: "GPUKIT_LIBCUDA", "known place", "loader cache" …
  std::string outcome;  ///< one of the words below
  std::string reason;   ///< the rule that refused it or the loader's message; empty when opened
};

inline constexpr const char* kOpened = "opened";
inline constexpr const char* kNotFound = "not found";
inline constexpr const char* kRefused = "refused";
inline constexpr const char* kFailed = "failed";

}  // namespace gpukit
