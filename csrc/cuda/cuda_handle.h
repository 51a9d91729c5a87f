// Move-only owner of one driver handle. Its deleter never throws, and does nothing where the driver
// may not be called.
#pragma once

#include <utility>

#include "cuda/cuda_context.h"

namespace gpukit::cuda {

/// `Traits` names the handle's type and how to destroy it: `Handle`, and
/// `static void destroy(const DriverTable&, Handle) noexcept`, which runs with the context current.
template <class Traits>
class CudaHandle {
 public:
  using Handle = typename Traits::Handle;

  CudaHandle() noexcept = default;
  CudaHandle(CudaContext& context, Handle handle) noexcept : context_(&context), handle_(handle) {}
  CudaHandle(CudaHandle&& other) noexcept
      : context_(std::exchange(other.context_, nullptr)),
        handle_(std::exchange(other.handle_, Handle{})) {}
  CudaHandle& operator=(CudaHandle&& other) noexcept {
    if (this != &other) {
      destroy();
      context_ = std::exchange(other.context_, nullptr);
      handle_ = std::exchange(other.handle_, Handle{});
    }
    return *this;
  }
  CudaHandle(const CudaHandle&) = delete;
  CudaHandle& operator=(const CudaHandle&) = delete;
  ~CudaHandle() { destroy(); }

  Handle get() const noexcept { return handle_; }
  /// Hands the handle over: it is not destroyed here any more.
  Handle release() noexcept { return std::exchange(handle_, Handle{}); }
  explicit operator bool() const noexcept { return handle_ != Handle{}; }

 private:
  void destroy() noexcept {
    if (context_ == nullptr || handle_ == Handle{}) return;
    const QuietContextScope scope(*context_);
    if (scope) Traits::destroy(context_->table(), handle_);
    handle_ = Handle{};
  }

  CudaContext* context_ = nullptr;
  Handle handle_{};
};

}  // namespace gpukit::cuda
