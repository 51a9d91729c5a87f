#include "sim/sim_pool.h"

#include <algorithm>
#include <cstring>

#include "base/numeric.h"
#include "sim/fresh_memory.h"
#include "sim/sim_device.h"

namespace gpukit::sim {

namespace sim_pool {
namespace {

constexpr std::size_t kGranularity = 512;
constexpr unsigned char kFreshByte = 0xFF;

std::size_t rounded(std::size_t bytes) { return align_up(bytes, kGranularity); }

template <class T>
void store(void* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

template <class T>
T load(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

}  // namespace
}  // namespace sim_pool

bool SimPool::is_reached(const FreeBlock& block) const {
  const auto stream = block.stream.lock();
  return stream == nullptr || stream->is_complete(block.ticket);
}

void SimPool::add(std::uintptr_t address, std::size_t bytes) {
  allocated_[address] = bytes;
  used_ += bytes;
  used_high_ = std::max(used_high_, used_);
}

std::uintptr_t SimPool::take_free_block(std::size_t bytes,
                                        const std::shared_ptr<SimStream>& stream) {
  for (auto block = free_.begin(); block != free_.end(); ++block) {
    if (block->bytes != bytes) continue;
    const bool same_stream = block->stream.lock() == stream;
    if (!same_stream && !(reuse_opportunistic_ != 0 && is_reached(*block))) continue;
    const std::uintptr_t address = block->address;
    free_.erase(block);
    return address;
  }
  return 0;
}

std::uintptr_t SimPool::allocate(std::size_t bytes, const std::shared_ptr<SimStream>& stream) {
  const std::size_t size = sim_pool::rounded(bytes);
  const std::lock_guard lock(mutex_);
  std::uintptr_t address = take_free_block(size, stream);
  if (address != 0) {
    Work refresh;
    refresh.run = [address, size] {
      std::memset(reinterpret_cast<void*>(address), sim_pool::kFreshByte, size);
      fresh_memory().add(address, size);
      return CUDA_SUCCESS;
    };
    device_.submit(*stream, std::move(refresh));
  } else {
    address = device_.heap().allocate(size);
    if (address == 0) {
      trim_locked(0);
      address = device_.heap().allocate(size);
    }
    if (address == 0) return 0;
    fresh_memory().add(address, size);
    reserved_ += size;
    reserved_high_ = std::max(reserved_high_, reserved_);
  }
  add(address, size);
  return address;
}

bool SimPool::owns(std::uintptr_t address) const {
  const std::lock_guard lock(mutex_);
  return allocated_.find(address) != allocated_.end();
}

bool SimPool::free_on_stream(std::uintptr_t address, const std::shared_ptr<SimStream>& stream) {
  const std::lock_guard lock(mutex_);
  const auto found = allocated_.find(address);
  if (found == allocated_.end()) return false;
  const std::size_t bytes = found->second;
  allocated_.erase(found);
  used_ -= bytes;
  const std::uint64_t ticket = device_.submit(*stream, Work{});
  free_.push_back({address, bytes, stream, ticket});
  return true;
}

bool SimPool::free_now(std::uintptr_t address) {
  const std::lock_guard lock(mutex_);
  const auto found = allocated_.find(address);
  if (found == allocated_.end()) return false;
  used_ -= found->second;
  free_.push_back({address, found->second, {}, 0});
  allocated_.erase(found);
  return true;
}

void SimPool::trim_locked(std::uint64_t bytes_to_keep) {
  for (auto block = free_.begin(); block != free_.end() && reserved_ > bytes_to_keep;) {
    if (!is_reached(*block)) {
      ++block;
      continue;
    }
    reserved_ -= block->bytes;
    device_.heap().release(block->address);
    block = free_.erase(block);
  }
}

void SimPool::trim(std::uint64_t bytes_to_keep) {
  const std::lock_guard lock(mutex_);
  trim_locked(bytes_to_keep);
}

void SimPool::on_synchronise() {
  const std::lock_guard lock(mutex_);
  trim_locked(release_threshold_);
}

void SimPool::forget_all() {
  const std::lock_guard lock(mutex_);
  allocated_.clear();
  free_.clear();
  reserved_ = used_ = 0;
}

CUresult SimPool::set_attribute(CUmemPool_attribute attribute, const void* value) {
  const std::lock_guard lock(mutex_);
  switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
      reuse_follow_events_ = sim_pool::load<int>(value);
      break;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
      reuse_opportunistic_ = sim_pool::load<int>(value);
      break;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
      reuse_internal_ = sim_pool::load<int>(value);
      break;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      release_threshold_ = sim_pool::load<std::uint64_t>(value);
      break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      if (sim_pool::load<std::uint64_t>(value) != 0) return CUDA_ERROR_INVALID_VALUE;
      reserved_high_ = reserved_;
      break;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      if (sim_pool::load<std::uint64_t>(value) != 0) return CUDA_ERROR_INVALID_VALUE;
      used_high_ = used_;
      break;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult SimPool::attribute(CUmemPool_attribute attribute, void* value) const {
  const std::lock_guard lock(mutex_);
  switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
      sim_pool::store(value, reuse_follow_events_);
      break;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
      sim_pool::store(value, reuse_opportunistic_);
      break;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
      sim_pool::store(value, reuse_internal_);
      break;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      sim_pool::store(value, release_threshold_);
      break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
      sim_pool::store(value, reserved_);
      break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      sim_pool::store(value, reserved_high_);
      break;
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
      sim_pool::store(value, used_);
      break;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      sim_pool::store(value, used_high_);
      break;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

}  // namespace gpukit::sim
