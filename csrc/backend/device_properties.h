// What a device says of itself. Bytes, kHz and bits as named; 0 where the backend does not know.
#pragma once

#include <cstdint>
#include <string>

namespace gpukit {

struct DeviceProperties {
  std::string name;
  std::string uuid;        ///< "GPU-xxxxxxxx-…", empty on the CPU
  std::string pci_bus_id;  ///< "0000:01:00.0"
  int major = 0;           ///< compute capability
  int minor = 0;
  std::int64_t total_memory = 0;
  int multi_processor_count = 0;
  int warp_size = 0;
  int max_threads_per_block = 0;
  int max_threads_per_multi_processor = 0;
  int max_blocks_per_multi_processor = 0;
  std::int64_t shared_memory_per_block = 0;
  std::int64_t shared_memory_per_block_optin = 0;
  std::int64_t shared_memory_per_multiprocessor = 0;
  int regs_per_multiprocessor = 0;
  std::int64_t l2_cache_size = 0;
  int clock_rate_khz = 0;
  int memory_clock_rate_khz = 0;
  int memory_bus_width_bits = 0;
  int async_engine_count = 0;
  int compute_mode = 0;
  bool integrated = false;
  bool ecc_enabled = false;
  bool concurrent_kernels = false;
  bool unified_addressing = false;
  bool memory_pools = false;
  bool shares_memory_with_others = true;  ///< its addresses mean the same to other libraries
  bool simulated = false;                 ///< a label for reports; no decision may rest on it
};

struct MemoryInfo {
  std::int64_t free = 0;
  std::int64_t total = 0;
};

/// What a driver knows of an address: nothing of memory that was freed, is another process's, or
/// never was the driver's.
struct AddressLocation {
  enum class Kind { kUnknown, kHost, kDevice };
  Kind kind = Kind::kUnknown;
  int device = -1;  ///< the index, of a kDevice
};

}  // namespace gpukit
