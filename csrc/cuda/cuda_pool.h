// A stream-ordered memory pool of the driver, gpukit's own: the device's default one is shared with
// torch and cuBLAS.
#pragma once

#include <cstddef>
#include <mutex>

#include "cuda/cuda_context.h"

namespace gpukit::cuda {

/// Made with the first block. Thread safe. Throws NotSupportedError where card or driver have no
/// pools.
class CudaPool {
 public:
  explicit CudaPool(CudaContext& context) : context_(context) {}
  ~CudaPool();
  CudaPool(const CudaPool&) = delete;
  CudaPool& operator=(const CudaPool&) = delete;

  bool is_supported() const noexcept;
  void* allocate(std::size_t bytes, StreamRef stream);
  /// In the order of the stream.
  void deallocate(void* address, StreamRef stream) noexcept;
  /// Gives unused memory back to the device; returns the bytes.
  std::size_t trim();

 private:
  CUmemoryPool pool();
  std::size_t reserved();

  CudaContext& context_;
  std::mutex mutex_;
  CUmemoryPool pool_ = nullptr;
};

}  // namespace gpukit::cuda
