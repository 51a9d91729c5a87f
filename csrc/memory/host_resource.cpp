#include "memory/host_resource.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "base/fork_hooks.h"
#include "base/numeric.h"
#include "base/thread_local.h"

namespace gpukit::memory {
namespace host_resource {
namespace {

#if defined(GPUKIT_ASAN)
constexpr bool kCaching =
    false;  // every block comes from the system, so that overruns and late uses show
#else
constexpr bool kCaching = true;
#endif

constexpr std::size_t kSmallStep = 64;
constexpr std::size_t kSmallLimit = 4096;
constexpr std::size_t kSmallClasses = kSmallLimit / kSmallStep + 1;  ///< index: size / 64
constexpr std::size_t kPooledLimit = 1 << 20;
constexpr std::size_t kMiddlePerDoubling = 8;
constexpr std::size_t kMiddleClasses = kMiddlePerDoubling * 8;  ///< 4 KiB … 1 MiB
constexpr std::size_t kClasses = kSmallClasses + kMiddleClasses;
constexpr std::size_t kArenaBytes = 4 << 20;
constexpr std::size_t kHugePage = 2 << 20;
constexpr std::size_t kMostCached = std::size_t{2} << 30;
constexpr std::size_t kThreadCacheBytes = 64 << 10;  ///< of one size class

std::size_t small_class(std::size_t bytes) noexcept { return ceil_div(bytes, kSmallStep); }

// Eight sizes to a doubling: at most an eighth is wasted.
std::size_t middle_class(std::size_t bytes) noexcept {
  const int shift =
      63 - __builtin_clzll(bytes - 1);  // 2^shift < bytes <= 2^(shift + 1), shift >= 12
  const std::size_t step = (std::size_t{1} << shift) / kMiddlePerDoubling;
  const std::size_t steps = (bytes - 1 - (std::size_t{1} << shift)) / step;
  return kSmallClasses + static_cast<std::size_t>(shift - 12) * kMiddlePerDoubling + steps;
}
std::size_t class_of(std::size_t bytes) noexcept {
  return bytes <= kSmallLimit ? small_class(bytes) : middle_class(bytes);
}
std::size_t class_bytes(std::size_t index) noexcept {
  if (index < kSmallClasses) return index * kSmallStep;
  const std::size_t middle = index - kSmallClasses;
  const std::size_t base = std::size_t{kSmallLimit} << (middle / kMiddlePerDoubling);
  return base + base / kMiddlePerDoubling * (middle % kMiddlePerDoubling + 1);
}
constexpr auto kThreadCacheLimits = [] {
  std::array<std::int64_t, kSmallClasses> limits{};
  for (std::size_t index = 1; index < kSmallClasses; ++index) {
    limits[index] = std::max<std::int64_t>(
        8, static_cast<std::int64_t>(kThreadCacheBytes / (index * kSmallStep)));
  }
  return limits;
}();
std::int64_t thread_cache_limit(std::size_t index) noexcept { return kThreadCacheLimits[index]; }

std::size_t large_bytes(std::size_t bytes) {
  if (!kCaching) return bytes;
  const std::size_t step = bytes < 2 * kHugePage ? std::size_t{64} << 10 : kHugePage;
  if (bytes > SIZE_MAX - step)
    throw HostMemoryError("cpu: a block of " + std::to_string(bytes) + " bytes is too big");
  return align_up(bytes, step);
}

}  // namespace
}  // namespace host_resource

struct FreeBlock {
  FreeBlock* next;
};

struct BlockStack {
  FreeBlock* first = nullptr;
  std::int64_t count = 0;

  void push(void* address) noexcept {
    first = new (address) FreeBlock{first};
    ++count;
  }
  void* pop() noexcept {
    FreeBlock* block = first;
    if (block == nullptr) return nullptr;
    first = block->next;
    --count;
    return block;
  }
};

// What one thread keeps. Only the owner writes; statistics() reads the counters from elsewhere.
struct ThreadCache {
  std::uint64_t owner = 0;
  BlockStack lists[host_resource::kSmallClasses];
  std::atomic<std::int64_t> allocated{0};  ///< bytes allocated minus bytes released here
  std::atomic<std::int64_t> blocks{0};
  std::atomic<std::int64_t> calls{0};

  void count(std::int64_t bytes, std::int64_t block) noexcept {
    allocated.store(allocated.load(std::memory_order_relaxed) + bytes, std::memory_order_relaxed);
    blocks.store(blocks.load(std::memory_order_relaxed) + block, std::memory_order_relaxed);
    if (block > 0)
      calls.store(calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
};

struct Arena {
  char* begin;
  std::size_t free_bytes;  ///< used while releasing arenas
};

// The state of a HostResource. Everything but the thread caches is guarded by the mutex.
struct HostPool {
  explicit HostPool(DeviceRuntime& device) : runtime(device) {
    const std::int64_t total = device.properties().total_memory;
    cache_limit = std::min<std::size_t>(
        host_resource::kMostCached, static_cast<std::size_t>(std::max<std::int64_t>(total, 0)) / 8);
  }

  DeviceRuntime& runtime;
  std::mutex mutex;
  bool closed = false;  ///< the resource is gone and the blocks with it
  BlockStack lists[host_resource::kClasses];
  std::vector<Arena> arenas;
  char* fresh = nullptr;  ///< the part of the newest arena that was never used
  char* fresh_end = nullptr;
  std::multimap<std::size_t, void*>
      kept;  ///< large blocks waiting for reuse, the newest first among equals
  std::unordered_map<void*, std::size_t> in_use;  ///< large blocks in use
  std::size_t kept_bytes = 0;
  std::size_t cache_limit = 0;
  std::vector<ThreadCache*> caches;
  MemoryStatistics
      counts;  ///< `allocated`, `active_blocks` and `allocation_count` without the threads' parts

  void* allocate_block(std::size_t index);
  void* carve(std::size_t bytes);
  void* allocate_large(std::size_t bytes);
  void* allocate_system(std::size_t bytes);
  void deallocate_large(void* address) noexcept;
  std::size_t release_cached(std::size_t keep_bytes) noexcept;
  std::size_t drop_idle_arenas() noexcept;
  void refill(ThreadCache& cache, std::size_t index);
  void drain(ThreadCache& cache, std::size_t index, std::int64_t keep) noexcept;
  void close() noexcept;

  MemoryStatistics totals() const {
    MemoryStatistics sum = counts;
    for (const ThreadCache* cache : caches) {
      sum.allocated += cache->allocated.load(std::memory_order_relaxed);
      sum.active_blocks += cache->blocks.load(std::memory_order_relaxed);
      sum.allocation_count += cache->calls.load(std::memory_order_relaxed);
    }
    sum.max_allocated = std::max(sum.max_allocated, sum.allocated);
    return sum;
  }
  void note_peak() { counts.max_allocated = totals().max_allocated; }
  void reserve(std::int64_t bytes) {
    counts.reserved += bytes;
    counts.max_reserved = std::max(counts.max_reserved, counts.reserved);
  }
  void count(std::int64_t bytes, std::int64_t block) {
    counts.allocated += bytes;
    counts.active_blocks += block;
    if (block > 0) ++counts.allocation_count;
    if (block > 0) note_peak();
  }
};

namespace host_resource {
namespace {

// The pools that live now, so that a fork finds none of their locks held by a thread the child does
// not have.
struct ForkGuard {
  std::mutex mutex;
  std::vector<HostPool*> pools;
};
ForkGuard& fork_guard() {
  static ForkGuard* guard = [] {
    auto* made = new ForkGuard;
    const auto unlock = [] {
      for (HostPool* pool : fork_guard().pools) pool->mutex.unlock();
      fork_guard().mutex.unlock();
    };
    set_fork_hooks(ForkLevel::kMemory, {.prepare =
                                            [] {
                                              fork_guard().mutex.lock();
                                              for (HostPool* pool : fork_guard().pools)
                                                pool->mutex.lock();
                                            },
                                        .parent = unlock,
                                        .child = unlock});
    return made;
  }();
  return *guard;
}

// A plain pointer is read in the fast path; the owner behind it releases the blocks when the
// thread ends.
GPUKIT_FAST_THREAD_LOCAL constinit ThreadCache* this_thread_cache = nullptr;
thread_local constinit bool this_thread_ends = false;

struct CacheKeeper {
  std::shared_ptr<HostPool> pool;
  ThreadCache cache;

  ~CacheKeeper() {
    this_thread_cache = nullptr;
    this_thread_ends = true;
    std::lock_guard lock(pool->mutex);
    if (pool->closed) return;
    for (std::size_t index = 1; index < kSmallClasses; ++index) pool->drain(cache, index, 0);
    pool->counts.allocated += cache.allocated.load(std::memory_order_relaxed);
    pool->counts.active_blocks += cache.blocks.load(std::memory_order_relaxed);
    pool->counts.allocation_count += cache.calls.load(std::memory_order_relaxed);
    std::erase(pool->caches, &cache);
  }
};

thread_local std::unique_ptr<CacheKeeper> this_thread_keeper;

// Each thread caches for the first resource that it uses; there is one but in tests.
ThreadCache* cache_for(const std::shared_ptr<HostPool>& pool, std::uint64_t id) {
  if (this_thread_cache != nullptr)
    return this_thread_cache->owner == id ? this_thread_cache : nullptr;
  if (this_thread_ends) return nullptr;
  this_thread_keeper = std::make_unique<CacheKeeper>();
  this_thread_keeper->pool = pool;
  this_thread_keeper->cache.owner = id;
  std::lock_guard lock(pool->mutex);
  pool->caches.push_back(&this_thread_keeper->cache);
  this_thread_cache = &this_thread_keeper->cache;
  return this_thread_cache;
}

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace
}  // namespace host_resource

void* HostPool::allocate_system(std::size_t bytes) {
  void* address;
  try {
    address = runtime.allocate(bytes);
  } catch (const Error&) {
    ++counts.out_of_memory_count;
    if (release_cached(0) + drop_idle_arenas() == 0) throw;
    address = runtime.allocate(bytes);
  }
  ++counts.device_allocation_count;
  reserve(static_cast<std::int64_t>(bytes));
  return address;
}

// What is left of the old arena is put into the lists of the sizes it can serve.
void* HostPool::carve(std::size_t bytes) {
  if (static_cast<std::size_t>(fresh_end - fresh) < bytes) {
    char* arena = static_cast<char*>(allocate_system(host_resource::kArenaBytes));
    while (fresh_end - fresh >= static_cast<std::ptrdiff_t>(host_resource::kSmallStep)) {
      const std::size_t piece =
          std::min(static_cast<std::size_t>(fresh_end - fresh), host_resource::kSmallLimit) /
          host_resource::kSmallStep * host_resource::kSmallStep;
      lists[host_resource::small_class(piece)].push(fresh);
      fresh += piece;
    }
    arenas.push_back({arena, 0});
    fresh = arena;
    fresh_end = arena + host_resource::kArenaBytes;
  }
  void* block = fresh;
  fresh += bytes;
  return block;
}

void* HostPool::allocate_block(std::size_t index) {
  void* block = lists[index].pop();
  return block != nullptr ? block : carve(host_resource::class_bytes(index));
}

void* HostPool::allocate_large(std::size_t bytes) {
  const std::size_t size = host_resource::large_bytes(bytes);
  const auto found = kept.lower_bound(size);
  if (found != kept.end() && found->first <= size + size / 8) {
    void* address = found->second;
    in_use.emplace(address, found->first);
    kept_bytes -= found->first;
    count(static_cast<std::int64_t>(found->first), 1);
    kept.erase(found);
    return address;
  }
  void* address = allocate_system(size);
  in_use.emplace(address, size);
  count(static_cast<std::int64_t>(size), 1);
  return address;
}

void HostPool::deallocate_large(void* address) noexcept {
  const auto found = in_use.find(address);
  if (found == in_use.end()) return;
  const std::size_t size = found->second;
  in_use.erase(found);
  count(-static_cast<std::int64_t>(size), -1);
  if (host_resource::kCaching && size <= cache_limit) {
    release_cached(cache_limit - size);
    kept.emplace_hint(kept.lower_bound(size), size, address);
    kept_bytes += size;
    return;
  }
  counts.reserved -= static_cast<std::int64_t>(size);
  runtime.deallocate(address, size);
}

// The largest go first. Returns the bytes released.
std::size_t HostPool::release_cached(std::size_t keep_bytes) noexcept {
  std::size_t dropped = 0;
  while (kept_bytes > keep_bytes) {
    const auto last = std::prev(kept.end());
    runtime.deallocate(last->second, last->first);
    kept_bytes -= last->first;
    dropped += last->first;
    kept.erase(last);
  }
  counts.reserved -= static_cast<std::int64_t>(dropped);
  return dropped;
}

std::size_t HostPool::drop_idle_arenas() noexcept {
  std::sort(arenas.begin(), arenas.end(),
            [](const Arena& a, const Arena& b) { return a.begin < b.begin; });
  const auto arena_of = [this](const void* block) -> Arena& {
    const auto after = std::upper_bound(
        arenas.begin(), arenas.end(), static_cast<const char*>(block),
        [](const char* address, const Arena& arena) { return address < arena.begin; });
    return *std::prev(after);
  };
  for (Arena& arena : arenas) arena.free_bytes = 0;
  for (std::size_t index = 1; index < host_resource::kClasses; ++index) {
    for (FreeBlock* block = lists[index].first; block != nullptr; block = block->next) {
      arena_of(block).free_bytes += host_resource::class_bytes(index);
    }
  }
  if (fresh != fresh_end) arena_of(fresh).free_bytes += static_cast<std::size_t>(fresh_end - fresh);
  for (std::size_t index = 1; index < host_resource::kClasses; ++index) {
    BlockStack remaining;
    while (void* block = lists[index].pop()) {
      if (arena_of(block).free_bytes != host_resource::kArenaBytes) remaining.push(block);
    }
    lists[index] = remaining;
  }
  if (fresh != fresh_end && arena_of(fresh).free_bytes == host_resource::kArenaBytes)
    fresh = fresh_end = nullptr;
  std::size_t dropped = 0;
  std::erase_if(arenas, [&](const Arena& arena) {
    if (arena.free_bytes != host_resource::kArenaBytes) return false;
    runtime.deallocate(arena.begin, host_resource::kArenaBytes);
    dropped += host_resource::kArenaBytes;
    return true;
  });
  counts.reserved -= static_cast<std::int64_t>(dropped);
  return dropped;
}

void HostPool::refill(ThreadCache& cache, std::size_t index) {
  const std::int64_t batch = host_resource::thread_cache_limit(index) / 2;
  for (std::int64_t i = 0; i < batch; ++i) cache.lists[index].push(allocate_block(index));
}

void HostPool::drain(ThreadCache& cache, std::size_t index, std::int64_t keep) noexcept {
  while (cache.lists[index].count > keep) lists[index].push(cache.lists[index].pop());
}

// Blocks still in use stay valid: only free blocks are released.
void HostPool::close() noexcept {
  std::lock_guard lock(mutex);
  if (host_resource::this_thread_keeper != nullptr &&
      host_resource::this_thread_keeper->pool.get() == this) {
    for (std::size_t index = 1; index < host_resource::kSmallClasses; ++index)
      drain(host_resource::this_thread_keeper->cache, index, 0);
  }
  release_cached(0);
  drop_idle_arenas();
  closed = true;
}

HostResource::HostResource(DeviceRuntime& runtime)
    : pool_(std::make_shared<HostPool>(runtime)), id_(host_resource::next_id()) {
  host_resource::ForkGuard& guard = host_resource::fork_guard();
  std::lock_guard lock(guard.mutex);
  guard.pools.push_back(pool_.get());
}

HostResource::~HostResource() {
  {
    host_resource::ForkGuard& guard = host_resource::fork_guard();
    std::lock_guard lock(guard.mutex);
    std::erase(guard.pools, pool_.get());
  }
  pool_->close();
}

void* HostResource::allocate(std::size_t bytes, StreamRef) {
  ThreadCache* cache = host_resource::this_thread_cache;
  if (bytes <= host_resource::kSmallLimit && cache != nullptr && cache->owner == id_) [[likely]] {
    const std::size_t index = host_resource::small_class(bytes);
    if (void* block = cache->lists[index].pop()) [[likely]] {
      cache->count(static_cast<std::int64_t>(index * host_resource::kSmallStep), 1);
      return block;
    }
  }
  return allocate_slowly(bytes);
}

void HostResource::deallocate(void* address, std::size_t bytes, StreamRef,
                              std::span<const StreamRef>) noexcept {
  ThreadCache* cache = host_resource::this_thread_cache;
  if (bytes <= host_resource::kSmallLimit && cache != nullptr && cache->owner == id_) [[likely]] {
    const std::size_t index = host_resource::small_class(bytes);
    BlockStack& list = cache->lists[index];
    if (list.count < host_resource::thread_cache_limit(index)) [[likely]] {
      list.push(address);
      cache->count(-static_cast<std::int64_t>(index * host_resource::kSmallStep), -1);
      return;
    }
  }
  deallocate_slowly(address, bytes);
}

void* HostResource::allocate_slowly(std::size_t bytes) {
  if (host_resource::kCaching && bytes <= host_resource::kSmallLimit) {
    const std::size_t index = host_resource::small_class(bytes);
    if (ThreadCache* cache = host_resource::cache_for(pool_, id_)) {
      std::lock_guard lock(pool_->mutex);
      pool_->refill(*cache, index);
      cache->count(static_cast<std::int64_t>(host_resource::class_bytes(index)), 1);
      pool_->note_peak();
      return cache->lists[index].pop();
    }
  }
  std::lock_guard lock(pool_->mutex);
  if (!host_resource::kCaching || bytes > host_resource::kPooledLimit)
    return pool_->allocate_large(bytes);
  const std::size_t index = host_resource::class_of(bytes);
  void* block = pool_->allocate_block(index);
  pool_->count(static_cast<std::int64_t>(host_resource::class_bytes(index)), 1);
  return block;
}

void HostResource::deallocate_slowly(void* address, std::size_t bytes) noexcept {
  std::lock_guard lock(pool_->mutex);
  if (!host_resource::kCaching || bytes > host_resource::kPooledLimit)
    return pool_->deallocate_large(address);
  const std::size_t index = host_resource::class_of(bytes);
  pool_->lists[index].push(address);
  pool_->count(-static_cast<std::int64_t>(host_resource::class_bytes(index)), -1);
  ThreadCache* cache = host_resource::this_thread_cache;
  if (bytes <= host_resource::kSmallLimit && cache != nullptr && cache->owner == id_) {
    pool_->drain(*cache, index, host_resource::thread_cache_limit(index) / 2);
  }
}

std::size_t HostResource::release_cached() {
  std::lock_guard lock(pool_->mutex);
  if (host_resource::this_thread_cache != nullptr &&
      host_resource::this_thread_cache->owner == id_) {
    for (std::size_t index = 1; index < host_resource::kSmallClasses; ++index)
      pool_->drain(*host_resource::this_thread_cache, index, 0);
  }
  return pool_->release_cached(0) + pool_->drop_idle_arenas();
}

MemoryStatistics HostResource::statistics() const {
  std::lock_guard lock(pool_->mutex);
  return pool_->totals();
}

void HostResource::reset_peak_statistics() noexcept {
  std::lock_guard lock(pool_->mutex);
  pool_->counts.max_allocated = 0;
  pool_->counts.max_allocated = pool_->totals().allocated;
  pool_->counts.max_reserved = pool_->counts.reserved;
}

}  // namespace gpukit::memory
