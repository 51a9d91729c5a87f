// Copies: what a caller asks for, and who waits.
#include "sim/copies.h"
#include "sim/synchronous_call.h"

using namespace gpukit::sim;

namespace exports_copy {
namespace {

CUresult copy(SimDevice& device, SimStream& stream, CUdeviceptr to, CUcontext to_context,
              CUdeviceptr from, CUcontext from_context, std::size_t bytes) {
  Simulation& simulation = device.simulation();
  SimDevice* target = simulation.device_of(to_context);
  SimDevice* source = simulation.device_of(from_context);
  if (target == nullptr || source == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (bytes == 0) return CUDA_SUCCESS;
  if (simulation.device_of(to) != target || simulation.device_of(from) != source)
    return CUDA_ERROR_INVALID_VALUE;
  return copy_on_devices(device, stream, to, from, bytes);
}

}  // namespace
}  // namespace exports_copy

GPUKIT_SIM_EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes,
                                                CUstream handle) {
  static CallSite site(__func__);
  return call(site, handle, [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
    return upload(device, *stream, to, from, bytes);
  });
}

GPUKIT_SIM_EXPORT CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes,
                                                CUstream handle) {
  static CallSite site(__func__);
  return call(site, handle, [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
    return download(device, *stream, to, from, bytes);
  });
}

GPUKIT_SIM_EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                                                CUstream handle) {
  static CallSite site(__func__);
  return call(site, handle, [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
    return copy_on_devices(device, *stream, to, from, bytes);
  });
}

GPUKIT_SIM_EXPORT CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                                             CUcontext from_context, std::size_t bytes,
                                             CUstream handle) {
  static CallSite site(__func__);
  return call(site, handle, [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
    return exports_copy::copy(device, *stream, to, to_context, from, from_context, bytes);
  });
}

GPUKIT_SIM_EXPORT CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* copy, CUstream handle) {
  static CallSite site(__func__);
  return call(site, handle, [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
    return copy == nullptr ? CUDA_ERROR_INVALID_VALUE : copy_plane(device, *stream, *copy);
  });
}

GPUKIT_SIM_EXPORT CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* copy, CUstream handle) {
  static CallSite site(__func__);
  return call(site, handle, [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
    return copy == nullptr ? CUDA_ERROR_INVALID_VALUE : copy_box(device, *stream, *copy);
  });
}

GPUKIT_SIM_EXPORT CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                                         CUstream handle) {
  static CallSite site(__func__);
  return call(site, handle, [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
    return copy_anywhere(device, *stream, to, from, bytes);
  });
}

// ---- and those that wait

GPUKIT_SIM_EXPORT CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  static CallSite site(__func__);
  return synchronous_call(site, [&](SimDevice& device, SimStream& stream) {
    return copy_anywhere(device, stream, to, from, bytes);
  });
}

GPUKIT_SIM_EXPORT CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  static CallSite site(__func__);
  return synchronous_call(site, [&](SimDevice& device, SimStream& stream) {
    return copy_on_devices(device, stream, to, from, bytes);
  });
}

GPUKIT_SIM_EXPORT CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                                        CUcontext from_context, std::size_t bytes) {
  static CallSite site(__func__);
  return synchronous_call(site, [&](SimDevice& device, SimStream& stream) {
    return exports_copy::copy(device, stream, to, to_context, from, from_context, bytes);
  });
}

GPUKIT_SIM_EXPORT CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* copy) {
  static CallSite site(__func__);
  return synchronous_call(site, [&](SimDevice& device, SimStream& stream) {
    return copy == nullptr ? CUDA_ERROR_INVALID_VALUE : copy_plane(device, stream, *copy);
  });
}

GPUKIT_SIM_EXPORT CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* copy) {
  static CallSite site(__func__);
  return synchronous_call(site, [&](SimDevice& device, SimStream& stream) {
    return copy == nullptr ? CUDA_ERROR_INVALID_VALUE : copy_plane(device, stream, *copy);
  });
}

GPUKIT_SIM_EXPORT CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* copy) {
  static CallSite site(__func__);
  return synchronous_call(site, [&](SimDevice& device, SimStream& stream) {
    return copy == nullptr ? CUDA_ERROR_INVALID_VALUE : copy_box(device, stream, *copy);
  });
}

GPUKIT_SIM_EXPORT CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, std::size_t bytes) {
  static CallSite site(__func__);
  return synchronous_call(site, [&](SimDevice& device, SimStream& stream) {
    return upload(device, stream, to, from, bytes);
  });
}

GPUKIT_SIM_EXPORT CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t bytes) {
  static CallSite site(__func__);
  return synchronous_call(site, [&](SimDevice& device, SimStream& stream) {
    return download(device, stream, to, from, bytes);
  });
}
