// The frame of calls on a kernel: a function, or a kernel of a library.
#pragma once

#include "sim/driver_call.h"
#include "sim/loading.h"

namespace gpukit::sim {

/// body(function); of a library's kernel it is that on the current device.
template <class Body>
CUresult call(CallSite& site, CUfunction handle, Body body) noexcept {
  return context_call(site, [&](SimDevice& current) {
    CUresult status = CUDA_SUCCESS;
    const auto function = function_on(current, handle, status);
    return function == nullptr ? status : body(*function);
  });
}

/// There are no caches to divide, so a preference is only validated.
inline CUresult check_cache_config(CUfunc_cache config) {
  const int number = static_cast<int>(config);
  return number >= CU_FUNC_CACHE_PREFER_NONE && number <= CU_FUNC_CACHE_PREFER_EQUAL
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace gpukit::sim
