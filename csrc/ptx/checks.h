// Optional checks of a launch: races, reads of uninitialised memory, divergent barriers.
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
  std::uint32_t epoch = 0;     ///< of the thread; 0: no access
  std::uint32_t meetings = 0;  ///< barriers of the grid that were passed before
  std::uint32_t pc = 0;
  std::uint8_t bytes = 0xff;  ///< of the cell, a bit each
  bool strong = false;        ///< atomic, volatile or of a scope
};

/// Of one byte of shared memory, or four bytes of global memory.
struct Cell {
  Touch write;
  /// Since then; of those that are known to a later one that one is kept.
  std::vector<Touch> reads;
};

/// Up to which epoch each thread of a block is known.
using Epochs = std::vector<std::uint32_t>;
/// ... of each block, where something is known.
using BlockEpochs = std::unordered_map<std::uint32_t, std::shared_ptr<const Epochs>>;

/// What a thread knows at some moment. Null: nothing.
struct Knowledge {
  std::shared_ptr<const Epochs> own;  ///< of its own block
  std::shared_ptr<const BlockEpochs> others;
};

/// What the blocks of a launch share.
class GridChecks {
 public:
  GridChecks(const Grid& grid, CheckSettings settings) : grid_(grid), settings_(settings) {}

  const CheckSettings& settings() const { return settings_; }
  const Grid& grid() const { return grid_; }
  /// The cell of global memory; null where the launch has touched too much of it.
  Cell* cell(std::uint64_t address);
  /// What a location in memory hands from its writers to its readers in other blocks.
  std::shared_ptr<const BlockEpochs>& handover(std::uint64_t address) {
    return handovers_[address];
  }
  /// Everything up to now is known to every block: the barrier of the grid.
  void meet() { meetings_++; }
  std::uint32_t meetings() const { return meetings_; }

 private:
  static constexpr std::uint64_t kPageBytes = 4096;
  using Page = std::array<Cell, kPageBytes / 4>;

  const Grid& grid_;
  CheckSettings settings_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::unordered_map<std::uint64_t, std::shared_ptr<const BlockEpochs>> handovers_;
  std::uint32_t meetings_ = 0;
};

/// Of one block. Raises a Fault where a check fails.
class BlockChecks {
 public:
  BlockChecks(Block& block, GridChecks& grid);

  void start();
  void access(Warp& warp, Mask mask, unsigned bytes, const Pointers& pointers, Access access,
              Order order);
  /// What was done before is handed on by later accesses, and what earlier ones read is known.
  void fence(const Warp& warp, Mask lanes, bool beyond_block);
  /// Lanes wait or arrive at a barrier of the block.
  void arrive(const Warp& warp, unsigned barrier, Mask lanes, bool waits, bool counted);
  void complete(unsigned barrier);
  void meet(const Warp& warp, Mask lanes);
  void end(const Warp& warp, Mask lanes);

 private:
  struct Arrival {
    std::uint32_t thread;
    std::uint32_t pc;
    bool waits;
  };
  struct Thread {
    std::uint32_t epoch = 1;
    bool ended = false;
    std::array<std::uint32_t, kLanes> of_warp{};  ///< what it knows of the lanes of its warp
    Knowledge known;                              ///< ... and of all threads
    /// What the last fence of the block, or of the device, lets its writes hand on.
    Knowledge released_in_block, released;
    /// What relaxed accesses have read; known from the next fence or barrier on.
    Knowledge read;
  };
  /// One lane's access.
  struct Access1 {
    std::uint32_t thread;
    std::uint32_t pc;
    unsigned lane;
    unsigned bytes;
    Access kind;
    Order order;
  };

  bool knows(std::uint32_t thread, const Touch& touch) const;
  std::uint32_t known_epoch(std::uint32_t thread, std::uint32_t of) const;
  void check(Cell& cell, const Access1& now, std::uint8_t bytes, std::uint64_t location,
             bool shared);
  void check_fresh(Warp& warp, const Access1& now, std::uint64_t address, unsigned bytes,
                   bool shared);
  void synchronise(const Access1& now, std::uint64_t key, bool shared);
  void publish(const Knowledge& in_block, const Knowledge& beyond, std::uint64_t key, bool shared);
  /// All that a thread knows now, of itself too.
  Knowledge knowledge_of(std::uint32_t thread) const;
  void join(Epochs& into, std::uint32_t thread) const;
  void add_read(Cell& cell, const Touch& touch);
  void check_meeting(const std::vector<Arrival>& arrivals) const;
  [[noreturn]] void report_race(const Touch& before, const Access1& now, bool wrote,
                                std::uint64_t location, bool shared) const;
  std::string thread_name(std::uint32_t block, std::uint32_t thread) const;
  std::string line_of(std::uint32_t pc) const;

  Block& block_;
  GridChecks& grid_;
  std::vector<Thread> threads_;
  Epochs floor_;  ///< what every thread knows of each
  std::vector<Cell> shared_;
  std::vector<bool> shared_written_;
  std::array<std::vector<Arrival>, kGridBarrier + 1> arrivals_;
  std::array<bool, kGridBarrier + 1> counted_{};
  /// What a location hands on between the threads of this block.
  std::unordered_map<std::uint64_t, Knowledge> handovers_;
};

}  // namespace gpukit::ptx
