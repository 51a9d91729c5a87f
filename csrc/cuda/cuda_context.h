// One device's primary context, shared with the other libraries of the process, and whether it can
// still be used.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "backend/device_properties.h"
#include "backend/stream_types.h"
#include "base/device_use.h"
#include "base/wait_watch.h"
#include "core/device.h"
#include "driver/call.h"

namespace gpukit::cuda {

/// What all devices of one backend share: the driver's functions, and whether they may still be
/// called.
struct DriverAccess {
  const driver::DriverTable& table;
  std::atomic<bool> closed{false};  ///< the session is over: no call is made any more
};

/// Retains the primary context for its own life. It is never reset and its flags are never set:
/// torch uses it too. After the first error that lasts, the device is lost: each later call raises
/// immediately and deleters do nothing.
class CudaContext {
 public:
  /// Throws what the driver says; an exclusive or prohibited compute mode is named.
  CudaContext(DriverAccess& access, int index, DeviceProperties properties);
  ~CudaContext();
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;

  const driver::DriverTable& table() const noexcept { return access_.table; }
  CUcontext handle() const noexcept { return handle_; }
  CUdevice driver_device() const noexcept { return driver_device_; }
  Device device() const noexcept { return device_; }
  const std::string& name() const noexcept { return name_; }  ///< "cuda:0"
  const DeviceProperties& properties() const noexcept { return properties_; }

  /// False once the device is lost, the session over or the process exiting: then nothing may be
  /// called.
  bool usable() const noexcept {
    return lost_.load(std::memory_order_acquire) == CUDA_SUCCESS &&
           !access_.closed.load(std::memory_order_acquire) && process_state::driver_usable();
  }
  /// Throws when it is not usable.
  void check_usable() const {
    if (!usable()) [[unlikely]]
      throw_unusable();
  }
  /// The status that the device was lost with, or CUDA_SUCCESS.
  CUresult lost() const noexcept { return lost_.load(std::memory_order_acquire); }

  /// Captures of graphs that are under way on this device.
  int open_captures() const noexcept { return captures_.load(std::memory_order_acquire); }
  void count_captures(int change) noexcept {
    captures_.fetch_add(change, std::memory_order_acq_rel);
  }

  /// Remembers `status` if it lasts. `function` is the call that showed it.
  void note(CUresult status, const char* function) noexcept;
  /// note(), then throws what the status means.
  [[noreturn]] void fail(CUresult status, const char* function, const char* arguments);

  bool launch_blocking() const noexcept { return launch_blocking_; }
  /// CUDA_LAUNCH_BLOCKING=1: waits for what was just queued, so that a fault shows at the call that
  /// made it. The context must be current.
  void after_launch(StreamRef stream, const char* what) {
    note_queued_work();
    note_device_use(device_.index, stream.handle);
    if (launch_blocking_) [[unlikely]]
      wait_after_launch(stream, what);
  }

 private:
  void retain();
  [[noreturn]] void throw_unusable() const;
  [[noreturn]] void throw_not_opened(CUresult status);
  void wait_after_launch(StreamRef stream, const char* what);

  DriverAccess& access_;
  Device device_;
  std::string name_;
  DeviceProperties properties_;
  bool launch_blocking_ = false;
  CUdevice driver_device_ = 0;
  CUcontext handle_ = nullptr;
  std::atomic<int> captures_{0};
  std::atomic<CUresult> lost_{CUDA_SUCCESS};
  std::atomic<const char*> lost_in_{nullptr};
};

/// Makes the context current on this thread for its own life. Nothing is switched where it is
/// current already. Throws when the device is lost.
class ContextScope {
 public:
  explicit ContextScope(CudaContext& context);
  ~ContextScope() {
    if (pushed_) pop();
  }
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  void pop() noexcept;

  CudaContext& context_;
  bool pushed_ = false;
};

/// The same for deleters: false where nothing may be called.
class QuietContextScope {
 public:
  explicit QuietContextScope(CudaContext& context) noexcept;
  ~QuietContextScope();
  QuietContextScope(const QuietContextScope&) = delete;
  QuietContextScope& operator=(const QuietContextScope&) = delete;
  explicit operator bool() const noexcept { return entered_; }

 private:
  CudaContext& context_;
  bool entered_ = false;
  bool pushed_ = false;
};

/// Lets this thread make calls (queries, allocations) that would invalidate a graph that any thread
/// is recording now.
class RelaxedCaptureScope {
 public:
  explicit RelaxedCaptureScope(const CudaContext& context) noexcept : context_(context) {
    exchange();
  }
  ~RelaxedCaptureScope() { exchange(); }
  RelaxedCaptureScope(const RelaxedCaptureScope&) = delete;
  RelaxedCaptureScope& operator=(const RelaxedCaptureScope&) = delete;

 private:
  void exchange() noexcept {
    if (context_.table().cuThreadExchangeStreamCaptureMode != nullptr && context_.usable()) {
      (void)context_.table().cuThreadExchangeStreamCaptureMode(&mode_);
    }
  }

  const CudaContext& context_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

inline CUstream to_driver(StreamRef stream) noexcept {
  return reinterpret_cast<CUstream>(stream.handle);
}
inline CUevent to_driver(EventRef event) noexcept {
  return reinterpret_cast<CUevent>(event.handle);
}
inline CUdeviceptr as_address(const void* address) noexcept {
  return reinterpret_cast<CUdeviceptr>(address);
}

}  // namespace gpukit::cuda

/// A driver call on a device, with its context current: GPUKIT_CU_IN(context, cuMemAlloc, &pointer,
/// bytes).
#define GPUKIT_CU_IN(context, function, ...)                                      \
  do {                                                                            \
    const CUresult gpukit_status =                                                \
        GPUKIT_CU_STATUS((context).table(), function __VA_OPT__(, ) __VA_ARGS__); \
    if (gpukit_status != CUDA_SUCCESS) [[unlikely]] {                             \
      (context).fail(gpukit_status, #function, #__VA_ARGS__);                     \
    }                                                                             \
  } while (false)
