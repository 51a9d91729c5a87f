#include "tensor/staging.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>

#include "backend/registry.h"
#include "base/interrupt.h"
#include "memory/device_resources.h"
#include "memory/pinned_pool.h"

namespace gpukit {

namespace staging {
namespace {

using memory::PinnedPool;
using memory::SlotLoan;

constexpr std::size_t kChunk = PinnedPool::kSlotBytes;

/// Asks for Ctrl-C now and then: copying alone never waits, so it would never notice.
class InterruptClock {
 public:
  void tick() {
    const auto now = Clock::now();
    if (now - last_ < std::chrono::milliseconds(15)) return;
    throw_if_interrupted();
    last_ = Clock::now();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
};

void upload_directly(DeviceRuntime& runtime, std::byte* target, const std::byte* source,
                     std::size_t bytes, StreamRef stream) {
  InterruptClock clock;
  for (std::size_t at = 0; at < bytes; at += kChunk) {
    runtime.copy_from_host(target + at, source + at, std::min(kChunk, bytes - at), stream);
    clock.tick();
  }
}

void download_directly(DeviceRuntime& runtime, std::byte* target, const std::byte* source,
                       std::size_t bytes, StreamRef stream) {
  // The copies below wait inside the driver, where Ctrl-C is not heard: wait for the work before
  // them here.
  runtime.synchronize(stream);
  InterruptClock clock;
  for (std::size_t at = 0; at < bytes; at += kChunk) {
    runtime.copy_to_host(target + at, source + at, std::min(kChunk, bytes - at), stream);
    clock.tick();
  }
  runtime.synchronize(stream);
}

/// One download: chunks are queued ahead while earlier ones are copied out of their slots, in
/// order.
class Download {
 public:
  Download(DeviceRuntime& runtime, PinnedPool& pool, StreamRef stream, std::byte* target,
           const std::byte* source, std::size_t bytes)
      : runtime_(runtime),
        pool_(pool),
        stream_(stream),
        target_(target),
        source_(source),
        bytes_(bytes) {}

  void run(SlotLoan first) {
    queue_chunk(std::move(first));
    while (!chunks_.empty()) {
      queue_ahead();
      finish_oldest();
    }
  }

 private:
  struct Chunk {
    SlotLoan slot;
    std::size_t at;
    std::size_t bytes;
  };

  void queue_chunk(SlotLoan slot) {
    const std::size_t bytes = std::min(kChunk, bytes_ - queued_);
    runtime_.copy_to_host(slot->data, source_ + queued_, bytes, stream_);
    pool_.mark_in_flight(*slot, stream_);
    chunks_.push_back({std::move(slot), queued_, bytes});
    queued_ += bytes;
  }

  /// One chunk on the bus while one is copied is enough; more would take slots from other threads.
  void queue_ahead() {
    while (queued_ < bytes_ && chunks_.size() < 2) {
      SlotLoan slot(pool_, pool_.try_acquire());
      if (!slot) return;
      pool_.wait_until_idle(*slot);
      queue_chunk(std::move(slot));
    }
  }

  void finish_oldest() {
    Chunk chunk = std::move(chunks_.front());
    chunks_.pop_front();
    pool_.wait_until_idle(*chunk.slot);
    copy_on_host(target_ + chunk.at, chunk.slot->data, chunk.bytes);
    clock_.tick();
    // Without a second slot the one just emptied carries on.
    if (chunks_.empty() && queued_ < bytes_) queue_chunk(std::move(chunk.slot));
  }

  DeviceRuntime& runtime_;
  PinnedPool& pool_;
  StreamRef stream_;
  std::byte* target_;
  const std::byte* source_;
  std::size_t bytes_;
  std::size_t queued_ = 0;
  std::deque<Chunk> chunks_;
  InterruptClock clock_;
};

}  // namespace
}  // namespace staging

void copy_on_host(void* target, const void* source, std::size_t bytes) {
  constexpr std::size_t kThreadedBytes = std::size_t{1} << 20;
  if (bytes < kThreadedBytes) {
    std::memcpy(target, source, bytes);
    return;
  }
  CopyArgs args;
  args.shape = Shape{static_cast<std::int64_t>(bytes)};
  args.out = {target, DType::kUInt8, Strides{1}};
  args.in = {const_cast<void*>(source), DType::kUInt8, Strides{1}};
  cpu_device().ops().copy(args, StreamRef{});
}

void upload_pageable(OpenDevice& device, void* target, const void* source, std::size_t bytes,
                     StreamRef stream) {
  DeviceRuntime& runtime = device.runtime();
  auto* to = static_cast<std::byte*>(target);
  const auto* from = static_cast<const std::byte*>(source);
  memory::PinnedPool& pool = *resources_of(device).staging();
  staging::InterruptClock clock;
  for (std::size_t at = 0; at < bytes; at += staging::kChunk) {
    memory::SlotLoan slot(pool, pool.acquire());
    if (!slot) return staging::upload_directly(runtime, to + at, from + at, bytes - at, stream);
    const std::size_t chunk = std::min(staging::kChunk, bytes - at);
    copy_on_host(slot->data, from + at, chunk);
    runtime.copy_from_host(to + at, slot->data, chunk, stream);
    pool.mark_in_flight(*slot, stream);
    clock.tick();
  }
}

void download_pageable(OpenDevice& device, void* target, const void* source, std::size_t bytes,
                       StreamRef stream) {
  DeviceRuntime& runtime = device.runtime();
  auto* to = static_cast<std::byte*>(target);
  const auto* from = static_cast<const std::byte*>(source);
  memory::PinnedPool& pool = *resources_of(device).staging();
  memory::SlotLoan first(pool, pool.acquire());
  if (!first) return staging::download_directly(runtime, to, from, bytes, stream);
  staging::Download(runtime, pool, stream, to, from, bytes).run(std::move(first));
}

}  // namespace gpukit
