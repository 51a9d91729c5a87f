#include "sim/copies.h"

#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "sim/fresh_memory.h"
#include "sim/simulation.h"

namespace gpukit::sim {

namespace copies {
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

/// Copies of pageable memory wait; a capture refuses them.
CUresult submit(SimDevice& device, SimStream& stream, Work work, bool pinned) {
  if (pinned) {
    device.submit(stream, std::move(work));
    return device.sticky_status();
  }
  const CUresult refused = device.simulation().captures.refuse_on(stream);
  if (refused != CUDA_SUCCESS) return refused;
  device.submit_and_wait(stream, std::move(work));
  return device.sticky_status();
}

bool is_host_pointer(Simulation& simulation, const void* memory) {
  return memory != nullptr &&
         simulation.device_of(reinterpret_cast<CUdeviceptr>(memory)) == nullptr;
}

struct Plane {
  unsigned char* first;
  std::size_t pitch;
  bool on_device;
};

// One side of a 2-D copy; a null `first` when the side is not usable.
Plane plane_of(CUmemorytype type, const void* host, CUdeviceptr device, std::size_t pitch,
               std::size_t x, std::size_t y, const CUDA_MEMCPY2D& copy, Simulation& simulation) {
  constexpr std::size_t kMost = std::size_t{1} << 46;  // more than any card; no sum below overflows
  if (pitch > kMost || copy.WidthInBytes > pitch || x > pitch - copy.WidthInBytes ||
      y > kMost / pitch || copy.Height > kMost / pitch)
    return {nullptr, 0, false};
  const std::size_t offset = y * pitch + x;
  const std::size_t extent = (copy.Height - 1) * pitch + copy.WidthInBytes;
  if (type == CU_MEMORYTYPE_HOST) {
    auto* bytes = static_cast<unsigned char*>(const_cast<void*>(host));
    return {bytes == nullptr ? nullptr : bytes + offset, pitch, false};
  }
  if (type != CU_MEMORYTYPE_DEVICE && type != CU_MEMORYTYPE_UNIFIED) return {nullptr, 0, false};
  if (!simulation.is_usable_range(device + offset, extent)) return {nullptr, 0, false};
  return {static_cast<unsigned char*>(pointer(device + offset)), pitch, true};
}

}  // namespace
}  // namespace copies

CUresult upload(SimDevice& device, SimStream& stream, CUdeviceptr to, const void* from,
                std::size_t bytes) {
  Simulation& simulation = device.simulation();
  if (bytes == 0) return CUDA_SUCCESS;
  if (!simulation.is_usable_range(to, bytes) || !copies::is_host_pointer(simulation, from))
    return CUDA_ERROR_INVALID_VALUE;
  const bool pinned = simulation.is_pinned(from, bytes);
  Work work;
  work.cost = device.transfer_cost(Engine::kHostToDevice, bytes, pinned);
  if (!pinned && bytes <= copies::kCopiedAtTheCall) {
    const CUresult refused = simulation.captures.refuse_on(stream);
    if (refused != CUDA_SUCCESS) return refused;
    const auto* first = static_cast<const unsigned char*>(from);
    auto staged = std::make_shared<std::vector<unsigned char>>(first, first + bytes);
    work.run = [=] {
      std::memcpy(copies::pointer(to), staged->data(), bytes);
      fresh_memory().note_written(to, bytes);
      return CUDA_SUCCESS;
    };
    device.submit(stream, std::move(work));
    return CUDA_SUCCESS;
  }
  work.run = copies::copy_bytes(copies::pointer(to), from, bytes);
  return copies::submit(device, stream, std::move(work), pinned);
}

CUresult download(SimDevice& device, SimStream& stream, void* to, CUdeviceptr from,
                  std::size_t bytes) {
  Simulation& simulation = device.simulation();
  if (bytes == 0) return CUDA_SUCCESS;
  if (!simulation.is_usable_range(from, bytes) || !copies::is_host_pointer(simulation, to))
    return CUDA_ERROR_INVALID_VALUE;
  const bool pinned = simulation.is_pinned(to, bytes);
  Work work;
  work.cost = device.transfer_cost(Engine::kDeviceToHost, bytes, pinned);
  work.run = copies::copy_bytes(to, copies::pointer(from), bytes);
  return copies::submit(device, stream, std::move(work), pinned);
}

CUresult copy_on_devices(SimDevice& device, SimStream& stream, CUdeviceptr to, CUdeviceptr from,
                         std::size_t bytes) {
  Simulation& simulation = device.simulation();
  if (bytes == 0) return CUDA_SUCCESS;
  if (!simulation.is_usable_range(to, bytes) || !simulation.is_usable_range(from, bytes)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const bool same = simulation.device_of(to) == simulation.device_of(from);
  Work work;
  work.cost =
      same ? device.device_copy_cost(bytes) : device.transfer_cost(Engine::kPeer, bytes, true);
  work.run = copies::copy_bytes(copies::pointer(to), copies::pointer(from), bytes);
  device.submit(stream, std::move(work));
  return CUDA_SUCCESS;
}

CUresult copy_plane(SimDevice& device, SimStream& stream, const CUDA_MEMCPY2D& copy) {
  Simulation& simulation = device.simulation();
  if (copy.WidthInBytes == 0 || copy.Height == 0) return CUDA_SUCCESS;
  if (copy.srcMemoryType == CU_MEMORYTYPE_ARRAY || copy.dstMemoryType == CU_MEMORYTYPE_ARRAY)
    return CUDA_ERROR_NOT_SUPPORTED;
  const auto pitch_or_width = [&](std::size_t pitch) {
    return pitch != 0 ? pitch : copy.WidthInBytes;
  };
  const copies::Plane from = copies::plane_of(copy.srcMemoryType, copy.srcHost, copy.srcDevice,
                                              pitch_or_width(copy.srcPitch), copy.srcXInBytes,
                                              copy.srcY, copy, simulation);
  const copies::Plane to = copies::plane_of(copy.dstMemoryType, copy.dstHost, copy.dstDevice,
                                            pitch_or_width(copy.dstPitch), copy.dstXInBytes,
                                            copy.dstY, copy, simulation);
  if (from.first == nullptr || to.first == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const copies::Plane& host = from.on_device ? to : from;
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
  return copies::submit(device, stream, std::move(work), pinned);
}

CUresult copy_anywhere(SimDevice& device, SimStream& stream, CUdeviceptr to, CUdeviceptr from,
                       std::size_t bytes) {
  Simulation& simulation = device.simulation();
  const bool to_device = simulation.device_of(to) != nullptr;
  const bool from_device = simulation.device_of(from) != nullptr;
  if (to_device && from_device) return copy_on_devices(device, stream, to, from, bytes);
  if (to_device) return upload(device, stream, to, copies::pointer(from), bytes);
  if (from_device) return download(device, stream, copies::pointer(to), from, bytes);
  if (bytes == 0) return CUDA_SUCCESS;
  if (to == 0 || from == 0) return CUDA_ERROR_INVALID_VALUE;
  Work work;
  work.run = copies::copy_bytes(copies::pointer(to), copies::pointer(from), bytes);
  return copies::submit(device, stream, std::move(work), false);
}

CUresult copy_box(SimDevice& device, SimStream& stream, const CUDA_MEMCPY3D& copy) {
  if (copy.srcLOD != 0 || copy.dstLOD != 0) return CUDA_ERROR_INVALID_VALUE;
  if (copy.WidthInBytes == 0 || copy.Height == 0 || copy.Depth == 0) return CUDA_SUCCESS;
  constexpr std::size_t kMost = std::size_t{1} << 31;  // no product of two overflows
  const auto rows = [&](std::size_t height) { return height != 0 ? height : copy.Height; };
  for (const std::size_t part : {rows(copy.srcHeight), rows(copy.dstHeight), copy.Depth, copy.srcZ,
                                 copy.dstZ, copy.srcY, copy.dstY}) {
    if (part > kMost) return CUDA_ERROR_INVALID_VALUE;
  }
  for (std::size_t layer = 0; layer < copy.Depth; layer++) {
    CUDA_MEMCPY2D plane{};
    plane.srcMemoryType = copy.srcMemoryType;
    plane.srcHost = copy.srcHost;
    plane.srcDevice = copy.srcDevice;
    plane.srcPitch = copy.srcPitch;
    plane.srcXInBytes = copy.srcXInBytes;
    plane.srcY = copy.srcY + (copy.srcZ + layer) * rows(copy.srcHeight);
    plane.dstMemoryType = copy.dstMemoryType;
    plane.dstHost = copy.dstHost;
    plane.dstDevice = copy.dstDevice;
    plane.dstPitch = copy.dstPitch;
    plane.dstXInBytes = copy.dstXInBytes;
    plane.dstY = copy.dstY + (copy.dstZ + layer) * rows(copy.dstHeight);
    plane.WidthInBytes = copy.WidthInBytes;
    plane.Height = copy.Height;
    const CUresult status = copy_plane(device, stream, plane);
    if (status != CUDA_SUCCESS) return status;
  }
  return CUDA_SUCCESS;
}

}  // namespace gpukit::sim
