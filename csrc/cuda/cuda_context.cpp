#include "cuda/cuda_context.h"

#include <utility>

#include "base/check.h"
#include "base/env.h"
#include "base/error.h"
#include "cuda/cuda_graph.h"

namespace gpukit::cuda {

namespace cuda_context {
namespace {

const char* compute_mode_text(int mode) noexcept {
  switch (mode) {
    case CU_COMPUTEMODE_PROHIBITED:
      return "Prohibited: no process may use it";
    case CU_COMPUTEMODE_EXCLUSIVE_PROCESS:
      return "Exclusive_Process: one process at a time may use it, and another one does";
    default:
      return nullptr;
  }
}

constexpr const char* kRestart =
    "Restart the notebook's runtime: this process cannot use the device again.";

}  // namespace
}  // namespace cuda_context

CudaContext::CudaContext(DriverAccess& access, int index, DeviceProperties properties)
    : access_(access),
      device_(Device::cuda(index)),
      name_(to_string(device_)),
      properties_(std::move(properties)),
      launch_blocking_(env::flag("CUDA_LAUNCH_BLOCKING")) {
  GPUKIT_CU_ON(name_, table(), cuDeviceGet, &driver_device_, index);
  retain();
}

CudaContext::~CudaContext() {
  if (access_.closed.load(std::memory_order_acquire)) return;
  if (lost() == CUDA_SUCCESS)
    GPUKIT_CU_NOEXCEPT(table(), cuDevicePrimaryCtxRelease, driver_device_);
}

void CudaContext::retain() {
  const CUresult status =
      GPUKIT_CU_STATUS(table(), cuDevicePrimaryCtxRetain, &handle_, driver_device_);
  if (status != CUDA_SUCCESS) throw_not_opened(status);
}

void CudaContext::throw_not_opened(CUresult status) {
  const char* mode = cuda_context::compute_mode_text(properties_.compute_mode);
  if (mode == nullptr ||
      (status != CUDA_ERROR_DEVICE_UNAVAILABLE && status != CUDA_ERROR_UNKNOWN)) {
    driver::throw_failed_call(table(), status, "cuDevicePrimaryCtxRetain", "&context, device",
                              name_);
  }
  const std::string fix = concat("nvidia-smi -i ", properties_.pci_bus_id, " -c DEFAULT");
  throw DeviceError(concat(name_, " (", properties_.name,
                           ") cannot be opened: its compute mode is ", mode,
                           ". End the other process, or let an administrator run: ", fix, "."))
      .with_fix(fix)
      .with_detail("device", name_)
      .with_details(driver::status_details(table(), status));
}

void CudaContext::note(CUresult status, const char* function) noexcept {
  if (!driver::is_sticky(status)) return;
  const char* nothing = nullptr;
  lost_in_.compare_exchange_strong(nothing, function, std::memory_order_acq_rel);
  CUresult fine = CUDA_SUCCESS;
  lost_.compare_exchange_strong(fine, status, std::memory_order_acq_rel);
}

void CudaContext::fail(CUresult status, const char* function, const char* arguments) {
  note(status, function);
  // A call that was under way while the session ended fails for that reason alone.
  if (access_.closed.load(std::memory_order_acquire)) throw_unusable();
  driver::throw_failed_call(table(), status, function, arguments, name_);
}

void CudaContext::throw_unusable() const {
  if (access_.closed.load(std::memory_order_acquire)) {
    throw DeviceError(
        concat(name_, ": its session has ended. Create the tensor again on an available device."));
  }
  const CUresult status = lost();
  if (status == CUDA_SUCCESS) {
    driver::throw_failed_call(table(), CUDA_ERROR_NOT_INITIALIZED, "cuCtxPushCurrent", "context",
                              name_);
  }
  const driver::StatusInfo* info = driver::find_status(status);
  const char* advice = launch_blocking_ || info == nullptr ? cuda_context::kRestart : info->advice;
  const char* function = lost_in_.load(std::memory_order_acquire);
  throw DeviceError(concat(name_,
                           " is lost: an earlier operation on this device failed; first seen in ",
                           function != nullptr ? function : "a driver call", ": ",
                           driver::status_name(table(), status), ": ",
                           driver::status_sentence(table(), status), ". ", advice))
      .with_detail("device", name_)
      .with_details(driver::status_details(table(), status));
}

void CudaContext::wait_after_launch(StreamRef stream, const char* what) {
  if (is_capturing(*this, stream)) return;  // nothing runs yet
  const CUresult status = GPUKIT_CU_STATUS(table(), cuStreamSynchronize, to_driver(stream));
  if (status == CUDA_SUCCESS) return;
  if (!driver::is_sticky(status)) fail(status, "cuStreamSynchronize", what);
  note(status, what);
  throw DeviceError(concat(what, " failed on ", name_, ": ", driver::status_name(table(), status),
                           ": ", driver::status_sentence(table(), status), ". ",
                           cuda_context::kRestart))
      .with_detail("call", what)
      .with_detail("device", name_)
      .with_details(driver::status_details(table(), status));
}

ContextScope::ContextScope(CudaContext& context) : context_(context) {
  context.check_usable();
  CUcontext current = nullptr;
  const CUresult status = context.table().cuCtxGetCurrent(&current);
  if (status == CUDA_SUCCESS && current == context.handle()) [[likely]]
    return;
  GPUKIT_CU_IN(context, cuCtxPushCurrent, context.handle());
  pushed_ = true;
}

void ContextScope::pop() noexcept {
  // Popping is allowed on a lost device, and must happen: this thread's context belongs to other
  // code.
  CUcontext popped = nullptr;
  (void)GPUKIT_CU_STATUS(context_.table(), cuCtxPopCurrent, &popped);
}

QuietContextScope::QuietContextScope(CudaContext& context) noexcept : context_(context) {
  if (!context.usable()) return;
  CUcontext current = nullptr;
  const CUresult status = context.table().cuCtxGetCurrent(&current);
  entered_ = status == CUDA_SUCCESS && current == context.handle();
  if (entered_) return;
  pushed_ = GPUKIT_CU_STATUS(context.table(), cuCtxPushCurrent, context.handle()) == CUDA_SUCCESS;
  entered_ = pushed_;
}

QuietContextScope::~QuietContextScope() {
  CUcontext popped = nullptr;
  if (pushed_) (void)GPUKIT_CU_STATUS(context_.table(), cuCtxPopCurrent, &popped);
}

}  // namespace gpukit::cuda
