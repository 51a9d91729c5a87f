// What a kernel's addresses mean. No address is followed before it was found in its space.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ptx/types.h"

namespace gpukit::ptx {

struct Range {
  std::uint64_t start = 0;
  std::uint64_t bytes = 0;
  bool holds(std::uint64_t address, std::uint64_t size) const {
    return address >= start && size <= bytes && address - start <= bytes - size;
  }
};

/// The memory of a device as its owner knows it.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  /// The allocation that holds `address` and that the device may use; bytes is 0 when there is
  /// none.
  virtual Range find(std::uint64_t address) = 0;
  /// Describes an address that was not found, such as "3 bytes behind an allocation of 1024".
  virtual const char* describe(std::uint64_t address) = 0;
  /// For malloc and free in kernels; 0 when there is no memory left.
  virtual std::uint64_t allocate(std::uint64_t bytes) = 0;
  virtual bool release(std::uint64_t address) = 0;
  /// Whether one of these bytes is uninitialised, as far as that is tracked.
  virtual bool is_fresh(std::uint64_t address, std::uint64_t bytes) = 0;
  virtual void note_written(std::uint64_t address, std::uint64_t bytes) = 0;
};

/// The spaces as one warp sees them.
struct MemorySpaces {
  DeviceMemory* device = nullptr;
  std::byte* shared = nullptr;
  std::uint64_t shared_bytes = 0;
  std::byte* local = nullptr;
  std::uint64_t local_bytes = 0;  ///< of a lane; lane after lane
  const std::byte* parameters = nullptr;
  std::uint64_t parameter_bytes = 0;

  static constexpr unsigned kKnown = 8;
  Range known[kKnown];
  unsigned next = 0;

  /// Whether [address, address + size) is in an allocation; remembers it.
  bool is_global(std::uint64_t address, std::uint64_t size);
};

}  // namespace gpukit::ptx
