// A few page-locked buffers that transfers of pageable memory pass through, chunk by chunk.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <utility>

#include "backend/device_runtime.h"

namespace gpukit::memory {

/// One buffer. While it is in use, only its owner touches it.
struct StagingSlot {
  std::byte* data = nullptr;
  EventRef event;
  bool in_flight = false;  ///< the device may still read or write it until `event`
  bool in_use = false;
};

/// Made slot by slot on demand and kept until the session ends, for pinning is slow and unpinning
/// makes the device wait. Thread safe.
class PinnedPool {
 public:
  static constexpr std::size_t kSlotBytes = std::size_t{4} << 20;
  static constexpr std::size_t kSlots = 4;

  explicit PinnedPool(DeviceRuntime& runtime) : runtime_(runtime) {}
  ~PinnedPool();
  PinnedPool(const PinnedPool&) = delete;
  PinnedPool& operator=(const PinnedPool&) = delete;

  /// Waits until a slot is free and the device is past it; Ctrl-C comes through. nullptr when no
  /// memory can be pinned at all. A borrower that holds a slot already asks with try_acquire, or
  /// two could wait for each other.
  StagingSlot* acquire();
  /// nullptr when no slot is free. The slot may still be in flight: see wait_until_idle.
  StagingSlot* try_acquire();
  /// Waits until the device is past the slot.
  void wait_until_idle(StagingSlot& slot);
  /// The device uses the slot until the work now queued on `stream` is done.
  void mark_in_flight(StagingSlot& slot, StreamRef stream);
  void release(StagingSlot& slot) noexcept;

 private:
  StagingSlot* free_slot() noexcept;
  StagingSlot* make_slot();

  DeviceRuntime& runtime_;
  std::mutex mutex_;
  std::condition_variable released_;
  std::array<StagingSlot, kSlots> slots_;
  std::size_t made_ = 0;
  bool making_ = false;
  bool exhausted_ = false;  ///< the last attempt to pin failed; what there is must do
};

/// Borrows a slot for a scope.
class SlotLoan {
 public:
  SlotLoan() noexcept = default;
  SlotLoan(PinnedPool& pool, StagingSlot* slot) noexcept : pool_(&pool), slot_(slot) {}
  SlotLoan(SlotLoan&& other) noexcept
      : pool_(other.pool_), slot_(std::exchange(other.slot_, nullptr)) {}
  SlotLoan& operator=(SlotLoan&& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(slot_, other.slot_);
    return *this;
  }
  ~SlotLoan() {
    if (slot_ != nullptr) pool_->release(*slot_);
  }

  explicit operator bool() const noexcept { return slot_ != nullptr; }
  StagingSlot* operator->() const noexcept { return slot_; }
  StagingSlot& operator*() const noexcept { return *slot_; }
  /// The borrower keeps the slot; the scope does not give it back.
  StagingSlot* keep() noexcept { return std::exchange(slot_, nullptr); }

 private:
  PinnedPool* pool_ = nullptr;
  StagingSlot* slot_ = nullptr;
};

}  // namespace gpukit::memory
