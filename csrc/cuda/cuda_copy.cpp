#include "cuda/cuda_copy.h"

#include <string>

#include "base/check.h"
#include "base/format.h"
#include "cuda/cuda_runtime.h"

namespace gpukit::cuda {

namespace cuda_copy {
namespace {

/// Throws for a failed copy, with its size.
void check(CudaContext& context, CUresult status, const char* function, std::size_t bytes,
           StreamRef stream) {
  if (status != CUDA_SUCCESS) [[unlikely]] {
    context.fail(status, function, format_bytes(static_cast<std::int64_t>(bytes)).c_str());
  }
  context.after_launch(stream, function);
}

}  // namespace
}  // namespace cuda_copy

void CudaRuntime::copy_from_host(void* target, const void* source, std::size_t bytes,
                                 StreamRef stream) {
  if (bytes == 0) return;
  const ContextScope scope(context_);
  cuda_copy::check(context_,
                   GPUKIT_CU_STATUS(context_.table(), cuMemcpyHtoDAsync, as_address(target), source,
                                    bytes, to_driver(stream)),
                   "cuMemcpyHtoDAsync", bytes, stream);
}

void CudaRuntime::copy_to_host(void* target, const void* source, std::size_t bytes,
                               StreamRef stream) {
  if (bytes == 0) return;
  const ContextScope scope(context_);
  cuda_copy::check(context_,
                   GPUKIT_CU_STATUS(context_.table(), cuMemcpyDtoHAsync, target, as_address(source),
                                    bytes, to_driver(stream)),
                   "cuMemcpyDtoHAsync", bytes, stream);
}

void CudaRuntime::copy_on_device(void* target, const void* source, std::size_t bytes,
                                 StreamRef stream) {
  if (bytes == 0 || target == source) return;
  const ContextScope scope(context_);
  cuda_copy::check(context_,
                   GPUKIT_CU_STATUS(context_.table(), cuMemcpyDtoDAsync, as_address(target),
                                    as_address(source), bytes, to_driver(stream)),
                   "cuMemcpyDtoDAsync", bytes, stream);
}

void copy_between_devices(CudaContext& context, void* target, CudaContext& source_context,
                          const void* source, std::size_t bytes, StreamRef stream) {
  if (bytes == 0) return;
  source_context.check_usable();
  const ContextScope scope(context);
  cuda_copy::check(
      context,
      GPUKIT_CU_STATUS(context.table(), cuMemcpyPeerAsync, as_address(target), context.handle(),
                       as_address(source), source_context.handle(), bytes, to_driver(stream)),
      "cuMemcpyPeerAsync", bytes, stream);
}

void CudaRuntime::fill_bytes(void* target, unsigned char value, std::size_t bytes,
                             StreamRef stream) {
  if (bytes == 0) return;
  const ContextScope scope(context_);
  cuda_copy::check(context_,
                   GPUKIT_CU_STATUS(context_.table(), cuMemsetD8Async, as_address(target), value,
                                    bytes, to_driver(stream)),
                   "cuMemsetD8Async", bytes, stream);
}

}  // namespace gpukit::cuda
