// Copies and fills in every direction. Who blocks: pageable host memory does, pinned does not; a
// small pageable upload is copied at the call and does not either.
#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "sim/driver_call.h"
#include "sim/fresh_memory.h"

using namespace gpukit::sim;

namespace {

constexpr std::size_t kCopiedAtTheCall = 64 * 1024;

void* pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

std::function<CUresult()> copy_bytes(void* to, const void* from, std::size_t bytes) {
  return [=] {
    std::memmove(to, from, bytes);
    fresh_memory().note_written(to, bytes);
    return CUDA_SUCCESS;
  };
}

bool is_host_pointer(Simulation& simulation, const void* memory) {
  return memory != nullptr &&
         simulation.device_of_address(reinterpret_cast<CUdeviceptr>(memory)) == nullptr;
}

CUresult upload(SimDevice& device, SimStream& stream, CUdeviceptr to, const void* from,
                std::size_t bytes) {
  Simulation& simulation = device.simulation();
  if (bytes == 0) return CUDA_SUCCESS;
  if (!simulation.is_device_range(to, bytes) || !is_host_pointer(simulation, from))
    return CUDA_ERROR_INVALID_VALUE;
  const bool pinned = simulation.is_pinned(from, bytes);
  const CUresult refused = pinned ? CUDA_SUCCESS : simulation.captures.refuse_on(stream);
  if (refused != CUDA_SUCCESS) return refused;
  Work work;
  work.cost = device.transfer_cost(Engine::kHostToDevice, bytes, pinned);
  if (!pinned && bytes <= kCopiedAtTheCall) {
    const auto* first = static_cast<const unsigned char*>(from);
    auto staged = std::make_shared<std::vector<unsigned char>>(first, first + bytes);
    work.run = [=] {
      std::memcpy(pointer(to), staged->data(), bytes);
      fresh_memory().note_written(to, bytes);
      return CUDA_SUCCESS;
    };
    device.submit(stream, std::move(work));
    return CUDA_SUCCESS;
  }
  work.run = copy_bytes(pointer(to), from, bytes);
  if (pinned)
    device.submit(stream, std::move(work));
  else
    device.submit_and_wait(stream, std::move(work));
  return device.sticky_status();
}

CUresult download(SimDevice& device, SimStream& stream, void* to, CUdeviceptr from,
                  std::size_t bytes) {
  Simulation& simulation = device.simulation();
  if (bytes == 0) return CUDA_SUCCESS;
  if (!simulation.is_device_range(from, bytes) || !is_host_pointer(simulation, to))
    return CUDA_ERROR_INVALID_VALUE;
  const bool pinned = simulation.is_pinned(to, bytes);
  const CUresult refused = pinned ? CUDA_SUCCESS : simulation.captures.refuse_on(stream);
  if (refused != CUDA_SUCCESS) return refused;
  Work work;
  work.cost = device.transfer_cost(Engine::kDeviceToHost, bytes, pinned);
  work.run = copy_bytes(to, pointer(from), bytes);
  if (pinned)
    device.submit(stream, std::move(work));
  else
    device.submit_and_wait(stream, std::move(work));
  return device.sticky_status();
}

CUresult copy_on_devices(SimDevice& device, SimStream& stream, CUdeviceptr to, CUdeviceptr from,
                         std::size_t bytes) {
  Simulation& simulation = device.simulation();
  if (bytes == 0) return CUDA_SUCCESS;
  if (!simulation.is_device_range(to, bytes) || !simulation.is_device_range(from, bytes)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const bool same = simulation.device_of_address(to) == simulation.device_of_address(from);
  Work work;
  work.cost =
      same ? device.device_copy_cost(bytes) : device.transfer_cost(Engine::kPeer, bytes, true);
  work.run = copy_bytes(pointer(to), pointer(from), bytes);
  device.submit(stream, std::move(work));
  return CUDA_SUCCESS;
}

template <class T>
CUresult fill(SimDevice& device, SimStream& stream, CUdeviceptr to, T value, std::size_t count) {
  if (count == 0) return CUDA_SUCCESS;
  if (to % sizeof(T) != 0 || !device.simulation().is_device_range(to, count * sizeof(T))) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (!device.reaches(to)) return CUDA_ERROR_INVALID_VALUE;  // the card itself would write
  Work work;
  work.cost = device.fill_cost(count * sizeof(T));
  work.run = [=] {
    T* first = static_cast<T*>(pointer(to));
    std::fill(first, first + count, value);
    fresh_memory().note_written(to, count * sizeof(T));
    return CUDA_SUCCESS;
  };
  device.submit(stream, std::move(work));
  return CUDA_SUCCESS;
}

/// body(device, stream), then a wait for the stream: the synchronous forms go through the legacy
/// stream.
template <class Body>
CUresult synchronous_call(CallSite& site, Body body) noexcept {
  return context_call(site, [&](SimDevice& device) {
    const auto stream = device.legacy_stream();
    const CUresult status = body(device, *stream);
    if (status != CUDA_SUCCESS) return status;
    device.synchronise_stream(*stream);
    return device.sticky_status();
  });
}

struct Plane {
  unsigned char* first;
  std::size_t pitch;
  bool on_device;
};

// One side of a 2-D copy; a null `first` when the side is not usable.
Plane plane_of(CUmemorytype type, const void* host, CUdeviceptr device, std::size_t pitch,
               std::size_t x, std::size_t y, const CUDA_MEMCPY2D& copy, Simulation& simulation) {
  const std::size_t offset = y * pitch + x;
  const std::size_t extent = copy.Height == 0 ? 0 : (copy.Height - 1) * pitch + copy.WidthInBytes;
  if (pitch != 0 && pitch < copy.WidthInBytes + x) return {nullptr, 0, false};
  if (type == CU_MEMORYTYPE_HOST) {
    auto* bytes = static_cast<unsigned char*>(const_cast<void*>(host));
    return {bytes == nullptr ? nullptr : bytes + offset, pitch, false};
  }
  if (type != CU_MEMORYTYPE_DEVICE && type != CU_MEMORYTYPE_UNIFIED) return {nullptr, 0, false};
  if (!simulation.is_device_range(device + offset, extent)) return {nullptr, 0, false};
  return {static_cast<unsigned char*>(pointer(device + offset)), pitch, true};
}

CUresult copy_plane(SimDevice& device, SimStream& stream, const CUDA_MEMCPY2D& copy) {
  Simulation& simulation = device.simulation();
  if (copy.WidthInBytes == 0 || copy.Height == 0) return CUDA_SUCCESS;
  const auto pitch_or_width = [&](std::size_t pitch) {
    return pitch != 0 ? pitch : copy.WidthInBytes;
  };
  const Plane from =
      plane_of(copy.srcMemoryType, copy.srcHost, copy.srcDevice, pitch_or_width(copy.srcPitch),
               copy.srcXInBytes, copy.srcY, copy, simulation);
  const Plane to =
      plane_of(copy.dstMemoryType, copy.dstHost, copy.dstDevice, pitch_or_width(copy.dstPitch),
               copy.dstXInBytes, copy.dstY, copy, simulation);
  if (from.first == nullptr || to.first == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Plane& host = from.on_device ? to : from;
  const bool has_host = !from.on_device || !to.on_device;
  const bool pinned = !has_host || simulation.is_pinned(host.first, (copy.Height - 1) * host.pitch +
                                                                        copy.WidthInBytes);
  const std::size_t bytes = copy.WidthInBytes * copy.Height;
  Work work;
  work.cost =
      has_host ? device.transfer_cost(
                     from.on_device ? Engine::kDeviceToHost : Engine::kHostToDevice, bytes, pinned)
               : device.device_copy_cost(bytes);
  work.run = [from, to, width = copy.WidthInBytes, rows = copy.Height] {
    for (std::size_t row = 0; row < rows; row++) {
      std::memcpy(to.first + row * to.pitch, from.first + row * from.pitch, width);
      fresh_memory().note_written(to.first + row * to.pitch, width);
    }
    return CUDA_SUCCESS;
  };
  if (pinned)
    device.submit(stream, std::move(work));
  else
    device.submit_and_wait(stream, std::move(work));
  return device.sticky_status();
}

}  // namespace

GPUKIT_SIM_EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes,
                                                CUstream handle) {
  static CallSite site(__func__);
  return stream_call(site, handle,
                     [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
                       return upload(device, *stream, to, from, bytes);
                     });
}

GPUKIT_SIM_EXPORT CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes,
                                                CUstream handle) {
  static CallSite site(__func__);
  return stream_call(site, handle,
                     [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
                       return download(device, *stream, to, from, bytes);
                     });
}

GPUKIT_SIM_EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                                                CUstream handle) {
  static CallSite site(__func__);
  return stream_call(site, handle,
                     [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
                       return copy_on_devices(device, *stream, to, from, bytes);
                     });
}

GPUKIT_SIM_EXPORT CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                                             CUcontext from_context, std::size_t bytes,
                                             CUstream handle) {
  static CallSite site(__func__);
  return stream_call(site, handle,
                     [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
                       Simulation& simulation = device.simulation();
                       SimDevice* target = simulation.device_of_context(to_context);
                       SimDevice* source = simulation.device_of_context(from_context);
                       if (target == nullptr || source == nullptr)
                         return CUDA_ERROR_INVALID_CONTEXT;
                       if (bytes == 0) return CUDA_SUCCESS;
                       if (simulation.device_of_address(to) != target ||
                           simulation.device_of_address(from) != source) {
                         return CUDA_ERROR_INVALID_VALUE;
                       }
                       return copy_on_devices(device, *stream, to, from, bytes);
                     });
}

GPUKIT_SIM_EXPORT CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* copy, CUstream handle) {
  static CallSite site(__func__);
  return stream_call(
      site, handle, [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
        return copy == nullptr ? CUDA_ERROR_INVALID_VALUE : copy_plane(device, *stream, *copy);
      });
}

GPUKIT_SIM_EXPORT CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t count,
                                           CUstream handle) {
  static CallSite site(__func__);
  return stream_call(site, handle,
                     [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
                       return fill(device, *stream, to, value, count);
                     });
}

GPUKIT_SIM_EXPORT CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, std::size_t count,
                                            CUstream handle) {
  static CallSite site(__func__);
  return stream_call(site, handle,
                     [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
                       return fill(device, *stream, to, value, count);
                     });
}

GPUKIT_SIM_EXPORT CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t count,
                                            CUstream handle) {
  static CallSite site(__func__);
  return stream_call(site, handle,
                     [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
                       return fill(device, *stream, to, value, count);
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
