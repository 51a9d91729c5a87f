#include "tensor/shared_memory.h"

#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/registry.h"
#include "base/check.h"
#include "base/error.h"
#include "base/fork_hooks.h"

namespace gpukit {

namespace shared_memory {
namespace {

/// What tells one memory from another, whichever descriptor leads to it.
using Identity = std::pair<dev_t, ino_t>;

[[noreturn]] void fail(const char* what, int code) {
  throw HostMemoryError(concat("share_memory_: ", what, ": ", std::strerror(code)));
}

/// A file descriptor and where its memory is mapped.
class Mapping {
 public:
  explicit Mapping(int file) : file_(file) {
    struct stat facts{};
    if (fstat(file, &facts) != 0) abandon("the file descriptor cannot be read");
    identity_ = {facts.st_dev, facts.st_ino};
    bytes_ = static_cast<std::size_t>(facts.st_size);
    void* data = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    if (data == MAP_FAILED) abandon("the memory cannot be mapped");
    data_ = data;
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    munmap(data_, bytes_);
    close(file_);
  }

  int file() const noexcept { return file_; }
  void* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }
  const Identity& identity() const noexcept { return identity_; }

 private:
  [[noreturn]] void abandon(const char* what) const {
    const int code = errno;
    close(file_);
    fail(what, code);
  }

  int file_;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  Identity identity_;
};

/// The mappings of this process. Tensors that share memory have one address, by which operations
/// see that they overlap.
class Registry {
 public:
  Registry() {
    const auto unlock = [] { the().mutex_.unlock(); };
    set_fork_hooks(ForkLevel::kSharedMemory, {[] { the().mutex_.lock(); }, unlock, unlock});
  }
  static Registry& the() {
    static auto* made = new Registry();  // storages may end later than objects of the program do
    return *made;
  }

  /// The mapping that this memory has already; else `fresh`.
  std::shared_ptr<Mapping> first_of(std::shared_ptr<Mapping> fresh) {
    const std::lock_guard lock(mutex_);
    std::weak_ptr<Mapping>& known = mappings_[fresh->identity()];
    if (std::shared_ptr<Mapping> mapping = known.lock()) return mapping;
    known = fresh;
    return fresh;
  }
  void forget(const Identity& identity) noexcept {
    const std::lock_guard lock(mutex_);
    const auto found = mappings_.find(identity);
    if (found != mappings_.end() && found->second.expired()) mappings_.erase(found);
  }

 private:
  std::mutex mutex_;
  std::map<Identity, std::weak_ptr<Mapping>> mappings_;
};

/// What a storage in shared memory owns.
struct Owned {
  std::shared_ptr<Mapping> mapping;
  StorageRef former;  ///< the memory that it had before
};

std::unique_ptr<Owned> owner_of(int file) {
  auto owned = std::make_unique<Owned>();
  owned->mapping = Registry::the().first_of(std::make_shared<Mapping>(file));
  return owned;
}

void release(void* context) noexcept {
  std::unique_ptr<Owned> owned(static_cast<Owned*>(context));
  const Identity identity = owned->mapping->identity();
  owned.reset();
  Registry::the().forget(identity);
}

}  // namespace
}  // namespace shared_memory

int shared_memory_of(const Tensor& tensor) noexcept {
  const void* owned = tensor.storage()->context_of(shared_memory::release);
  return owned != nullptr ? static_cast<const shared_memory::Owned*>(owned)->mapping->file() : -1;
}

void move_to_shared_memory(const Tensor& tensor, int file, bool keep) {
  auto owned = shared_memory::owner_of(file);
  void* data = owned->mapping->data();
  Storage& storage = *tensor.storage();
  GPUKIT_CHECK(tensor.on_host() && !storage.pinned() && owned->mapping->bytes() == storage.bytes(),
               ValueError, "share_memory_: only plain CPU memory moves, into memory of its size");
  storage.wait_for_readers();
  std::memcpy(data, storage.data(), storage.bytes());
  const bool is_alone = tensor.use_count() == 1 && tensor.storage().use_count() == 1;
  StorageRef former = storage.move_to(data, shared_memory::release, owned.get());
  if (keep || !is_alone) owned->former = std::move(former);
  owned.release();
}

Tensor map_shared_memory(int file) {
  auto owned = shared_memory::owner_of(file);
  void* data = owned->mapping->data();
  const std::size_t bytes = owned->mapping->bytes();
  StorageRef storage =
      StorageRef::adopt(cpu_device(), data, bytes, shared_memory::release, owned.release());
  return Tensor::make_contiguous(std::move(storage), DType::kUInt8,
                                 Shape{static_cast<std::int64_t>(bytes)});
}

}  // namespace gpukit
