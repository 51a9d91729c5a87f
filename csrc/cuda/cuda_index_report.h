// The record in which kernels of a device leave an index that is out of range.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include "backend/index_fault.h"
#include "cuda/cuda_context.h"
#include "kernels/kernel_args.h"

namespace gpukit::cuda {

/// One page-locked IndexRecord a device, made at the first call that reports. Reading it costs no
/// driver call. Thread safe.
class CudaIndexReport {
 public:
  explicit CudaIndexReport(CudaContext& context) : context_(context) {}
  ~CudaIndexReport();
  CudaIndexReport(const CudaIndexReport&) = delete;
  CudaIndexReport& operator=(const CudaIndexReport&) = delete;

  /// False if the system cannot pin memory: the caller then checks the indices itself.
  bool available() {
    return record_.load(std::memory_order_acquire) != nullptr || make() != nullptr;
  }

  /// What a kernel gets; no record when `check` says not to report.
  IndexReportRef target(const IndexCheck& check);

  /// The fault that was left, once, and the record is free again.
  std::optional<IndexFault> take() noexcept;

  /// With CUDA_LAUNCH_BLOCKING=1: throws what the kernel that just ended has left.
  void after_launch() {
    if (context_.launch_blocking()) [[unlikely]]
      throw_if_left();
  }

 private:
  IndexRecord* make();
  void throw_if_left();

  CudaContext& context_;
  std::mutex mutex_;
  std::atomic<IndexRecord*> record_{nullptr};
  bool refused_ = false;
};

}  // namespace gpukit::cuda
