// Stream-ordered memory: a block freed on a stream may be reused on that stream
// immediately, and to others when the free has been reached.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>

#include "sim/cuda_abi.h"

namespace gpukit::sim {

class SimDevice;
class SimStream;

class SimPool {
 public:
  explicit SimPool(SimDevice& device) : device_(device) {}

  SimDevice& device() const { return device_; }

  /// Memory that is valid for work queued on `stream` from now on; 0 when the card is full.
  std::uintptr_t allocate(std::size_t bytes, const std::shared_ptr<SimStream>& stream);
  /// Whether the address is a block of this pool in use.
  bool owns(std::uintptr_t address) const;
  /// Queues the return of an allocated block on `stream`; false when it is not one.
  bool free_on_stream(std::uintptr_t address, const std::shared_ptr<SimStream>& stream);
  /// Returns an allocated block immediately (the caller has synchronised).
  bool free_now(std::uintptr_t address);

  /// Gives freed blocks back to the card until at most `bytes_to_keep` are reserved.
  void trim(std::uint64_t bytes_to_keep);
  /// What a synchronisation does: trims to the release threshold.
  void on_synchronise();
  /// Forgets every block; the heap itself is emptied by its owner.
  void forget_all();

  CUresult set_attribute(CUmemPool_attribute attribute, const void* value);
  CUresult attribute(CUmemPool_attribute attribute, void* value) const;

 private:
  struct FreeBlock {
    std::uintptr_t address;
    std::size_t bytes;
    std::weak_ptr<SimStream> stream;
    std::uint64_t ticket;
  };

  std::uintptr_t take_free_block(std::size_t bytes, const std::shared_ptr<SimStream>& stream);
  bool is_reached(const FreeBlock& block) const;
  void trim_locked(std::uint64_t bytes_to_keep);
  void add(std::uintptr_t address, std::size_t bytes);

  SimDevice& device_;
  mutable std::mutex mutex_;
  std::map<std::uintptr_t, std::size_t> allocated_;
  std::list<FreeBlock> free_;
  std::uint64_t release_threshold_ = 0;
  std::uint64_t reserved_ = 0;
  std::uint64_t reserved_high_ = 0;
  std::uint64_t used_ = 0;
  std::uint64_t used_high_ = 0;
  int reuse_follow_events_ = 1;
  int reuse_opportunistic_ = 1;
  int reuse_internal_ = 1;
};

}  // namespace gpukit::sim
