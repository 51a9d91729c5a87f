// Managed memory, which host and devices share; further ways to allocate, and what pointers are.
#include <cstring>
#include <optional>

#include "sim/driver_call.h"
#include "sim/host_memory.h"

using namespace gpukit::sim;

namespace exports_managed {
namespace {

// Rows of a pitched allocation start at multiples of this.
constexpr std::size_t kPitch = 512;

/// Whether a range of addresses is managed memory.
bool is_managed(Simulation& simulation, CUdeviceptr address, std::size_t bytes) {
  const auto* first = reinterpret_cast<const void*>(address);
  return simulation.is_pinned(first, bytes) && simulation.is_managed(first);
}

CUresult advise(CallSite& site, CUdeviceptr address, std::size_t bytes, int advice) {
  return context_call(site, [&](SimDevice& device) {
    if (bytes == 0 || advice < CU_MEM_ADVISE_SET_READ_MOSTLY ||
        advice > CU_MEM_ADVISE_UNSET_ACCESSED_BY)
      return CUDA_ERROR_INVALID_VALUE;
    return is_managed(device.simulation(), address, bytes) ? CUDA_SUCCESS
                                                           : CUDA_ERROR_INVALID_VALUE;
  });
}

/// There is one memory, so nothing moves; the stream's order is kept all the same.
CUresult prefetch(CallSite& site, CUdeviceptr address, std::size_t bytes, CUstream handle) {
  return call(site, handle, [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
    if (bytes == 0 || !is_managed(device.simulation(), address, bytes))
      return CUDA_ERROR_INVALID_VALUE;
    device.submit(*stream, Work{});
    return CUDA_SUCCESS;
  });
}

/// The value written for an attribute; nothing for an unknown attribute.
std::optional<std::size_t> bytes_of(CUpointer_attribute attribute) {
  constexpr int kIsHardwareDecompressCapable = 21;  // newer headers have the name
  switch (static_cast<int>(attribute)) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
      return 8;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return 4;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case kIsHardwareDecompressCapable:
      return 1;
    case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
      return 0;
    default:
      return std::nullopt;
  }
}

}  // namespace
}  // namespace exports_managed

#undef cuMemAdvise
#undef cuMemPrefetchAsync

GPUKIT_SIM_EXPORT CUresult cuMemAllocManaged(CUdeviceptr* result, std::size_t bytes,
                                             unsigned flags) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice& device) {
    if (result == nullptr || bytes == 0 ||
        (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST))
      return CUDA_ERROR_INVALID_VALUE;
    Simulation& simulation = device.simulation();
    const CUresult refused = simulation.captures.refuse_unsafe();
    if (refused != CUDA_SUCCESS) return refused;
    const CUresult fault = simulation.faults().on_allocation();
    if (fault != CUDA_SUCCESS) return fault;
    // More than a card has is not allocated: pages would have to move.
    if (bytes > device.heap().limit_bytes()) return CUDA_ERROR_OUT_OF_MEMORY;
    void* memory = allocate_pinned(bytes);
    if (memory == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    simulation.add_host_range(memory, bytes, HostMemory::kManaged, device.index());
    *result = reinterpret_cast<CUdeviceptr>(memory);
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuMemAdvise(CUdeviceptr address, std::size_t bytes, CUmem_advise advice,
                                       CUdevice) {
  static CallSite site(__func__);
  return exports_managed::advise(site, address, bytes, static_cast<int>(advice));
}

GPUKIT_SIM_EXPORT CUresult cuMemPrefetchAsync(CUdeviceptr address, std::size_t bytes, CUdevice,
                                              CUstream handle) {
  static CallSite site(__func__);
  return exports_managed::prefetch(site, address, bytes, handle);
}

#if CUDA_VERSION >= 12020
GPUKIT_SIM_EXPORT CUresult cuMemAdvise_v2(CUdeviceptr address, std::size_t bytes,
                                          CUmem_advise advice, CUmemLocation) {
  static CallSite site(__func__);
  return exports_managed::advise(site, address, bytes, static_cast<int>(advice));
}

GPUKIT_SIM_EXPORT CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, std::size_t bytes,
                                                 CUmemLocation, unsigned, CUstream handle) {
  static CallSite site(__func__);
  return exports_managed::prefetch(site, address, bytes, handle);
}
#endif

GPUKIT_SIM_EXPORT CUresult cuStreamAttachMemAsync(CUstream handle, CUdeviceptr address, std::size_t,
                                                  unsigned flags) {
  static CallSite site(__func__);
  return call(site, handle, [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
    if (flags > CU_MEM_ATTACH_SINGLE ||
        !exports_managed::is_managed(device.simulation(), address, 1))
      return CUDA_ERROR_INVALID_VALUE;
    device.submit(*stream, Work{});
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuMemAllocPitch_v2(CUdeviceptr* result, std::size_t* pitch,
                                              std::size_t width, std::size_t height,
                                              unsigned element_bytes) {
  static CallSite site(__func__);
  constexpr std::size_t kMost = std::size_t{1} << 46;
  if (pitch == nullptr || width == 0 || height == 0 || width > kMost || height > kMost)
    return CUDA_ERROR_INVALID_VALUE;
  if (element_bytes != 4 && element_bytes != 8 && element_bytes != 16)
    return CUDA_ERROR_INVALID_VALUE;
  const std::size_t row =
      (width + exports_managed::kPitch - 1) / exports_managed::kPitch * exports_managed::kPitch;
  if (height > kMost / row) return CUDA_ERROR_OUT_OF_MEMORY;
  const CUresult status = cuMemAlloc_v2(result, row * height);
  if (status == CUDA_SUCCESS) *pitch = row;
  site.count();
  return status;
}

GPUKIT_SIM_EXPORT CUresult cuMemAllocHost_v2(void** result, std::size_t bytes) {
  return cuMemHostAlloc(result, bytes, 0);
}

GPUKIT_SIM_EXPORT CUresult cuMemHostGetFlags(unsigned* flags, void* memory) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice& device) {
    if (flags == nullptr || !device.simulation().is_pinned(memory, 1))
      return CUDA_ERROR_INVALID_VALUE;
    *flags = CU_MEMHOSTALLOC_DEVICEMAP;
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes,
                                                  void** data, CUdeviceptr address) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation&) {
    if (count == 0 || attributes == nullptr || data == nullptr) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++) {
      // Attributes that are unknown are left unset. This is not an error.
      const std::optional<std::size_t> bytes = exports_managed::bytes_of(attributes[i]);
      if (data[i] == nullptr || !bytes) return CUDA_ERROR_INVALID_VALUE;
      if (cuPointerGetAttribute(data[i], attributes[i], address) != CUDA_SUCCESS)
        std::memset(data[i], 0, *bytes);
    }
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuPointerSetAttribute(const void* value, CUpointer_attribute attribute,
                                                 CUdeviceptr address) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation& simulation) {
    if (value == nullptr || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
      return CUDA_ERROR_INVALID_VALUE;
    return simulation.is_device_range(address, 1) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}
