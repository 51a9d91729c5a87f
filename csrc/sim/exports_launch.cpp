// Launches, and how many blocks fit.
#include <algorithm>

#include "sim/function_call.h"
#include "sim/launches.h"

using namespace gpukit::sim;

namespace exports_launch {
namespace {

/// More than a driver has are the caller's error, not a list to read.
constexpr unsigned kMostAttributes = 64;

/// What of a launch's attributes the simulator has: a priority, which it does not need, and the
/// barrier of the grid.
CUresult read(const CUlaunchConfig& config, bool& cooperative) {
  if (config.numAttrs > kMostAttributes || (config.numAttrs != 0 && config.attrs == nullptr))
    return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < config.numAttrs; i++) {
    const CUlaunchAttribute& attribute = config.attrs[i];
    switch (static_cast<int>(attribute.id)) {
      case CU_LAUNCH_ATTRIBUTE_IGNORE:
      case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        break;
      case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
        cooperative = attribute.value.cooperative != 0;
        break;
      case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION: {
        // A cluster of one block is what every launch is.
        const auto& shape = attribute.value.clusterDim;
        if (shape.x > 1 || shape.y > 1 || shape.z > 1) return CUDA_ERROR_NOT_SUPPORTED;
        break;
      }
      default:
        return CUDA_ERROR_NOT_SUPPORTED;
    }
  }
  return CUDA_SUCCESS;
}

CUresult launch(CallSite& site, CUstream handle, CUfunction function, const GridShape& grid,
                const GridShape& block, unsigned dynamic_shared_bytes, void** params, void** extra,
                bool cooperative) {
  return call(site, handle, [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
    Launch launch;
    launch.grid = grid;
    launch.block = block;
    launch.dynamic_shared_bytes = dynamic_shared_bytes;
    return launch_on(device, *stream, function, launch, params, extra, cooperative);
  });
}

int most_threads(const SimFunction& function, int limit) {
  const int most = function.max_threads();
  return limit > 0 ? std::min(limit, most) : most;
}

/// The largest block, in whole warps, with which most threads are resident.
CUresult find_block_size(const SimFunction& function, int* grid, int* block,
                         CUoccupancyB2DSize shared_of_block, std::size_t shared, int limit) {
  if (grid == nullptr || block == nullptr || limit < 0) return CUDA_ERROR_INVALID_VALUE;
  int best_threads = 0;
  for (int threads = most_threads(function, limit); threads > 0;
       threads = (threads - 1) / 32 * 32) {
    const std::size_t bytes = shared_of_block != nullptr ? shared_of_block(threads) : shared;
    const int blocks = function.active_blocks(threads, bytes);
    if (blocks * threads <= best_threads) continue;
    best_threads = blocks * threads;
    *block = threads;
    *grid = blocks * function.device().card().multiprocessors;
  }
  return best_threads == 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult count_blocks(CallSite& site, int* blocks, CUfunction handle, int threads,
                      std::size_t dynamic_shared_bytes) {
  return call(site, handle, [&](SimFunction& function) {
    if (blocks == nullptr || threads <= 0) return CUDA_ERROR_INVALID_VALUE;
    *blocks = function.active_blocks(threads, dynamic_shared_bytes);
    return CUDA_SUCCESS;
  });
}

}  // namespace
}  // namespace exports_launch

GPUKIT_SIM_EXPORT CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                          unsigned grid_z, unsigned block_x, unsigned block_y,
                                          unsigned block_z, unsigned dynamic_shared_bytes,
                                          CUstream handle, void** params, void** extra) {
  static CallSite site(__func__);
  return exports_launch::launch(site, handle, function, {grid_x, grid_y, grid_z},
                                {block_x, block_y, block_z}, dynamic_shared_bytes, params, extra,
                                false);
}

GPUKIT_SIM_EXPORT CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x,
                                                     unsigned grid_y, unsigned grid_z,
                                                     unsigned block_x, unsigned block_y,
                                                     unsigned block_z,
                                                     unsigned dynamic_shared_bytes, CUstream handle,
                                                     void** params) {
  static CallSite site(__func__);
  return exports_launch::launch(site, handle, function, {grid_x, grid_y, grid_z},
                                {block_x, block_y, block_z}, dynamic_shared_bytes, params, nullptr,
                                true);
}

GPUKIT_SIM_EXPORT CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function,
                                            void** params, void** extra) {
  static CallSite site(__func__);
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return call(site, config->hStream,
              [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
                bool cooperative = false;
                const CUresult status = exports_launch::read(*config, cooperative);
                if (status != CUDA_SUCCESS) return status;
                Launch launch;
                launch.grid = {config->gridDimX, config->gridDimY, config->gridDimZ};
                launch.block = {config->blockDimX, config->blockDimY, config->blockDimZ};
                launch.dynamic_shared_bytes = config->sharedMemBytes;
                return launch_on(device, *stream, function, launch, params, extra, cooperative);
              });
}

GPUKIT_SIM_EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(
    int* blocks, CUfunction handle, int threads, std::size_t dynamic_shared_bytes) {
  static CallSite site(__func__);
  return exports_launch::count_blocks(site, blocks, handle, threads, dynamic_shared_bytes);
}

GPUKIT_SIM_EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, CUfunction handle, int threads, std::size_t dynamic_shared_bytes, unsigned flags) {
  static CallSite site(__func__);
  if (flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE) return CUDA_ERROR_INVALID_VALUE;
  return exports_launch::count_blocks(site, blocks, handle, threads, dynamic_shared_bytes);
}

GPUKIT_SIM_EXPORT CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* block,
                                                            CUfunction handle,
                                                            CUoccupancyB2DSize shared_of_block,
                                                            std::size_t shared, int limit) {
  static CallSite site(__func__);
  return call(site, handle, [&](SimFunction& function) {
    return exports_launch::find_block_size(function, grid, block, shared_of_block, shared, limit);
  });
}

GPUKIT_SIM_EXPORT CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(
    int* grid, int* block, CUfunction handle, CUoccupancyB2DSize shared_of_block,
    std::size_t shared, int limit, unsigned flags) {
  static CallSite site(__func__);
  if (flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE) return CUDA_ERROR_INVALID_VALUE;
  return call(site, handle, [&](SimFunction& function) {
    return exports_launch::find_block_size(function, grid, block, shared_of_block, shared, limit);
  });
}

GPUKIT_SIM_EXPORT CUresult cuOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes,
                                                                   CUfunction handle, int blocks,
                                                                   int threads) {
  static CallSite site(__func__);
  return call(site, handle, [&](SimFunction& function) {
    if (bytes == nullptr || blocks <= 0 || threads <= 0 || threads > function.max_threads())
      return CUDA_ERROR_INVALID_VALUE;
    // Shared memory is allocated in units of 256 bytes.
    const Card& card = function.device().card();
    const auto room = static_cast<std::size_t>(card.shared_kib_per_multiprocessor) * 1024 /
                      static_cast<std::size_t>(blocks) / 256 * 256;
    const std::size_t most = static_cast<std::size_t>(card.shared_kib_per_block_optin) * 1024;
    const std::size_t used = function.info().static_shared_bytes;
    *bytes = std::min(room, most) > used ? std::min(room, most) - used : 0;
    return CUDA_SUCCESS;
  });
}
