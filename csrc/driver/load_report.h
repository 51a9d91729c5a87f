// What was tried to open a vendor library, in order, and what came of it.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "base/load_attempt.h"

namespace gpukit::driver {

struct LoadReport {
  std::vector<LoadAttempt> attempts;
  std::string library;               // file that the loader mapped, or empty
  int version = 0;                   // driver: 12080; cuBLAS: 120903; 0 when unknown
  bool simulated = false;            // a label for reports; nothing decides by it
  std::vector<std::string> missing;  // optional functions that the library does not have
  std::string failure;               // why there is no usable library; empty when there is one
  std::string fix;                   // a line the user can run, or empty
  Details details;                   // of the failure: its cause, and the status of a call
};

}  // namespace gpukit::driver
