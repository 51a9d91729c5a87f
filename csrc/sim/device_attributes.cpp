#include "sim/device_attributes.h"

#include "sim/simulation.h"

namespace gpukit::sim {

namespace device_attributes {
namespace {

constexpr int kKiB = 1024;
constexpr int kFirstPoolDriver = 11020;
constexpr int kFirstHostNumaDriver = 12020;

// FP64 at half rate or better: the compute cards.
int single_to_double_ratio(const Card& card) {
  const int capability = card.capability();
  if (capability == 60 || capability == 70 || capability == 80 || capability == 90 ||
      capability == 100)
    return 2;
  if (capability == 37) return 3;
  return capability >= 86 ? 64 : 32;
}

// Attributes that follow from the card.
bool card_attribute(const Card& card, CUdevice_attribute attribute, int& value) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      value = card.multiprocessors;
      return true;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
      value = card.core_mhz * 1000;
      return true;
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
      value = card.memory_mhz * 1000;
      return true;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
      value = card.bus_bits;
      return true;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
      value = card.l2_kib * kKiB;
      return true;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
      value = card.threads_per_multiprocessor;
      return true;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
      value = card.blocks_per_multiprocessor;
      return true;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
      value = 48 * kKiB;
      return true;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      value = card.shared_kib_per_block_optin * kKiB;
      return true;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
      value = card.shared_kib_per_multiprocessor * kKiB;
      return true;
    case CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK:
      value = card.major >= 8 ? kKiB : 0;
      return true;
    case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
      value = card.copy_engines;
      return true;
    case CU_DEVICE_ATTRIBUTE_GPU_OVERLAP:
      value = card.copy_engines > 0 ? 1 : 0;
      return true;
    case CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO:
      value = single_to_double_ratio(card);
      return true;
    default:
      return false;
  }
}

// Attributes that are the same for every card.
bool common_attribute(CUdevice_attribute attribute, int& value) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
      value = 1024;
      return true;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
      value = 64;
      return true;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
      value = 0x7fffffff;
      return true;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
      value = 65535;
      return true;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
      value = 32;
      return true;
    case CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY:
      value = 65536;
      return true;
    case CU_DEVICE_ATTRIBUTE_MAX_PITCH:
      value = 0x7fffffff;
      return true;
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
      value = 65536;
      return true;
    case CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT:
      value = 512;
      return true;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE:
      value = CU_COMPUTEMODE_DEFAULT;
      return true;
    case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
    case CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM:
    case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY:
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS:
    case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH:
    case CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED:
      value = 1;
      return true;
    case CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED:
      value = 1;
      return true;
    case CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID:
      value = -1;
      return true;
    default:
      return false;
  }
}

bool is_known_to_driver(CUdevice_attribute attribute, int driver_version) {
  const int number = static_cast<int>(attribute);
  if (number <= 0 || number >= static_cast<int>(CU_DEVICE_ATTRIBUTE_MAX)) return false;
  if (number >= CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID) return driver_version >= kFirstHostNumaDriver;
  if (number >= CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)
    return driver_version >= kFirstPoolDriver;
  return true;
}

}  // namespace
}  // namespace device_attributes

int pci_bus(const SimDevice& device) { return pci_bus(device.index()); }

CUresult device_attribute(const SimDevice& device, CUdevice_attribute attribute, int& value) {
  if (!device_attributes::is_known_to_driver(attribute, device.simulation().driver_version()))
    return CUDA_ERROR_INVALID_VALUE;
  value = 0;
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      value = device.capability() / 10;
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      value = device.capability() % 10;
      break;
    case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
      value = pci_bus(device);
      break;
    case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
      value = 1;
      break;
    // What the simulator does not do it does not claim.
    default:
      if (!device_attributes::card_attribute(device.card(), attribute, value))
        device_attributes::common_attribute(attribute, value);
  }
  return CUDA_SUCCESS;
}

}  // namespace gpukit::sim
