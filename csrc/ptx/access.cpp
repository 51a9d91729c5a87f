#include "ptx/access.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

#include "ptx/block.h"
#include "ptx/checks.h"
#include "ptx/lanes.h"

namespace gpukit::ptx {

namespace {

constexpr std::uint64_t kOffsetMask = (std::uint64_t{1} << kWindowShift) - 1;

Space space_of(std::uint64_t address) {
  switch (address >> kWindowShift) {
    case kSharedWindow >> kWindowShift:
      return Space::kShared;
    case kLocalWindow >> kWindowShift:
      return Space::kLocal;
    case kParamWindow >> kWindowShift:
      return Space::kParam;
    default:
      return Space::kGlobal;
  }
}

[[noreturn]] void beyond(unsigned lane, const char* space, std::uint64_t address,
                         std::uint64_t bytes, std::uint64_t size) {
  raise_fault(FaultKind::kIllegalAddress, lane,
              std::to_string(bytes) + " bytes at " + in_hexadecimal(address) + " of " + space +
                  " memory, which has " + std::to_string(size) + " bytes");
}

bool holds(std::uint64_t address, std::uint64_t bytes, std::uint64_t size) {
  return bytes <= size && address <= size - bytes;
}

std::byte* global_pointer(Warp& warp, unsigned lane, std::uint64_t address, std::uint64_t bytes,
                          Access access) {
  if (warp.memory.is_global(address, bytes)) return reinterpret_cast<std::byte*>(address);
  const char* verb = access == Access::kRead || access == Access::kStrongRead     ? "reads "
                     : access == Access::kWrite || access == Access::kStrongWrite ? "writes "
                                                                                  : "changes ";
  const std::string element = element_of_parameter(warp, address, bytes);
  raise_fault(FaultKind::kIllegalAddress, lane,
              verb + std::to_string(bytes) + " bytes at address " + in_hexadecimal(address) + ": " +
                  warp.memory.device->describe(address) + (element.empty() ? "" : "; " + element));
}

struct Window {
  std::byte* base = nullptr;
  std::uint64_t bytes = 0;
  const char* name = "";
};

Window window_of(const Warp& warp, unsigned lane, Space space) {
  const MemorySpaces& memory = warp.memory;
  switch (space) {
    case Space::kShared:
      return {memory.shared, memory.shared_bytes, "shared"};
    case Space::kLocal:
      return {warp.local_of(lane), memory.local_bytes, "local"};
    default:
      // Parameters are never written: stores to them are refused when a kernel is decoded, or
      // by their address here.
      return {const_cast<std::byte*>(memory.parameters), memory.parameter_bytes, "parameter"};
  }
}

void report_misaligned(const std::uint64_t* addresses, Mask mask, unsigned bytes) {
  for_each_lane(mask, [&](unsigned lane) {
    if ((addresses[lane] & (bytes - 1)) != 0)
      raise_fault(FaultKind::kMisaligned, lane,
                  "address " + in_hexadecimal(addresses[lane]) + " is not a multiple of " +
                      std::to_string(bytes));
  });
}

struct Extent {
  std::uint64_t low, high, all;
};

Extent extent_of(const std::uint64_t* addresses) {
  Extent extent{~std::uint64_t{0}, 0, 0};
  for (unsigned i = 0; i < kLanes; i++) {
    extent.low = std::min(extent.low, addresses[i]);
    extent.high = std::max(extent.high, addresses[i]);
    extent.all |= addresses[i];
  }
  return extent;
}

}  // namespace

std::string element_of_parameter(const Warp& warp, std::uint64_t address, std::uint64_t bytes) {
  std::string text;
  std::uint64_t nearest = std::uint64_t{1} << 32;
  const std::vector<KernelParameter>& parameters = warp.kernel().parameters;
  for (std::size_t i = 0; i < parameters.size(); i++) {
    if (parameters[i].bytes != 8) continue;
    std::uint64_t start = 0;
    std::memcpy(&start, warp.memory.parameters + parameters[i].offset, 8);
    const Range found = start == 0 ? Range{} : warp.memory.device->find(start);
    if (found.bytes == 0 || found.start + found.bytes < start) continue;
    const std::uint64_t distance = address < start ? start - address : address - start;
    if (distance >= nearest) continue;
    nearest = distance;
    const std::uint64_t room = (found.start + found.bytes - start) / bytes;
    text = "parameter " + std::to_string(i + 1) + " of the kernel points to " +
           std::to_string(room) + " elements of " + std::to_string(bytes) +
           " bytes, and this is number " + (address < start && distance >= bytes ? "-" : "") +
           std::to_string(distance / bytes);
  }
  return text;
}

std::string in_hexadecimal(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

bool MemorySpaces::is_global(std::uint64_t address, std::uint64_t size) {
  for (const Range& range : known) {
    if (range.holds(address, size)) return true;
  }
  const Range found = device->find(address);
  if (!found.holds(address, size)) return false;
  known[next++ % kKnown] = found;
  return true;
}

std::byte* checked_pointer(Warp& warp, unsigned lane, Space space, std::uint64_t address,
                           std::uint64_t bytes, Access access) {
  if (space == Space::kGeneric) {
    space = space_of(address);
    if (space != Space::kGlobal) address &= kOffsetMask;
  }
  if (space == Space::kGlobal || space == Space::kConst)
    return global_pointer(warp, lane, address, bytes, access);
  const Window window = window_of(warp, lane, space);
  if (!holds(address, bytes, window.bytes)) beyond(lane, window.name, address, bytes, window.bytes);
  return window.base + address;
}

namespace {

void find_unchecked(Warp& warp, const Instruction& in, Mask mask, unsigned bytes,
                    Pointers& pointers, Access access) {
  std::uint64_t addresses[kLanes];
  const std::uint64_t* base = warp.lanes<std::uint64_t>(in.a);
  const auto offset = static_cast<std::uint64_t>(in.immediate);
  if (mask == kAllLanes) {
    for (unsigned i = 0; i < kLanes; i++) addresses[i] = base[i] + offset;
  } else {
    const std::uint64_t other = base[std::countr_zero(mask)] + offset;
    for (unsigned i = 0; i < kLanes; i++)
      addresses[i] = (mask >> i & 1) != 0 ? base[i] + offset : other;
  }
  const Extent extent = extent_of(addresses);
  if ((extent.all & (bytes - 1)) != 0) report_misaligned(addresses, mask, bytes);
  Space space = in.space;
  std::uint64_t window_start = 0;
  if (space == Space::kGeneric) {
    space = space_of(extent.low);
    if (space != space_of(extent.high)) space = Space::kGeneric;
    if (space != Space::kGlobal) window_start = extent.low & ~kOffsetMask;
  }
  pointers.contiguous = false;
  std::uint64_t bias = 0;
  const std::uint64_t size = extent.high - extent.low + bytes;
  const std::uint64_t low = extent.low - window_start;
  if (space == Space::kGlobal || space == Space::kConst) {
    if (size < bytes || !warp.memory.is_global(extent.low, size)) space = Space::kGeneric;
  } else if (space == Space::kShared && size >= bytes &&
             holds(low, size, warp.memory.shared_bytes)) {
    bias = reinterpret_cast<std::uint64_t>(warp.memory.shared) - window_start;
  } else {
    space = Space::kGeneric;
  }
  if (space == Space::kGeneric) {
    // Lane by lane: local memory, several allocations, or an address that is wrong.
    for_each_lane(mask, [&](unsigned lane) {
      pointers.of_lane[lane] =
          checked_pointer(warp, lane, in.space, addresses[lane], bytes, access);
    });
    return;
  }
  std::uint64_t apart = ~mask;
  for (unsigned i = 0; i < kLanes; i++) apart |= addresses[i] ^ (addresses[0] + i * bytes);
  for (unsigned i = 0; i < kLanes; i++)
    pointers.of_lane[i] = reinterpret_cast<std::byte*>(addresses[i] + bias);
  pointers.contiguous = apart == 0;
}

void notify(Warp& warp, Mask mask, unsigned bytes, const Pointers& pointers, Access access,
            Order order) {
  if (LaunchCounter* counter = warp.block().grid().counter)
    counter->count_access(warp, mask, bytes, pointers, access);
  if (BlockChecks* checks = warp.block().checks())
    checks->access(warp, mask, bytes, pointers, access, order);
}

}  // namespace

void find_pointers(Warp& warp, const Instruction& in, Mask mask, unsigned bytes, Pointers& pointers,
                   Access access, Order order) {
  find_unchecked(warp, in, mask, bytes, pointers, access);
  if (warp.is_watched) notify(warp, mask, bytes, pointers, access, order);
}

}  // namespace gpukit::ptx
