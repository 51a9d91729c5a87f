// Fills of device memory.
#include <algorithm>

#include "sim/fresh_memory.h"
#include "sim/synchronous_call.h"

using namespace gpukit::sim;

namespace exports_fill {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 46;

/// `rows` rows of `count` values, `pitch` bytes apart.
template <class T>
CUresult fill(SimDevice& device, SimStream& stream, CUdeviceptr to, T value, std::size_t count,
              std::size_t rows = 1, std::size_t pitch = 0) {
  if (count == 0 || rows == 0) return CUDA_SUCCESS;
  if (to % sizeof(T) != 0 || count > kMostBytes || rows > kMostBytes || pitch > kMostBytes)
    return CUDA_ERROR_INVALID_VALUE;
  const std::size_t row_bytes = count * sizeof(T);
  if (rows > 1 && (pitch < row_bytes || pitch % sizeof(T) != 0 || rows > kMostBytes / pitch))
    return CUDA_ERROR_INVALID_VALUE;
  if (!device.simulation().is_usable_range(to, (rows - 1) * pitch + row_bytes))
    return CUDA_ERROR_INVALID_VALUE;
  if (!device.reaches(to)) return CUDA_ERROR_INVALID_VALUE;  // the card itself would write
  Work work;
  work.cost = device.fill_cost(rows * row_bytes);
  work.run = [=] {
    for (std::size_t row = 0; row < rows; row++) {
      T* first = reinterpret_cast<T*>(to + row * pitch);
      std::fill(first, first + count, value);
      fresh_memory().note_written(to + row * pitch, row_bytes);
    }
    return CUDA_SUCCESS;
  };
  device.submit(stream, std::move(work));
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace exports_fill

#define GPUKIT_SIM_FILL(bits, type)                                                                \
  GPUKIT_SIM_EXPORT CUresult cuMemsetD##bits##Async(CUdeviceptr to, type value, std::size_t count, \
                                                    CUstream handle) {                             \
    static CallSite site(__func__);                                                                \
    return call(site, handle, [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {   \
      return exports_fill::fill(device, *stream, to, value, count);                                \
    });                                                                                            \
  }                                                                                                \
  GPUKIT_SIM_EXPORT CUresult cuMemsetD##bits##_v2(CUdeviceptr to, type value, std::size_t count) { \
    static CallSite site(__func__);                                                                \
    return synchronous_call(site, [&](SimDevice& device, SimStream& stream) {                      \
      return exports_fill::fill(device, stream, to, value, count);                                 \
    });                                                                                            \
  }                                                                                                \
  GPUKIT_SIM_EXPORT CUresult cuMemsetD2D##bits##Async(CUdeviceptr to, std::size_t pitch,           \
                                                      type value, std::size_t width,               \
                                                      std::size_t height, CUstream handle) {       \
    static CallSite site(__func__);                                                                \
    return call(site, handle, [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {   \
      return exports_fill::fill(device, *stream, to, value, width, height, pitch);                 \
    });                                                                                            \
  }                                                                                                \
  GPUKIT_SIM_EXPORT CUresult cuMemsetD2D##bits##_v2(CUdeviceptr to, std::size_t pitch, type value, \
                                                    std::size_t width, std::size_t height) {       \
    static CallSite site(__func__);                                                                \
    return synchronous_call(site, [&](SimDevice& device, SimStream& stream) {                      \
      return exports_fill::fill(device, stream, to, value, width, height, pitch);                  \
    });                                                                                            \
  }

GPUKIT_SIM_FILL(8, unsigned char)
GPUKIT_SIM_FILL(16, unsigned short)
GPUKIT_SIM_FILL(32, unsigned)
#undef GPUKIT_SIM_FILL
