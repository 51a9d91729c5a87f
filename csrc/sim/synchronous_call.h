// The frame of calls that wait for what they do.
#pragma once

#include "sim/driver_call.h"

namespace gpukit::sim {

/// body(device, stream), then a wait for the stream: the synchronous forms go through the legacy
/// stream.
template <class Body>
CUresult synchronous_call(CallSite& site, Body body) noexcept {
  return context_call(site, [&](SimDevice& device) {
    const auto stream = device.legacy_stream();
    const CUresult status = body(device, *stream);
    if (status != CUDA_SUCCESS) return status;
    device.synchronise(*stream);
    return device.sticky_status();
  });
}

}  // namespace gpukit::sim
