#include "tensor/storage.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <span>
#include <vector>

#include "backend/current.h"
#include "backend/registry.h"
#include "base/process_state.h"
#include "memory/caching_resource.h"
#include "memory/device_resources.h"
#include "tensor/node_pool.h"

namespace gpukit {

struct Storage::ExtraStreams {
  std::mutex mutex;
  std::vector<StreamRef> list;
};

/// Makes and drops Storage objects. Each lies in a pooled node with room for the bytes of a small
/// CPU tensor.
class StorageFactory {
 public:
  static constexpr std::size_t kInlineBytes = 128;

  static Storage* make(OpenDevice& device, StreamRef stream) {
    auto* node = static_cast<Node*>(Pool::take());
    auto* storage = ::new (static_cast<void*>(&node->storage)) Storage;  // no (): see TensorImpl
    storage->device_ = &device;
    storage->stream_ = stream;
    return storage;
  }

  static void drop(Storage* storage) noexcept {
    storage->~Storage();
    Pool::give(storage);
  }

  /// The small room behind the object, aligned to 64 bytes.
  static std::byte* inline_room(Storage* storage) noexcept {
    return reinterpret_cast<std::byte*>(storage) + kRoomOffset;
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

}  // namespace

void Storage::record_use(StreamRef stream) {
  if (stream == stream_ || (device_->device().is_cpu() && !pinned_)) return;
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

/// The device whose resources lent the bytes: a pinned block is a CPU storage that belongs to a
/// GPU.
OpenDevice& Storage::lender() const noexcept {
  return pinned_ ? *static_cast<OpenDevice*>(release_context_) : *device_;
}

void Storage::give_back() noexcept {
  if (data_ == nullptr || data_ == StorageFactory::inline_room(this)) return;
  if (session_ != nullptr && !session_->alive()) return;  // the memory went with its session
  const std::unique_ptr<ExtraStreams> extra(
      extra_streams_.exchange(nullptr, std::memory_order_acquire));
  std::span<const StreamRef> used;
  if (extra != nullptr) used = extra->list;
  DeviceResources& resources = resources_of(lender());
  MemoryResource& memory = pinned_ ? resources.pinned_memory() : resources.device_memory();
  memory.deallocate(data_, bytes_, stream_, used);
}

/// The owner of foreign GPU memory may write it once it has it back: its legacy stream then waits
/// for our work.
void Storage::order_owner_after_us() noexcept {
  if (session_ == nullptr || !session_->alive() || !process_state::driver_usable()) return;
  try {
    DeviceRuntime& runtime = device_->runtime();
    std::vector<StreamRef> streams{stream_};
    const ExtraStreams* extra = extra_streams_.load(std::memory_order_acquire);
    if (extra != nullptr) streams.insert(streams.end(), extra->list.begin(), extra->list.end());
    const EventRef event = runtime.create_event({});
    for (StreamRef stream : streams) {
      runtime.record(event, stream);
      runtime.wait(StreamRef{}, event);
    }
    runtime.destroy_event(event);
  } catch (...) {
    // A lost device has no work left to wait for.
  }
}

void Storage::release() noexcept {
  if (process_state::exiting()) return;
  if (release_function_ != nullptr) {
    order_owner_after_us();
    release_function_(release_context_);
  } else {
    give_back();
  }
  delete extra_streams_.load(std::memory_order_relaxed);
  StorageFactory::drop(this);
}

StorageRef StorageRef::allocate(OpenDevice& device, std::size_t bytes) {
  return allocate_on(device, bytes, current_stream(device));
}

StorageRef StorageRef::allocate_on(OpenDevice& device, std::size_t bytes, StreamRef stream) {
  UnfinishedStorage storage(StorageFactory::make(device, stream));
  storage->bytes_ = bytes;
  if (device.device().is_cpu()) {
    if (bytes == 0) return StorageRef(storage.finish());
    if (bytes <= StorageFactory::kInlineBytes) {
      Storage* small = storage.finish();
      small->data_ = StorageFactory::inline_room(small);
      return StorageRef(small);
    }
  } else {
    device.runtime();  // throws when the session is over
    storage->session_ = device.session().shared_from_this();
  }
  if (bytes != 0) {
    storage->data_ =
        static_cast<std::byte*>(resources_of(device).device_memory().allocate(bytes, stream));
  }
  return StorageRef(storage.finish());
}

StorageRef StorageRef::allocate_pinned(OpenDevice& cuda, std::size_t bytes) {
  cuda.runtime();  // throws when the session is over
  UnfinishedStorage storage(StorageFactory::make(cpu_device(), memory::kNoStream));
  storage->bytes_ = bytes;
  storage->pinned_ = true;
  storage->release_context_ = &cuda;
  storage->session_ = cuda.session().shared_from_this();
  if (bytes != 0) {
    MemoryResource& pinned = resources_of(cuda).pinned_memory();
    storage->data_ = static_cast<std::byte*>(pinned.allocate(bytes, memory::kNoStream));
  }
  return StorageRef(storage.finish());
}

StorageRef StorageRef::adopt(OpenDevice& device, void* data, std::size_t bytes,
                             ReleaseFunction release, void* context) {
  const bool on_cpu = device.device().is_cpu();
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
  return StorageRef(storage);
}

}  // namespace gpukit
