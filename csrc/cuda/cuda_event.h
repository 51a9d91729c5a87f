// Events of one device. Those without timing are kept and reused, because memory and transfers
// use many.
#pragma once

#include <atomic>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "cuda/cuda_handle.h"

namespace gpukit::cuda {

struct EventTraits {
  using Handle = CUevent;
  static void destroy(const driver::DriverTable& table, CUevent event) noexcept {
    GPUKIT_CU_NOEXCEPT(table, cuEventDestroy, event);
  }
};

using CudaEvent = CudaHandle<EventTraits>;

/// Thread safe.
class CudaEvents {
 public:
  explicit CudaEvents(CudaContext& context) : context_(context) {}
  CudaEvents(const CudaEvents&) = delete;
  CudaEvents& operator=(const CudaEvents&) = delete;

  EventRef create(EventOptions options);
  /// Never waits; an event that is still pending is legal to destroy.
  void destroy(EventRef event) noexcept;

  void record(EventRef event, StreamRef stream);
  void wait(StreamRef stream, EventRef event);
  /// Throws for an event that was last recorded into a graph: it is not a point in time, and asking
  /// for it would invalidate the capture.
  void check_not_captured(EventRef event);
  /// Milliseconds, to about half a microsecond.
  double elapsed_ms(EventRef start, EventRef stop);

 private:
  CUevent make(unsigned flags);
  CUevent take_idle() noexcept;
  bool keep(CUevent event) noexcept;
  bool forget_capture(CUevent event) noexcept;
  void check_completed(EventRef event, const char* which);

  CudaContext& context_;
  std::mutex mutex_;
  std::vector<CudaEvent> idle_;
  std::unordered_set<CUevent> special_;   ///< with timing or blocking: not for the pool
  std::unordered_set<CUevent> captured_;  ///< last recorded into a graph
  std::atomic<bool> any_captured_{false};
};

}  // namespace gpukit::cuda
