#include "cuda/cuda_event.h"

#include "base/check.h"
#include "base/error.h"
#include "cuda/cuda_graph.h"
#include "cuda/cuda_wait.h"

namespace gpukit::cuda {

namespace cuda_event {
namespace {

constexpr std::size_t kMostIdle = 1024;

EventRef as_ref(CUevent event) noexcept { return {reinterpret_cast<std::uintptr_t>(event)}; }

unsigned flags_of(EventOptions options) noexcept {
  unsigned flags = options.timing ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING;
  if (options.blocking) flags |= CU_EVENT_BLOCKING_SYNC;
  return flags;
}

}  // namespace
}  // namespace cuda_event

EventRef CudaEvents::create(EventOptions options) {
  const bool special = options.timing || options.blocking;
  if (!special) {
    context_.check_usable();
    if (CUevent idle = take_idle()) return cuda_event::as_ref(idle);
  }
  CudaEvent made(context_, make(cuda_event::flags_of(options)));
  const std::lock_guard lock(mutex_);
  if (special) special_.insert(made.get());
  return cuda_event::as_ref(made.release());
}

CUevent CudaEvents::make(unsigned flags) {
  const ContextScope scope(context_);
  CUevent event = nullptr;
  GPUKIT_CU_IN(context_, cuEventCreate, &event, flags);
  return event;
}

CUevent CudaEvents::take_idle() noexcept {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return nullptr;
  CUevent event = idle_.back().release();
  idle_.pop_back();
  return event;
}

void CudaEvents::destroy(EventRef event) noexcept {
  if (event == EventRef{}) return;
  if (!forget_capture(to_driver(event)) && keep(to_driver(event))) return;
  const CudaEvent gone(context_, to_driver(event));
}

/// A new event counts as complete until it is recorded, so only one that is complete can represent
/// a new one.
bool CudaEvents::keep(CUevent event) noexcept {
  try {
    const bool completed = is_done(context_, {.event = event, .is_event = true});
    const std::lock_guard lock(mutex_);
    if (special_.erase(event) != 0 || !completed || idle_.size() >= cuda_event::kMostIdle)
      return false;
    idle_.emplace_back(context_, event);
    return true;
  } catch (...) {  // the device is lost
    return false;
  }
}

/// True when the event was recorded into a graph last.
bool CudaEvents::forget_capture(CUevent event) noexcept {
  if (!any_captured_.load(std::memory_order_acquire)) return false;
  const std::lock_guard lock(mutex_);
  const bool captured = captured_.erase(event) != 0;
  if (captured) special_.erase(event);
  any_captured_.store(!captured_.empty(), std::memory_order_release);
  return captured;
}

void CudaEvents::check_not_captured(EventRef event) {
  if (!any_captured_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(mutex_);
  GPUKIT_CHECK(!captured_.contains(to_driver(event)), DeviceError, context_.name(),
               ": this event was recorded into a graph, where it only orders streams. Record one "
               "after graph.replay() to wait for it.");
}

void CudaEvents::record(EventRef event, StreamRef stream) {
  const ContextScope scope(context_);
  if (is_capturing(context_, stream)) {
    const std::lock_guard lock(mutex_);
    captured_.insert(to_driver(event));
    any_captured_.store(true, std::memory_order_release);
  } else if (any_captured_.load(std::memory_order_acquire)) {
    const std::lock_guard lock(mutex_);
    captured_.erase(to_driver(event));
  }
  GPUKIT_CU_IN(context_, cuEventRecord, to_driver(event), to_driver(stream));
}

void CudaEvents::wait(StreamRef stream, EventRef event) {
  const ContextScope scope(context_);
  GPUKIT_CU_IN(context_, cuStreamWaitEvent, to_driver(stream), to_driver(event), 0);
}

void CudaEvents::check_completed(EventRef event, const char* which) {
  check_not_captured(event);
  GPUKIT_CHECK(is_done(context_, {.event = to_driver(event), .is_event = true}), DeviceError,
               "elapsed_time on ", context_.name(), ": the ", which,
               " event is not complete yet. Call end.synchronize() first.");
}

double CudaEvents::elapsed_ms(EventRef start, EventRef stop) {
  check_completed(start, "start");
  check_completed(stop, "end");
  const ContextScope scope(context_);
  float milliseconds = 0;
  const CUresult status = GPUKIT_CU_STATUS(context_.table(), cuEventElapsedTime, &milliseconds,
                                           to_driver(start), to_driver(stop));
  GPUKIT_CHECK(status != CUDA_ERROR_INVALID_HANDLE, GenericError, "elapsed_time on ",
               context_.name(),
               ": an event has no time: create Event(enable_timing=True) and record both events.");
  if (status != CUDA_SUCCESS) context_.fail(status, "cuEventElapsedTime", "start, end");
  return static_cast<double>(milliseconds);
}

}  // namespace gpukit::cuda
