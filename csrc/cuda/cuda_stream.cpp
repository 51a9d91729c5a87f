#include "cuda/cuda_stream.h"

#include <algorithm>

namespace gpukit::cuda {

namespace cuda_stream {
namespace {

/// The nearest priority that the card has; 0 if the driver does not report it.
int clamp(CudaContext& context, int priority) {
  if (context.table().cuCtxGetStreamPriorityRange == nullptr) return 0;
  int least = 0, greatest = 0;
  GPUKIT_CU_IN(context, cuCtxGetStreamPriorityRange, &least, &greatest);
  return std::clamp(priority, std::min(greatest, least), std::max(greatest, least));
}

}  // namespace
}  // namespace cuda_stream

CudaStream make_stream(CudaContext& context, int priority) {
  const ContextScope scope(context);
  CUstream stream = nullptr;
  GPUKIT_CU_IN(context, cuStreamCreateWithPriority, &stream, CU_STREAM_NON_BLOCKING,
               cuda_stream::clamp(context, priority));
  return {context, stream};
}

CudaStreams::CudaStreams(CudaContext& context)
    : context_(context), own_(make_stream(context, 0)), default_(as_ref(own_)) {}

StreamRef CudaStreams::create(int priority) {
  {
    const std::lock_guard lock(mutex_);
    for (Owned& owned : streams_) {
      if (owned.in_use || owned.priority != priority) continue;
      owned.in_use = true;
      return as_ref(owned.stream);
    }
  }
  Owned made{make_stream(context_, priority), priority, true};
  const StreamRef ref = as_ref(made.stream);
  const std::lock_guard lock(mutex_);
  streams_.push_back(std::move(made));
  return ref;
}

void CudaStreams::destroy(StreamRef stream) noexcept {
  const std::lock_guard lock(mutex_);
  for (Owned& owned : streams_) {
    if (as_ref(owned.stream) == stream) owned.in_use = false;
  }
}

std::vector<StreamRef> CudaStreams::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<StreamRef> refs = {default_};
  for (const Owned& owned : streams_) refs.push_back(as_ref(owned.stream));
  return refs;
}

}  // namespace gpukit::cuda
