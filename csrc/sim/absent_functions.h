// The names that a driver's library exports, and the log line for those that do nothing here.
#pragma once

#include <span>

namespace gpukit::sim {

struct DriverName {
  const char* literal;
  /// First CUDA version with it.
  int since;
  void* function;
};

/// Every one, in the order of the alphabet.
std::span<const DriverName> driver_names();

/// A program called a function that is exported and not there.
void log_absent_function(const char* name);

}  // namespace gpukit::sim
