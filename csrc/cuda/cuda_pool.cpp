#include "cuda/cuda_pool.h"

#include <limits>

#include "base/check.h"
#include "base/error.h"
#include "cuda/cuda_memory.h"

namespace gpukit::cuda {

CudaPool::~CudaPool() {
  if (pool_ == nullptr) return;
  const QuietContextScope scope(context_);
  if (scope) GPUKIT_CU_NOEXCEPT(context_.table(), cuMemPoolDestroy, pool_);
}

bool CudaPool::is_supported() const noexcept {
  const driver::DriverTable& table = context_.table();
  return context_.properties().memory_pools && table.cuMemPoolCreate != nullptr &&
         table.cuMemAllocFromPoolAsync != nullptr && table.cuMemFreeAsync != nullptr &&
         table.cuMemPoolSetAttribute != nullptr && table.cuMemPoolGetAttribute != nullptr &&
         table.cuMemPoolTrimTo != nullptr;
}

/// By itself a pool gives everything back at each synchronisation; ours keeps it until trim().
CUmemoryPool CudaPool::pool() {
  const std::lock_guard lock(mutex_);
  if (pool_ != nullptr) return pool_;
  GPUKIT_CHECK(is_supported(), NotSupportedError, context_.name(),
               ": this card or driver has no stream-ordered pools. Use "
               "gpukit.config.set_pool('pool')");
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = context_.driver_device();
  CUmemoryPool made = nullptr;
  GPUKIT_CU_IN(context_, cuMemPoolCreate, &made, &properties);
  pool_ = made;
  std::uint64_t keep = std::numeric_limits<std::uint64_t>::max();
  GPUKIT_CU_IN(context_, cuMemPoolSetAttribute, pool_, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep);
  return pool_;
}

void* CudaPool::allocate(std::size_t bytes, StreamRef stream) {
  const ContextScope scope(context_);
  CUdeviceptr address = 0;
  const CUresult status = GPUKIT_CU_STATUS(context_.table(), cuMemAllocFromPoolAsync, &address,
                                           bytes, pool(), to_driver(stream));
  if (status == CUDA_ERROR_OUT_OF_MEMORY) throw_out_of_memory(context_, bytes);
  if (status != CUDA_SUCCESS)
    context_.fail(status, "cuMemAllocFromPoolAsync", concat("&address, ", bytes).c_str());
  return reinterpret_cast<void*>(address);
}

void CudaPool::deallocate(void* address, StreamRef stream) noexcept {
  const QuietContextScope scope(context_);
  if (!scope) return;
  const CUresult status =
      GPUKIT_CU_STATUS(context_.table(), cuMemFreeAsync, as_address(address), to_driver(stream));
  if (status == CUDA_SUCCESS) return;
  context_.note(status, "cuMemFreeAsync");
  driver::warn_failed_call(context_.table(), status, "cuMemFreeAsync");
}

std::size_t CudaPool::reserved() {
  std::uint64_t bytes = 0;
  GPUKIT_CU_IN(context_, cuMemPoolGetAttribute, pool_, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT,
               &bytes);
  return bytes;
}

std::size_t CudaPool::trim() {
  const std::lock_guard lock(mutex_);
  if (pool_ == nullptr) return 0;
  const ContextScope scope(context_);
  const std::size_t before = reserved();
  GPUKIT_CU_IN(context_, cuMemPoolTrimTo, pool_, 0);
  const std::size_t after = reserved();
  return before > after ? before - after : 0;
}

}  // namespace gpukit::cuda
