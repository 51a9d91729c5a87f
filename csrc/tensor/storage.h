// The bytes that tensors share: where they are, who gives them back, which streams still use them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "backend/session.h"
#include "backend/stream_types.h"
#include "base/reference_count.h"

namespace gpukit {

class PendingCopy;

/// Frees memory that gpukit did not allocate (a NumPy array, a DLPack capsule). Must not throw.
using ReleaseFunction = void (*)(void* context) noexcept;

/// Reference counted by StorageRef. All members but the counters are fixed after construction.
class Storage {
 public:
  /// The bytes. A copy that is still filling them is waited for: on the host until it has arrived,
  /// on a GPU until this thread's current stream is ordered after it. Throws TransferError when it
  /// failed.
  std::byte* data() const {
    if (pending_.load(std::memory_order_acquire)) [[unlikely]]
      wait_for_pending();
    return data_;
  }
  /// The same without waiting: where the bytes are, not what they are.
  std::byte* address() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }
  OpenDevice& device() const noexcept { return *device_; }
  bool pinned() const noexcept { return pinned_; }
  /// The device whose memory resource allocated the bytes: device(), but for pinned memory, which a
  /// GPU allocates.
  OpenDevice& allocating_device() const noexcept;
  bool read_only() const noexcept { return read_only_; }
  void mark_read_only() noexcept { read_only_ = true; }
  /// The stream the block was allocated on.
  StreamRef stream() const noexcept { return stream_; }

  /// Another reference to this storage.
  class StorageRef share() noexcept;
  /// Says that `stream` has work on these bytes; they are reused only after it. Cheap for the
  /// own stream.
  void record_stream(StreamRef stream);

  /// `copy` fills these bytes.
  void set_pending(std::shared_ptr<PendingCopy> copy);
  /// The copy that fills these bytes and has not been seen done; usually none.
  std::shared_ptr<PendingCopy> pending() const;
  /// `copy` reads these bytes: writers wait until it has.
  void add_reader(std::shared_ptr<PendingCopy> copy);
  /// In-place writes call this first.
  void wait_for_readers() {
    if (being_read_.load(std::memory_order_acquire)) [[unlikely]]
      await_readers();
  }

  /// What `release` will be called with; nullptr when something else frees the bytes.
  void* context_of(ReleaseFunction release) const noexcept {
    return release_function_ == release ? release_context_ : nullptr;
  }
  /// Gives the storage other bytes, of the same number, that hold the same: the only change of
  /// what is fixed otherwise. The result owns the bytes that it had, but for those of a small
  /// tensor, which end with the storage.
  class StorageRef move_to(void* data, ReleaseFunction release, void* context);

  /// Counts in-place changes, so that autograd can tell that a saved value is no longer the one it
  /// saved.
  std::uint32_t version() const noexcept { return version_.load(std::memory_order_relaxed); }
  void bump_version() noexcept { version_.fetch_add(1, std::memory_order_relaxed); }

 private:
  friend class StorageRef;
  friend class StorageFactory;
  Storage() = default;
  ~Storage() = default;
  void release() noexcept;  ///< gives the bytes back and deletes this
  void release_rest() noexcept;
  void deallocate() noexcept;
  void return_to_owner() noexcept;
  bool wait_for_graph() noexcept;
  void wait_for_pending() const;
  void await_readers();
  void count(int change) const noexcept;
  struct Copies;
  Copies& copies() const;

  ReferenceCount references_;
  std::atomic<std::uint32_t> version_{0};
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  OpenDevice* device_ = nullptr;
  std::shared_ptr<Session> session_;  ///< keeps a CUDA session's objects alive; null on the CPU
  StreamRef stream_;
  ReleaseFunction release_function_ = nullptr;
  void* release_context_ = nullptr;
  struct ExtraStreams;
  std::atomic<ExtraStreams*> extra_streams_{nullptr};
  mutable std::atomic<Copies*> copies_{nullptr};
  mutable std::atomic<bool> pending_{false};
  std::atomic<bool> being_read_{false};
  bool pinned_ = false;
  bool read_only_ = false;
};

/// Counted reference to a Storage.
class StorageRef {
 public:
  friend class Storage;
  StorageRef() noexcept = default;
  StorageRef(const StorageRef& other) noexcept : storage_(other.storage_) {
    if (storage_ != nullptr) storage_->references_.add();
  }
  StorageRef(StorageRef&& other) noexcept : storage_(std::exchange(other.storage_, nullptr)) {}
  StorageRef& operator=(StorageRef other) noexcept {
    std::swap(storage_, other.storage_);
    return *this;
  }
  ~StorageRef() {
    if (storage_ != nullptr && storage_->references_.drop()) storage_->release();
  }

  /// Uninitialised bytes from the device's resource on the current stream. Zero bytes give a null
  /// block.
  static StorageRef allocate(OpenDevice& device, std::size_t bytes);
  static StorageRef allocate_on(OpenDevice& device, std::size_t bytes, StreamRef stream);
  /// Page-locked host memory (a CPU storage) for copies to and from `cuda`.
  static StorageRef allocate_pinned(OpenDevice& cuda, std::size_t bytes);
  /// Wraps foreign memory; `release(context)` is called once, on any thread, also when
  /// this throws.
  static StorageRef adopt(OpenDevice& device, void* data, std::size_t bytes,
                          ReleaseFunction release, void* context);

  Storage* operator->() const noexcept { return storage_; }
  Storage& operator*() const noexcept { return *storage_; }
  explicit operator bool() const noexcept { return storage_ != nullptr; }
  friend bool operator==(const StorageRef& a, const StorageRef& b) noexcept {
    return a.storage_ == b.storage_;
  }
  std::uint32_t use_count() const noexcept {
    return storage_ != nullptr ? storage_->references_.value() : 0;
  }
  /// Changes so far do not count, where nobody else has a reference: they made the first value.
  void forget_changes() const noexcept {
    if (storage_->references_.value() == 1) storage_->version_.store(0, std::memory_order_relaxed);
  }

 private:
  explicit StorageRef(Storage* storage) noexcept : storage_(storage) {}
  Storage* storage_ = nullptr;
};

inline StorageRef Storage::share() noexcept {
  references_.add();
  return StorageRef(this);
}

}  // namespace gpukit
