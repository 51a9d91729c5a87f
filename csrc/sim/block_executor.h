// Runs the grid of one launch on the calling OS thread, block after block.
//
// The threads of a block start as plain calls in a loop that runs on a fiber. A thread that meets a
// barrier or a warp operation keeps that fiber and a fresh one goes on with the next thread, so
// kernels that never wait cost one switch a block, and data-dependent barriers need no analysis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace gpukit::sim {

struct KernelEntry;

struct GridShape {
  unsigned x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

struct Launch {
  const KernelEntry* kernel = nullptr;
  GridShape grid;
  GridShape block;
  std::size_t dynamic_shared_bytes = 0;
  void* const* params = nullptr;
  bool cooperative = false;
};

enum class ThreadOrder { kForward, kReverse, kRandom };

struct ExecutionOrder {
  ThreadOrder order = ThreadOrder::kForward;
  std::uint64_t seed = 1;
};

enum class KernelFault { kNone, kIllegalAddress, kMisuse };

struct LaunchResult {
  KernelFault fault = KernelFault::kNone;
  /// What went wrong, with kernel, block, thread and source line.
  std::string message;
};

/// Runs a launch to its end. Launches of all simulated devices take turns: the indices are
/// process-wide.
LaunchResult run_launch(const Launch& launch, const ExecutionOrder& order);

}  // namespace gpukit::sim
