#include "memory/pinned_pool.h"

#include <algorithm>
#include <chrono>

#include "base/error.h"
#include "base/interrupt.h"

namespace gpukit::memory {

namespace {
constexpr auto kInterruptPeriod = std::chrono::milliseconds(10);
}

PinnedPool::~PinnedPool() {
  for (std::size_t i = 0; i < made_; ++i) {
    runtime_.destroy_event(slots_[i].event);
    runtime_.deallocate_pinned(slots_[i].data, kSlotBytes);
  }
}

StagingSlot* PinnedPool::free_slot() noexcept {
  const auto end = slots_.begin() + static_cast<std::ptrdiff_t>(made_);
  // One that the device is past comes first.
  auto found = std::find_if(slots_.begin(), end,
                            [](const StagingSlot& s) { return !s.in_use && !s.in_flight; });
  if (found == end)
    found = std::find_if(slots_.begin(), end, [](const StagingSlot& s) { return !s.in_use; });
  if (found == end) return nullptr;
  found->in_use = true;
  return &*found;
}

/// Pins one more slot without holding the lock; nullptr when there are enough or no memory can be
/// pinned.
StagingSlot* PinnedPool::make_slot() {
  {
    std::lock_guard lock(mutex_);
    if (made_ == kSlots || making_ || exhausted_) return nullptr;
    making_ = true;
  }
  void* data = nullptr;
  EventRef event;
  bool failed = false;
  try {
    event = runtime_.create_event({});
    data = runtime_.allocate_pinned(kSlotBytes);
  } catch (const Error&) {
    failed = true;
  }
  if (failed && event != EventRef{}) runtime_.destroy_event(event);
  std::lock_guard lock(mutex_);
  making_ = false;
  exhausted_ = failed;
  released_.notify_all();
  if (failed) return nullptr;
  StagingSlot& slot = slots_[made_++];
  slot = {static_cast<std::byte*>(data), event, false, true};
  return &slot;
}

StagingSlot* PinnedPool::try_acquire() {
  {
    std::lock_guard lock(mutex_);
    StagingSlot* slot = free_slot();
    // A busy slot is worth taking only when no fresh one can be made.
    if (slot != nullptr && !slot->in_flight) return slot;
    if (slot != nullptr) slot->in_use = false;
  }
  if (StagingSlot* made = make_slot()) return made;
  std::lock_guard lock(mutex_);
  return free_slot();
}

StagingSlot* PinnedPool::acquire() {
  for (;;) {
    if (StagingSlot* slot = try_acquire()) {
      SlotLoan loan(*this, slot);  // gives it back when the wait is interrupted
      wait_until_idle(*loan);
      return loan.keep();
    }
    throw_if_interrupted();
    std::unique_lock lock(mutex_);
    if (made_ == 0 && !making_) return nullptr;
    released_.wait_for(lock, kInterruptPeriod);
  }
}

void PinnedPool::wait_until_idle(StagingSlot& slot) {
  if (!slot.in_flight) return;
  runtime_.synchronize(slot.event);
  slot.in_flight = false;
}

void PinnedPool::mark_in_flight(StagingSlot& slot, StreamRef stream) {
  slot.in_flight = true;
  runtime_.record(slot.event, stream);
}

void PinnedPool::release(StagingSlot& slot) noexcept {
  {
    std::lock_guard lock(mutex_);
    slot.in_use = false;
  }
  released_.notify_one();
}

}  // namespace gpukit::memory
