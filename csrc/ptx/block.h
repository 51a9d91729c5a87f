// A block of threads: its warps, its shared memory and its barriers. And the grid they are of.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ptx/checks.h"
#include "ptx/counters.h"
#include "ptx/kernel.h"
#include "ptx/memory_spaces.h"
#include "ptx/warp.h"

namespace gpukit::ptx {

class Program;

struct Shape {
  unsigned x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  /// "(1, 0, 0)": where the block or thread of that number is.
  std::string index_text(std::uint64_t number) const;
};

/// What the blocks of a launch share.
struct Grid {
  const Kernel* kernel = nullptr;
  Shape grid;
  Shape block;
  std::uint64_t dynamic_shared_bytes = 0;
  const std::byte* parameters = nullptr;
  DeviceMemory* memory = nullptr;
  std::uint64_t workspace = 0;
  unsigned multiprocessors = 1;
  unsigned warps_per_multiprocessor = 32;
  std::uint64_t number = 0;
  /// vprintf output that is not printed yet.
  std::string output;
  void (*print)(const std::string&) = nullptr;
  /// Warp instructions run so far.
  std::uint64_t instructions = 0;
  std::uint64_t clock_readings = 0;
  // The barrier of cooperative launches: blocks that wait, and barriers that were passed.
  std::uint64_t waiting_blocks = 0;
  std::uint64_t grid_barriers = 0;

  /// Null where nothing is watched, and where nothing is counted.
  GridChecks* checks = nullptr;
  LaunchCounter* counter = nullptr;
  const Program* program = nullptr;

  /// "kernel.cu:7, PTX line 20", for messages.
  std::string line_of(std::uint32_t pc) const;
  std::uint64_t tick() { return instructions + ++clock_readings; }
};

class Block {
 public:
  explicit Block(Grid& grid);
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  Grid& grid() const { return grid_; }
  const std::array<unsigned, 3>& index() const { return index_; }
  std::uint64_t number() const { return number_; }

  void start(std::uint64_t number);
  bool is_done() const { return live_threads_ == 0; }
  /// Runs about that many warp instructions. Throws Fault; `running` is the warp it came from.
  void run(std::int64_t budget);
  /// Whether it cannot go on before other blocks reach the barrier of the grid.
  bool waits_for_others() const { return waits_for_grid_ && grid_.grid_barriers == grid_barrier_; }
  const Warp& running() const { return *running_; }
  /// Bytes of host memory that it takes, about.
  std::uint64_t footprint() const { return footprint_ + call_frame_bytes; }

  // For warps.
  void arrive(unsigned barrier, unsigned threads, std::uint64_t expected, Mask values, Mask lanes);
  void leave(unsigned threads);
  BlockChecks* checks() { return checks_.get(); }
  std::byte* shared() { return shared_.get(); }
  std::uint64_t shared_bytes() const { return shared_bytes_; }
  void add_footprint(std::uint64_t bytes) { footprint_ += bytes; }
  /// Registers of called functions.
  std::uint64_t call_frame_bytes = 0;

 private:
  static constexpr unsigned kBarriers = kGridBarrier + 1;
  struct Barrier {
    std::uint64_t arrived = 0;
    std::uint64_t expected = 0;  ///< 0: all threads that live
    unsigned threads = 0;
    unsigned count = 0;  ///< of true values
  };

  void complete_if_full(unsigned barrier);
  void arrive_at_grid();
  void pass_grid_barrier();
  std::string waiting_locations() const;
  [[noreturn]] void report_stuck();

  Grid& grid_;
  std::uint64_t number_ = 0;
  std::array<unsigned, 3> index_{};
  std::uint64_t live_threads_ = 0;
  std::uint64_t shared_bytes_ = 0;
  std::unique_ptr<std::byte[]> shared_;
  std::array<Barrier, kBarriers> barriers_{};
  std::vector<std::unique_ptr<Warp>> warps_;
  Warp* running_ = nullptr;
  std::uint64_t footprint_ = 0;
  bool waits_for_grid_ = false;
  std::uint64_t grid_barrier_ = 0;
  std::unique_ptr<BlockChecks> checks_;
};

}  // namespace gpukit::ptx
