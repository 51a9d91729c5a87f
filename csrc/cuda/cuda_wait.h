// Waiting for a device so that Ctrl-C comes through: ask, sleep a little, ask again.
#pragma once

#include "cuda/cuda_context.h"

namespace gpukit::cuda {

/// What is waited for: one of the two.
struct WaitTarget {
  CUstream stream = nullptr;
  CUevent event = nullptr;
  bool is_event = false;
};

/// True when the work is done. Throws the fault of earlier work, which shows here first.
bool is_done(CudaContext& context, WaitTarget target);

/// Waits until is_done. Throws PythonErrorSet on Ctrl-C; the work stays queued then.
void wait_for(CudaContext& context, WaitTarget target);

}  // namespace gpukit::cuda
