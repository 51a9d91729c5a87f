#include "cuda/cuda_wait.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/interrupt.h"

namespace gpukit::cuda {

namespace cuda_wait {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kSpin = std::chrono::microseconds(20);
constexpr auto kShortestSleep = std::chrono::microseconds(50);
constexpr auto kLongestSleep = std::chrono::microseconds(200);
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
bool wait_until(CudaContext& context, WaitTarget target, Clock::time_point end, bool spin) {
  const ContextScope scope(context);
  const RelaxedCaptureScope relaxed(context);
  const Clock::time_point spin_end = spin ? Clock::now() + kSpin : Clock::time_point();
  auto sleep = kShortestSleep;
  for (;;) {
    if (query(context, target)) return true;
    const Clock::time_point now = Clock::now();
    if (now >= end) return false;
    if (now < spin_end) continue;
    std::this_thread::sleep_for(sleep);
    sleep = std::min(sleep * 2, kLongestSleep);
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
  bool spin = true;
  while (!cuda_wait::wait_until(context, target,
                                cuda_wait::Clock::now() + cuda_wait::kInterruptPeriod, spin)) {
    throw_if_interrupted();
    spin = false;
  }
}

}  // namespace gpukit::cuda
