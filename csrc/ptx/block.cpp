#include "ptx/block.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "ptx/program.h"

namespace gpukit::ptx {

namespace {

constexpr unsigned kFresh = 0xFF;
// Instructions after which the next warp has its turn, so that one may wait for another's memory.
constexpr std::int64_t kTurn = 20000;

}  // namespace

Block::Block(Grid& grid) : grid_(grid) {
  const Kernel& kernel = *grid.kernel;
  shared_bytes_ = kernel.static_shared_bytes;
  if (grid.dynamic_shared_bytes != 0)
    shared_bytes_ = kernel.dynamic_shared_start + grid.dynamic_shared_bytes;
  shared_ = std::make_unique<std::byte[]>(shared_bytes_ + 16);
  const auto warps = static_cast<unsigned>((grid.block.count() + kLanes - 1) / kLanes);
  for (unsigned i = 0; i < warps; i++) warps_.push_back(std::make_unique<Warp>(*this, i));
  if (grid.checks != nullptr) checks_ = std::make_unique<BlockChecks>(*this, *grid.checks);
}

std::string Shape::index_text(std::uint64_t number) const {
  return "(" + std::to_string(number % x) + ", " + std::to_string(number / x % y) + ", " +
         std::to_string(number / x / y) + ")";
}

std::string Grid::line_of(std::uint32_t pc) const {
  const SourceLocation& location = kernel->locations[pc];
  const std::string source = program == nullptr ? "" : program->source_of(location);
  return (source.empty() ? "" : source + ", ") + "PTX line " + std::to_string(location.line);
}

void Block::start(std::uint64_t number) {
  number_ = number;
  index_[0] = static_cast<unsigned>(number % grid_.grid.x);
  index_[1] = static_cast<unsigned>(number / grid_.grid.x % grid_.grid.y);
  index_[2] = static_cast<unsigned>(number / grid_.grid.x / grid_.grid.y);
  std::memset(shared_.get(), kFresh, shared_bytes_);
  barriers_ = {};
  waits_for_grid_ = false;
  if (checks_ != nullptr) checks_->start();
  std::uint64_t left = live_threads_ = grid_.block.count();
  for (const auto& warp : warps_) {
    const std::uint64_t lanes = std::min<std::uint64_t>(left, kLanes);
    left -= lanes;
    warp->start(lanes == kLanes ? kAllLanes : (Mask{1} << lanes) - 1);
  }
}

void Block::run(std::int64_t budget) {
  while (budget > 0 && !is_done()) {
    bool progress = false;
    for (const auto& warp : warps_) {
      if (!warp->has_ready()) continue;
      running_ = warp.get();
      std::int64_t turn = std::min(budget, kTurn);
      const std::int64_t given = turn;
      warp->run(turn);
      const std::int64_t used = given - turn;
      grid_.instructions += static_cast<std::uint64_t>(used);
      budget -= used;
      progress = true;
      if (budget <= 0) return;
    }
    if (progress || is_done()) continue;
    if (!waits_for_grid_) report_stuck();
    if (waits_for_others()) return;
    pass_grid_barrier();
  }
}

/// ": at kernel.cu:7, PTX line 20 and at ...", where warps wait at several locations.
std::string Block::waiting_locations() const {
  std::vector<std::uint32_t> locations;
  for (const auto& warp : warps_) {
    const Fragment* waiting = warp->waiting();
    if (waiting != nullptr &&
        std::find(locations.begin(), locations.end(), waiting->pc) == locations.end())
      locations.push_back(waiting->pc);
  }
  std::string text;
  for (const std::uint32_t pc : locations)
    text += (text.empty() ? ": at " : " and at ") + grid_.line_of(pc);
  return locations.size() > 1 ? text : "";
}

void Block::report_stuck() {
  for (const auto& warp : warps_) {
    const Fragment* waiting = warp->waiting();
    if (waiting == nullptr) continue;
    running_ = warp.get();
    running_->pc = waiting->pc;
    const auto lane = static_cast<unsigned>(std::countr_zero(waiting->lanes));
    const std::uint64_t arrived = barriers_[waiting->barrier].arrived;
    const std::string which =
        waiting->barrier == kGridBarrier ? "of the grid" : std::to_string(waiting->barrier);
    if (waiting->state == Fragment::State::kBarrier)
      raise_fault(FaultKind::kStuck, lane,
                  "barrier " + which + " is reached by " + std::to_string(arrived) +
                      " threads; the others wait elsewhere" + waiting_locations());
    raise_fault(FaultKind::kStuck, lane,
                "an operation of the warp waits for lanes that never reach it");
  }
  raise_fault(FaultKind::kStuck, 0, "no thread of the block can go on");
}

void Block::arrive(unsigned barrier, unsigned threads, std::uint64_t expected, Mask values,
                   Mask lanes) {
  Barrier& state = barriers_[barrier];
  state.arrived += threads;
  state.expected = expected;
  state.threads += static_cast<unsigned>(std::popcount(lanes));
  state.count += static_cast<unsigned>(std::popcount(values & lanes));
  complete_if_full(barrier);
}

void Block::leave(unsigned threads) {
  live_threads_ -= threads;
  for (unsigned i = 0; i < kBarriers; i++) complete_if_full(i);
}

void Block::arrive_at_grid() {
  waits_for_grid_ = true;
  grid_barrier_ = grid_.grid_barriers;
  if (checks_ != nullptr) checks_->complete(kGridBarrier);
  if (++grid_.waiting_blocks < grid_.grid.count()) return;
  grid_.waiting_blocks = 0;
  grid_.grid_barriers++;
  if (grid_.checks != nullptr) grid_.checks->meet();
}

void Block::pass_grid_barrier() {
  waits_for_grid_ = false;
  for (const auto& warp : warps_) warp->release(kGridBarrier, 0, false);
}

void Block::complete_if_full(unsigned barrier) {
  Barrier& state = barriers_[barrier];
  if (state.arrived == 0) return;
  const std::uint64_t expected = state.expected != 0 ? state.expected : live_threads_;
  if (state.arrived < expected) return;
  const Barrier done = state;
  state = {};
  if (barrier == kGridBarrier) return arrive_at_grid();
  if (checks_ != nullptr) checks_->complete(barrier);
  for (const auto& warp : warps_) warp->release(barrier, done.count, done.count >= done.threads);
}

}  // namespace gpukit::ptx
