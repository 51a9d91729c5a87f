#include "cuda/cuda_wait.h"

#include <chrono>
#include <thread>

#include "base/interrupt.h"
#include "base/wait_pacing.h"

namespace gpukit::cuda {

namespace cuda_wait {
namespace {

using Clock = WaitPacing::Clock;

constexpr auto kInterruptPeriod = std::chrono::milliseconds(10);

bool query(CudaContext& context, WaitTarget target) {
  context.check_usable();
  const driver::DriverTable& table = context.table();
  const CUresult status = target.is_event ? GPUKIT_CU_STATUS(table, cuEventQuery, target.event)
                                          : GPUKIT_CU_STATUS(table, cuStreamQuery, target.stream);
  if (status == CUDA_SUCCESS) return true;
  if (status == CUDA_ERROR_NOT_READY) return false;
  if (target.is_event) context.fail(status, "cuEventQuery", "event");
  context.fail(status, "cuStreamQuery", "stream");
}

/// Asks until `end`; true when the work is done. Signal handlers run between two calls, with the
/// thread's own context current.
bool wait_until(CudaContext& context, WaitTarget target, Clock::time_point end,
                WaitPacing& pacing) {
  const ContextScope scope(context);
  const RelaxedCaptureScope relaxed(context);
  for (;;) {
    if (query(context, target)) return true;
    if (Clock::now() >= end) return false;
    const Clock::duration pause = pacing.pause();
    if (pause > Clock::duration::zero()) std::this_thread::sleep_for(pause);
  }
}

}  // namespace
}  // namespace cuda_wait

bool is_done(CudaContext& context, WaitTarget target) {
  const ContextScope scope(context);
  const RelaxedCaptureScope relaxed(context);
  return cuda_wait::query(context, target);
}

void wait_for(CudaContext& context, WaitTarget target) {
  WaitPacing pacing;
  while (!cuda_wait::wait_until(context, target,
                                cuda_wait::Clock::now() + cuda_wait::kInterruptPeriod, pacing)) {
    throw_if_interrupted();
  }
}

}  // namespace gpukit::cuda
