#include "memory/block_table.h"

#include <algorithm>
#include <new>

namespace gpukit::memory {

namespace block_table {
namespace {

/// True if the remainder is large enough to be reused.
bool worth_splitting(const Block& block, std::size_t size) noexcept {
  const std::size_t rest = block.bytes - size;
  return block.small ? rest >= BlockTable::kGranule : rest > BlockTable::kSmallLimit;
}

bool joins(const Block* other, const Block& block) noexcept {
  return other != nullptr && other->state == BlockState::kFree && other->stream == block.stream;
}

bool is_all_free(const Block& head) noexcept {
  for (const Block* part = &head; part != nullptr; part = part->after) {
    if (part->state != BlockState::kFree) return false;
  }
  return true;
}

}  // namespace
}  // namespace block_table

std::size_t segment_bytes(const Block& head) noexcept {
  std::size_t bytes = 0;
  for (const Block* part = &head; part != nullptr; part = part->after) bytes += part->bytes;
  return bytes;
}

Block& BlockTable::add_segment(void* address, std::size_t bytes, StreamRef stream, bool small) {
  Block& block = blocks_[address];
  block.address = static_cast<std::byte*>(address);
  block.bytes = bytes;
  block.stream = stream;
  block.small = small;
  ++segment_count_;
  return block;
}

std::size_t BlockTable::forget_segment(Block& head) noexcept {
  const std::size_t bytes = segment_bytes(head);
  for (Block* part = &head; part != nullptr;) {
    Block* after = part->after;
    blocks_.erase(part->address);
    part = after;
  }
  --segment_count_;
  return bytes;
}

/// The lists of a stream, or nullptr.
BlockTable::StreamPools* BlockTable::pools_of(StreamRef stream) noexcept {
  if (found_pools_ != nullptr && found_stream_ == stream) [[likely]]
    return found_pools_;
  const auto found = pools_.find(stream.handle);
  if (found == pools_.end()) return nullptr;
  found_stream_ = stream;
  found_pools_ = &found->second;
  return found_pools_;
}

FreeList& BlockTable::list_of(const Block& block) noexcept {
  StreamPools& pools = *pools_of(block.stream);
  return block.small ? pools.small : pools.large;
}

void BlockTable::put_aside(Block& block) noexcept {
  if (aside_count_ == kMostAside) {
    put_free(*aside_.front());
    std::copy(aside_.begin() + 1, aside_.end(), aside_.begin());
    --aside_count_;
  }
  aside_[aside_count_++] = &block;
}

Block* BlockTable::take_aside(std::size_t size, StreamRef stream) noexcept {
  for (std::size_t i = aside_count_; i-- > 0;) {
    Block* block = aside_[i];
    if (block->bytes != size || block->stream != stream) continue;
    std::copy(aside_.begin() + i + 1, aside_.begin() + aside_count_, aside_.begin() + i);
    --aside_count_;
    return block;
  }
  return nullptr;
}

void BlockTable::free_aside() noexcept {
  while (aside_count_ != 0) put_free(*aside_[--aside_count_]);
}

Block* BlockTable::detach_fit_of(FreeList& list, std::size_t size) noexcept {
  Block* block = list.best_fit(size);
  if (block == nullptr) return nullptr;
  list.remove(*block);
  block->state = BlockState::kDetached;
  split(*block, size);
  return block;
}

Block* BlockTable::detach_fit(std::size_t size, StreamRef stream) noexcept {
  if (Block* block = take_aside(size, stream)) return block;
  free_aside();
  StreamPools* pools = pools_of(stream);
  if (pools == nullptr) return nullptr;
  return detach_fit_of(size <= kSmallLimit ? pools->small : pools->large, size);
}

Block* BlockTable::detach_from_other_stream(std::size_t size, StreamRef stream) noexcept {
  free_aside();
  for (auto& [handle, pools] : pools_) {
    if (handle == stream.handle) continue;
    Block* block = detach_fit_of(size <= kSmallLimit ? pools.small : pools.large, size);
    if (block != nullptr) return block;
  }
  return nullptr;
}

Block* BlockTable::find(void* address) noexcept {
  const auto found = blocks_.find(address);
  return found != blocks_.end() ? &found->second : nullptr;
}

void BlockTable::split(Block& block, std::size_t size) noexcept {
  if (!block_table::worth_splitting(block, size)) return;
  Block* rest = nullptr;
  try {
    rest = &blocks_[block.address + size];
  } catch (const std::bad_alloc&) {
    return;  // the block stays whole
  }
  rest->address = block.address + size;
  rest->bytes = block.bytes - size;
  rest->stream = block.stream;
  rest->small = block.small;
  rest->before = &block;
  rest->after = block.after;
  if (rest->after != nullptr) rest->after->before = rest;
  block.after = rest;
  block.bytes = size;
  put_free(*rest);
}

void BlockTable::put_free(Block& block) noexcept {
  Block* whole = &block;
  if (block_table::joins(whole->after, *whole)) {
    list_of(*whole->after).remove(*whole->after);
    absorb_next(*whole);
  }
  if (block_table::joins(whole->before, *whole)) {
    whole = whole->before;
    list_of(*whole).remove(*whole);
    absorb_next(*whole);
  }
  whole->state = BlockState::kFree;
  list_of(*whole).insert(*whole);
}

void BlockTable::absorb_next(Block& block) noexcept {
  Block* gone = block.after;
  block.bytes += gone->bytes;
  block.after = gone->after;
  if (block.after != nullptr) block.after->before = &block;
  blocks_.erase(gone->address);
}

std::vector<Block*> BlockTable::detach_free_segments() {
  free_aside();
  std::vector<Block*> heads;
  heads.reserve(segment_count_);
  for (auto& [address, block] : blocks_) {
    if (block.before == nullptr && block_table::is_all_free(block)) heads.push_back(&block);
  }
  for (Block* head : heads) {
    for (Block* part = head; part != nullptr; part = part->after) {
      list_of(*part).remove(*part);
      part->state = BlockState::kDetached;
    }
  }
  return heads;
}

void BlockTable::put_back_segment(Block& head) noexcept {
  for (Block* part = &head; part != nullptr; part = part->after) {
    part->state = BlockState::kFree;
    list_of(*part).insert(*part);
  }
}

}  // namespace gpukit::memory
