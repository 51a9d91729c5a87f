// Memory that captured graphs use: a replay finds everything at the same address, so it is not
// reused elsewhere.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "memory/caching_resource.h"

namespace gpukit::memory {

/// What belongs to one graph. Guarded by its resource.
struct GraphMemory {
  std::vector<void*> free;         ///< to reuse while the graph is captured
  std::vector<StreamRef> replays;  ///< streams on which the graph ran
  bool released = false;
};

/// An adaptor. What the capturing thread allocates comes from `cache` and stays with its graph:
/// freed blocks serve later work of the same stream in the same graph, and go back to the cache
/// once the graph is released.
class GraphMemoryResource final : public MemoryResource {
 public:
  GraphMemoryResource(MemoryResource& upstream, CachingResource& cache)
      : upstream_(upstream), cache_(cache) {}

  /// From now until `leave` this thread's blocks are the graph's.
  void enter(std::shared_ptr<GraphMemory> graph);
  /// Does nothing on a thread that did not enter.
  void leave() noexcept;
  void note_replay(GraphMemory& graph, StreamRef stream);
  /// The graph will not run any more; its last replays may still be under way on `replays`.
  void release(GraphMemory& graph) noexcept;
  bool owns(void* address) noexcept;

  void* allocate(std::size_t bytes, StreamRef stream) override;
  void deallocate(void* address, std::size_t bytes, StreamRef stream,
                  std::span<const StreamRef> also_used_on) noexcept override;
  std::size_t release_cached() override { return upstream_.release_cached(); }
  MemoryStatistics statistics() const override { return upstream_.statistics(); }
  std::int64_t spare() const noexcept override { return upstream_.spare(); }
  void reset_peak_statistics() noexcept override { upstream_.reset_peak_statistics(); }

 private:
  struct Block {
    std::shared_ptr<GraphMemory> graph;
    std::size_t bytes;
    StreamRef stream;
    std::vector<StreamRef> also_used_on;
  };
  using Blocks = std::unordered_map<void*, Block>;

  void* allocate(const std::shared_ptr<GraphMemory>& graph, std::size_t bytes, StreamRef stream);
  void* reuse(GraphMemory& graph, std::size_t bytes, StreamRef stream) noexcept;
  bool reclaim(void* address, std::span<const StreamRef> also_used_on) noexcept;
  void release(Blocks::iterator block) noexcept;

  MemoryResource& upstream_;
  CachingResource& cache_;
  std::atomic<std::size_t> count_{0};  ///< of blocks_
  std::mutex mutex_;
  Blocks blocks_;
};

}  // namespace gpukit::memory
