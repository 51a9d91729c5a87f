#include "ptx/special_registers.h"

#include <algorithm>
#include <chrono>
#include <unordered_map>

#include "ptx/block.h"

namespace gpukit::ptx {

namespace {

using enum Special;

constexpr SpecialRegister kRegisters[] = {
    {"%tid.x", kTidX, Type::kU32, false},
    {"%tid.y", kTidY, Type::kU32, false},
    {"%tid.z", kTidZ, Type::kU32, false},
    {"%ntid.x", kNtidX, Type::kU32, false},
    {"%ntid.y", kNtidY, Type::kU32, false},
    {"%ntid.z", kNtidZ, Type::kU32, false},
    {"%ctaid.x", kCtaidX, Type::kU32, false},
    {"%ctaid.y", kCtaidY, Type::kU32, false},
    {"%ctaid.z", kCtaidZ, Type::kU32, false},
    {"%nctaid.x", kNctaidX, Type::kU32, false},
    {"%nctaid.y", kNctaidY, Type::kU32, false},
    {"%nctaid.z", kNctaidZ, Type::kU32, false},
    {"%laneid", kLaneId, Type::kU32, false},
    {"%warpid", kWarpId, Type::kU32, false},
    {"%nwarpid", kNWarpId, Type::kU32, false},
    {"%smid", kSmId, Type::kU32, false},
    {"%nsmid", kNSmId, Type::kU32, false},
    {"%gridid", kGridId64, Type::kU64, false},
    {"%lanemask_eq", kLaneMaskEq, Type::kU32, false},
    {"%lanemask_le", kLaneMaskLe, Type::kU32, false},
    {"%lanemask_lt", kLaneMaskLt, Type::kU32, false},
    {"%lanemask_ge", kLaneMaskGe, Type::kU32, false},
    {"%lanemask_gt", kLaneMaskGt, Type::kU32, false},
    {"%clock", kClock, Type::kU32, true},
    {"%clock_hi", kClockHi, Type::kU32, true},
    {"%clock64", kClock64, Type::kU64, true},
    {"%globaltimer", kGlobalTimer, Type::kU64, true},
    {"%globaltimer_lo", kGlobalTimerLo, Type::kU32, true},
    {"%globaltimer_hi", kGlobalTimerHi, Type::kU32, true},
    {"%dynamic_smem_size", kDynamicShared, Type::kU32, false},
    {"%total_smem_size", kTotalShared, Type::kU32, false},
    {"%aggr_smem_size", kTotalShared, Type::kU32, false},
    // A grid without clusters: each block is its own cluster.
    {"%cluster_ctaid.x", kZero, Type::kU32, false},
    {"%cluster_ctaid.y", kZero, Type::kU32, false},
    {"%cluster_ctaid.z", kZero, Type::kU32, false},
    {"%cluster_nctaid.x", kOne, Type::kU32, false},
    {"%cluster_nctaid.y", kOne, Type::kU32, false},
    {"%cluster_nctaid.z", kOne, Type::kU32, false},
    {"%cluster_ctarank", kZero, Type::kU32, false},
    {"%cluster_nctarank", kOne, Type::kU32, false},
    {"%clusterid.x", kCtaidX, Type::kU32, false},
    {"%clusterid.y", kCtaidY, Type::kU32, false},
    {"%clusterid.z", kCtaidZ, Type::kU32, false},
    {"%nclusterid.x", kNctaidX, Type::kU32, false},
    {"%nclusterid.y", kNctaidY, Type::kU32, false},
    {"%nclusterid.z", kNctaidZ, Type::kU32, false},
    // Cooperative groups find the barrier of the grid there.
    {"%envreg1", kWorkspaceHi, Type::kU32, false},
    {"%envreg2", kWorkspace, Type::kU32, false},
};

/// Other registers of the environment, and those of the performance monitor: never set or counted.
bool is_silent(std::string_view name) {
  return name.substr(0, 7) == "%envreg" || (name.size() == 4 && name.substr(0, 3) == "%pm");
}

template <class Value>
void store(std::byte* to, Value value_of) {
  auto* values = reinterpret_cast<std::uint32_t*>(to);
  for (unsigned i = 0; i < kLanes; i++) values[i] = static_cast<std::uint32_t>(value_of(i));
}

template <class Value>
void store_wide(std::byte* to, Value value_of) {
  auto* values = reinterpret_cast<std::uint64_t*>(to);
  for (unsigned i = 0; i < kLanes; i++) values[i] = value_of(i);
}

std::uint64_t now() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::system_clock::now().time_since_epoch())
                                        .count());
}

}  // namespace

const SpecialRegister* find_special_register(std::string_view name) {
  static const auto* const index = [] {
    auto* const made = new std::unordered_map<std::string_view, const SpecialRegister*>;
    for (const SpecialRegister& entry : kRegisters) made->emplace(entry.name, &entry);
    return made;
  }();
  static constexpr SpecialRegister kSilent{"%envreg", kZero, Type::kU32, false};
  if (name.empty() || name.front() != '%') return nullptr;
  const auto found = index->find(name);
  if (found != index->end()) return found->second;
  return is_silent(name) ? &kSilent : nullptr;
}

void read_special(const Warp& warp, Special number, std::byte* to) {
  const Block& block = warp.block();
  Grid& grid = block.grid();
  const unsigned first = warp.index() * kLanes;
  const Shape& shape = grid.block;
  const auto warps = static_cast<unsigned>((shape.count() + kLanes - 1) / kLanes);
  const auto all = [&](std::uint64_t value) { store(to, [=](unsigned) { return value; }); };
  const auto all_wide = [&](std::uint64_t value) {
    store_wide(to, [=](unsigned) { return value; });
  };
  switch (number) {
    case kTidX:
      return store(to, [&](unsigned i) { return (first + i) % shape.x; });
    case kTidY:
      return store(to, [&](unsigned i) { return (first + i) / shape.x % shape.y; });
    case kTidZ:
      return store(to, [&](unsigned i) { return (first + i) / shape.x / shape.y; });
    case kNtidX:
      return all(shape.x);
    case kNtidY:
      return all(shape.y);
    case kNtidZ:
      return all(shape.z);
    case kCtaidX:
      return all(block.index()[0]);
    case kCtaidY:
      return all(block.index()[1]);
    case kCtaidZ:
      return all(block.index()[2]);
    case kNctaidX:
      return all(grid.grid.x);
    case kNctaidY:
      return all(grid.grid.y);
    case kNctaidZ:
      return all(grid.grid.z);
    case kLaneId:
      return store(to, [](unsigned i) { return i; });
    case kWarpId:
      return all(warp.index());
    case kNWarpId:
      return all(std::max(warps, grid.warps_per_multiprocessor));
    case kSmId:
      return all(block.number() % grid.multiprocessors);
    case kNSmId:
      return all(grid.multiprocessors);
    case kGridId:
      return all(grid.number);
    case kGridId64:
      return all_wide(grid.number);
    case kLaneMaskEq:
      return store(to, [](unsigned i) { return Mask{1} << i; });
    case kLaneMaskLe:
      return store(to, [](unsigned i) { return (Mask{2} << i) - 1; });
    case kLaneMaskLt:
      return store(to, [](unsigned i) { return (Mask{1} << i) - 1; });
    case kLaneMaskGe:
      return store(to, [](unsigned i) { return ~((Mask{1} << i) - 1); });
    case kLaneMaskGt:
      return store(to, [](unsigned i) { return ~((Mask{2} << i) - 1); });
    // The clock counts instructions and moves at each reading.
    case kClock:
      return all(grid.tick());
    case kClockHi:
      return all(grid.tick() >> 32);
    case kClock64:
      return all_wide(grid.tick());
    case kGlobalTimer:
      return all_wide(now());
    case kGlobalTimerLo:
      return all(now());
    case kGlobalTimerHi:
      return all(now() >> 32);
    case kDynamicShared:
      return all(grid.dynamic_shared_bytes);
    case kTotalShared:
      return all(block.shared_bytes());
    case kZero:
      return all(0);
    case kOne:
      return all(1);
    case kZero64:
      return all_wide(0);
    case kWorkspace:
      return all(grid.workspace);
    case kWorkspaceHi:
      return all(grid.workspace >> 32);
  }
}

}  // namespace gpukit::ptx
