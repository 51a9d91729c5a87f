// What a launch is watched for on request: races, reads of what nobody wrote, divergent barriers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "ptx/access.h"
#include "ptx/check_settings.h"
#include "ptx/types.h"

namespace gpukit::ptx {

class Block;
class Warp;
struct Grid;

/// An access that later ones are held against.
struct Touch {
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
  std::uint32_t epoch = 0;  ///< of the thread; 0: no access
  std::uint32_t time = 0;   ///< of the launch
  std::uint32_t pc = 0;
  std::uint8_t bytes = 0xff;  ///< of the cell, a bit each
  bool strong = false;        ///< atomic, volatile or of a scope
};

/// Of one byte of shared memory, or four bytes of global memory.
struct Cell {
  Touch write;
  std::array<Touch, 2> reads;
};

/// Up to which time each block is known.
using BlockTimes = std::unordered_map<std::uint32_t, std::uint32_t>;

/// What the blocks of a launch share.
class GridChecks {
 public:
  GridChecks(const Grid& grid, CheckSettings settings) : grid_(grid), settings_(settings) {}

  const CheckSettings& settings() const { return settings_; }
  const Grid& grid() const { return grid_; }
  /// The cell of global memory; null where the launch has touched too much of it.
  Cell* cell(std::uint64_t address);
  /// What a place in memory hands from its writers to its readers: atomics order blocks.
  BlockTimes& handover(std::uint64_t address) { return handovers_[address]; }
  std::uint32_t time() const { return time_; }
  std::uint32_t advance() { return ++time_; }
  /// Everything up to now is known to every block: the barrier of the grid.
  void meet() { known_to_all_ = ++time_; }
  std::uint32_t known_to_all() const { return known_to_all_; }

 private:
  static constexpr std::uint64_t kPageBytes = 4096;
  using Page = std::array<Cell, kPageBytes / 4>;

  const Grid& grid_;
  CheckSettings settings_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::unordered_map<std::uint64_t, BlockTimes> handovers_;
  std::uint32_t time_ = 1;
  std::uint32_t known_to_all_ = 0;
};

/// Of one block. Raises a Fault where a check fails.
class BlockChecks {
 public:
  BlockChecks(Block& block, GridChecks& grid);

  void start();
  void access(Warp& warp, Mask mask, unsigned bytes, const Pointers& pointers, Access access);
  /// Lanes wait or arrive at a barrier of the block.
  void arrive(const Warp& warp, unsigned barrier, Mask lanes, bool waits, bool counted);
  void complete(unsigned barrier);
  void meet(const Warp& warp, Mask lanes);
  void end(const Warp& warp, Mask lanes);

 private:
  using Snapshot = std::shared_ptr<const std::vector<std::uint32_t>>;
  struct Arrival {
    std::uint32_t thread;
    std::uint32_t pc;
    bool waits;
  };
  struct Thread {
    std::uint32_t epoch = 1;
    bool ended = false;
    std::array<std::uint32_t, kLanes> of_warp{};  ///< what it knows of the lanes of its warp
    Snapshot snapshot;                            ///< ... and of all threads
  };
  /// One lane's access.
  struct Access1 {
    std::uint32_t thread;
    std::uint32_t pc;
    unsigned lane;
    Access kind;
  };

  bool knows(std::uint32_t thread, const Touch& touch) const;
  std::uint32_t known_epoch(std::uint32_t thread, std::uint32_t of) const;
  void check_cell(Cell& cell, const Access1& now, std::uint8_t bytes, std::uint64_t place,
                  bool shared);
  void check_fresh(Warp& warp, const Access1& now, std::uint64_t address, unsigned bytes,
                   bool shared);
  void synchronise(const Access1& now, std::uint64_t key, bool shared);
  void join(std::vector<std::uint32_t>& into, std::uint32_t thread) const;
  void check_meeting(const std::vector<Arrival>& arrivals) const;
  [[noreturn]] void report_race(const Touch& before, const Access1& now, bool wrote,
                                std::uint64_t place, bool shared) const;
  std::string thread_name(std::uint32_t block, std::uint32_t thread) const;
  std::string line_of(std::uint32_t pc) const;

  Block& block_;
  GridChecks& grid_;
  std::vector<Thread> threads_;
  std::vector<std::uint32_t> floor_;  ///< what every thread knows of each
  std::vector<Cell> shared_;
  std::vector<bool> shared_written_;
  std::array<std::vector<Arrival>, 16> arrivals_;
  std::array<bool, 16> counted_{};
  /// What a place hands on of the epochs of this block's threads.
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> handovers_;
  BlockTimes known_blocks_;
};

}  // namespace gpukit::ptx
