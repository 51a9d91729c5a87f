// What was tried to open a vendor library, in order, and what came of it.
#pragma once

#include <string>
#include <vector>

namespace gpukit::driver {

struct LoadAttempt {
  std::string path;
  std::string origin;   // why this place: "GPUKIT_LIBCUDA", "known place", "loader cache" …
  std::string outcome;  // one of the four words below
  std::string reason;   // the rule that refused it or the loader's message; empty when opened
};

inline constexpr const char* kOpened = "opened";
inline constexpr const char* kNotFound = "not found";
inline constexpr const char* kRefused = "refused";
inline constexpr const char* kFailed = "failed";

struct LoadReport {
  std::vector<LoadAttempt> attempts;
  std::string library;               // file that the loader mapped, or empty
  int version = 0;                   // driver: 12080; cuBLAS: 120903; 0 when unknown
  bool simulated = false;            // a label for reports; nothing decides by it
  std::vector<std::string> missing;  // optional functions that the library does not have
  std::string failure;               // why there is no usable library; empty when there is one
  std::string fix;                   // a line the user can run, or empty
};

}  // namespace gpukit::driver
