#include "cuda/cuda_memory.h"

#include "base/check.h"
#include "base/error.h"
#include "base/format.h"

namespace gpukit::cuda {

namespace cuda_memory {
namespace {

/// The statuses with which the system refuses to lock pages: memory, a limit of the user, a feature
/// it lacks.
bool is_refused_pin(CUresult status) noexcept {
  return status == CUDA_ERROR_OUT_OF_MEMORY || status == CUDA_ERROR_OPERATING_SYSTEM ||
         status == CUDA_ERROR_NOT_SUPPORTED || status == CUDA_ERROR_NOT_PERMITTED;
}

}  // namespace
}  // namespace cuda_memory

void throw_out_of_memory(CudaContext& context, std::size_t bytes) {
  const MemoryInfo info = memory_info(context);
  const auto asked = static_cast<std::int64_t>(bytes);
  OutOfMemoryError error(
      concat(context.name(), ": asked ", format_bytes(asked), "; free ", format_bytes(info.free),
             " of ", format_bytes(info.total),
             ". Try: gpukit.cuda.empty_cache(), a smaller batch, or dtype float16."),
      asked, info.free, info.total, 0);
  error.set_fix("gpukit.cuda.empty_cache()");
  error.add_detail("device", context.name());
  throw error;
}

void* allocate_device(CudaContext& context, std::size_t bytes) {
  const ContextScope scope(context);
  const RelaxedCaptureScope relaxed(context);
  CUdeviceptr address = 0;
  const CUresult status = GPUKIT_CU_STATUS(context.table(), cuMemAlloc, &address, bytes);
  if (status == CUDA_ERROR_OUT_OF_MEMORY) throw_out_of_memory(context, bytes);
  if (status != CUDA_SUCCESS)
    context.fail(status, "cuMemAlloc", concat("&address, ", bytes).c_str());
  return reinterpret_cast<void*>(address);
}

void free_device(CudaContext& context, void* address) noexcept {
  const QuietContextScope scope(context);
  if (!scope || address == nullptr) return;
  const RelaxedCaptureScope relaxed(context);
  const CUresult status = GPUKIT_CU_STATUS(context.table(), cuMemFree, as_address(address));
  if (status == CUDA_SUCCESS) return;
  context.note(status, "cuMemFree");
  driver::warn_failed_call(context.table(), status, "cuMemFree");
}

void* allocate_pinned(CudaContext& context, std::size_t bytes) {
  const ContextScope scope(context);
  const RelaxedCaptureScope relaxed(context);
  void* address = nullptr;
  const CUresult status =
      GPUKIT_CU_STATUS(context.table(), cuMemHostAlloc, &address, bytes, CU_MEMHOSTALLOC_PORTABLE);
  GPUKIT_CHECK(
      !cuda_memory::is_refused_pin(status), HostMemoryError, context.name(), ": ",
      format_bytes(static_cast<std::int64_t>(bytes)),
      " of page-locked host memory were refused: ", driver::status_name(context.table(), status),
      ". Free host memory, raise 'ulimit -l', or use ordinary memory.");
  if (status != CUDA_SUCCESS)
    context.fail(status, "cuMemHostAlloc", concat("&address, ", bytes).c_str());
  return address;
}

void free_pinned(CudaContext& context, void* address) noexcept {
  const QuietContextScope scope(context);
  if (!scope || address == nullptr) return;
  const RelaxedCaptureScope relaxed(context);
  const CUresult status = GPUKIT_CU_STATUS(context.table(), cuMemFreeHost, address);
  if (status == CUDA_SUCCESS) return;
  context.note(status, "cuMemFreeHost");
  driver::warn_failed_call(context.table(), status, "cuMemFreeHost");
}

AddressLocation locate(CudaContext& context, const void* address) {
  const ContextScope scope(context);
  const auto ask = [&](CUpointer_attribute attribute, auto* answer) {
    const CUresult status = GPUKIT_CU_STATUS(context.table(), cuPointerGetAttribute, answer,
                                             attribute, as_address(address));
    if (status == CUDA_SUCCESS) return true;
    if (status != CUDA_ERROR_INVALID_VALUE)
      context.fail(status, "cuPointerGetAttribute", "&answer, attribute, address");
    return false;
  };
  unsigned type = 0;
  int device = -1;
  if (!ask(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, &type)) return {};
  if (type == CU_MEMORYTYPE_HOST) return {AddressLocation::Kind::kHost, -1};
  if (!ask(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, &device)) return {};
  return {AddressLocation::Kind::kDevice, device};
}

MemoryInfo memory_info(CudaContext& context) {
  const ContextScope scope(context);
  std::size_t free = 0, total = 0;
  GPUKIT_CU_IN(context, cuMemGetInfo, &free, &total);
  return {static_cast<std::int64_t>(free), static_cast<std::int64_t>(total)};
}

}  // namespace gpukit::cuda
