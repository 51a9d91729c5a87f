// Runs the grid of one launch on the calling thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "ptx/block.h"
#include "ptx/fault.h"
#include "ptx/program.h"

namespace gpukit::ptx {

/// The progress of a launch.
struct LaunchProgress {
  const Kernel* kernel = nullptr;
  double seconds = 0;
  std::uint64_t blocks_done = 0;
  std::uint64_t blocks = 0;
};

struct LaunchRequest {
  const Program* program = nullptr;
  const Kernel* kernel = nullptr;
  Shape grid;
  Shape block;
  std::uint64_t dynamic_shared_bytes = 0;
  /// As many bytes as the kernel's parameters have.
  std::vector<std::byte> parameters;
  DeviceMemory* memory = nullptr;
  /// Of a cooperative launch: the address of 8 bytes, zeros, that its barriers count in; else 0.
  std::uint64_t grid_workspace = 0;
  unsigned multiprocessors = 1;
  unsigned warps_per_multiprocessor = 32;
  /// Blocks that may be there at a time, where blocks wait for one another.
  std::uint64_t resident_blocks = 1;
  /// Of warp instructions; 0 for none.
  std::uint64_t limit = 0;
  /// Set from another thread, it ends the launch.
  const std::atomic<bool>* cancelled = nullptr;
  void (*print)(const std::string&) = nullptr;
  /// Called after so many seconds, then whenever that time has doubled; 0 for never.
  void (*progress)(const LaunchProgress&) = nullptr;
  double progress_seconds = 0;
  CheckSettings checks;
  bool counts = false;
};

struct LaunchOutcome {
  FaultKind fault = FaultKind::kNone;
  /// What went wrong, with kernel, block, thread and line.
  std::string message;
  std::uint64_t instructions = 0;
  LaunchCounts counts;
};

LaunchOutcome run(const LaunchRequest& request);

}  // namespace gpukit::ptx
