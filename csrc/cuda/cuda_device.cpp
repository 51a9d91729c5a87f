#include "cuda/cuda_device.h"

#include <array>

#include "core/device.h"
#include "driver/call.h"

namespace gpukit::cuda {

namespace cuda_device {
namespace {

/// Reads attributes of one card.
class Attributes {
 public:
  Attributes(const driver::DriverTable& table, CUdevice device, const std::string& name)
      : table_(table), device_(device), name_(name) {}

  /// 0 where this driver does not know the attribute.
  int operator()(CUdevice_attribute attribute) const {
    int value = 0;
    const CUresult status =
        GPUKIT_CU_STATUS(table_, cuDeviceGetAttribute, &value, attribute, device_);
    if (status == CUDA_ERROR_INVALID_VALUE || status == CUDA_ERROR_NOT_SUPPORTED) return 0;
    if (status != CUDA_SUCCESS) {
      const std::string what = "attribute " + std::to_string(static_cast<int>(attribute));
      driver::throw_failed_call(table_, status, "cuDeviceGetAttribute", what.c_str(), name_);
    }
    return value;
  }

 private:
  const driver::DriverTable& table_;
  CUdevice device_;
  const std::string& name_;
};

/// "GPU-8d1c…": hexadecimal in groups of 8-4-4-4-12, as NVML and nvidia-smi write it.
std::string uuid_text(const CUuuid& uuid) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

void read_identity(const driver::DriverTable& table, CUdevice device, const std::string& on,
                   DeviceProperties& properties) {
  std::array<char, 256> name{};
  GPUKIT_CU_ON(on, table, cuDeviceGetName, name.data(), static_cast<int>(name.size()), device);
  properties.name = name.data();
  CUuuid uuid{};
  GPUKIT_CU_ON(on, table, cuDeviceGetUuid, &uuid, device);
  properties.uuid = uuid_text(uuid);
  std::array<char, 32> bus{};
  GPUKIT_CU_ON(on, table, cuDeviceGetPCIBusId, bus.data(), static_cast<int>(bus.size()), device);
  properties.pci_bus_id = bus.data();
  std::size_t memory = 0;
  GPUKIT_CU_ON(on, table, cuDeviceTotalMem, &memory, device);
  properties.total_memory = static_cast<std::int64_t>(memory);
}

void read_limits(const Attributes& attribute, DeviceProperties& properties) {
  properties.major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  properties.minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  properties.multi_processor_count = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  properties.warp_size = attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  properties.max_threads_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  properties.max_threads_per_multi_processor =
      attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  properties.max_blocks_per_multi_processor =
      attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  properties.shared_memory_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  properties.shared_memory_per_block_optin =
      attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  properties.shared_memory_per_multiprocessor =
      attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  properties.regs_per_multiprocessor =
      attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  properties.l2_cache_size = attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  properties.clock_rate_khz = attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  properties.memory_clock_rate_khz = attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  properties.memory_bus_width_bits = attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  properties.async_engine_count = attribute(CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT);
}

void read_abilities(const Attributes& attribute, DeviceProperties& properties) {
  properties.compute_mode = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE);
  properties.integrated = attribute(CU_DEVICE_ATTRIBUTE_INTEGRATED) != 0;
  properties.ecc_enabled = attribute(CU_DEVICE_ATTRIBUTE_ECC_ENABLED) != 0;
  properties.concurrent_kernels = attribute(CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS) != 0;
  properties.unified_addressing = attribute(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING) != 0;
  properties.memory_pools = attribute(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED) != 0;
}

}  // namespace
}  // namespace cuda_device

int count_devices(const driver::DriverTable& table) {
  int count = 0;
  const CUresult status = GPUKIT_CU_STATUS(table, cuDeviceGetCount, &count);
  if (status == CUDA_ERROR_NO_DEVICE) return 0;
  if (status != CUDA_SUCCESS)
    driver::throw_failed_call(table, status, "cuDeviceGetCount", "&count", {});
  return count;
}

DeviceProperties read_properties(const driver::DriverTable& table, int index) {
  const std::string on = to_string(Device::cuda(index));
  CUdevice device = 0;
  GPUKIT_CU_ON(on, table, cuDeviceGet, &device, index);
  DeviceProperties properties;
  cuda_device::read_identity(table, device, on, properties);
  const cuda_device::Attributes attribute(table, device, on);
  cuda_device::read_limits(attribute, properties);
  cuda_device::read_abilities(attribute, properties);
  properties.memory_pools = properties.memory_pools && table.cuMemAllocAsync != nullptr;
  return properties;
}

}  // namespace gpukit::cuda
