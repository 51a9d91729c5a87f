#include "ptx/warp.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "ptx/block.h"
#include "ptx/builtins.h"
#include "ptx/lanes.h"
#include "ptx/special_registers.h"

namespace gpukit::ptx {

namespace {

// Instructions after which another fragment has its turn, so that lanes may wait for one another.
constexpr std::int64_t kTurn = 2000;
constexpr std::uint64_t kStackBytes = 64u << 10;
constexpr unsigned kDeepestCall = 1000;
constexpr std::uint64_t kMostFrameBytes = std::uint64_t{256} << 20;
constexpr std::uint64_t kLocalAlign = 16;
constexpr std::size_t kMostSpare = 16;
constexpr int kFresh = 0xFF;

std::uint64_t aligned(std::uint64_t value) {
  return (value + kLocalAlign - 1) & ~(kLocalAlign - 1);
}

template <class T>
void spread(std::byte* to, std::uint64_t value) {
  for (unsigned i = 0; i < kLanes; i++) reinterpret_cast<T*>(to)[i] = static_cast<T>(value);
}

void fill(std::byte* to, unsigned bytes, std::uint64_t value) {
  if (bytes == 8)
    spread<std::uint64_t>(to, value);
  else if (bytes == 4)
    spread<std::uint32_t>(to, value);
  else
    spread<std::uint16_t>(to, value);
}

ZeroedBytes zeroed(std::size_t bytes) {
  auto* start = static_cast<std::byte*>(std::calloc(bytes, 1));
  if (start == nullptr) throw std::bad_alloc();
  return ZeroedBytes(start);
}

std::byte* aligned_start(const ZeroedBytes& storage) {
  const auto start = reinterpret_cast<std::uintptr_t>(storage.get());
  return reinterpret_cast<std::byte*>((start + 63) & ~std::uintptr_t{63});
}

}  // namespace

Warp::Warp(Block& block, unsigned index)
    : block_(block), kernel_(*block.grid().kernel), index_(index) {
  const Grid& grid = block.grid();
  const FunctionCode& code = kernel_.functions.front();
  memory.device = grid.memory;
  memory.shared = block.shared();
  memory.shared_bytes = block.shared_bytes();
  memory.parameters = grid.parameters;
  memory.parameter_bytes = kernel_.parameter_bytes;
  memory.local_bytes = aligned(code.local_bytes) + (kernel_.calls_functions ? kStackBytes : 0);
  if (memory.local_bytes != 0) {
    // Left as it is: what no thread touches costs no memory.
    local_ = std::unique_ptr<std::byte[]>(new std::byte[memory.local_bytes * kLanes]);
    memory.local = local_.get();
  }
  entry_.code = &code;
  entry_.storage = zeroed(code.frame_bytes + 64);
  entry_.registers = aligned_start(entry_.storage);
  entry_.local_top = aligned(code.local_bytes);
  block.add_footprint(code.frame_bytes + code.local_bytes * kLanes + sizeof(Warp));
  frame = entry_.registers;
  current_frame_ = &entry_;
  for (const Constant& constant : code.constants) {
    std::uint64_t value = constant.value;
    if (constant.kind == Constant::Kind::kSpecial) continue;
    if (constant.kind == Constant::Kind::kDynamicShared) value += kernel_.dynamic_shared_start;
    if (constant.kind == Constant::Kind::kParameter) {
      value = 0;
      std::memcpy(&value, memory.parameters + constant.value, constant.bytes);
    }
    fill(entry_.registers + constant.offset, constant.bytes, value);
  }
}

void Warp::start(Mask lanes) {
  live_ = lanes;
  fragments_.clear();
  frames_.clear();
  prepare(entry_);
  const FunctionCode& code = kernel_.functions.front();
  for (unsigned i = 0; code.local_bytes != 0 && i < kLanes; i++)
    std::memset(local_of(i), kFresh, code.local_bytes);
  Fragment all;
  all.lanes = lanes;
  all.frame = &entry_;
  all.pc = code.first;
  fragments_.push_back(all);
}

/// The registers that the machine fills, and in called functions all that stands from the start.
void Warp::prepare(Frame& of) {
  for (const Constant& constant : of.code->constants) {
    std::byte* to = of.registers + constant.offset;
    if (constant.kind == Constant::Kind::kSpecial)
      read_special(*this, static_cast<Special>(constant.value), to);
    else if (&of == &entry_)
      continue;
    else if (constant.kind == Constant::Kind::kLocalAddress)
      fill(to, constant.bytes, of.local_base + constant.value);
    else
      fill(
          to, constant.bytes,
          constant.value +
              (constant.kind == Constant::Kind::kDynamicShared ? kernel_.dynamic_shared_start : 0));
  }
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

// The deepest call first, and in it the first instruction: who is behind catches up.
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

std::size_t Warp::split(std::size_t at, Mask lanes) {
  Fragment& fragment = fragments_[at];
  if (fragment.lanes == lanes) return at;
  Fragment taken = fragment;
  taken.lanes = lanes;
  fragment.lanes &= ~lanes;
  fragment.pc++;
  fragments_.push_back(taken);
  return fragments_.size() - 1;
}

void Warp::follow(std::size_t at, const Instruction& in, Mask mask) {
  switch (in.flow) {
    case Flow::kPlain:
      break;
    case Flow::kBranch:
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
  std::size_t whole = split(at, taken);
  while (taken != 0) {
    const auto lane = static_cast<unsigned>(std::countr_zero(taken));
    if (index[lane] >= targets.size())
      raise_fault(FaultKind::kInvalidCode, lane, "an indexed branch is beyond its list of targets");
    Mask same = 0;
    for_each_lane(taken, [&](unsigned i) { same |= Mask{index[i] == index[lane]} << i; });
    taken &= ~same;
    if (taken == 0) {
      fragments_[whole].pc = targets[index[lane]];
    } else {
      Fragment part = fragments_[whole];
      part.lanes = same;
      part.pc = targets[index[lane]];
      fragments_[whole].lanes &= ~same;
      fragments_.push_back(part);
    }
  }
}

// ---- calls

namespace {

struct Argument {
  std::byte* registers;
  const Warp* warp;
  std::uint64_t local_base;
};

std::byte* place_of(const ParameterPlace& place, const Argument& frame, unsigned lane) {
  if (place.in_register)
    return frame.registers + place.offset + std::size_t{lane} * place.register_bytes;
  return frame.warp->local_of(lane) + frame.local_base + place.offset;
}

void hand_over(const std::vector<ParameterPlace>& from, const Argument& source,
               const std::vector<ParameterPlace>& to, const Argument& target, Mask lanes) {
  for (std::size_t i = 0; i < from.size() && i < to.size(); i++) {
    const std::size_t bytes = std::min(from[i].bytes, to[i].bytes);
    for_each_lane(lanes, [&](unsigned lane) {
      std::memcpy(place_of(to[i], target, lane), place_of(from[i], source, lane), bytes);
    });
  }
}

}  // namespace

void Warp::call(std::size_t at, const Instruction& in, Mask taken) {
  const CallSite& site = kernel_.calls[in.target];
  if (site.builtin != Builtin::kNone) {
    const std::size_t part = split(at, taken);
    if (!call_builtin(*this, site, taken)) return;  // once more, when others have come
    fragments_[part].pc++;
    return;
  }
  if (site.pointer == kNowhere) return enter(split(at, taken), site, in.target, site.function);
  const std::uint64_t* pointers = lanes<std::uint64_t>(site.pointer);
  std::size_t whole = split(at, taken);
  while (taken != 0) {
    const auto lane = static_cast<unsigned>(std::countr_zero(taken));
    const std::uint64_t number = pointers[lane] - kCodeWindow;
    const std::uint32_t function =
        number < kernel_.function_of_number.size() ? kernel_.function_of_number[number] : kNowhere;
    if (function == kNowhere)
      raise_fault(FaultKind::kInvalidCode, lane, "a call through a pointer to what is no function");
    Mask same = 0;
    for_each_lane(taken, [&](unsigned i) { same |= Mask{pointers[i] == pointers[lane]} << i; });
    taken &= ~same;
    std::size_t part = whole;
    if (taken != 0) {
      Fragment one = fragments_[whole];
      one.lanes = same;
      fragments_[whole].lanes &= ~same;
      fragments_.push_back(one);
      part = fragments_.size() - 1;
    }
    enter(part, site, in.target, function);
  }
}

Frame* Warp::make_frame(const FunctionCode& code) {
  for (std::size_t i = 0; i < spare_.size(); i++) {
    if (spare_[i]->code != &code) continue;
    frames_.push_back(std::move(spare_[i]));
    spare_.erase(spare_.begin() + static_cast<std::ptrdiff_t>(i));
    return frames_.back().get();
  }
  auto fresh = std::make_unique<Frame>();
  fresh->code = &code;
  fresh->storage = zeroed(code.frame_bytes + 64);
  fresh->registers = aligned_start(fresh->storage);
  frame_bytes_ += code.frame_bytes;
  frames_.push_back(std::move(fresh));
  return frames_.back().get();
}

void Warp::enter(std::size_t at, const CallSite& site, std::uint32_t call, std::uint32_t function) {
  Fragment& fragment = fragments_[at];
  Frame* caller = fragment.frame;
  const auto lane = static_cast<unsigned>(std::countr_zero(fragment.lanes));
  const FunctionCode& code = kernel_.functions[function];
  const std::uint64_t top = caller->local_top + aligned(code.local_bytes);
  if (top > memory.local_bytes || caller->depth >= kDeepestCall || frame_bytes_ > kMostFrameBytes)
    raise_fault(FaultKind::kStackOverflow, lane,
                "the stack overflows in a call of " + code.name + ", " +
                    std::to_string(caller->depth + 1) + " calls deep");
  if (site.arguments.size() != code.parameters.size() || site.results.size() > code.results.size())
    raise_fault(FaultKind::kInvalidCode, lane,
                "a call of " + code.name + " with " + std::to_string(site.arguments.size()) +
                    " arguments; it has " + std::to_string(code.parameters.size()));
  Frame* callee = make_frame(code);
  callee->parent = caller;
  callee->depth = caller->depth + 1;
  callee->return_pc = fragment.pc + 1;
  callee->call = call;
  callee->local_base = caller->local_top;
  callee->local_top = top;
  prepare(*callee);
  hand_over(site.arguments, {caller->registers, this, caller->local_base}, code.parameters,
            {callee->registers, this, callee->local_base}, fragment.lanes);
  fragment.frame = callee;
  fragment.pc = code.first;
}

void Warp::return_from(std::size_t at, Mask taken) {
  if (fragments_[at].frame == &entry_) return end(at, taken);
  Fragment& fragment = fragments_[split(at, taken)];
  const Frame* callee = fragment.frame;
  Frame* caller = callee->parent;
  hand_over(callee->code->results, {callee->registers, this, callee->local_base},
            kernel_.calls[callee->call].results, {caller->registers, this, caller->local_base},
            taken);
  fragment.pc = callee->return_pc;
  fragment.frame = caller;
  drop_unused_frames();
}

void Warp::drop_unused_frames() {
  const auto is_used = [&](const Frame* frame) {
    return std::any_of(fragments_.begin(), fragments_.end(), [&](const Fragment& fragment) {
      const Frame* at = fragment.frame;
      while (at != nullptr && at != frame) at = at->parent;
      return at != nullptr;
    });
  };
  while (!frames_.empty() && !is_used(frames_.back().get())) {
    if (spare_.size() < kMostSpare)
      spare_.push_back(std::move(frames_.back()));
    else
      frame_bytes_ -= frames_.back()->code->frame_bytes;
    frames_.pop_back();
  }
}

// ---- ends and meetings

void Warp::end(std::size_t at, Mask taken) {
  const std::size_t part = split(at, taken);
  fragments_.erase(fragments_.begin() + static_cast<std::ptrdiff_t>(part));
  live_ &= ~taken;
  if (!fragments_.empty()) recheck_synchronised();
  block_.leave(static_cast<unsigned>(std::popcount(taken)));
}

void Warp::wait_at_barrier(std::size_t at, const Instruction& in, Mask taken) {
  const auto lane = static_cast<unsigned>(std::countr_zero(taken));
  const std::uint32_t barrier = lanes<std::uint32_t>(in.a)[lane];
  const std::uint64_t count = in.b == kNowhere ? 0 : lanes<std::uint32_t>(in.b)[lane];
  if (barrier >= 16)
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
  block_.arrive(barrier, threads, count, values, taken);
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
  // bar.warp.sync may stand at several places for one meeting.
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
    }
    fragment.state = State::kReady;
    fragment.pc++;
  }
  current_frame_ = frame_before;
  frame = frame_before->registers;
}

}  // namespace gpukit::ptx
