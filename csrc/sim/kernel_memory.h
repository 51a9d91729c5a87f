// A device's memory as the PTX executor asks for it.
#pragma once

#include <string>

#include "ptx/memory_spaces.h"

namespace gpukit::sim {

class SimDevice;

class KernelMemory final : public ptx::DeviceMemory {
 public:
  explicit KernelMemory(SimDevice& device) : device_(device) {}

  ptx::Range find(std::uint64_t address) override;
  const char* describe(std::uint64_t address) override;
  std::uint64_t allocate(std::uint64_t bytes) override;
  bool release(std::uint64_t address) override;
  bool is_fresh(std::uint64_t address, std::uint64_t bytes) override;
  void note_written(std::uint64_t address, std::uint64_t bytes) override;

 private:
  SimDevice& device_;
  std::string description_;
};

}  // namespace gpukit::sim
