// What a launch was counted by, with `counts=1`, and where the log of events finds it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ptx/counters.h"

namespace gpukit::sim {

/// How many threads of a launch a multiprocessor holds at a time.
struct Occupancy {
  int registers = 0;  ///< of a thread
  std::uint64_t shared_bytes = 0;
  int blocks = 0;
  int warps = 0;
  int most_warps = 0;
};

/// Written by the stream's thread, read when it is complete.
struct CountedLaunch {
  std::string kernel;
  std::uint64_t blocks = 0;
  std::uint64_t threads = 0;  ///< of a block
  Occupancy occupancy;
  ptx::LaunchCounts counts;
  std::atomic<bool> complete = false;
};

/// While it lives, launches on this thread write there.
class CountingScope {
 public:
  explicit CountingScope(std::shared_ptr<CountedLaunch> launch);
  ~CountingScope();
  CountingScope(const CountingScope&) = delete;
  CountingScope& operator=(const CountingScope&) = delete;
  /// Null where nothing is counted.
  static CountedLaunch* current();

 private:
  std::shared_ptr<CountedLaunch> launch_;
};

/// Names of the values that follow, separated by newlines.
const std::string& count_names();
std::vector<std::uint64_t> count_values(const CountedLaunch& launch);

}  // namespace gpukit::sim
