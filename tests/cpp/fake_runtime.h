// A device without work: streams are queues of marks that the test completes when it wants to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "backend/device_runtime.h"
#include "base/error.h"

namespace gpukit::testing {

/// Copies happen at once. Thread safe. Handles of streams and events are 1, 2, 3 …
class FakeRuntime : public DeviceRuntime {
 public:
  static constexpr int kMaxStreams = 16;
  using Clock = std::vector<std::uint64_t>;  ///< by stream: the last mark known to come before

  explicit FakeRuntime(std::size_t capacity) : capacity_(capacity), streams_(kMaxStreams) {}
  ~FakeRuntime() override {
    for (const auto& [address, bytes] : memory_) std::free(address);
  }

  Device device() const noexcept override { return Device::cuda(0); }
  const DeviceProperties& properties() const override { return properties_; }

  void* allocate(std::size_t bytes) override {
    std::lock_guard lock(mutex_);
    const std::size_t free = capacity_ - held_;
    if (bytes > free) {
      throw OutOfMemoryError("no memory", static_cast<std::int64_t>(bytes),
                             static_cast<std::int64_t>(free), static_cast<std::int64_t>(capacity_),
                             0);
    }
    void* address = std::aligned_alloc(256, bytes);
    if (address == nullptr) throw HostMemoryError("no host memory");
    memory_[address] = bytes;
    held_ += bytes;
    ++allocations;
    return address;
  }
  void deallocate(void* address, std::size_t bytes) noexcept override {
    std::lock_guard lock(mutex_);
    const auto found = memory_.find(address);
    if (found == memory_.end() || found->second != bytes) std::abort();
    memory_.erase(found);
    held_ -= bytes;
    std::free(address);
  }
  void* allocate_pinned(std::size_t bytes) override { return allocate(bytes); }
  void deallocate_pinned(void* address, std::size_t bytes) noexcept override {
    deallocate(address, bytes);
  }
  MemoryInfo memory_info() override {
    std::lock_guard lock(mutex_);
    return {static_cast<std::int64_t>(capacity_ - held_), static_cast<std::int64_t>(capacity_)};
  }
  std::size_t held() const {
    std::lock_guard lock(mutex_);
    return held_;
  }
  std::size_t live_events() const {
    std::lock_guard lock(mutex_);
    return events_.size();
  }

  StreamRef default_stream() override { return {1}; }
  StreamRef create_stream(int) override { return {static_cast<std::uintptr_t>(++made_streams_)}; }
  void destroy_stream(StreamRef) noexcept override {}

  /// Queues one mark; returns its number.
  std::uint64_t work(StreamRef stream) {
    std::lock_guard lock(mutex_);
    return add(stream);
  }
  /// Completes everything queued, or up to `marks` marks of one stream (as far as its waits allow).
  void finish(StreamRef stream, std::uint64_t marks) {
    std::lock_guard lock(mutex_);
    Queue& queue = at(stream);
    for (; marks > 0 && queue.done < queue.last && may_advance(queue); --marks) ++queue.done;
  }
  void finish_all() {
    std::lock_guard lock(mutex_);
    for (Queue& queue : streams_) queue.done = queue.last;
  }
  /// True when mark `number` of `user` is done, or comes before all later work of `next`.
  bool is_ordered(StreamRef user, std::uint64_t number, StreamRef next) const {
    std::lock_guard lock(mutex_);
    if (streams_[user.handle].done >= number) return true;
    return next.handle < kMaxStreams && known(next, user) >= number;
  }

  bool query(StreamRef stream) override {
    std::lock_guard lock(mutex_);
    return at(stream).done == at(stream).last;
  }
  void synchronize(StreamRef) override { finish_all(); }
  void synchronize() override { finish_all(); }

  EventRef create_event(EventOptions) override {
    std::lock_guard lock(mutex_);
    const EventRef event{++made_events_};
    events_[event.handle] = {};
    return event;
  }
  void destroy_event(EventRef event) noexcept override {
    std::lock_guard lock(mutex_);
    if (events_.erase(event.handle) != 1) std::abort();
  }
  void record(EventRef event, StreamRef stream) override {
    std::lock_guard lock(mutex_);
    if (fail_records) throw DeviceError("record failed");
    Mark& mark = events_.at(event.handle);
    mark = {stream, add(stream), {}};
    mark.clock = clock_of(stream);
  }
  void wait(StreamRef stream, EventRef event) override {
    std::lock_guard lock(mutex_);
    const Mark& mark = events_.at(event.handle);
    Queue& queue = at(stream);
    queue.waits.push_back({add(stream), mark.stream, mark.number});
    queue.clock.resize(kMaxStreams);
    for (std::size_t i = 0; i < mark.clock.size(); ++i)
      queue.clock[i] = std::max(queue.clock[i], mark.clock[i]);
  }
  bool query(EventRef event) override {
    std::lock_guard lock(mutex_);
    const Mark& mark = events_.at(event.handle);
    return mark.number == 0 || at(mark.stream).done >= mark.number;
  }
  void synchronize(EventRef) override { finish_all(); }
  double elapsed_ms(EventRef, EventRef) override { return 0; }

  void copy_from_host(void* target, const void* source, std::size_t bytes, StreamRef) override {
    std::memcpy(target, source, bytes);
  }
  void copy_to_host(void* target, const void* source, std::size_t bytes, StreamRef) override {
    std::memcpy(target, source, bytes);
  }
  void copy_on_device(void* target, const void* source, std::size_t bytes, StreamRef) override {
    std::memmove(target, source, bytes);
  }
  void copy_from_peer(void* target, DeviceRuntime&, const void* source, std::size_t bytes,
                      StreamRef) override {
    std::memcpy(target, source, bytes);
  }
  void fill_bytes(void* target, unsigned char value, std::size_t bytes, StreamRef) override {
    std::memset(target, value, bytes);
  }
  bool can_access_peer(const DeviceRuntime&) const override { return false; }

  bool fail_records = false;
  int allocations = 0;

 private:
  struct Wait {
    std::uint64_t before;  ///< the mark that may not be done earlier
    StreamRef stream;
    std::uint64_t number;
  };
  struct Queue {
    std::uint64_t last = 0;
    std::uint64_t done = 0;
    std::deque<Wait> waits;
    Clock clock;
  };
  struct Mark {
    StreamRef stream;
    std::uint64_t number = 0;
    Clock clock;
  };

  Queue& at(StreamRef stream) { return streams_.at(stream.handle); }
  std::uint64_t add(StreamRef stream) { return ++at(stream).last; }
  Clock clock_of(StreamRef stream) {
    Clock clock = at(stream).clock;
    clock.resize(kMaxStreams);
    clock[stream.handle] = at(stream).last;
    return clock;
  }
  std::uint64_t known(StreamRef stream, StreamRef other) const {
    const Queue& queue = streams_[stream.handle];
    if (stream == other) return queue.last;
    return other.handle < queue.clock.size() ? queue.clock[other.handle] : 0;
  }
  bool may_advance(Queue& queue) {
    while (!queue.waits.empty() && queue.waits.front().before <= queue.done + 1) {
      const Wait& wait = queue.waits.front();
      if (streams_[wait.stream.handle].done < wait.number) return false;
      queue.waits.pop_front();
    }
    return true;
  }

  mutable std::mutex mutex_;
  DeviceProperties properties_;
  std::size_t capacity_;
  std::size_t held_ = 0;
  std::map<void*, std::size_t> memory_;
  std::vector<Queue> streams_;
  std::map<std::uintptr_t, Mark> events_;
  std::uintptr_t made_events_ = 0;
  int made_streams_ = 1;
};

}  // namespace gpukit::testing
