#include "memory/selected_resource.h"

#include <algorithm>

#include "base/error.h"

namespace gpukit::memory {

/// What the cache keeps may be in the way.
void* SelectedResource::allocate_from(PoolKind kind, std::size_t bytes, StreamRef stream) {
  try {
    return of(kind).allocate(bytes, stream);
  } catch (const OutOfMemoryError&) {
    if (release_cached() == 0) throw;
  }
  return of(kind).allocate(bytes, stream);
}

void* SelectedResource::allocate(std::size_t bytes, StreamRef stream) {
  const PoolKind kind = selected();
  if (kind == PoolKind::kCaching) [[likely]]
    return caching().allocate(bytes, stream);
  void* address = allocate_from(kind, bytes, stream);
  try {
    const std::lock_guard lock(mutex_);
    kinds_.emplace(address, kind);
  } catch (...) {
    of(kind).deallocate(address, bytes, stream, {});
    throw;
  }
  others_.fetch_add(1, std::memory_order_release);
  other_bytes_.fetch_add(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
  return address;
}

void SelectedResource::deallocate(void* address, std::size_t bytes, StreamRef stream,
                                  std::span<const StreamRef> also_used_on) noexcept {
  PoolKind kind = PoolKind::kCaching;
  if (others_.load(std::memory_order_acquire) != 0) {
    const std::lock_guard lock(mutex_);
    if (const auto node = kinds_.extract(address)) kind = node.mapped();
  }
  if (kind != PoolKind::kCaching) {
    others_.fetch_sub(1, std::memory_order_release);
    other_bytes_.fetch_sub(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
  }
  of(kind).deallocate(address, bytes, stream, also_used_on);
}

std::size_t SelectedResource::release_cached() {
  std::size_t released = 0;
  for (MemoryResource* choice : choices_) released += choice->release_cached();
  return released;
}

MemoryStatistics SelectedResource::statistics() const {
  MemoryStatistics statistics = caching().statistics();
  const std::int64_t other = other_bytes_.load(std::memory_order_relaxed);
  statistics.reserved += other;
  statistics.max_reserved = std::max(statistics.max_reserved, statistics.reserved);
  return statistics;
}

}  // namespace gpukit::memory
