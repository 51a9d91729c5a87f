#include "sim/fresh_memory.h"

#include <iterator>

namespace gpukit::sim {

void FreshMemory::watch(bool on) {
  const std::lock_guard lock(mutex_);
  ranges_.clear();
  on_ = on;
}

void FreshMemory::add(std::uintptr_t address, std::size_t bytes) {
  if (!on_ || address == 0 || bytes == 0) return;
  const std::lock_guard lock(mutex_);
  cut(address, address + bytes);
  ranges_.emplace(address, address + bytes);
}

void FreshMemory::note_written(std::uintptr_t address, std::size_t bytes) {
  if (!on_ || bytes == 0) return;
  const std::lock_guard lock(mutex_);
  cut(address, address + bytes);
}

void FreshMemory::forget() {
  if (!on_) return;
  const std::lock_guard lock(mutex_);
  ranges_.clear();
}

bool FreshMemory::holds(std::uintptr_t address, std::size_t bytes) {
  if (!on_) return false;
  const std::lock_guard lock(mutex_);
  const auto next = ranges_.lower_bound(address + bytes);
  return next != ranges_.begin() && std::prev(next)->second > address;
}

/// Takes [first, end) out of all ranges.
void FreshMemory::cut(std::uintptr_t first, std::uintptr_t end) {
  auto range = ranges_.upper_bound(first);
  if (range != ranges_.begin()) --range;
  while (range != ranges_.end() && range->first < end) {
    const auto [start, stop] = *range;
    if (stop <= first) {
      ++range;
      continue;
    }
    range = ranges_.erase(range);
    if (start < first) ranges_.emplace(start, first);
    if (stop > end) ranges_.emplace(end, stop);
  }
}

FreshMemory& fresh_memory() {
  static auto* const memory = new FreshMemory;
  return *memory;
}

}  // namespace gpukit::sim
