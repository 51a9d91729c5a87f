#include "memory/graph_memory.h"

#include <algorithm>

#include "base/thread_local.h"

namespace gpukit::memory {

namespace {

/// Where this thread captures a graph. Apart from the graph, whose destructor makes each access ask
/// whether the thread has made it.
GPUKIT_FAST_THREAD_LOCAL constinit GraphMemoryResource* entered = nullptr;

std::shared_ptr<GraphMemory>& entered_graph() noexcept {
  static thread_local std::shared_ptr<GraphMemory> graph;
  return graph;
}

}  // namespace

void GraphMemoryResource::enter(std::shared_ptr<GraphMemory> graph) {
  entered_graph() = std::move(graph);
  entered = this;
}

void GraphMemoryResource::leave() noexcept {
  if (entered != this) return;
  entered = nullptr;
  entered_graph() = nullptr;
  cache_.flush_deferred_frees();
}

void* GraphMemoryResource::allocate(std::size_t bytes, StreamRef stream) {
  if (entered == this) [[unlikely]]
    return allocate(entered_graph(), bytes, stream);
  return upstream_.allocate(bytes, stream);
}

void GraphMemoryResource::deallocate(void* address, std::size_t bytes, StreamRef stream,
                                     std::span<const StreamRef> also_used_on) noexcept {
  if (count_.load(std::memory_order_acquire) != 0 && reclaim(address, also_used_on)) return;
  upstream_.deallocate(address, bytes, stream, also_used_on);
}

bool GraphMemoryResource::owns(void* address) noexcept {
  if (count_.load(std::memory_order_acquire) == 0) return false;
  const std::lock_guard lock(mutex_);
  return blocks_.contains(address);
}

void* GraphMemoryResource::allocate(const std::shared_ptr<GraphMemory>& graph, std::size_t bytes,
                                    StreamRef stream) {
  {
    const std::lock_guard lock(mutex_);
    if (void* address = reuse(*graph, bytes, stream)) return address;
  }
  void* address = cache_.allocate(bytes, stream);
  try {
    const std::lock_guard lock(mutex_);
    graph->free.reserve(blocks_.size() + 1);  // so that freeing never allocates
    blocks_.emplace(address, Block{graph, bytes, stream, {}});
    count_.store(blocks_.size(), std::memory_order_release);
  } catch (...) {
    cache_.deallocate(address, bytes, stream, {});
    throw;
  }
  return address;
}

/// The smallest free block that is big enough and not over twice as big.
void* GraphMemoryResource::reuse(GraphMemory& graph, std::size_t bytes, StreamRef stream) noexcept {
  auto best = graph.free.end();
  std::size_t best_bytes = 2 * bytes + 1;
  for (auto it = graph.free.begin(); it != graph.free.end(); ++it) {
    const Block& block = blocks_.find(*it)->second;
    if (block.stream != stream || !block.also_used_on.empty()) continue;
    if (block.bytes < bytes || block.bytes >= best_bytes) continue;
    best = it;
    best_bytes = block.bytes;
  }
  if (best == graph.free.end()) return nullptr;
  void* address = *best;
  graph.free.erase(best);
  return address;
}

/// False for a block that does not belong to a graph. What several streams used is not reused: a
/// graph cannot wait for events.
bool GraphMemoryResource::reclaim(void* address, std::span<const StreamRef> also_used_on) noexcept {
  const std::lock_guard lock(mutex_);
  const auto block = blocks_.find(address);
  if (block == blocks_.end()) return false;
  GraphMemory& graph = *block->second.graph;
  try {
    block->second.also_used_on.assign(also_used_on.begin(), also_used_on.end());
  } catch (...) {  // no memory for the list: the block is never reused
    return true;
  }
  if (graph.released) {
    release(block);
  } else {
    graph.free.push_back(address);
  }
  return true;
}

void GraphMemoryResource::release(Blocks::iterator block) noexcept {
  std::vector<StreamRef>& used = block->second.also_used_on;
  const std::vector<StreamRef>& replays = block->second.graph->replays;
  try {
    used.insert(used.end(), replays.begin(), replays.end());
    cache_.deallocate(block->first, block->second.bytes, block->second.stream, used);
  } catch (...) {  // no memory for the list: the block is never reused
  }
  blocks_.erase(block);
  count_.store(blocks_.size(), std::memory_order_release);
}

void GraphMemoryResource::note_replay(GraphMemory& graph, StreamRef stream) {
  const std::lock_guard lock(mutex_);
  if (std::find(graph.replays.begin(), graph.replays.end(), stream) == graph.replays.end())
    graph.replays.push_back(stream);
}

void GraphMemoryResource::release(GraphMemory& graph) noexcept {
  const std::lock_guard lock(mutex_);
  graph.released = true;
  for (void* address : graph.free) release(blocks_.find(address));
  graph.free.clear();
}

}  // namespace gpukit::memory
