// Which of several resources new blocks come from; each block goes back to the one it came from.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <unordered_map>

#include "memory/memory_resource.h"

namespace gpukit {

/// gpukit's cache, the driver's stream-ordered pool, or no reuse at all.
enum class PoolKind { kCaching, kDriver, kNone };
inline constexpr int kPoolKinds = 3;
/// Their names in gpukit.config.set_pool and GPUKIT_POOL, by PoolKind.
inline constexpr std::array<const char*, kPoolKinds> kPoolNames = {"pool", "cuda_async", "none"};

namespace memory {

class SelectedResource final : public MemoryResource {
 public:
  using Choices = std::array<MemoryResource*, kPoolKinds>;  ///< by PoolKind

  explicit SelectedResource(const Choices& choices) : choices_(choices) {}

  void select(PoolKind kind) noexcept { selected_.store(kind, std::memory_order_relaxed); }
  PoolKind selected() const noexcept { return selected_.load(std::memory_order_relaxed); }

  void* allocate(std::size_t bytes, StreamRef stream) override;
  void deallocate(void* address, std::size_t bytes, StreamRef stream,
                  std::span<const StreamRef> also_used_on) noexcept override;
  std::size_t release_cached() override;
  /// The cache's, and what the others have allocated.
  MemoryStatistics statistics() const override;
  /// The cache's: what the others hold is in use.
  std::int64_t spare() const noexcept override { return caching().spare(); }
  void reset_peak_statistics() noexcept override { caching().reset_peak_statistics(); }

 private:
  MemoryResource& caching() const noexcept { return *choices_[0]; }
  MemoryResource& of(PoolKind kind) const noexcept {
    return *choices_[static_cast<std::size_t>(kind)];
  }

  void* allocate_from(PoolKind kind, std::size_t bytes, StreamRef stream);

  Choices choices_;
  std::atomic<PoolKind> selected_{PoolKind::kCaching};
  /// Blocks that are not of the cache.
  std::atomic<std::size_t> others_{0};
  std::atomic<std::int64_t> other_bytes_{0};
  std::mutex mutex_;
  std::unordered_map<void*, PoolKind> kinds_;
};

}  // namespace memory
}  // namespace gpukit
