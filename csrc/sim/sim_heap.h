// The memory of one simulated card: a reserved address range in which only allocations can be
// touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace gpukit::sim {

struct MemoryBlock {
  std::uintptr_t address = 0;
  std::size_t bytes = 0;
};

class SimHeap {
 public:
  /// `closed`: the memory cannot be touched until open().
  explicit SimHeap(std::uint64_t limit_bytes, bool closed = false);
  ~SimHeap();
  SimHeap(const SimHeap&) = delete;
  SimHeap& operator=(const SimHeap&) = delete;

  /// Fresh memory, poisoned with 0xFF and followed by a page that cannot be touched; 0 when the
  /// card is full.
  std::uintptr_t allocate(std::size_t bytes);

  /// Lets this process touch the memory, or takes that away again: on a card the host never can.
  void open() { set_access(true); }
  void close() { set_access(false); }

  enum class Release { kDone, kUnknown, kOverrun };
  /// Releases a block. kOverrun: it is released, but the bytes after it had been written.
  Release release(std::uintptr_t address);
  void release_all();

  /// The block that holds all of [address, address + bytes).
  /// The last block that starts at or before an address, for messages; empty when there is none.
  MemoryBlock block_before(std::uintptr_t address) const;
  std::optional<MemoryBlock> find(std::uintptr_t address, std::size_t bytes) const;
  /// Whether an address belongs to the card's range at all, allocated or not.
  bool owns(std::uintptr_t address) const;

  std::uint64_t limit_bytes() const { return limit_; }
  std::uint64_t used_bytes() const;
  std::size_t block_count() const;

 private:
  struct Block {
    std::size_t bytes;
    std::size_t span;
  };
  using Blocks = std::map<std::uintptr_t, Block>;

  std::uintptr_t place_for(std::size_t span, std::size_t alignment) const;
  std::uintptr_t gap_from(std::uintptr_t start, std::size_t span, std::size_t alignment) const;
  void forget(Blocks::iterator block);
  void set_access(bool open);

  mutable std::mutex mutex_;
  std::uint64_t limit_;
  std::uint64_t used_ = 0;
  bool open_ = true;
  std::uintptr_t base_ = 0;
  std::size_t reserved_ = 0;
  // Freed addresses come back as late as possible, so that a stale pointer faults instead of
  // finding new data.
  std::uintptr_t cursor_ = 0;
  std::uintptr_t highest_ = 0;
  Blocks blocks_;
};

/// Marks device bytes as not to be touched; an access is then reported where the sanitizer is built
/// in.
void poison_bytes(std::uintptr_t address, std::size_t bytes);
void unpoison_bytes(std::uintptr_t address, std::size_t bytes);

}  // namespace gpukit::sim
