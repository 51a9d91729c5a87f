// The numbers cuDeviceGetAttribute gives for a simulated card.
#pragma once

#include "sim/cuda_abi.h"
#include "sim/sim_device.h"

namespace gpukit::sim {

inline constexpr int kLeastPriority = 0;
inline constexpr int kGreatestPriority = -5;

/// Fails with 1 for attributes that a driver of the simulated version does not know.
CUresult device_attribute(const SimDevice& device, CUdevice_attribute attribute, int& value);

int pci_bus(const SimDevice& device);

}  // namespace gpukit::sim
