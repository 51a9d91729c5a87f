// Streams, events and host functions.
#include <algorithm>

#include "sim/device_attributes.h"
#include "sim/driver_call.h"

using namespace gpukit::sim;

namespace exports_stream {
namespace {

CUresult create(SimDevice& device, CUstream* result, unsigned flags, int priority) {
  if (result == nullptr || (flags & ~unsigned{CU_STREAM_NON_BLOCKING}) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  const int clamped = std::clamp(priority, kGreatestPriority, kLeastPriority);
  *result = device.simulation().streams.add(device.create_stream(flags, clamped));
  return CUDA_SUCCESS;
}

bool is_predefined(CUstream handle) {
  return handle == nullptr || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD;
}

/// body(event, its device), for calls on an event.
template <class Body>
CUresult call(CallSite& site, CUevent handle, Body body) noexcept {
  return context_call(site, [&](SimDevice& current) {
    const auto event = current.simulation().events.find(handle);
    if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (event->device().sticky_status() != CUDA_SUCCESS) return event->device().sticky_status();
    return body(*event, event->device());
  });
}

CUresult elapsed_time(CallSite& site, float* milliseconds, CUevent start, CUevent end) noexcept {
  return context_call(site, [&](SimDevice& current) {
    if (milliseconds == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto first = current.simulation().events.find(start);
    const auto second = current.simulation().events.find(end);
    if (first == nullptr || second == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (((first->flags() | second->flags()) & CU_EVENT_DISABLE_TIMING) != 0)
      return CUDA_ERROR_INVALID_HANDLE;
    if (&first->device() != &second->device()) return CUDA_ERROR_INVALID_HANDLE;
    const auto from = first->latest();
    const auto to = second->latest();
    if (from == nullptr || to == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (from->capture_mark() != nullptr || to->capture_mark() != nullptr)
      return CUDA_ERROR_CAPTURED_EVENT;
    if (!from->is_complete() || !to->is_complete()) return CUDA_ERROR_NOT_READY;
    *milliseconds = static_cast<float>((to->nanoseconds() - from->nanoseconds()) * 1e-6);
    return CUDA_SUCCESS;
  });
}

}  // namespace
}  // namespace exports_stream

GPUKIT_SIM_EXPORT CUresult cuStreamCreate(CUstream* result, unsigned flags) {
  static CallSite site(__func__);
  return context_call(
      site, [&](SimDevice& device) { return exports_stream::create(device, result, flags, 0); });
}

GPUKIT_SIM_EXPORT CUresult cuStreamCreateWithPriority(CUstream* result, unsigned flags,
                                                      int priority) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice& device) {
    return exports_stream::create(device, result, flags, priority);
  });
}

GPUKIT_SIM_EXPORT CUresult cuStreamDestroy_v2(CUstream handle) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice& current) {
    if (exports_stream::is_predefined(handle)) return CUDA_ERROR_INVALID_HANDLE;
    const auto stream = current.simulation().streams.remove(handle);
    if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    stream->device().retire(stream);
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuStreamSynchronize(CUstream handle) {
  static CallSite site(__func__);
  return call(site, handle, [](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
    const CUresult refused = device.simulation().captures.refuse_on(*stream);
    if (refused != CUDA_SUCCESS) return refused;
    device.synchronise(*stream);
    return device.sticky_status();
  });
}

GPUKIT_SIM_EXPORT CUresult cuStreamQuery(CUstream handle) {
  static CallSite site(__func__);
  return call(site, handle, [](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
    const CUresult refused = device.simulation().captures.refuse_on(*stream);
    if (refused != CUDA_SUCCESS) return refused;
    const bool idle = device.stream_is_idle(*stream);
    if (device.sticky_status() != CUDA_SUCCESS) return device.sticky_status();
    return idle ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
  });
}

GPUKIT_SIM_EXPORT CUresult cuStreamWaitEvent(CUstream handle, CUevent event_handle,
                                             unsigned flags) {
  static CallSite site(__func__);
  return call(site, handle, [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
    if ((flags & ~unsigned{CU_EVENT_WAIT_EXTERNAL}) != 0) return CUDA_ERROR_INVALID_VALUE;
    const auto event = device.simulation().events.find(event_handle);
    if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    auto record = event->latest();
    if (record == nullptr) return CUDA_SUCCESS;
    bool taken = false;
    const CUresult status = device.simulation().captures.wait(*stream, *record, taken);
    if (status == CUDA_SUCCESS && !taken) device.submit_wait(*stream, std::move(record));
    return status;
  });
}

GPUKIT_SIM_EXPORT CUresult cuStreamGetCtx(CUstream handle, CUcontext* context) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation& simulation) {
    if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (exports_stream::is_predefined(handle)) {
      SimDevice* device = nullptr;
      const CUresult status = find_current_device(simulation, device);
      if (status == CUDA_SUCCESS) *context = device->context_handle();
      return status;
    }
    const auto stream = simulation.streams.find(handle);
    if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    *context = stream->device().context_handle();
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuStreamGetFlags(CUstream handle, unsigned* flags) {
  static CallSite site(__func__);
  return call(site, handle, [&](SimDevice&, const std::shared_ptr<SimStream>& stream) {
    if (flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *flags = stream->flags();
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuStreamGetPriority(CUstream handle, int* priority) {
  static CallSite site(__func__);
  return call(site, handle, [&](SimDevice&, const std::shared_ptr<SimStream>& stream) {
    if (priority == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *priority = stream->priority();
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuEventCreate(CUevent* result, unsigned flags) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice& device) {
    constexpr unsigned kKnownFlags =
        CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
    if (result == nullptr || (flags & ~kKnownFlags) != 0) return CUDA_ERROR_INVALID_VALUE;
    if ((flags & CU_EVENT_INTERPROCESS) != 0) {
      return (flags & CU_EVENT_DISABLE_TIMING) != 0 ? CUDA_ERROR_NOT_SUPPORTED
                                                    : CUDA_ERROR_INVALID_VALUE;
    }
    *result = device.simulation().events.add(std::make_shared<SimEvent>(device, flags));
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuEventDestroy_v2(CUevent handle) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice& current) {
    return current.simulation().events.remove(handle) != nullptr ? CUDA_SUCCESS
                                                                 : CUDA_ERROR_INVALID_HANDLE;
  });
}

GPUKIT_SIM_EXPORT CUresult cuEventRecord(CUevent event_handle, CUstream handle) {
  static CallSite site(__func__);
  return call(site, handle, [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
    const auto event = device.simulation().events.find(event_handle);
    if (event == nullptr || &event->device() != &device) return CUDA_ERROR_INVALID_HANDLE;
    event->set_latest(device.submit_record(*stream));
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuEventQuery(CUevent handle) {
  static CallSite site(__func__);
  return exports_stream::call(site, handle, [](SimEvent& event, SimDevice& device) {
    const auto record = event.latest();
    if (record == nullptr) return CUDA_SUCCESS;
    const CUresult refused = device.simulation().captures.refuse_on(*record);
    if (refused != CUDA_SUCCESS) return refused;
    if (!record->is_complete()) return CUDA_ERROR_NOT_READY;
    if (!device.in_real_time()) device.simulation().advance_host_clock(record->nanoseconds());
    return device.sticky_status();
  });
}

GPUKIT_SIM_EXPORT CUresult cuEventSynchronize(CUevent handle) {
  static CallSite site(__func__);
  return exports_stream::call(site, handle, [](SimEvent& event, SimDevice& device) {
    const auto record = event.latest();
    if (record == nullptr) return CUDA_SUCCESS;
    const CUresult refused = device.simulation().captures.refuse_on(*record);
    if (refused != CUDA_SUCCESS) return refused;
    record->wait();
    if (!device.in_real_time()) device.simulation().advance_host_clock(record->nanoseconds());
    device.default_pool().on_synchronise();
    return device.sticky_status();
  });
}

GPUKIT_SIM_EXPORT CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  static CallSite site(__func__);
  return exports_stream::elapsed_time(site, milliseconds, start, end);
}

GPUKIT_SIM_EXPORT CUresult cuEventElapsedTime_v2(float* milliseconds, CUevent start, CUevent end) {
  static CallSite site(__func__);
  return exports_stream::elapsed_time(site, milliseconds, start, end);
}

GPUKIT_SIM_EXPORT CUresult cuLaunchHostFunc(CUstream handle, CUhostFn function, void* argument) {
  static CallSite site(__func__);
  return call(site, handle, [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
    if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
    Work work;
    work.run = [=] {
      const HostFunctionScope scope;
      function(argument);
      return CUDA_SUCCESS;
    };
    device.submit(*stream, std::move(work));
    return CUDA_SUCCESS;
  });
}

// The older form of the callback: it receives the stream and the device's state, and runs although
// the device is lost.
GPUKIT_SIM_EXPORT CUresult cuStreamAddCallback(CUstream handle, CUstreamCallback callback,
                                               void* argument, unsigned flags) {
  static CallSite site(__func__);
  return call(site, handle, [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
    if (callback == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    const CUresult refused = device.simulation().captures.refuse_on(*stream);
    if (refused != CUDA_SUCCESS) return refused;
    Work work;
    work.run = [=] {
      const HostFunctionScope scope;
      callback(handle, CUDA_SUCCESS, argument);
      return CUDA_SUCCESS;
    };
    work.drop = [=, &device] {
      const HostFunctionScope scope;
      callback(handle, device.sticky_status(), argument);
    };
    device.submit(*stream, std::move(work));
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuStreamGetId(CUstream handle, unsigned long long* id) {
  static CallSite site(__func__);
  return call(site, handle, [&](SimDevice&, const std::shared_ptr<SimStream>& stream) {
    if (id == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *id = reinterpret_cast<std::uintptr_t>(stream.get());
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuStreamGetDevice(CUstream handle, CUdevice* ordinal) {
  static CallSite site(__func__);
  return call(site, handle, [&](SimDevice& device, const std::shared_ptr<SimStream>&) {
    if (ordinal == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *ordinal = device.index();
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuEventRecordWithFlags(CUevent event, CUstream handle, unsigned flags) {
  static CallSite site(__func__);
  site.count();
  if (flags != CU_EVENT_RECORD_DEFAULT) return CUDA_ERROR_NOT_SUPPORTED;
  return cuEventRecord(event, handle);
}
