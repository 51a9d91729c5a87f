#include "cuda/cuda_index_report.h"

#include <new>

#include "base/error.h"
#include "cuda/cuda_memory.h"

namespace gpukit::cuda {

CudaIndexReport::~CudaIndexReport() {
  free_pinned(context_, record_.load(std::memory_order_acquire));
}

IndexRecord* CudaIndexReport::make() {
  const std::lock_guard lock(mutex_);
  IndexRecord* record = record_.load(std::memory_order_acquire);
  if (record != nullptr || refused_) return record;
  try {
    record = new (allocate_pinned(context_, sizeof(IndexRecord))) IndexRecord{};
    record_.store(record, std::memory_order_release);
  } catch (const HostMemoryError&) {
    refused_ = true;
  }
  return record;
}

IndexReportRef CudaIndexReport::target(const IndexCheck& check) {
  IndexReportRef to{};
  to.operation = static_cast<gk_i32>(check.op);
  to.dim = check.dim;
  if (check.report && available()) to.record = record_.load(std::memory_order_acquire);
  return to;
}

std::optional<IndexFault> CudaIndexReport::take() noexcept {
  IndexRecord* record = record_.load(std::memory_order_acquire);
  if (record == nullptr || __atomic_load_n(&record->complete, __ATOMIC_ACQUIRE) == 0)
    return std::nullopt;
  const std::lock_guard lock(mutex_);  // two threads may have waited
  if (__atomic_load_n(&record->complete, __ATOMIC_ACQUIRE) == 0) return std::nullopt;
  const IndexFault fault{static_cast<IndexedOp>(record->operation), record->dim, record->index,
                         record->size, record->position};
  record->complete = 0;
  __atomic_store_n(&record->claimed, 0, __ATOMIC_RELEASE);
  return fault;
}

void CudaIndexReport::throw_if_left() {
  if (const auto fault = take()) throw_index_fault(*fault);
}

}  // namespace gpukit::cuda
