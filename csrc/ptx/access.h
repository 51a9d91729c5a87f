// The way from an address to memory: every access goes through here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ptx/kernel.h"
#include "ptx/warp.h"

namespace gpukit::ptx {

/// Where each lane of a mask reads or writes.
struct Pointers {
  std::byte* of_lane[kLanes];
  /// Lane i accesses of_lane[0] + i * bytes, and all lanes take part.
  bool contiguous = false;
};

/// What an instruction does with memory. Strong: volatile, of a scope, or atomic.
enum class Access : std::uint8_t {
  kRead,
  kWrite,
  kStrongRead,
  kStrongWrite,
  kAtomic,
  kReduce,  ///< an atomic operation that gives no value
};

/// What an access hands on beyond its own value. Relaxed ones hand on nothing, without a fence.
struct Order {
  bool acquires = false;
  bool releases = false;
};

/// Checks `bytes` at [in.a + in.immediate] of every lane: alignment and bounds. Raises a Fault.
void find_pointers(Warp& warp, const Instruction& in, Mask mask, unsigned bytes, Pointers& pointers,
                   Access access, Order order = {});

/// The same for one lane and any address; alignment is not asked for.
std::byte* checked_pointer(Warp& warp, unsigned lane, Space space, std::uint64_t address,
                           std::uint64_t bytes, Access access = Access::kRead);

/// For messages: "parameter 3 of the kernel points to 1024 elements of 4 bytes, and this is number
/// 1024". Empty unless the address is in, after or shortly before what a parameter points to.
std::string element_of_parameter(const Warp& warp, std::uint64_t address, std::uint64_t bytes);
std::string in_hexadecimal(std::uint64_t value);

}  // namespace gpukit::ptx
