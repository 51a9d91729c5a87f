// Copies in every direction, queued on a stream. Who blocks: pageable host memory does, pinned does
// not; a small pageable upload is copied at the call and does not either.
#pragma once

#include <cstddef>

#include "sim/cuda_abi.h"

namespace gpukit::sim {

class SimDevice;
class SimStream;

CUresult upload(SimDevice& device, SimStream& stream, CUdeviceptr to, const void* from,
                std::size_t bytes);
CUresult download(SimDevice& device, SimStream& stream, void* to, CUdeviceptr from,
                  std::size_t bytes);
CUresult copy_on_devices(SimDevice& device, SimStream& stream, CUdeviceptr to, CUdeviceptr from,
                         std::size_t bytes);
/// The address decides each side's location.
CUresult copy_anywhere(SimDevice& device, SimStream& stream, CUdeviceptr to, CUdeviceptr from,
                       std::size_t bytes);
CUresult copy_plane(SimDevice& device, SimStream& stream, const CUDA_MEMCPY2D& copy);
CUresult copy_box(SimDevice& device, SimStream& stream, const CUDA_MEMCPY3D& copy);

}  // namespace gpukit::sim
