// Device memory, pinned host memory, what a pointer is, and the driver's pools.
#include <cstdio>
#include <cstring>
#include <tuple>
#include <utility>

#include "sim/checked_memory.h"
#include "sim/driver_call.h"
#include "sim/fresh_memory.h"
#include "sim/host_memory.h"

using namespace gpukit::sim;

namespace exports_memory {
namespace {

// What both ways of allocating share: the planned failure, then the card's limit.
template <class Allocate>
CUresult allocate(SimDevice& device, CUdeviceptr* result, std::size_t bytes, Allocate allocate) {
  if (result == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  const CUresult refused = device.simulation().captures.refuse_unsafe();
  if (refused != CUDA_SUCCESS) return refused;
  const CUresult fault = device.simulation().faults().on_allocation();
  if (fault != CUDA_SUCCESS) return fault;
  const std::uintptr_t address = allocate();
  if (address == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  *result = address;
  return CUDA_SUCCESS;
}

CUresult release(SimDevice& device, void* memory) {
  device.synchronise();
  if (!device.simulation().remove_host_range(memory, HostMemory::kManaged))
    return CUDA_ERROR_INVALID_VALUE;
  free_pinned(memory);
  return CUDA_SUCCESS;
}

CUresult report(SimDevice& device, CUdeviceptr address) {
  char text[120];
  std::snprintf(text, sizeof text, "the bytes after the allocation at 0x%llx were written",
                address);
  report_diagnostic(text);
  device.note_status(CUDA_ERROR_ILLEGAL_ADDRESS);
  return CUDA_ERROR_ILLEGAL_ADDRESS;
}

std::shared_ptr<SimPool> find_pool(Simulation& simulation, CUdeviceptr address) {
  return simulation.pools.find_if([&](const SimPool& pool) { return pool.owns(address); });
}

template <class T>
CUresult store(void* to, T value) {
  std::memcpy(to, &value, sizeof value);
  return CUDA_SUCCESS;
}

CUresult pointer_attribute(SimDevice& owner, CUdeviceptr address, CUpointer_attribute attribute,
                           void* data) {
  const auto block = owner.heap().find(address, 1);
  if (!block) return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return store(data, owner.context_handle());
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return store(data, unsigned{CU_MEMORYTYPE_DEVICE});
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return store(data, address);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return store(data, owner.index());
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return store(data, 0u);
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return store(data, 1u);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return store(data, static_cast<CUdeviceptr>(block->address));
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return store(data, block->bytes);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return store(data, static_cast<unsigned long long>(block->address));
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult pointer_attribute(Simulation& simulation, CUdeviceptr address,
                           CUpointer_attribute attribute, void* data) {
  void* const pointer = reinterpret_cast<void*>(address);
  const auto [start, bytes] = simulation.host_range(pointer);
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  const bool managed = simulation.is_managed(pointer);
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return store(data,
                   simulation.device(simulation.device_of_host_range(pointer))->context_handle());
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return store(data, simulation.device_of_host_range(pointer));
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return store(data, unsigned{managed ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST});
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return store(data, address);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      return store(data, pointer);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return store(data, static_cast<unsigned long long>(start));
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return store(data, managed ? 1u : 0u);
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return store(data, 1u);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return store(data, static_cast<CUdeviceptr>(start));
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return store(data, bytes);
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

}  // namespace
}  // namespace exports_memory

GPUKIT_SIM_EXPORT CUresult cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total_bytes) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice& device) {
    if (free_bytes == nullptr || total_bytes == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *total_bytes = device.heap().limit_bytes();
    *free_bytes = *total_bytes - device.heap().used_bytes();
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuMemAlloc_v2(CUdeviceptr* result, std::size_t bytes) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice& device) {
    return exports_memory::allocate(device, result, bytes, [&] {
      const std::uintptr_t address = device.heap().allocate(bytes);
      fresh_memory().add(address, bytes);
      return address;
    });
  });
}

GPUKIT_SIM_EXPORT CUresult cuMemFree_v2(CUdeviceptr address) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice& current) {
    if (address == 0) return CUDA_SUCCESS;
    const CUresult refused = current.simulation().captures.refuse_unsafe();
    if (refused != CUDA_SUCCESS) return refused;
    SimDevice* owner = current.simulation().device_of(address);
    if (owner == nullptr) return exports_memory::release(current, reinterpret_cast<void*>(address));
    if (owner->default_pool().free_now(address)) return CUDA_SUCCESS;
    const auto pool = exports_memory::find_pool(current.simulation(), address);
    if (pool != nullptr && pool->free_now(address)) return CUDA_SUCCESS;
    owner->synchronise();
    switch (owner->heap().release(address)) {
      case SimHeap::Release::kDone:
        return CUDA_SUCCESS;
      case SimHeap::Release::kUnknown:
        return CUDA_ERROR_INVALID_VALUE;
      case SimHeap::Release::kOverrun:
        break;
    }
    return exports_memory::report(*owner, address);
  });
}

GPUKIT_SIM_EXPORT CUresult cuMemGetAddressRange_v2(CUdeviceptr* start, std::size_t* bytes,
                                                   CUdeviceptr address) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice& current) {
    SimDevice* owner = current.simulation().device_of(address);
    auto [first, size] = current.simulation().host_range(reinterpret_cast<const void*>(address));
    if (owner != nullptr) {
      const auto block = owner->heap().find(address, 1);
      std::tie(first, size) = block ? std::pair(block->address, block->bytes)
                                    : std::pair(std::uintptr_t{0}, std::size_t{0});
    }
    if (size == 0) return CUDA_ERROR_NOT_FOUND;
    if (start != nullptr) *start = first;
    if (bytes != nullptr) *bytes = size;
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute,
                                                 CUdeviceptr address) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation& simulation) {
    if (data == nullptr) return CUDA_ERROR_INVALID_VALUE;
    SimDevice* owner = simulation.device_of(address);
    return owner != nullptr
               ? exports_memory::pointer_attribute(*owner, address, attribute, data)
               : exports_memory::pointer_attribute(simulation, address, attribute, data);
  });
}

// ---- pinned host memory

GPUKIT_SIM_EXPORT CUresult cuMemHostAlloc(void** result, std::size_t bytes, unsigned flags) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice& device) {
    constexpr unsigned kKnownFlags =
        CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
    if (result == nullptr || bytes == 0 || (flags & ~kKnownFlags) != 0)
      return CUDA_ERROR_INVALID_VALUE;
    void* memory = allocate_pinned(bytes);
    if (memory == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    device.simulation().add_host_range(memory, bytes, HostMemory::kPinned, device.index());
    *result = memory;
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuMemFreeHost(void* memory) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice& device) {
    if (memory == nullptr) return CUDA_SUCCESS;
    device.synchronise();
    if (!device.simulation().remove_host_range(memory, HostMemory::kPinned))
      return CUDA_ERROR_INVALID_VALUE;
    free_pinned(memory);
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuMemHostRegister_v2(void* memory, std::size_t bytes, unsigned flags) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice& device) {
    constexpr unsigned kKnownFlags = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
                                     CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY;
    if (memory == nullptr || bytes == 0 || (flags & ~kKnownFlags) != 0 || !can_read(memory, bytes))
      return CUDA_ERROR_INVALID_VALUE;
    Simulation& simulation = device.simulation();
    if (simulation.overlaps_host_range(memory, bytes))
      return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    simulation.add_host_range(memory, bytes, HostMemory::kRegistered, device.index());
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuMemHostUnregister(void* memory) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice& device) {
    if (memory == nullptr) return CUDA_ERROR_INVALID_VALUE;
    device.synchronise();
    return device.simulation().remove_host_range(memory, HostMemory::kRegistered)
               ? CUDA_SUCCESS
               : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  });
}

GPUKIT_SIM_EXPORT CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* result, void* memory,
                                                        unsigned flags) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice& device) {
    if (result == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (!device.simulation().is_pinned(memory, 1)) return CUDA_ERROR_INVALID_VALUE;
    *result = reinterpret_cast<CUdeviceptr>(memory);
    return CUDA_SUCCESS;
  });
}

// ---- stream-ordered memory

namespace exports_memory {
namespace {

/// body(pool), for calls on a pool.
template <class Body>
CUresult call(CallSite& site, CUmemoryPool handle, Body body) noexcept {
  return driver_call(site, [&](Simulation& simulation) {
    const auto pool = simulation.pools.find(handle);
    return pool == nullptr ? CUDA_ERROR_INVALID_VALUE : body(*pool);
  });
}

CUresult allocate(SimPool& pool, SimDevice& device, CUdeviceptr* result, std::size_t bytes,
                  const std::shared_ptr<SimStream>& stream) {
  return allocate(device, result, bytes, [&] { return pool.allocate(bytes, stream); });
}

// The default pool is the device's own; its handle only points to it.
CUmemoryPool default_pool(SimDevice& device) {
  Simulation& simulation = device.simulation();
  const std::lock_guard lock(simulation.lazy_objects_mutex);
  CUmemoryPool& handle = simulation.default_pools[device.index()];
  if (handle == nullptr) {
    handle = simulation.pools.add(
        std::shared_ptr<SimPool>(std::shared_ptr<void>(), &device.default_pool()));
  }
  return handle;
}

}  // namespace
}  // namespace exports_memory

GPUKIT_SIM_EXPORT CUresult cuMemAllocAsync(CUdeviceptr* result, std::size_t bytes,
                                           CUstream handle) {
  static CallSite site(__func__);
  return call(site, handle, [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
    const auto chosen = device.simulation().pools.find(device.current_pool());
    SimPool& pool = chosen != nullptr ? *chosen : device.default_pool();
    return exports_memory::allocate(pool, device, result, bytes, stream);
  });
}

GPUKIT_SIM_EXPORT CUresult cuMemAllocFromPoolAsync(CUdeviceptr* result, std::size_t bytes,
                                                   CUmemoryPool pool_handle, CUstream handle) {
  static CallSite site(__func__);
  return call(site, handle, [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
    const auto pool = device.simulation().pools.find(pool_handle);
    if (pool == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return exports_memory::allocate(*pool, device, result, bytes, stream);
  });
}

GPUKIT_SIM_EXPORT CUresult cuMemFreeAsync(CUdeviceptr address, CUstream handle) {
  static CallSite site(__func__);
  return call(site, handle, [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
    if (address == 0) return CUDA_SUCCESS;
    Simulation& simulation = device.simulation();
    SimDevice* owner = simulation.device_of(address);
    if (owner == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (owner->default_pool().free_on_stream(address, stream)) return CUDA_SUCCESS;
    const auto pool = exports_memory::find_pool(simulation, address);
    return pool != nullptr && pool->free_on_stream(address, stream) ? CUDA_SUCCESS
                                                                    : CUDA_ERROR_INVALID_VALUE;
  });
}

GPUKIT_SIM_EXPORT CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* result, CUdevice ordinal) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation& simulation) {
    SimDevice* device = simulation.device(ordinal);
    if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    if (result == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *result = exports_memory::default_pool(*device);
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuDeviceGetMemPool(CUmemoryPool* result, CUdevice ordinal) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation& simulation) {
    SimDevice* device = simulation.device(ordinal);
    if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    if (result == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUmemoryPool chosen = device->current_pool();
    *result =
        simulation.pools.find(chosen) != nullptr ? chosen : exports_memory::default_pool(*device);
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuDeviceSetMemPool(CUdevice ordinal, CUmemoryPool handle) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation& simulation) {
    SimDevice* device = simulation.device(ordinal);
    if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    const auto pool = simulation.pools.find(handle);
    if (pool == nullptr || &pool->device() != device) return CUDA_ERROR_INVALID_VALUE;
    device->set_current_pool(handle);
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuMemPoolCreate(CUmemoryPool* result, const CUmemPoolProps* properties) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation& simulation) {
    if (result == nullptr || properties == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_NOT_SUPPORTED;
    SimDevice* device = simulation.device(properties->location.id);
    if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    *result = simulation.pools.add(std::make_shared<SimPool>(*device));
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuMemPoolDestroy(CUmemoryPool handle) {
  static CallSite site(__func__);
  return exports_memory::call(site, handle, [&](SimPool& pool) {
    SimDevice& device = pool.device();
    if (&pool == &device.default_pool()) return CUDA_ERROR_INVALID_VALUE;
    device.synchronise();
    pool.trim(0);
    device.simulation().pools.remove(handle);
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuMemPoolTrimTo(CUmemoryPool handle, std::size_t bytes_to_keep) {
  static CallSite site(__func__);
  return exports_memory::call(site, handle, [&](SimPool& pool) {
    pool.trim(bytes_to_keep);
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuMemPoolSetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute,
                                                 void* value) {
  static CallSite site(__func__);
  return exports_memory::call(site, handle, [&](SimPool& pool) {
    return value == nullptr ? CUDA_ERROR_INVALID_VALUE : pool.set_attribute(attribute, value);
  });
}

GPUKIT_SIM_EXPORT CUresult cuMemPoolGetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute,
                                                 void* value) {
  static CallSite site(__func__);
  return exports_memory::call(site, handle, [&](SimPool& pool) {
    return value == nullptr ? CUDA_ERROR_INVALID_VALUE : pool.attribute(attribute, value);
  });
}
