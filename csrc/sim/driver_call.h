// What every exported driver function does first: count itself, look for planned faults, and ask
// whether the driver, the current context and the device allow it at all.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <string_view>
#include <vector>

#include "sim/cuda_abi.h"
#include "sim/simulation.h"

namespace gpukit::sim {

/// One per exported function; counts its calls.
class CallSite {
 public:
  explicit CallSite(const char* name);
  const char* name() const { return name_; }
  void count() { calls_++; }

  static std::uint64_t calls_of(std::string_view name);
  static void reset_all();

 private:
  const char* name_;
  std::atomic<std::uint64_t> calls_ = 0;
  CallSite* next_;
};

/// The calling thread's stack of contexts; empty in each new simulation.
std::vector<CUcontext>& context_stack(const Simulation& simulation);

/// Whether this process was forked from one that had started the driver.
bool is_forked_child();
void note_driver_started();

/// The stream of a handle on `device`; null if it is unknown.
std::shared_ptr<SimStream> resolve_stream(SimDevice& device, CUstream handle);

CUresult status_before_call(CallSite& site, Simulation& simulation);
/// The device whose context is current, or the reason why there is none to work on.
CUresult find_current_device(Simulation& simulation, SimDevice*& device);

template <class Body>
CUresult guarded(Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  } catch (...) {
    return CUDA_ERROR_UNKNOWN;
  }
}

/// body(simulation), for calls that need the driver but no context.
template <class Body>
CUresult driver_call(CallSite& site, Body body) noexcept {
  return guarded([&] {
    if (is_forked_child())
      return CUDA_ERROR_NOT_INITIALIZED;  // first: a lock may have been held at the fork
    const auto simulation = current_simulation();
    const CUresult status = status_before_call(site, *simulation);
    if (status != CUDA_SUCCESS) return status;
    const CUresult result = body(*simulation);
    return simulation->has_ended() ? CUDA_ERROR_DEINITIALIZED : result;
  });
}

/// body(device), for calls that work on the current context. A lost device returns the status
/// that it was lost with.
template <class Body>
CUresult context_call(CallSite& site, Body body) noexcept {
  return driver_call(site, [&](Simulation& simulation) {
    SimDevice* device = nullptr;
    const CUresult status = find_current_device(simulation, device);
    return status != CUDA_SUCCESS ? status : body(*device);
  });
}

/// body(device, stream), for calls that queue work.
template <class Body>
CUresult call(CallSite& site, CUstream handle, Body body) noexcept {
  return context_call(site, [&](SimDevice& current) {
    const auto stream = resolve_stream(current, handle);
    if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    SimDevice& device = stream->device();
    if (device.sticky_status() != CUDA_SUCCESS) return device.sticky_status();
    if (handle == nullptr || handle == CU_STREAM_LEGACY) {
      const CUresult refused = device.simulation().captures.refuse_implicit(device);
      if (refused != CUDA_SUCCESS) return refused;
    }
    return body(device, stream);
  });
}

}  // namespace gpukit::sim
