// Calls of functions, and the frames of registers that they need.
#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "base/numeric.h"
#include "ptx/block.h"
#include "ptx/builtins.h"
#include "ptx/lanes.h"
#include "ptx/special_registers.h"
#include "ptx/warp.h"

namespace gpukit::ptx {

namespace {

constexpr unsigned kDeepestCall = 1000;
// Of all calls in a block.
constexpr std::uint64_t kMostFrameBytes = std::uint64_t{256} << 20;
constexpr std::uintptr_t kFrameAlign = 64;
constexpr std::size_t kMostSpare = 16;

template <class T>
void broadcast(std::byte* to, std::uint64_t value) {
  for (unsigned i = 0; i < kLanes; i++) reinterpret_cast<T*>(to)[i] = static_cast<T>(value);
}

void fill(std::byte* to, unsigned bytes, std::uint64_t value) {
  if (bytes == 8)
    broadcast<std::uint64_t>(to, value);
  else if (bytes == 4)
    broadcast<std::uint32_t>(to, value);
  else
    broadcast<std::uint16_t>(to, value);
}

}  // namespace

// ---- frames

void Warp::allocate_registers(Frame& of) {
  auto* start = static_cast<std::byte*>(std::calloc(of.code->frame_bytes + kFrameAlign, 1));
  if (start == nullptr) throw std::bad_alloc();
  of.storage = ZeroedBytes(start);
  of.registers =
      reinterpret_cast<std::byte*>(align_up(reinterpret_cast<std::uintptr_t>(start), kFrameAlign));
}

void Warp::fill_constant(const Frame& of, const Constant& constant) {
  std::byte* to = of.registers + constant.offset;
  std::uint64_t value = constant.value;
  switch (constant.kind) {
    case Constant::Kind::kSpecial:
      return read_special(*this, static_cast<Special>(constant.value), to);
    case Constant::Kind::kLocalAddress:
      value += of.local_base;
      break;
    case Constant::Kind::kDynamicShared:
      value += kernel_.dynamic_shared_start;
      break;
    case Constant::Kind::kParameter:
      value = 0;
      std::memcpy(&value, memory.parameters + constant.value, constant.bytes);
      break;
    case Constant::Kind::kValue:
      break;
  }
  fill(to, constant.bytes, value);
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
  allocate_registers(*fresh);
  block_.call_frame_bytes += code.frame_bytes;
  frames_.push_back(std::move(fresh));
  return frames_.back().get();
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
      block_.call_frame_bytes -= frames_.back()->code->frame_bytes;
    frames_.pop_back();
  }
}

// ---- calls

std::byte* Warp::address_of(const ParameterSlot& slot, const Frame& of, unsigned lane) const {
  if (slot.in_register) return of.registers + slot.offset + std::size_t{lane} * slot.register_bytes;
  return local_of(lane) + of.local_base + slot.offset;
}

void Warp::copy(const std::vector<ParameterSlot>& from, const Frame& source,
                const std::vector<ParameterSlot>& to, const Frame& target, Mask lanes) const {
  for (std::size_t i = 0; i < from.size() && i < to.size(); i++) {
    const std::size_t bytes = std::min(from[i].bytes, to[i].bytes);
    for_each_lane(lanes, [&](unsigned lane) {
      std::memcpy(address_of(to[i], target, lane), address_of(from[i], source, lane), bytes);
    });
  }
}

void Warp::call(std::size_t at, const Instruction& in, Mask taken) {
  const CallSite& site = kernel_.calls[in.target];
  if (site.builtin != Builtin::kNone) {
    call_builtin(*this, site, taken);
    if (site.builtin == Builtin::kGridSync) return wait_for_grid(at, taken);
    fragments_[split(at, taken)].pc++;
    return;
  }
  if (site.pointer == kNowhere) return enter(split(at, taken), site, in.target, site.function);
  const std::uint64_t* pointers = lanes<std::uint64_t>(site.pointer);
  const std::size_t whole = split(at, taken);
  for_each_group(taken, pointers, [&](unsigned lane, Mask same) {
    const auto function = kernel_.function_of_number.find(pointers[lane] - kCodeWindow);
    if (function == kernel_.function_of_number.end())
      raise_fault(FaultKind::kInvalidCode, lane, "a call through a pointer that is not a function");
    enter(divide(whole, same), site, in.target, function->second);
  });
}

void Warp::enter(std::size_t at, const CallSite& site, std::uint32_t call, std::uint32_t function) {
  Fragment& fragment = fragments_[at];
  Frame* caller = fragment.frame;
  const auto lane = static_cast<unsigned>(std::countr_zero(fragment.lanes));
  const FunctionCode& code = kernel_.functions[function];
  const std::uint64_t top = caller->local_top + aligned_local(code.local_bytes);
  if (top > memory.local_bytes || caller->depth >= kDeepestCall ||
      block_.call_frame_bytes > kMostFrameBytes)
    raise_fault(FaultKind::kStackOverflow, lane,
                "the stack overflows in a call of " + code.name + ", " +
                    std::to_string(caller->depth + 1) + " calls deep");
  // A result that the function does not give is left as it was: texts of several compilers that are
  // linked may differ about it, as about a function in C.
  if (site.arguments.size() != code.parameters.size())
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
  for (const Constant& constant : code.constants) fill_constant(*callee, constant);
  copy(site.arguments, *caller, code.parameters, *callee, fragment.lanes);
  fragment.frame = callee;
  fragment.pc = code.first;
}

void Warp::return_from(std::size_t at, Mask taken) {
  if (fragments_[at].frame == &entry_) return end(at, taken);
  Fragment& fragment = fragments_[split(at, taken)];
  const Frame* callee = fragment.frame;
  Frame* caller = callee->parent;
  copy(callee->code->results, *callee, kernel_.calls[callee->call].results, *caller, taken);
  fragment.pc = callee->return_pc;
  fragment.frame = caller;
  drop_unused_frames();
}

}  // namespace gpukit::ptx
