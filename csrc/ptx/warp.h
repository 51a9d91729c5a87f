// 32 threads that run together. Lanes that take different ways are fragments of the warp; they join
// again where they meet at the same instruction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "base/numeric.h"
#include "ptx/fault.h"
#include "ptx/kernel.h"
#include "ptx/memory_spaces.h"

namespace gpukit::ptx {

class Block;
class LaunchCounter;

/// Barriers of a block, and behind them the one at which it waits for the other blocks.
inline constexpr unsigned kNamedBarriers = 16;
inline constexpr unsigned kGridBarrier = kNamedBarriers;

// Flags of barriers.
inline constexpr std::uint8_t kBarrierArrives = 1;
inline constexpr std::uint8_t kBarrierCounts = 2;
inline constexpr std::uint8_t kBarrierAnd = 4;
inline constexpr std::uint8_t kBarrierOr = 8;

/// The local memory of a function, rounded up so that the next function's is aligned.
constexpr std::uint64_t aligned_local(std::uint64_t bytes) {
  return align_up<std::uint64_t>(bytes, 16);
}

struct FreeBytes {
  void operator()(std::byte* bytes) const { std::free(bytes); }
};
/// Zeros that take no memory until they are touched: of most registers nothing is.
using ZeroedBytes = std::unique_ptr<std::byte[], FreeBytes>;

struct Frame {
  const FunctionCode* code = nullptr;
  Frame* parent = nullptr;
  std::uint32_t return_pc = 0;
  std::uint32_t call = 0;  ///< of the kernel's calls
  unsigned depth = 0;
  std::uint64_t local_base = 0;
  std::uint64_t local_top = 0;
  std::byte* registers = nullptr;
  ZeroedBytes storage;
};

struct Fragment {
  enum class State : std::uint8_t { kReady, kBarrier, kWarpSync };
  std::uint32_t pc = 0;
  Mask lanes = 0;
  Frame* frame = nullptr;
  State state = State::kReady;
  unsigned barrier = 0;
  std::uint64_t last_run = 0;
};

class Warp {
 public:
  Warp(Block& block, unsigned index);
  Warp(const Warp&) = delete;
  Warp& operator=(const Warp&) = delete;

  // What instructions use.
  std::byte* frame = nullptr;
  MemorySpaces memory;
  std::uint32_t pc = 0;
  /// Each access is reported.
  bool is_watched = false;

  Block& block() const { return block_; }
  const Kernel& kernel() const { return kernel_; }
  unsigned index() const { return index_; }
  Mask live() const { return live_; }
  Frame& current_frame() const { return *current_frame_; }
  template <class T>
  T* lanes(std::uint32_t offset) const {
    return reinterpret_cast<T*>(frame + offset);
  }
  Mask& predicate(std::uint32_t offset) const { return *reinterpret_cast<Mask*>(frame + offset); }
  std::byte* local_of(unsigned lane) const { return memory.local + lane * memory.local_bytes; }
  /// Where a lane's argument or result lies, in the registers or the local memory of a frame.
  std::byte* address_of(const ParameterSlot& slot, const Frame& of, unsigned lane) const;

  // What the block uses.
  void start(Mask lanes);
  bool is_done() const { return live_ == 0; }
  bool has_ready() const;
  /// Runs until nothing is ready or `budget` instructions were run; takes them off the budget.
  void run(std::int64_t& budget);
  /// Lets go who waits at that barrier. `count` values were true; `all`: every one.
  void release(unsigned barrier, unsigned count, bool all);
  /// For the message of a stuck block.
  const Fragment* waiting() const;

 private:
  template <bool kCounting>
  void run_ready(std::int64_t& budget);
  Fragment* choose(bool rotate);
  void merge();
  std::uint32_t nearest_other(const Fragment& chosen) const;
  /// For an instruction after which the list of fragments is another.
  void follow(std::size_t at, const Instruction& instruction, Mask mask);
  void branch_indexed(std::size_t at, const Instruction& instruction, Mask taken);
  void call(std::size_t at, const Instruction& instruction, Mask taken);
  void enter(std::size_t at, const CallSite& site, std::uint32_t call, std::uint32_t function);
  void return_from(std::size_t at, Mask taken);
  void end(std::size_t at, Mask taken);
  void wait_at_barrier(std::size_t at, const Instruction& instruction, Mask taken);
  void wait_for_grid(std::size_t at, Mask taken);
  void synchronise(std::size_t at, Mask taken);
  bool is_complete(const Fragment& fragment, Mask present) const;
  void recheck_synchronised();
  /// Splits `lanes` off the fragment; the rest continues after the instruction.
  std::size_t split(std::size_t at, Mask lanes);
  /// Splits `lanes` off the fragment; both stay at the instruction.
  std::size_t divide(std::size_t at, Mask lanes);
  static void allocate_registers(Frame& of);
  void fill_constant(const Frame& of, const Constant& constant);
  void copy(const std::vector<ParameterSlot>& from, const Frame& source,
            const std::vector<ParameterSlot>& to, const Frame& target, Mask lanes) const;
  Frame* make_frame(const FunctionCode& code);
  void drop_unused_frames();

  Block& block_;
  const Kernel& kernel_;
  LaunchCounter* const counter_;  ///< null where nothing is counted
  const unsigned index_;
  Mask live_ = 0;
  Frame* current_frame_ = nullptr;
  Frame entry_;
  std::vector<std::unique_ptr<Frame>> frames_;
  std::vector<std::unique_ptr<Frame>> spare_;
  std::vector<Fragment> fragments_;
  std::unique_ptr<std::byte[]> local_;
  std::uint64_t tick_ = 0;
};

}  // namespace gpukit::ptx
