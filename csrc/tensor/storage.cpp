#include "tensor/storage.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <span>
#include <vector>

#include "backend/current.h"
#include "backend/registry.h"
#include "base/error.h"
#include "base/process_state.h"
#include "memory/caching_resource.h"
#include "memory/copy_worker.h"
#include "memory/device_resources.h"
#include "tensor/captured_graph.h"
#include "tensor/live_counts.h"
#include "tensor/node_pool.h"
#include "tensor/pending_copy.h"

namespace gpukit {

struct Storage::ExtraStreams {
  std::mutex mutex;
  std::vector<StreamRef> list;
};

/// The copies under way that fill or read the bytes. Made with the first one.
struct Storage::Copies {
  std::mutex mutex;
  std::shared_ptr<PendingCopy> pending;
  std::vector<std::shared_ptr<PendingCopy>> readers;
};

/// Creates and destroys Storage objects. Each is in a pooled node with room for the bytes of a
/// small CPU tensor.
class StorageFactory {
 public:
  static constexpr std::size_t kInlineBytes = 128;

  static Storage* make(OpenDevice& device, StreamRef stream) {
    auto* node = static_cast<Node*>(Pool::allocate());
    // no (): it would clear the block first
    auto* storage = ::new (static_cast<void*>(&node->storage)) Storage;
    storage->device_ = &device;
    storage->stream_ = stream;
    return storage;
  }

  /// A CPU storage whose bytes, at most kInlineBytes, follow the object.
  static Storage* make_inline(OpenDevice& cpu, std::size_t bytes, StreamRef stream) {
    Storage* storage = make(cpu, stream);
    storage->bytes_ = bytes;
    if (bytes != 0) storage->data_ = inline_buffer(storage);
    return storage;
  }

  static void drop(Storage* storage) noexcept {
    storage->~Storage();
    Pool::deallocate(storage);
  }

  /// The inline buffer after the object, aligned to 64 bytes.
  static std::byte* inline_buffer(Storage* storage) noexcept {
    return reinterpret_cast<std::byte*>(storage) + kRoomOffset;
  }

  /// True when there is nothing to release but the object: a small CPU tensor's.
  static bool is_bare(Storage* storage) noexcept {
    const bool own = storage->data_ == inline_buffer(storage) || storage->data_ == nullptr;
    return own && storage->session_ == nullptr && storage->release_function_ == nullptr &&
           storage->extra_streams_.load(std::memory_order_relaxed) == nullptr &&
           storage->copies_.load(std::memory_order_relaxed) == nullptr;
  }

 private:
  struct Tag;
  static constexpr std::size_t kRoomOffset = (sizeof(Storage) + 63) / 64 * 64;
  struct alignas(64) Node {
    union {
      Storage storage;
      std::byte bytes[kRoomOffset + kInlineBytes];
    };
    Node() = delete;
    ~Node() = delete;
  };
  using Pool = NodePool<Tag, sizeof(Node), 64, 256>;
};

namespace storage {
namespace {

/// Drops a storage again when filling it in throws.
class UnfinishedStorage {
 public:
  explicit UnfinishedStorage(Storage* storage) noexcept : storage_(storage) {}
  UnfinishedStorage(const UnfinishedStorage&) = delete;
  ~UnfinishedStorage() {
    if (storage_ != nullptr) StorageFactory::drop(storage_);
  }
  Storage* operator->() const noexcept { return storage_; }
  Storage* finish() noexcept { return std::exchange(storage_, nullptr); }

 private:
  Storage* storage_;
};

/// Calls the release function when the work that was marked is done.
class OwnerReturn final : public memory::CopyJob {
 public:
  OwnerReturn(OpenDevice& device, ReleaseFunction release, void* context)
      : device_(device), release_(release), context_(context) {}
  OwnerReturn(const OwnerReturn&) = delete;
  OwnerReturn& operator=(const OwnerReturn&) = delete;
  ~OwnerReturn() override {
    if (device_.alive()) {
      for (EventRef event : events_) device_.runtime().destroy_event(event);
    }
    release_(context_);
  }

  /// What `stream` has queued so far comes first.
  void mark(StreamRef stream) {
    DeviceRuntime& runtime = device_.runtime();
    if (runtime.is_capturing(stream)) return;  // of another thread, which cannot be waited for
    events_.reserve(events_.size() + 1);
    events_.push_back(runtime.create_event({}));
    runtime.record(events_.back(), stream);
  }
  bool is_done() {
    return std::all_of(events_.begin(), events_.end(),
                       [this](EventRef event) { return device_.runtime().query(event); });
  }
  void run() noexcept override {
    try {
      for (EventRef event : events_) device_.runtime().synchronize(event);
    } catch (...) {  // the device is lost, or the session over: nothing runs any more
    }
  }

 private:
  OpenDevice& device_;  // its session owns the worker that owns this
  ReleaseFunction release_;
  void* context_;
  std::vector<EventRef> events_;
};

}  // namespace
}  // namespace storage

void Storage::record_stream(StreamRef stream) {
  if (any_capture() && keep_for_graph(*this)) return;
  if (stream == stream_ || (device_->shares_memory_with_host() && !pinned_)) return;
  ExtraStreams* extra = extra_streams_.load(std::memory_order_acquire);
  if (extra == nullptr) {
    auto fresh = std::make_unique<ExtraStreams>();
    if (extra_streams_.compare_exchange_strong(extra, fresh.get(), std::memory_order_acq_rel)) {
      extra = fresh.release();
    }
  }
  std::lock_guard lock(extra->mutex);
  if (std::find(extra->list.begin(), extra->list.end(), stream) == extra->list.end()) {
    extra->list.push_back(stream);
  }
}

Storage::Copies& Storage::copies() const {
  Copies* known = copies_.load(std::memory_order_acquire);
  if (known != nullptr) return *known;
  auto fresh = std::make_unique<Copies>();
  if (copies_.compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel)) {
    return *fresh.release();
  }
  return *known;
}

void Storage::set_pending(std::shared_ptr<PendingCopy> copy) {
  Copies& here = copies();
  const std::lock_guard lock(here.mutex);
  here.pending = std::move(copy);
  pending_.store(true, std::memory_order_release);
}

std::shared_ptr<PendingCopy> Storage::pending() const {
  if (!pending_.load(std::memory_order_acquire)) return nullptr;
  Copies& here = copies();
  const std::lock_guard lock(here.mutex);
  return here.pending;
}

void Storage::wait_for_pending() const {
  const std::shared_ptr<PendingCopy> copy = pending();
  if (copy == nullptr) return;
  if (device_->shares_memory_with_host()) {
    copy->wait();
  } else if (!copy->is_done()) {
    copy->order_before(device_->runtime(), current_stream(*device_));
    return;  // another stream may query too
  }
  Copies& here = copies();
  const std::lock_guard lock(here.mutex);
  if (here.pending != copy) return;
  here.pending = nullptr;
  pending_.store(false, std::memory_order_release);
  if (device_->shares_memory_with_host()) copy->carrier().raise_index_fault();
}

void Storage::add_reader(std::shared_ptr<PendingCopy> copy) {
  Copies& here = copies();
  const std::lock_guard lock(here.mutex);
  here.readers.push_back(std::move(copy));
  being_read_.store(true, std::memory_order_release);
}

/// A reader that failed reads no more.
void Storage::await_readers() {
  Copies& here = copies();
  for (;;) {
    std::shared_ptr<PendingCopy> reader;
    {
      const std::lock_guard lock(here.mutex);
      if (here.readers.empty()) return being_read_.store(false, std::memory_order_release);
      reader = here.readers.back();
    }
    try {
      reader->wait_until_issued();
    } catch (const TransferError&) {
    }
    const std::lock_guard lock(here.mutex);
    std::erase(here.readers, reader);
  }
}

/// The device whose resources allocated the bytes: a pinned block is a CPU storage that belongs to
/// a GPU.
OpenDevice& Storage::allocating_device() const noexcept {
  return pinned_ ? *static_cast<OpenDevice*>(release_context_) : *device_;
}

void Storage::deallocate() noexcept {
  if (data_ == nullptr || data_ == StorageFactory::inline_buffer(this)) return;
  // The memory went with its session, or stayed with the parent of a forked process.
  if (session_ != nullptr && (!session_->alive() || process_state::forked_child())) return;
  const std::unique_ptr<ExtraStreams> extra(
      extra_streams_.exchange(nullptr, std::memory_order_acquire));
  std::span<const StreamRef> used;
  if (extra != nullptr) used = extra->list;
  DeviceResources& resources = resources_of(allocating_device());
  MemoryResource& memory = pinned_ ? resources.pinned_memory() : resources.device_memory();
  memory.deallocate(data_, bytes_, stream_, used);
}

/// Foreign memory goes back to its owner once our work on it is done. The owner may use it on
/// any stream then, and gpukit is not told which: DLPack's deleter and the owner's own pool know
/// nothing of streams.
void Storage::return_to_owner() noexcept {
  const bool on_gpu = session_ != nullptr && session_->alive() && process_state::driver_usable();
  if (!on_gpu) return release_function_(release_context_);
  storage::OwnerReturn* unsaved = nullptr;
  try {
    auto handing =
        std::make_unique<storage::OwnerReturn>(*device_, release_function_, release_context_);
    unsaved = handing.get();
    handing->mark(stream_);
    const ExtraStreams* extra = extra_streams_.load(std::memory_order_acquire);
    for (StreamRef stream : extra != nullptr ? extra->list : std::vector<StreamRef>{})
      handing->mark(stream);
    if (!handing->is_done()) resources_of(*device_).copy_engine()->returns.add(std::move(handing));
  } catch (...) {
    // A lost device has no work left to wait for.
    if (unsaved == nullptr) release_function_(release_context_);
  }
}

/// While this thread captures a graph, the streams of a capture cannot be queried. The graph
/// keeps the memory then, like everything it uses.
bool Storage::wait_for_graph() noexcept {
  if (!any_capture() || session_ == nullptr || !session_->alive()) return false;
  try {
    if (!device_->runtime().is_capturing(stream_)) return false;
    return keep_for_graph(*this);  // share() counts the graph's reference, the first again
  } catch (...) {
    return false;
  }
}

/// What live_counts.h counts: everything that is not plain host memory.
void Storage::count(int change) const noexcept {
  if (session_ == nullptr) return;
  auto& counter = pinned_ ? live::pinned_buffers : live::device_buffers;
  counter.fetch_add(change, std::memory_order_relaxed);
}

StorageRef Storage::move_to(void* data, ReleaseFunction release, void* context) {
  const bool is_inline = data_ == StorageFactory::inline_buffer(this);
  StorageRef former;
  if (data_ != nullptr && !is_inline) {
    Storage* holder = StorageFactory::make(*device_, stream_);
    holder->data_ = data_;
    holder->bytes_ = bytes_;
    holder->release_function_ = release_function_;
    holder->release_context_ = release_context_;
    former = StorageRef(holder);
  }
  data_ = static_cast<std::byte*>(data);
  release_function_ = release;
  release_context_ = context;
  read_only_ = false;
  return former;
}

void Storage::release() noexcept {
  if (process_state::exiting()) return;
  if (StorageFactory::is_bare(this)) [[likely]]
    return StorageFactory::drop(this);
  release_rest();
}

void Storage::release_rest() noexcept {
  if (release_function_ != nullptr && wait_for_graph()) return;
  count(-1);
  if (release_function_ != nullptr) {
    return_to_owner();
  } else {
    deallocate();
  }
  delete extra_streams_.load(std::memory_order_relaxed);
  delete copies_.load(std::memory_order_relaxed);
  StorageFactory::drop(this);
}

StorageRef StorageRef::allocate(OpenDevice& device, std::size_t bytes) {
  if (device.shares_memory_with_host() && bytes <= StorageFactory::kInlineBytes) [[likely]]
    return StorageRef(StorageFactory::make_inline(device, bytes, {}));
  return allocate_on(device, bytes, current_stream(device));
}

StorageRef StorageRef::allocate_on(OpenDevice& device, std::size_t bytes, StreamRef stream) {
  const bool on_cpu = device.shares_memory_with_host();
  if (on_cpu && bytes <= StorageFactory::kInlineBytes)
    return StorageRef(StorageFactory::make_inline(device, bytes, stream));
  storage::UnfinishedStorage storage(StorageFactory::make(device, stream));
  storage->bytes_ = bytes;
  if (!on_cpu) {
    device.runtime();  // throws when the session is over
    storage->session_ = device.session().shared_from_this();
  }
  if (bytes != 0) {
    storage->data_ =
        static_cast<std::byte*>(resources_of(device).device_memory().allocate(bytes, stream));
  }
  storage->count(1);
  return StorageRef(storage.finish());
}

StorageRef StorageRef::allocate_pinned(OpenDevice& cuda, std::size_t bytes) {
  cuda.runtime();  // throws when the session is over
  storage::UnfinishedStorage storage(StorageFactory::make(cpu_device(), memory::kNoStream));
  storage->bytes_ = bytes;
  storage->pinned_ = true;
  storage->release_context_ = &cuda;
  storage->session_ = cuda.session().shared_from_this();
  if (bytes != 0) {
    MemoryResource& pinned = resources_of(cuda).pinned_memory();
    storage->data_ = static_cast<std::byte*>(pinned.allocate(bytes, memory::kNoStream));
  }
  storage->count(1);
  return StorageRef(storage.finish());
}

StorageRef StorageRef::adopt(OpenDevice& device, void* data, std::size_t bytes,
                             ReleaseFunction release, void* context) {
  const bool on_cpu = device.shares_memory_with_host();
  Storage* storage = nullptr;
  try {
    storage = StorageFactory::make(device, on_cpu ? StreamRef{} : current_stream(device));
  } catch (...) {
    release(context);
    throw;
  }
  if (!on_cpu) storage->session_ = device.session().shared_from_this();
  storage->data_ = static_cast<std::byte*>(data);
  storage->bytes_ = bytes;
  storage->release_function_ = release;
  storage->release_context_ = context;
  storage->count(1);
  return StorageRef(storage);
}

}  // namespace gpukit
