#include "memory/caching_resource.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "base/error.h"
#include "base/format.h"
#include "base/numeric.h"

namespace gpukit::memory {

namespace caching_resource {
namespace {

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kMiB = 1024 * kKiB;
constexpr std::size_t kSmallSegment = 2 * kMiB;
constexpr std::size_t kMiddleLimit = 10 * kMiB;
constexpr std::size_t kMiddleSegment = 20 * kMiB;
constexpr std::size_t kSegmentGranule = 2 * kMiB;
constexpr std::size_t kPolledEachTime = 8;

bool is_small(std::size_t size) noexcept { return size <= BlockTable::kSmallLimit; }

/// The bytes of the tightest segment for a block.
std::size_t tight_segment(std::size_t size) noexcept { return align_up(size, kSegmentGranule); }

std::size_t preferred_segment(std::size_t size) noexcept {
  if (is_small(size)) return kSmallSegment;
  return size < kMiddleLimit ? kMiddleSegment : tight_segment(size);
}

bool is_shortage(const Error& error) noexcept {
  return error.kind() == ErrorKind::kOutOfMemory || error.kind() == ErrorKind::kHostMemory;
}

}  // namespace
}  // namespace caching_resource

/// What the upstream said when it had no memory.
class ShortageReport {
 public:
  explicit ShortageReport(const Error& error) : message_(error.what()) {
    const auto* shortage = dynamic_cast<const OutOfMemoryError*>(&error);
    if (shortage == nullptr) return;
    on_device_ = true;
    free_ = shortage->free;
    total_ = shortage->total;
    for (const auto& [key, value] : shortage->details()) limited_ = limited_ || key == "limit";
  }

  bool on_device() const noexcept { return on_device_; }
  bool limited() const noexcept { return limited_; }
  const std::string& message() const noexcept { return message_; }
  MemoryInfo memory_info(DeviceRuntime& runtime) const {
    return total_ != 0 ? MemoryInfo{free_, total_} : runtime.memory_info();
  }

 private:
  std::string message_;
  bool on_device_ = false;
  bool limited_ = false;
  std::int64_t free_ = 0;
  std::int64_t total_ = 0;
};

CachingResource::CachingResource(DeviceRuntime& runtime, MemoryResource& upstream, Reuse reuse)
    : runtime_(runtime), upstream_(upstream), reuse_(reuse) {}

CachingResource::~CachingResource() {
  blocks_.for_each([this](const Block& block) {
    if (block.before == nullptr) upstream_.deallocate(block.address, segment_bytes(block), {}, {});
  });
  for (EventRef event : all_events_) runtime_.destroy_event(event);
}

void* CachingResource::allocate(std::size_t bytes, StreamRef stream) {
  constexpr std::size_t kLargest = std::numeric_limits<std::size_t>::max() / 2;
  const std::size_t size =
      align_up(std::clamp<std::size_t>(bytes, 1, kLargest), BlockTable::kGranule);
  const StreamRef owner = reuse_ == Reuse::kStreamOrdered ? stream : kNoStream;
  if (pending_count_.load(std::memory_order_relaxed) != 0)
    poll_pending(caching_resource::kPolledEachTime);
  if (void* address = allocate_cached(size, owner)) return address;
  open_stream(owner);
  if (poll_pending(pending_count_.load(std::memory_order_relaxed))) {
    if (void* address = allocate_cached(size, owner)) return address;
  }
  if (void* address = allocate_from_idle_stream(size, owner)) return address;
  try {
    return allocate_from_new_segment(size, owner);
  } catch (const Error& error) {
    if (!caching_resource::is_shortage(error)) throw;
  }
  return allocate_after_shortage(bytes, size, owner);
}

void CachingResource::deallocate(void* address, std::size_t, StreamRef stream,
                                 std::span<const StreamRef> also_used_on) noexcept {
  Block* block = detach_allocated(address, stream, also_used_on);
  if (block == nullptr) return;
  if (defer(*block, stream, also_used_on)) return;
  release(*block, stream, also_used_on);
}

/// Where no event can be recorded (a lost device) the block stays detached until the end: never
/// reused too early.
void CachingResource::release(Block& block, StreamRef stream,
                              std::span<const StreamRef> also_used_on) noexcept {
  if (!record_streams(block, stream, also_used_on)) return;
  Lock lock(mutex_);
  if (block.event_count == 0) return blocks_.put_free(block);
  block.state = BlockState::kPending;
  pending_.push_back(block);
  pending_count_.fetch_add(1, std::memory_order_relaxed);
}

/// No event may be recorded on a stream that is captured into a graph: its blocks wait for the end
/// of that.
bool CachingResource::defer(Block& block, StreamRef stream,
                            std::span<const StreamRef> also_used_on) noexcept {
  bool captured = stream != block.stream && runtime_.is_capturing(stream);
  for (StreamRef used : also_used_on) captured = captured || runtime_.is_capturing(used);
  if (!captured) return false;
  try {
    Lock lock(mutex_);
    deferred_frees_.push_back({&block, stream, {also_used_on.begin(), also_used_on.end()}});
  } catch (...) {  // no memory for the note: the block stays detached
  }
  return true;
}

void CachingResource::flush_deferred_frees() noexcept {
  std::vector<DeferredFree> frees;
  {
    Lock lock(mutex_);
    frees.swap(deferred_frees_);
  }
  for (const DeferredFree& item : frees) {
    if (!defer(*item.block, item.stream, item.also_used_on))
      release(*item.block, item.stream, item.also_used_on);
  }
}

std::size_t CachingResource::release_cached() {
  wait_pending();
  std::vector<Block*> segments;
  {
    Lock lock(mutex_);
    segments = blocks_.detach_free_segments();
  }
  try {
    wait_for_streams_of(segments);
  } catch (...) {
    Lock lock(mutex_);
    for (Block* head : segments) blocks_.put_back_segment(*head);
    throw;
  }
  std::size_t released = 0;
  for (Block* head : segments) {
    void* address = head->address;
    std::size_t bytes = 0;
    {
      Lock lock(mutex_);
      bytes = blocks_.forget_segment(*head);
      statistics_.reserved -= static_cast<std::int64_t>(bytes);
      count_spare();
    }
    upstream_.deallocate(address, bytes, {}, {});
    released += bytes;
  }
  return released;
}

MemoryStatistics CachingResource::statistics() const {
  Lock lock(mutex_);
  return statistics_;
}

void CachingResource::reset_peak_statistics() noexcept {
  Lock lock(mutex_);
  statistics_.max_allocated = statistics_.allocated;
  statistics_.max_reserved = statistics_.reserved;
}

// Bookkeeping under the lock.

void CachingResource::count_spare() noexcept {
  spare_.store(statistics_.reserved - statistics_.allocated, std::memory_order_relaxed);
}

void* CachingResource::allocate(Block& block) noexcept {
  block.state = BlockState::kAllocated;
  statistics_.allocated += static_cast<std::int64_t>(block.bytes);
  statistics_.max_allocated = std::max(statistics_.max_allocated, statistics_.allocated);
  ++statistics_.allocation_count;
  ++statistics_.active_blocks;
  count_spare();
  return block.address;
}

/// Frees a block whose events have passed (they are idle again), or puts it back into the queue.
void CachingResource::finish_pending(Block& block, bool done) noexcept {
  if (!done) {
    block.state = BlockState::kPending;
    pending_.push_back(block);
    pending_count_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  for (std::size_t i = 0; i < block.event_count; ++i) idle_events_.push_back(block.events[i]);
  block.event_count = 0;
  blocks_.put_free(block);
}

// The ways to a block, from the cheapest to the dearest.

void CachingResource::open_stream(StreamRef stream) {
  Lock lock(mutex_);
  blocks_.open_stream(stream);
}

void* CachingResource::allocate_cached(std::size_t size, StreamRef stream) noexcept {
  Lock lock(mutex_);
  Block* block = blocks_.detach_fit(size, stream);
  return block != nullptr ? allocate(*block) : nullptr;
}

Block* CachingResource::detach_from_other_stream(std::size_t size, StreamRef stream) noexcept {
  if (reuse_ != Reuse::kStreamOrdered) return nullptr;
  Lock lock(mutex_);
  return blocks_.detach_from_other_stream(size, stream);
}

void CachingResource::put_free(Block& block) noexcept {
  Lock lock(mutex_);
  blocks_.put_free(block);
}

void* CachingResource::allocate(Block& block, StreamRef stream) noexcept {
  Lock lock(mutex_);
  block.stream = stream;
  return allocate(block);
}

/// A block of a stream that has nothing queued needs no event.
void* CachingResource::allocate_from_idle_stream(std::size_t size, StreamRef stream) {
  Block* block = detach_from_other_stream(size, stream);
  if (block == nullptr) return nullptr;
  bool idle = false;
  try {
    idle = !runtime_.is_capturing(block->stream) && runtime_.query(block->stream);
  } catch (...) {
    put_free(*block);
    throw;
  }
  if (idle) return allocate(*block, stream);
  put_free(*block);
  return nullptr;
}

/// The new owner's later work waits for the work of the old owner.
void* CachingResource::allocate_behind_event(std::size_t size, StreamRef stream) {
  Block* block = detach_from_other_stream(size, stream);
  if (block == nullptr) return nullptr;
  if (runtime_.is_capturing(block->stream) || runtime_.is_capturing(stream)) {
    put_free(*block);
    return nullptr;
  }
  try {
    const EventRef event = acquire_event();
    runtime_.record(event, block->stream);
    runtime_.wait(stream, event);
    release(event);
  } catch (...) {
    put_free(*block);
    throw;
  }
  return allocate(*block, stream);
}

/// First a segment for several blocks, then one that just holds this one.
std::pair<void*, std::size_t> CachingResource::allocate_segment(std::size_t size,
                                                                StreamRef stream) {
  const std::size_t preferred = caching_resource::preferred_segment(size);
  const std::size_t tight = caching_resource::tight_segment(size);
  try {
    return {upstream_.allocate(preferred, stream), preferred};
  } catch (const Error& error) {
    if (!caching_resource::is_shortage(error) || preferred == tight) throw;
  }
  return {upstream_.allocate(tight, stream), tight};
}

void* CachingResource::allocate_from_new_segment(std::size_t size, StreamRef stream) {
  const auto [address, bytes] = allocate_segment(size, stream);
  Lock lock(mutex_);
  Block* block = nullptr;
  try {
    block = &blocks_.add_segment(address, bytes, stream, caching_resource::is_small(size));
  } catch (...) {
    upstream_.deallocate(address, bytes, stream, {});
    throw;
  }
  ++statistics_.device_allocation_count;
  statistics_.reserved += static_cast<std::int64_t>(bytes);
  statistics_.max_reserved = std::max(statistics_.max_reserved, statistics_.reserved);
  blocks_.split(*block, size);
  return allocate(*block);
}

/// The device has nothing left: other streams' blocks, then what the cache can release, then once
/// more.
void* CachingResource::allocate_after_shortage(std::size_t bytes, std::size_t size,
                                               StreamRef stream) {
  if (void* address = allocate_behind_event(size, stream)) return address;
  wait_pending();
  if (void* address = allocate_cached(size, stream)) return address;
  release_cached();
  try {
    return allocate_from_new_segment(size, stream);
  } catch (const Error& error) {
    if (!caching_resource::is_shortage(error)) throw;
    // Another thread may have freed a block meanwhile.
    if (void* address = allocate_cached(size, stream)) return address;
    throw_out_of_memory(bytes, ShortageReport(error));
  }
}

void CachingResource::throw_out_of_memory(std::size_t bytes, const ShortageReport& report) {
  MemoryStatistics now;
  {
    Lock lock(mutex_);
    ++statistics_.out_of_memory_count;
    now = statistics_;
  }
  const auto asked = static_cast<std::int64_t>(bytes);
  if (reuse_ == Reuse::kAfterEvents || !report.on_device()) {
    throw HostMemoryError(concat("asked ", format_bytes(asked), " of page-locked host memory for ",
                                 to_string(runtime_.device()), ": ", report.message()));
  }
  const MemoryInfo info = report.memory_info(runtime_);
  const std::int64_t cached = now.reserved - now.allocated;
  OutOfMemoryError error(
      concat(to_string(runtime_.device()), ": asked ", format_bytes(asked), "; free ",
             format_bytes(info.free), " of ", format_bytes(info.total),
             report.limited() ? " (the limit set for this process)" : "",
             ". Held by tensors: ", format_bytes(now.allocated), "; cache ", format_bytes(cached),
             ". Try: gpukit.cuda.empty_cache(), a smaller batch, or dtype float16."),
      asked, info.free, info.total, cached);
  error.set_fix("gpukit.cuda.empty_cache()");
  throw error;
}

// Allocated and pending blocks, and their events.

/// nullptr where nothing is left to do: an unknown address, and a block that its own stream alone
/// has used, which is free at once.
Block* CachingResource::detach_allocated(void* address, StreamRef stream,
                                         std::span<const StreamRef> also) noexcept {
  Lock lock(mutex_);
  Block* block = blocks_.find(address);
  if (block == nullptr || block->state != BlockState::kAllocated) return nullptr;
  block->state = BlockState::kDetached;
  statistics_.allocated -= static_cast<std::int64_t>(block->bytes);
  --statistics_.active_blocks;
  count_spare();
  if (stream != block->stream || !also.empty()) return block;
  blocks_.put_aside(*block);
  return nullptr;
}

Block* CachingResource::detach_pending() noexcept {
  Lock lock(mutex_);
  Block* block = pending_.front();
  if (block == nullptr) return nullptr;
  pending_.remove(*block);
  pending_count_.fetch_sub(1, std::memory_order_relaxed);
  block->state = BlockState::kDetached;
  return block;
}

/// Asks for the events of the `limit` blocks that have waited longest; true when one became free.
bool CachingResource::poll_pending(std::size_t limit) {
  limit = std::min(limit, pending_count_.load(std::memory_order_relaxed));
  bool any = false;
  for (std::size_t i = 0; i < limit; ++i) {
    Block* block = detach_pending();
    if (block == nullptr) break;
    bool done = true;
    try {
      for (std::size_t e = 0; done && e < block->event_count; ++e)
        done = runtime_.query(block->events[e]);
    } catch (...) {
      Lock lock(mutex_);
      finish_pending(*block, false);
      throw;
    }
    Lock lock(mutex_);
    finish_pending(*block, done);
    any = any || done;
  }
  return any;
}

void CachingResource::wait_pending() {
  while (Block* block = detach_pending()) {
    try {
      for (std::size_t e = 0; e < block->event_count; ++e) runtime_.synchronize(block->events[e]);
    } catch (...) {
      Lock lock(mutex_);
      finish_pending(*block, false);
      throw;
    }
    Lock lock(mutex_);
    finish_pending(*block, true);
  }
}

/// Records events on the streams that used a detached block. False if that failed.
bool CachingResource::record_streams(Block& block, StreamRef stream,
                                     std::span<const StreamRef> also) noexcept {
  try {
    StreamRef last = block.stream;
    if (stream != block.stream) record_stream(block, stream, last);
    for (StreamRef used : also) {
      if (used != block.stream) record_stream(block, used, last);
    }
    return true;
  } catch (...) {
    return false;
  }
}

/// Adds an event of `stream`. `last` is the stream of the newest one: when all slots are used, it
/// also waits for the other streams, so that its event covers them too.
void CachingResource::record_stream(Block& block, StreamRef stream, StreamRef& last) {
  const EventRef event = acquire_event();
  if (block.event_count < Block::kMaxEvents) {
    block.events[block.event_count++] = event;
    runtime_.record(event, stream);
    last = stream;
    return;
  }
  runtime_.record(event, stream);
  runtime_.wait(last, event);
  runtime_.record(block.events[Block::kMaxEvents - 1], last);
  release(event);
}

EventRef CachingResource::acquire_event() {
  {
    Lock lock(mutex_);
    if (!idle_events_.empty()) {
      const EventRef event = idle_events_.back();
      idle_events_.pop_back();
      return event;
    }
    // Room for every event that will exist, so that giving one back never allocates.
    ++events_wanted_;
    idle_events_.reserve(events_wanted_);
    all_events_.reserve(events_wanted_);
  }
  const EventRef event = runtime_.create_event({});
  Lock lock(mutex_);
  all_events_.push_back(event);
  return event;
}

void CachingResource::release(EventRef event) noexcept {
  Lock lock(mutex_);
  idle_events_.push_back(event);
}

/// Queued work may still use what its stream freed.
void CachingResource::wait_for_streams_of(const std::vector<Block*>& segments) {
  if (reuse_ != Reuse::kStreamOrdered) return;
  std::vector<StreamRef> streams;
  for (const Block* head : segments) {
    for (const Block* part = head; part != nullptr; part = part->after) {
      if (std::find(streams.begin(), streams.end(), part->stream) == streams.end()) {
        streams.push_back(part->stream);
      }
    }
  }
  for (StreamRef stream : streams) runtime_.synchronize(stream);
}

}  // namespace gpukit::memory
