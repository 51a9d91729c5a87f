// Starting the driver, devices and their properties, primary contexts.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "sim/device_attributes.h"
#include "sim/driver_call.h"

using namespace gpukit::sim;

namespace exports_device {
namespace {

template <class Body>
CUresult device_call(CallSite& site, CUdevice ordinal, Body body) noexcept {
  return driver_call(site, [&](Simulation& simulation) {
    SimDevice* device = simulation.device(ordinal);
    return device == nullptr ? CUDA_ERROR_INVALID_DEVICE : body(*device);
  });
}

CUresult copy_text(const std::string& text, char* to, int room) {
  if (to == nullptr || room <= 0) return CUDA_ERROR_INVALID_VALUE;
  std::snprintf(to, static_cast<std::size_t>(room), "%s", text.c_str());
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace exports_device

GPUKIT_SIM_EXPORT CUresult cuInit(unsigned flags) {
  static CallSite site(__func__);
  return guarded([&] {
    site.count();
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (is_forked_child()) return CUDA_ERROR_NOT_INITIALIZED;
    const auto simulation = current_simulation();
    const CUresult fault = simulation->faults().on_call(site.name());
    if (fault != CUDA_SUCCESS) return fault;
    const CUresult status = simulation->initialise();
    if (status == CUDA_SUCCESS) note_driver_started();
    return status;
  });
}

GPUKIT_SIM_EXPORT CUresult cuDriverGetVersion(int* version) {
  static CallSite site(__func__);
  site.count();
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return guarded([&] {
    *version = current_simulation()->driver_version();
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuDeviceGetCount(int* count) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation& simulation) {
    if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *count = simulation.device_count();
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  static CallSite site(__func__);
  return exports_device::device_call(site, ordinal, [&](SimDevice&) {
    if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *device = ordinal;
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuDeviceGetName(char* name, int room, CUdevice ordinal) {
  static CallSite site(__func__);
  return exports_device::device_call(site, ordinal, [&](SimDevice& device) {
    return exports_device::copy_text(std::string(device.card().full_name) + " (simulated)", name,
                                     room);
  });
}

GPUKIT_SIM_EXPORT CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice ordinal) {
  static CallSite site(__func__);
  return exports_device::device_call(site, ordinal, [&](SimDevice& device) {
    if (uuid == nullptr) return CUDA_ERROR_INVALID_VALUE;
    unsigned char bytes[sizeof uuid->bytes];
    card_uuid(device.card(), device.index(), bytes);
    std::memcpy(uuid->bytes, bytes, sizeof bytes);
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice ordinal) {
  return cuDeviceGetUuid_v2(uuid, ordinal);
}

GPUKIT_SIM_EXPORT CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice ordinal) {
  static CallSite site(__func__);
  return exports_device::device_call(site, ordinal, [&](SimDevice& device) {
    if (bytes == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *bytes = device.heap().limit_bytes();
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute,
                                                CUdevice ordinal) {
  static CallSite site(__func__);
  return exports_device::device_call(site, ordinal, [&](SimDevice& device) {
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return device_attribute(device, attribute, *value);
  });
}

GPUKIT_SIM_EXPORT CUresult cuDeviceGetPCIBusId(char* text, int room, CUdevice ordinal) {
  static CallSite site(__func__);
  return exports_device::device_call(site, ordinal, [&](SimDevice& device) {
    char id[16];
    std::snprintf(id, sizeof id, "0000:%02X:00.0", pci_bus(device));
    return exports_device::copy_text(id, text, room);
  });
}

GPUKIT_SIM_EXPORT CUresult cuDeviceCanAccessPeer(int* can_access, CUdevice from, CUdevice to) {
  static CallSite site(__func__);
  return exports_device::device_call(site, from, [&](SimDevice& device) {
    Simulation& simulation = device.simulation();
    if (simulation.device(to) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    if (can_access == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *can_access = simulation.can_access_peer(from, to) ? 1 : 0;
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attribute,
                                                   CUdevice from, CUdevice to) {
  static CallSite site(__func__);
  return exports_device::device_call(site, from, [&](SimDevice& device) {
    Simulation& simulation = device.simulation();
    if (simulation.device(to) == nullptr || from == to) return CUDA_ERROR_INVALID_DEVICE;
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const int access = simulation.can_access_peer(from, to) ? 1 : 0;
    switch (attribute) {
      case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK:
        *value = 0;
        break;
      case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
      case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED:
        *value = access;
        break;
      case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
        *value = 0;
        break;
      default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice ordinal) {
  static CallSite site(__func__);
  return exports_device::device_call(site, ordinal, [&](SimDevice& device) {
    if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
    device.retain_context();
    *context = device.context_handle();
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice ordinal) {
  static CallSite site(__func__);
  return exports_device::device_call(site, ordinal,
                                     [](SimDevice& device) { return device.release_context(); });
}

GPUKIT_SIM_EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice ordinal, unsigned* flags,
                                                      int* active) {
  static CallSite site(__func__);
  return exports_device::device_call(site, ordinal, [&](SimDevice& device) {
    if (flags == nullptr || active == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *flags = device.context_flags();
    *active = device.context_is_alive() ? 1 : 0;
    return CUDA_SUCCESS;
  });
}

// ---- the calling thread's stack of contexts

GPUKIT_SIM_EXPORT CUresult cuCtxSetCurrent(CUcontext context) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation& simulation) {
    auto& stack = context_stack(simulation);
    if (context == nullptr) {
      if (!stack.empty()) stack.pop_back();
      return CUDA_SUCCESS;
    }
    if (simulation.device_of(context) == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    if (stack.empty())
      stack.push_back(context);
    else
      stack.back() = context;
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuCtxGetCurrent(CUcontext* context) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation& simulation) {
    if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto& stack = context_stack(simulation);
    *context = stack.empty() ? nullptr : stack.back();
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuCtxPushCurrent_v2(CUcontext context) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation& simulation) {
    if (simulation.device_of(context) == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    context_stack(simulation).push_back(context);
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation& simulation) {
    auto& stack = context_stack(simulation);
    if (stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
    if (context != nullptr) *context = stack.back();
    stack.pop_back();
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuCtxGetDevice(CUdevice* ordinal) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice& device) {
    if (ordinal == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *ordinal = device.index();
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuCtxSynchronize() {
  static CallSite site(__func__);
  return context_call(site, [](SimDevice& device) {
    const CUresult refused = device.simulation().captures.refuse_on(device);
    if (refused != CUDA_SUCCESS) return refused;
    device.synchronise();
    return device.sticky_status();
  });
}

GPUKIT_SIM_EXPORT CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice&) {
    if (least != nullptr) *least = kLeastPriority;
    if (greatest != nullptr) *greatest = kGreatestPriority;
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice& device) {
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    const SimDevice* other = device.simulation().device_of(peer);
    return other == nullptr ? CUDA_ERROR_INVALID_CONTEXT : device.enable_peer(other->index());
  });
}

GPUKIT_SIM_EXPORT CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice& device) {
    const SimDevice* other = device.simulation().device_of(peer);
    return other == nullptr ? CUDA_ERROR_INVALID_CONTEXT : device.disable_peer(other->index());
  });
}
