#include "ptx/counters.h"

#include <algorithm>

#include "ptx/block.h"
#include "ptx/lanes.h"

namespace gpukit::ptx {

namespace {

constexpr std::uint64_t kSectorBytes = 32;
constexpr std::uint32_t kBanks = 32;
constexpr std::uint64_t kBankBytes = 4;

std::uint64_t address_of(const std::byte* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

/// The sectors of one request, with the bytes of each that it needs.
class Sectors {
 public:
  void add(std::uint64_t address, unsigned bytes) {
    for (std::uint64_t end = address + bytes; address < end;) {
      const std::uint64_t number = address / kSectorBytes;
      const std::uint64_t stop = std::min(end, (number + 1) * kSectorBytes);
      add_bytes(number, address % kSectorBytes, stop - address);
      address = stop;
    }
  }

  std::uint64_t count() const { return count_; }
  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count_; i++)
      sum += static_cast<unsigned>(std::popcount(sectors_[i].needed));
    return sum;
  }

 private:
  struct Sector {
    std::uint64_t number;
    std::uint32_t needed;  ///< a bit a byte
  };

  void add_bytes(std::uint64_t number, std::uint64_t first, std::uint64_t bytes) {
    const auto bits = static_cast<std::uint32_t>(((std::uint64_t{1} << bytes) - 1) << first);
    // Neighbours come one after the other.
    for (std::size_t i = count_; i-- > 0;) {
      if (sectors_[i].number != number) continue;
      sectors_[i].needed |= bits;
      return;
    }
    sectors_[count_++] = {number, bits};
  }

  // A lane has at most 32 bytes, which may lie across a border.
  std::array<Sector, kLanes * 2> sectors_;
  std::size_t count_ = 0;
};

/// Turns that the banks need for the words of some lanes: the most different words of one bank.
class BankTurns {
 public:
  void add(std::uint64_t offset, unsigned bytes) {
    for (std::uint64_t word = offset / kBankBytes; word * kBankBytes < offset + bytes; word++) {
      const auto end = words_.begin() + static_cast<std::ptrdiff_t>(count_);
      if (std::find(words_.begin(), end, word) != end) continue;
      words_[count_++] = word;
      most_ = std::max(most_, ++of_bank_[word % kBanks]);
    }
  }
  unsigned most() const { return most_; }

 private:
  std::array<std::uint64_t, kLanes * 2> words_;
  std::array<unsigned, kBanks> of_bank_{};
  std::size_t count_ = 0;
  unsigned most_ = 0;
};

/// Accesses of more than 4 bytes go by halves, quarters or eighths of a warp.
std::uint64_t conflicts_of(Mask mask, unsigned bytes, const Pointers& pointers,
                           const std::byte* shared) {
  const unsigned words = std::max(1u, bytes / 4);
  const unsigned lanes = std::max(1u, kLanes / words);
  std::uint64_t conflicts = 0;
  for (unsigned first = 0; first < kLanes; first += lanes) {
    const Mask group = mask & (lanes == kLanes ? kAllLanes : ((Mask{1} << lanes) - 1) << first);
    BankTurns turns;
    for_each_lane(group, [&](unsigned lane) {
      turns.add(address_of(pointers.of_lane[lane]) - address_of(shared), bytes);
    });
    conflicts += turns.most() - std::min(turns.most(), 1u);
  }
  return conflicts;
}

}  // namespace

LaunchCounter::LaunchCounter(const Kernel& kernel) : kernel_(kernel), runs_(kernel.code.size()) {}

void LaunchCounter::count_access(const Warp& warp, Mask mask, unsigned bytes,
                                 const Pointers& pointers, Access access) {
  const MemorySpaces& memory = warp.memory;
  const auto first = static_cast<unsigned>(std::countr_zero(mask));
  const std::uint64_t address = address_of(pointers.of_lane[first]);
  if (address - address_of(memory.local) < memory.local_bytes * kLanes) {
    counts_.local_requests++;
    return;
  }
  if (address - address_of(memory.parameters) < memory.parameter_bytes) return;
  if (address - address_of(memory.shared) < memory.shared_bytes) {
    counts_.shared_requests++;
    counts_.bank_conflicts += conflicts_of(mask, bytes, pointers, memory.shared);
    return;
  }
  Sectors sectors;
  for_each_lane(mask,
                [&](unsigned lane) { sectors.add(address_of(pointers.of_lane[lane]), bytes); });
  const bool reads = access == Access::kRead || access == Access::kStrongRead;
  const bool writes = access == Access::kWrite || access == Access::kStrongWrite;
  SectorCounts& counts = reads    ? counts_.global_reads
                         : writes ? counts_.global_writes
                                  : counts_.global_atomics;
  const std::uint64_t needed = sectors.bytes();
  counts.requests++;
  counts.sectors_asked += sectors.count();
  counts.sectors_used += (needed + kSectorBytes - 1) / kSectorBytes;
  counts.bytes += needed;
}

LaunchCounts LaunchCounter::result() const {
  LaunchCounts counts = counts_;
  for (std::size_t pc = 0; pc < runs_.size(); pc++) {
    const InstructionClass kind = kernel_.classes[pc];
    if (kind == InstructionClass::kNone) continue;
    counts.instructions[static_cast<std::size_t>(kind)] += runs_[pc].warps;
    counts.thread_instructions += runs_[pc].lanes;
    const Flow flow = kernel_.code[pc].flow;
    if (flow == Flow::kBranch || flow == Flow::kBranchIndexed) counts.branches += runs_[pc].warps;
  }
  return counts;
}

}  // namespace gpukit::ptx
