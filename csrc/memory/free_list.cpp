#include "memory/free_list.h"

#include <algorithm>
#include <bit>

namespace gpukit::memory {

void BlockList::push_front(Block& block) noexcept {
  block.previous = nullptr;
  block.next = head_;
  (head_ != nullptr ? head_->previous : tail_) = &block;
  head_ = &block;
}

void BlockList::push_back(Block& block) noexcept {
  block.next = nullptr;
  block.previous = tail_;
  (tail_ != nullptr ? tail_->next : head_) = &block;
  tail_ = &block;
}

void BlockList::remove(Block& block) noexcept {
  (block.previous != nullptr ? block.previous->next : head_) = block.next;
  (block.next != nullptr ? block.next->previous : tail_) = block.previous;
  block.previous = nullptr;
  block.next = nullptr;
}

int FreeList::class_of(std::size_t bytes) noexcept {
  // The two bits below the leading one choose the subclass.
  const int power = static_cast<int>(std::bit_width(bytes)) - 1;
  const int subclass = power < 2 ? 0 : static_cast<int>((bytes >> (power - 2)) & 3u);
  return std::min(power * kSubclasses + subclass, kClasses - 1);
}

int FreeList::next_used_class(int from) const noexcept {
  for (int word = from / 64; word < static_cast<int>(used_.size()); ++word) {
    std::uint64_t bits = used_[static_cast<std::size_t>(word)];
    if (word == from / 64) bits &= ~std::uint64_t{0} << (from % 64);
    if (bits != 0) return word * 64 + std::countr_zero(bits);
  }
  return kClasses;
}

void FreeList::insert(Block& block) noexcept {
  const auto index = static_cast<std::size_t>(class_of(block.bytes));
  classes_[index].push_front(block);
  used_[index / 64] |= std::uint64_t{1} << (index % 64);
}

void FreeList::remove(Block& block) noexcept {
  const auto index = static_cast<std::size_t>(class_of(block.bytes));
  classes_[index].remove(block);
  if (classes_[index].empty()) used_[index / 64] &= ~(std::uint64_t{1} << (index % 64));
}

Block* FreeList::best_fit(std::size_t bytes) const noexcept {
  // Blocks of the request's own class may be too small; those of any later class never are.
  for (int index = next_used_class(class_of(bytes)); index < kClasses;
       index = next_used_class(index + 1)) {
    Block* best = nullptr;
    for (Block* block = classes_[static_cast<std::size_t>(index)].front(); block != nullptr;
         block = block->next) {
      if (block->bytes < bytes) continue;
      if (best == nullptr || block->bytes < best->bytes) best = block;
      if (best->bytes == bytes) break;
    }
    if (best != nullptr) return best;
  }
  return nullptr;
}

}  // namespace gpukit::memory
