#include "memory/statistics_resource.h"

#include "base/error.h"

namespace gpukit::memory {

namespace statistics_resource {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

void raise_to(std::atomic<std::int64_t>& peak, std::int64_t value) noexcept {
  std::int64_t seen = peak.load(kRelaxed);
  while (seen < value && !peak.compare_exchange_weak(seen, value, kRelaxed)) {
  }
}

}  // namespace
}  // namespace statistics_resource

void* StatisticsResource::allocate(std::size_t bytes, StreamRef stream) {
  void* address = nullptr;
  try {
    address = upstream_.allocate(bytes, stream);
  } catch (const Error& error) {
    const bool shortage =
        error.kind() == ErrorKind::kOutOfMemory || error.kind() == ErrorKind::kHostMemory;
    if (shortage) out_of_memory_count_.fetch_add(1, statistics_resource::kRelaxed);
    throw;
  }
  const auto size = static_cast<std::int64_t>(bytes);
  statistics_resource::raise_to(max_allocated_,
                                allocated_.fetch_add(size, statistics_resource::kRelaxed) + size);
  allocation_count_.fetch_add(1, statistics_resource::kRelaxed);
  active_blocks_.fetch_add(1, statistics_resource::kRelaxed);
  return address;
}

void StatisticsResource::deallocate(void* address, std::size_t bytes, StreamRef stream,
                                    std::span<const StreamRef> also_used_on) noexcept {
  upstream_.deallocate(address, bytes, stream, also_used_on);
  allocated_.fetch_sub(static_cast<std::int64_t>(bytes), statistics_resource::kRelaxed);
  active_blocks_.fetch_sub(1, statistics_resource::kRelaxed);
}

MemoryStatistics StatisticsResource::statistics() const {
  MemoryStatistics statistics = upstream_.statistics();
  statistics.allocated = allocated_.load(statistics_resource::kRelaxed);
  statistics.max_allocated = max_allocated_.load(statistics_resource::kRelaxed);
  statistics.allocation_count = allocation_count_.load(statistics_resource::kRelaxed);
  statistics.out_of_memory_count = out_of_memory_count_.load(statistics_resource::kRelaxed);
  statistics.active_blocks = active_blocks_.load(statistics_resource::kRelaxed);
  return statistics;
}

void StatisticsResource::reset_peak_statistics() noexcept {
  max_allocated_.store(allocated_.load(statistics_resource::kRelaxed),
                       statistics_resource::kRelaxed);
  upstream_.reset_peak_statistics();
}

}  // namespace gpukit::memory
