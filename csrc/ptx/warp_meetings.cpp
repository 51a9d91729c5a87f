// Where lanes wait for one another, and where they end.
#include <bit>

#include "ptx/block.h"
#include "ptx/lanes.h"
#include "ptx/warp.h"

namespace gpukit::ptx {

void Warp::end(std::size_t at, Mask taken) {
  const std::size_t part = split(at, taken);
  fragments_.erase(fragments_.begin() + static_cast<std::ptrdiff_t>(part));
  live_ &= ~taken;
  if (BlockChecks* checks = block_.checks()) checks->end(*this, taken);
  if (!fragments_.empty()) recheck_synchronised();
  block_.leave(static_cast<unsigned>(std::popcount(taken)));
}

void Warp::wait_at_barrier(std::size_t at, const Instruction& in, Mask taken) {
  const auto lane = static_cast<unsigned>(std::countr_zero(taken));
  const std::uint32_t barrier = lanes<std::uint32_t>(in.a)[lane];
  const std::uint64_t count = in.b == kNowhere ? 0 : lanes<std::uint32_t>(in.b)[lane];
  if (barrier >= kNamedBarriers)
    raise_fault(FaultKind::kInvalidCode, lane, "there is no barrier " + std::to_string(barrier));
  const Mask values = in.c == kNowhere ? 0 : predicate(in.c);
  const std::size_t part = split(at, taken);
  // A count is one of whole warps; the last warp of a block may have fewer threads.
  const bool whole = fragments_[part].lanes == live_;
  const unsigned threads =
      count != 0 && whole ? kLanes : static_cast<unsigned>(std::popcount(taken));
  if ((in.flags & kBarrierArrives) != 0) {
    fragments_[part].pc++;
  } else {
    fragments_[part].state = Fragment::State::kBarrier;
    fragments_[part].barrier = barrier;
  }
  if (BlockChecks* checks = block_.checks())
    checks->arrive(*this, barrier, taken, (in.flags & kBarrierArrives) == 0, count != 0);
  block_.arrive(barrier, threads, count, values, taken);
}

/// All threads of all blocks meet, as in a call of cudaCGSynchronize.
void Warp::wait_for_grid(std::size_t at, Mask taken) {
  const std::size_t part = split(at, taken);
  fragments_[part].state = Fragment::State::kBarrier;
  fragments_[part].barrier = kGridBarrier;
  if (BlockChecks* checks = block_.checks())
    checks->arrive(*this, kGridBarrier, taken, true, false);
  block_.arrive(kGridBarrier, static_cast<unsigned>(std::popcount(taken)), 0, 0, taken);
}

void Warp::release(unsigned barrier, unsigned count, bool all) {
  for (Fragment& fragment : fragments_) {
    if (fragment.state != Fragment::State::kBarrier || fragment.barrier != barrier) continue;
    const Instruction& in = kernel_.code[fragment.pc];
    frame = fragment.frame->registers;
    if ((in.flags & kBarrierCounts) != 0) {
      for_each_lane(fragment.lanes,
                    [&](unsigned lane) { lanes<std::uint32_t>(in.d)[lane] = count; });
    } else if ((in.flags & (kBarrierAnd | kBarrierOr)) != 0) {
      const bool result = (in.flags & kBarrierAnd) != 0 ? all : count != 0;
      write_predicate(*this, in.d, result ? kAllLanes : 0, fragment.lanes);
    }
    fragment.state = Fragment::State::kReady;
    fragment.pc++;
  }
}

// The lanes named by a member mask meet; who is alone waits.
void Warp::synchronise(std::size_t at, Mask taken) {
  const std::size_t part = split(at, taken);
  fragments_[part].state = Fragment::State::kWarpSync;
  recheck_synchronised();
}

/// Whether every group of lanes with one member mask is complete.
bool Warp::is_complete(const Fragment& fragment, Mask present) const {
  const Instruction& in = kernel_.code[fragment.pc];
  if (in.e == kNowhere) return true;
  const auto* members = reinterpret_cast<const std::uint32_t*>(fragment.frame->registers + in.e);
  Mask wanted = 0;
  for_each_lane(fragment.lanes, [&](unsigned lane) { wanted |= members[lane]; });
  return (wanted & live_ & ~present) == 0;
}

void Warp::recheck_synchronised() {
  using State = Fragment::State;
  for (std::size_t i = 0; i < fragments_.size(); i++) {
    for (std::size_t j = fragments_.size(); j-- > i + 1;) {
      Fragment& one = fragments_[i];
      const Fragment& other = fragments_[j];
      if (one.state != State::kWarpSync || other.state != State::kWarpSync) continue;
      if (one.pc != other.pc || one.frame != other.frame) continue;
      one.lanes |= other.lanes;
      fragments_.erase(fragments_.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
  // bar.warp.sync may stand at several instructions for one barrier.
  Mask at_barriers = 0;
  for (const Fragment& fragment : fragments_) {
    if (fragment.state == State::kWarpSync && kernel_.code[fragment.pc].run == nullptr)
      at_barriers |= fragment.lanes;
  }
  Frame* const frame_before = current_frame_;
  for (Fragment& fragment : fragments_) {
    if (fragment.state != State::kWarpSync) continue;
    const Instruction& in = kernel_.code[fragment.pc];
    if (!is_complete(fragment, in.run == nullptr ? at_barriers : fragment.lanes)) continue;
    if (in.run != nullptr) {
      pc = fragment.pc;
      current_frame_ = fragment.frame;
      frame = fragment.frame->registers;
      in.run(*this, in, fragment.lanes);
    } else if (BlockChecks* checks = block_.checks()) {
      checks->meet(*this, at_barriers);
    }
    fragment.state = State::kReady;
    fragment.pc++;
  }
  current_frame_ = frame_before;
  frame = frame_before->registers;
}

}  // namespace gpukit::ptx
