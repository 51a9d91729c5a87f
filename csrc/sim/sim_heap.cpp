#include "sim/sim_heap.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "base/numeric.h"
#include "sim/fiber.h"

#if defined(GPUKIT_SIM_ASAN)
#include <sanitizer/asan_interface.h>
#endif

namespace gpukit::sim {

namespace sim_heap {
namespace {

constexpr std::size_t kAccountingUnit = 512;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
// Poisoning commits real memory, so only the start of a very large block is poisoned.
constexpr std::size_t kPoisonedBytes = std::size_t{64} << 20;
constexpr unsigned char kFreshByte = 0xFF;
constexpr unsigned char kGuardByte = 0xFB;

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

void* at(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

void decommit(std::uintptr_t address, std::size_t bytes) {
  mmap(at(address), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
       0);
}

std::size_t tail_bytes(std::size_t bytes) { return align_up(bytes, page_bytes()) - bytes; }

bool is_intact(std::uintptr_t address, std::size_t bytes) {
#if defined(GPUKIT_SIM_ASAN)
  ASAN_UNPOISON_MEMORY_REGION(at(address + bytes), tail_bytes(bytes));
#endif
  const auto* tail = static_cast<const unsigned char*>(at(address + bytes));
  return std::all_of(tail, tail + tail_bytes(bytes),
                     [](unsigned char byte) { return byte == kGuardByte; });
}

}  // namespace
}  // namespace sim_heap

void poison_bytes([[maybe_unused]] std::uintptr_t address, [[maybe_unused]] std::size_t bytes) {
#if defined(GPUKIT_SIM_ASAN)
  ASAN_POISON_MEMORY_REGION(sim_heap::at(address), bytes);
#endif
}

void unpoison_bytes([[maybe_unused]] std::uintptr_t address, [[maybe_unused]] std::size_t bytes) {
#if defined(GPUKIT_SIM_ASAN)
  ASAN_UNPOISON_MEMORY_REGION(sim_heap::at(address), bytes);
#endif
}

SimHeap::SimHeap(std::uint64_t limit_bytes, bool closed) : limit_(limit_bytes), open_(!closed) {
  // Several times the card's memory: guard pages, alignment and delayed reuse consume addresses.
  for (std::size_t factor = 4; factor >= 1 && base_ == 0; factor /= 2) {
    reserved_ = align_up(limit_bytes, sim_heap::kHugePage) * factor + (std::size_t{1} << 30);
    void* range =
        mmap(nullptr, reserved_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range != MAP_FAILED) base_ = reinterpret_cast<std::uintptr_t>(range);
  }
  if (base_ == 0) throw std::bad_alloc();
  cursor_ = highest_ = base_;
}

SimHeap::~SimHeap() {
  release_all();
  unpoison_bytes(base_, highest_ - base_);  // the addresses may be reused by another mapping
  munmap(sim_heap::at(base_), reserved_);
}

std::uintptr_t SimHeap::gap_from(std::uintptr_t start, std::size_t span,
                                 std::size_t alignment) const {
  std::uintptr_t candidate = align_up(start, alignment);
  auto next = blocks_.upper_bound(start);
  if (next != blocks_.begin()) {
    const auto before = std::prev(next);
    candidate = align_up(std::max(candidate, before->first + before->second.span), alignment);
  }
  for (; next != blocks_.end() && next->first < candidate + span; ++next) {
    candidate = align_up(std::max(candidate, next->first + next->second.span), alignment);
  }
  return candidate + span <= base_ + reserved_ ? candidate : 0;
}

std::uintptr_t SimHeap::place_for(std::size_t span, std::size_t alignment) const {
  const std::uintptr_t found = gap_from(cursor_, span, alignment);
  return found != 0 ? found : gap_from(base_, span, alignment);
}

std::uintptr_t SimHeap::allocate(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes > limit_ || used_ + align_up(bytes, sim_heap::kAccountingUnit) > limit_) return 0;
  const std::size_t committed = align_up(bytes, sim_heap::page_bytes());
  const std::size_t span = committed + sim_heap::page_bytes();
  const std::uintptr_t address =
      place_for(span, bytes >= sim_heap::kHugePage ? sim_heap::kHugePage : sim_heap::page_bytes());
  if (address == 0 || mprotect(sim_heap::at(address), committed, PROT_READ | PROT_WRITE) != 0)
    return 0;
  unpoison_bytes(address, committed);
  std::memset(sim_heap::at(address), sim_heap::kFreshByte,
              std::min(bytes, sim_heap::kPoisonedBytes));
  std::memset(sim_heap::at(address + bytes), sim_heap::kGuardByte, sim_heap::tail_bytes(bytes));
  poison_bytes(address + bytes, span - bytes);
  if (!open_) mprotect(sim_heap::at(address), committed, PROT_NONE);
  blocks_.emplace(address, Block{bytes, span});
  used_ += align_up(bytes, sim_heap::kAccountingUnit);
  cursor_ = address + span;
  highest_ = std::max(highest_, cursor_);
  return address;
}

void SimHeap::forget(Blocks::iterator block) {
  used_ -= align_up(block->second.bytes, sim_heap::kAccountingUnit);
  const std::size_t committed = block->second.span - sim_heap::page_bytes();
  sim_heap::decommit(block->first, committed);
  poison_bytes(block->first, committed);
  blocks_.erase(block);
}

SimHeap::Release SimHeap::release(std::uintptr_t address) {
  const std::lock_guard lock(mutex_);
  const auto block = blocks_.find(address);
  if (block == blocks_.end()) return Release::kUnknown;
  if (!open_)
    mprotect(sim_heap::at(address), block->second.span - sim_heap::page_bytes(), PROT_READ);
  const bool whole = sim_heap::is_intact(address, block->second.bytes);
  forget(block);
  return whole ? Release::kDone : Release::kOverrun;
}

void SimHeap::set_access(bool open) {
  const std::lock_guard lock(mutex_);
  open_ = open;
  for (const auto& [address, block] : blocks_) {
    mprotect(sim_heap::at(address), block.span - sim_heap::page_bytes(),
             open ? PROT_READ | PROT_WRITE : PROT_NONE);
  }
}

void SimHeap::release_all() {
  const std::lock_guard lock(mutex_);
  while (!blocks_.empty()) forget(blocks_.begin());
}

std::optional<MemoryBlock> SimHeap::find(std::uintptr_t address, std::size_t bytes) const {
  const std::lock_guard lock(mutex_);
  auto block = blocks_.upper_bound(address);
  if (block == blocks_.begin()) return std::nullopt;
  --block;
  const std::size_t offset = address - block->first;
  if (offset > block->second.bytes || bytes > block->second.bytes - offset) return std::nullopt;
  if (offset == block->second.bytes) return std::nullopt;
  return MemoryBlock{block->first, block->second.bytes};
}

MemoryBlock SimHeap::block_before(std::uintptr_t address) const {
  const std::lock_guard lock(mutex_);
  auto block = blocks_.upper_bound(address);
  if (block == blocks_.begin()) return {};
  --block;
  return {block->first, block->second.bytes};
}

bool SimHeap::owns(std::uintptr_t address) const {
  return address >= base_ && address < base_ + reserved_;
}

std::uint64_t SimHeap::used_bytes() const {
  const std::lock_guard lock(mutex_);
  return used_;
}

std::size_t SimHeap::block_count() const {
  const std::lock_guard lock(mutex_);
  return blocks_.size();
}

}  // namespace gpukit::sim
