#include "sim/kernel_memory.h"

#include "sim/fresh_memory.h"
#include "sim/sim_device.h"
#include "sim/simulation.h"

namespace gpukit::sim {

ptx::Range KernelMemory::find(std::uint64_t address) {
  Simulation& simulation = device_.simulation();
  SimDevice* owner = simulation.device_of(address);
  if (owner != nullptr) {
    if (!device_.reaches(address)) return {};
    const auto block = owner->heap().find(address, 1);
    return block ? ptx::Range{block->address, block->bytes} : ptx::Range{};
  }
  const auto [start, bytes] = simulation.host_range(reinterpret_cast<const void*>(address));
  return {start, bytes};
}

const char* KernelMemory::describe(std::uint64_t address) {
  SimDevice* owner = device_.simulation().device_of(address);
  if (owner == nullptr) {
    description_ = "no memory of the device, and no page-locked memory of the host";
  } else if (owner != &device_ && owner->heap().find(address, 1)) {
    description_ = "memory of device " + std::to_string(owner->index()) + "; device " +
                   std::to_string(device_.index()) + " has no access to it";
  } else {
    const auto before = owner->heap().block_before(address);
    const bool allocated = owner->heap().find(address, 1).has_value();
    description_ = allocated ? "allocated" : "not allocated";
    if (before.bytes != 0 && address >= before.address)
      description_ += std::string(allocated ? "; its allocation" : "; the allocation before it") +
                      " has " + std::to_string(before.bytes) + " bytes, and this is byte " +
                      std::to_string(address - before.address) + " from its start";
  }
  return description_.c_str();
}

std::uint64_t KernelMemory::allocate(std::uint64_t bytes) {
  const std::uintptr_t address = device_.heap().allocate(bytes);
  fresh_memory().add(address, bytes);
  return address;
}

bool KernelMemory::is_fresh(std::uint64_t address, std::uint64_t bytes) {
  return fresh_memory().holds(address, bytes);
}

void KernelMemory::note_written(std::uint64_t address, std::uint64_t bytes) {
  fresh_memory().note_written(address, bytes);
}

bool KernelMemory::release(std::uint64_t address) {
  return device_.heap().release(address) != SimHeap::Release::kUnknown;
}

}  // namespace gpukit::sim
