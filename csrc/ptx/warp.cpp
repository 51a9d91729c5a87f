#include "ptx/warp.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "ptx/block.h"
#include "ptx/lanes.h"

namespace gpukit::ptx {

namespace {

// Instructions after which another fragment has its turn, so that lanes may wait for one another.
constexpr std::int64_t kTurn = 2000;
constexpr std::uint64_t kStackBytes = 64u << 10;
constexpr int kFresh = 0xFF;

}  // namespace

Warp::Warp(Block& block, unsigned index)
    : block_(block), kernel_(*block.grid().kernel), counter_(block.grid().counter), index_(index) {
  const Grid& grid = block.grid();
  is_watched = grid.checks != nullptr || counter_ != nullptr;
  const FunctionCode& code = kernel_.functions.front();
  memory.device = grid.memory;
  memory.shared = block.shared();
  memory.shared_bytes = block.shared_bytes();
  memory.parameters = grid.parameters;
  memory.parameter_bytes = kernel_.parameter_bytes;
  memory.local_bytes =
      aligned_local(code.local_bytes) + (kernel_.calls_functions ? kStackBytes : 0);
  if (memory.local_bytes != 0) {
    // Left as it is: what no thread touches costs no memory.
    local_ = std::unique_ptr<std::byte[]>(new std::byte[memory.local_bytes * kLanes]);
    memory.local = local_.get();
  }
  entry_.code = &code;
  allocate_registers(entry_);
  entry_.local_top = aligned_local(code.local_bytes);
  block.add_footprint(code.frame_bytes + code.local_bytes * kLanes + sizeof(Warp));
  frame = entry_.registers;
  current_frame_ = &entry_;
  for (const Constant& constant : code.constants) {
    if (constant.kind != Constant::Kind::kSpecial) fill_constant(entry_, constant);
  }
}

void Warp::start(Mask lanes) {
  live_ = lanes;
  fragments_.clear();
  drop_unused_frames();  // of threads that ended in a function
  current_frame_ = &entry_;
  frame = entry_.registers;
  for (const Constant& constant : entry_.code->constants) {
    if (constant.kind == Constant::Kind::kSpecial) fill_constant(entry_, constant);
  }
  const FunctionCode& code = kernel_.functions.front();
  for (unsigned i = 0; code.local_bytes != 0 && i < kLanes; i++)
    std::memset(local_of(i), kFresh, code.local_bytes);
  Fragment all;
  all.lanes = lanes;
  all.frame = &entry_;
  all.pc = code.first;
  fragments_.push_back(all);
}

bool Warp::has_ready() const {
  return std::any_of(fragments_.begin(), fragments_.end(), [](const Fragment& fragment) {
    return fragment.state == Fragment::State::kReady;
  });
}

const Fragment* Warp::waiting() const {
  for (const Fragment& fragment : fragments_) {
    if (fragment.state != Fragment::State::kReady) return &fragment;
  }
  return nullptr;
}

// ---- fragments

void Warp::merge() {
  for (std::size_t i = 0; i < fragments_.size(); i++) {
    for (std::size_t j = fragments_.size(); j-- > i + 1;) {
      Fragment& one = fragments_[i];
      const Fragment& other = fragments_[j];
      if (one.pc != other.pc || one.frame != other.frame || one.state != other.state) continue;
      if (one.state != Fragment::State::kReady) continue;
      one.lanes |= other.lanes;
      fragments_.erase(fragments_.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
}

// The deepest call first, and in it the first instruction: lanes that are behind catch up.
Fragment* Warp::choose(bool rotate) {
  if (fragments_.size() > 1) merge();
  Fragment* best = nullptr;
  for (Fragment& fragment : fragments_) {
    if (fragment.state != Fragment::State::kReady) continue;
    const auto before = [&] {
      if (rotate) return fragment.last_run < best->last_run;
      if (fragment.frame->depth != best->frame->depth)
        return fragment.frame->depth > best->frame->depth;
      return fragment.pc < best->pc;
    };
    if (best == nullptr || before()) best = &fragment;
  }
  if (best != nullptr) best->last_run = ++tick_;
  return best;
}

std::uint32_t Warp::nearest_other(const Fragment& chosen) const {
  std::uint32_t nearest = kNowhere;
  for (const Fragment& fragment : fragments_) {
    if (&fragment == &chosen || fragment.state != Fragment::State::kReady) continue;
    if (fragment.frame == chosen.frame) nearest = std::min(nearest, fragment.pc);
  }
  return nearest;
}

void Warp::run(std::int64_t& budget) {
  if (counter_ != nullptr)
    run_ready<true>(budget);
  else
    run_ready<false>(budget);
}

template <bool kCounting>
void Warp::run_ready(std::int64_t& budget) {
  bool rotate = false;
  std::int64_t since_rotation = 0;
  const Instruction* code = kernel_.code.data();
  while (budget > 0) {
    Fragment* chosen = choose(rotate);
    if (chosen == nullptr) return;
    const auto at = static_cast<std::size_t>(chosen - fragments_.data());
    const bool alone = fragments_.size() == 1;
    const std::uint32_t other = alone || rotate ? kNowhere : nearest_other(*chosen);
    const std::int64_t slice = alone ? budget : std::min(budget, kTurn);
    const Mask lanes = chosen->lanes;
    current_frame_ = chosen->frame;
    frame = current_frame_->registers;
    std::int64_t left = slice;
    std::uint32_t next = chosen->pc;
    bool followed = false;
    while (left > 0 && next < other) {
      const Instruction& in = code[next];
      Mask mask = lanes;
      if (in.guard != kNowhere) mask &= predicate(in.guard) ^ (in.guard_negated ? kAllLanes : 0);
      left--;
      if constexpr (kCounting) counter_->count(next, mask);
      if (mask == 0) {
        next++;
      } else if (in.flow == Flow::kPlain) {
        pc = next;
        in.run(*this, in, mask);
        next++;
      } else if (in.flow == Flow::kBranch && mask == lanes) {
        next = in.target;
      } else {
        pc = fragments_[at].pc = next;
        follow(at, in, mask);
        followed = true;
        break;
      }
    }
    budget -= slice - left;
    since_rotation += slice - left;
    if (!followed) fragments_[at].pc = next;
    rotate = fragments_.size() > 1 && since_rotation >= kTurn;
    if (rotate) since_rotation = 0;
  }
}

std::size_t Warp::divide(std::size_t at, Mask lanes) {
  Fragment& fragment = fragments_[at];
  if (fragment.lanes == lanes) return at;
  Fragment part = fragment;
  part.lanes = lanes;
  fragment.lanes &= ~lanes;
  fragments_.push_back(part);
  return fragments_.size() - 1;
}

std::size_t Warp::split(std::size_t at, Mask lanes) {
  const std::size_t part = divide(at, lanes);
  if (part != at) fragments_[at].pc++;
  return part;
}

void Warp::follow(std::size_t at, const Instruction& in, Mask mask) {
  switch (in.flow) {
    case Flow::kPlain:
      break;
    case Flow::kBranch:
      if (counter_ != nullptr) counter_->count_divergence();
      fragments_[split(at, mask)].pc = in.target;
      break;
    case Flow::kBranchIndexed:
      branch_indexed(at, in, mask);
      break;
    case Flow::kCall:
      call(at, in, mask);
      break;
    case Flow::kReturn:
      return_from(at, mask);
      break;
    case Flow::kExit:
      end(at, mask);
      break;
    case Flow::kBarrier:
      wait_at_barrier(at, in, mask);
      break;
    case Flow::kWarpSync:
      synchronise(at, mask);
      break;
  }
}

void Warp::branch_indexed(std::size_t at, const Instruction& in, Mask taken) {
  const std::vector<std::uint32_t>& targets = kernel_.lists[in.target];
  const std::uint32_t* index = lanes<std::uint32_t>(in.a);
  const Mask lanes_here = fragments_[at].lanes;
  const std::size_t whole = split(at, taken);
  bool divergent = taken != lanes_here;
  for_each_group(taken, index, [&](unsigned lane, Mask same) {
    divergent = divergent || same != taken;
    if (index[lane] >= targets.size())
      raise_fault(FaultKind::kInvalidCode, lane, "an indexed branch is beyond its list of targets");
    fragments_[divide(whole, same)].pc = targets[index[lane]];
  });
  if (divergent && counter_ != nullptr) counter_->count_divergence();
}

}  // namespace gpukit::ptx
