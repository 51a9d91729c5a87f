// What a launch is counted by on request: instructions, sectors of global memory, conflicts of
// banks.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ptx/access.h"
#include "ptx/instruction_class.h"
#include "ptx/types.h"

namespace gpukit::ptx {

struct Kernel;
class Warp;

/// Of the requests that warps made of global memory: one for each instruction that a warp runs.
struct SectorCounts {
  std::uint64_t requests = 0;
  std::uint64_t sectors_asked = 0;  ///< of 32 bytes, that hold a byte of the request
  std::uint64_t sectors_used = 0;   ///< as few as could hold its bytes
  std::uint64_t bytes = 0;          ///< each once a request
};

struct LaunchCounts {
  /// Instructions of warps.
  std::array<std::uint64_t, kInstructionClasses> instructions{};
  /// The same, once for each thread that took part.
  std::uint64_t thread_instructions = 0;
  SectorCounts global_reads, global_writes, global_atomics;
  std::uint64_t shared_requests = 0;
  /// Turns of the 32 banks beyond the fewest that the requests need.
  std::uint64_t bank_conflicts = 0;
  std::uint64_t local_requests = 0;
  std::uint64_t branches = 0;
  std::uint64_t divergent_branches = 0;
};

class LaunchCounter {
 public:
  explicit LaunchCounter(const Kernel& kernel);

  void count(std::uint32_t pc, Mask mask) {
    runs_[pc].warps++;
    runs_[pc].lanes += static_cast<unsigned>(std::popcount(mask));
  }
  void count_access(const Warp& warp, Mask mask, unsigned bytes, const Pointers& pointers,
                    Access access);
  void count_divergence() { counts_.divergent_branches++; }
  LaunchCounts result() const;

 private:
  struct Runs {
    std::uint64_t warps = 0, lanes = 0;
  };

  const Kernel& kernel_;
  std::vector<Runs> runs_;  ///< by instruction
  LaunchCounts counts_;
};

}  // namespace gpukit::ptx
