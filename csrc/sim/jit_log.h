// The options of a load or a link: buffers for the error log.
#pragma once

#include <chrono>
#include <string>

#include "sim/cuda_abi.h"

namespace gpukit::sim {

/// More options than a driver has are a mistake of the caller's, not a list to be read.
inline constexpr unsigned kMostJitOptions = 64;

class JitLog {
 public:
  JitLog() = default;
  /// The arrays live as long as this. Writes empty logs.
  JitLog(unsigned count, const CUjit_option* options, void** values);

  /// Whether a caller's list can be read at all.
  static bool is_valid(unsigned count, const CUjit_option* options, void** values) {
    return count <= kMostJitOptions && (count == 0 || (options != nullptr && values != nullptr));
  }

  /// Both add a line.
  void fail(const std::string& what) { add(errors_, what); }
  void note(const std::string& what) { add(notes_, what); }
  bool is_verbose() const { return verbose_; }
  /// Writes what the load took, where that is asked for.
  void stop_clock();

 private:
  struct Buffer {
    char* text = nullptr;
    void** size = nullptr;  ///< its bytes, and then those that were written
    std::size_t room = 0;
    std::size_t used = 0;
  };

  static void prepare(Buffer& buffer);
  static void add(Buffer& buffer, const std::string& text);

  Buffer errors_, notes_;
  void** wall_time_ = nullptr;
  bool verbose_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace gpukit::sim
