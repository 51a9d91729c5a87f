#include "ptx/checks.h"

#include <algorithm>

#include "ptx/block.h"
#include "ptx/lanes.h"

namespace gpukit::ptx {

namespace {

constexpr std::size_t kMostPages = 16384;  // 64 MiB of memory that a launch touches
constexpr std::uint64_t kCellBytes = 4;
// Reads of a cell that are kept; beyond the first number one of each warp.
constexpr std::size_t kManyReads = 8, kMostReads = 32;

bool reads(Access access) { return access != Access::kWrite && access != Access::kStrongWrite; }
bool writes(Access access) { return access != Access::kRead && access != Access::kStrongRead; }
bool is_strong(Access access) { return access != Access::kRead && access != Access::kWrite; }

/// Where it is, with the number of the element.
std::string describe(const Warp& warp, std::uint64_t location, unsigned bytes, bool shared) {
  if (shared)
    return "byte " + std::to_string(location) + " of shared memory (number " +
           std::to_string(location / bytes) + " of " + std::to_string(bytes) + " bytes)";
  const std::string element = element_of_parameter(warp, location, bytes);
  return "address " + in_hexadecimal(location) + (element.empty() ? "" : " (" + element + ")");
}

using Others = std::shared_ptr<const BlockEpochs>;

std::shared_ptr<const Epochs> joined(const std::shared_ptr<const Epochs>& a,
                                     const std::shared_ptr<const Epochs>& b) {
  if (a == b || b == nullptr) return a;
  if (a == nullptr) return b;
  auto both = std::make_shared<Epochs>(*a);
  for (std::size_t i = 0; i < both->size(); i++) (*both)[i] = std::max((*both)[i], (*b)[i]);
  return both;
}

Others joined(const Others& a, const Others& b) {
  if (a == b || b == nullptr) return a;
  if (a == nullptr) return b;
  auto both = std::make_shared<BlockEpochs>(*a);
  for (const auto& [block, epochs] : *b) {
    auto& known = (*both)[block];
    known = joined(known, epochs);
  }
  return both;
}

void merge(Knowledge& into, const Knowledge& from) {
  into.own = joined(into.own, from.own);
  into.others = joined(into.others, from.others);
}

std::uint32_t thread_of(const Warp& warp, unsigned lane) { return warp.index() * kLanes + lane; }

}  // namespace

Cell* GridChecks::cell(std::uint64_t address) {
  const auto found = pages_.find(address / kPageBytes);
  if (found != pages_.end()) return &(*found->second)[address % kPageBytes / kCellBytes];
  if (pages_.size() >= kMostPages) return nullptr;
  auto& page = pages_[address / kPageBytes];
  page = std::make_unique<Page>();
  return &(*page)[address % kPageBytes / kCellBytes];
}

BlockChecks::BlockChecks(Block& block, GridChecks& grid)
    : block_(block), grid_(grid), threads_(grid.grid().block.count()) {}

void BlockChecks::start() {
  threads_.assign(threads_.size(), {});
  floor_.assign(threads_.size(), 0);
  if (grid_.settings().race) shared_.assign(block_.shared_bytes(), {});
  shared_written_.assign(block_.shared_bytes(), false);
  for (auto& arrivals : arrivals_) arrivals.clear();
  counted_ = {};
  handovers_.clear();
}

// ---- accesses

void BlockChecks::access(Warp& warp, Mask mask, unsigned bytes, const Pointers& pointers,
                         Access access, Order order) {
  const auto shared_start = reinterpret_cast<std::uint64_t>(block_.shared());
  const auto local_start = reinterpret_cast<std::uint64_t>(warp.memory.local);
  const auto parameters = reinterpret_cast<std::uint64_t>(warp.memory.parameters);
  for_each_lane(mask, [&](unsigned lane) {
    const auto address = reinterpret_cast<std::uint64_t>(pointers.of_lane[lane]);
    if (address - local_start < warp.memory.local_bytes * kLanes) return;
    if (address - parameters < warp.memory.parameter_bytes) return;
    const bool shared = address - shared_start < block_.shared_bytes();
    const std::uint64_t location = shared ? address - shared_start : address;
    const Access1 now{thread_of(warp, lane), warp.pc, lane, bytes, access, order};
    if (grid_.settings().init) check_fresh(warp, now, location, bytes, shared);
    if (!grid_.settings().race) return;
    if (is_strong(access)) synchronise(now, location, shared);
    if (shared) {
      for (unsigned i = 0; i < bytes; i++) check(shared_[location + i], now, 1, location, true);
      return;
    }
    for (std::uint64_t at = location & ~(kCellBytes - 1); at < location + bytes; at += kCellBytes) {
      std::uint8_t touched = 0;
      for (unsigned i = 0; i < kCellBytes; i++)
        touched |=
            static_cast<std::uint8_t>((at + i >= location && at + i < location + bytes) << i);
      Cell* cell = grid_.cell(at);
      if (cell != nullptr) check(*cell, now, touched, location, false);
    }
  });
}

bool BlockChecks::knows(std::uint32_t thread, const Touch& touch) const {
  if (touch.block == static_cast<std::uint32_t>(block_.number()))
    return touch.thread == thread || known_epoch(thread, touch.thread) >= touch.epoch;
  if (touch.meetings < grid_.meetings()) return true;
  const Others& others = threads_[thread].known.others;
  if (others == nullptr) return false;
  const auto known = others->find(touch.block);
  return known != others->end() && (*known->second)[touch.thread] >= touch.epoch;
}

std::uint32_t BlockChecks::known_epoch(std::uint32_t thread, std::uint32_t of) const {
  std::uint32_t known = floor_[of];
  const Thread& here = threads_[thread];
  if (thread / kLanes == of / kLanes) known = std::max(known, here.of_warp[of % kLanes]);
  if (here.known.own != nullptr) known = std::max(known, (*here.known.own)[of]);
  return known;
}

/// What a read knew of an earlier one, a write that knows the later one knows too.
void BlockChecks::add_read(Cell& cell, const Touch& touch) {
  std::erase_if(cell.reads, [&](const Touch& read) {
    return (read.bytes & ~touch.bytes) == 0 && (!touch.strong || read.strong) &&
           knows(touch.thread, read);
  });
  if (cell.reads.size() >= kManyReads) {
    const auto known = std::find_if(cell.reads.begin(), cell.reads.end(), [&](const Touch& read) {
      return read.block == touch.block && read.thread / kLanes == touch.thread / kLanes;
    });
    if (known != cell.reads.end()) {
      *known = touch;
      return;
    }
  }
  if (cell.reads.size() >= kMostReads) cell.reads.erase(cell.reads.begin());
  cell.reads.push_back(touch);
}

void BlockChecks::check(Cell& cell, const Access1& now, std::uint8_t bytes, std::uint64_t location,
                        bool shared) {
  const bool strong = is_strong(now.kind);
  const auto conflicts = [&](const Touch& touch) {
    return touch.epoch != 0 && (touch.bytes & bytes) != 0 && !(touch.strong && strong) &&
           !knows(now.thread, touch);
  };
  if (conflicts(cell.write)) report_race(cell.write, now, true, location, shared);
  Touch touch;
  touch.block = static_cast<std::uint32_t>(block_.number());
  touch.thread = now.thread;
  touch.epoch = threads_[now.thread].epoch;
  touch.meetings = grid_.meetings();
  touch.pc = now.pc;
  touch.bytes = bytes;
  touch.strong = strong;
  if (writes(now.kind)) {
    for (const Touch& read : cell.reads) {
      if (conflicts(read)) report_race(read, now, false, location, shared);
    }
    cell.write = touch;
    cell.reads.clear();
  } else {
    add_read(cell, touch);
  }
}

void BlockChecks::check_fresh(Warp& warp, const Access1& now, std::uint64_t address, unsigned bytes,
                              bool shared) {
  if (!shared) {
    if (reads(now.kind) && warp.memory.device->is_fresh(address, bytes))
      raise_fault(FaultKind::kCheck, now.lane,
                  "reads " + std::to_string(bytes) + " bytes at " +
                      describe(warp, address, bytes, false) +
                      ", which is uninitialised: " + warp.memory.device->describe(address));
    if (writes(now.kind)) warp.memory.device->note_written(address, bytes);
    return;
  }
  for (unsigned i = 0; i < bytes; i++) {
    if (reads(now.kind) && !shared_written_[address + i])
      raise_fault(FaultKind::kCheck, now.lane,
                  "reads " + describe(warp, address + i, bytes, true) +
                      ", which no thread of the block wrote");
    if (writes(now.kind)) shared_written_[address + i] = true;
  }
}

// ---- what orders threads

void BlockChecks::join(Epochs& into, std::uint32_t thread) const {
  const Thread& from = threads_[thread];
  for (std::uint32_t i = 0; i < into.size(); i++)
    into[i] = std::max(into[i], known_epoch(thread, i));
  into[thread] = std::max(into[thread], from.epoch);
}

Knowledge BlockChecks::knowledge_of(std::uint32_t thread) const {
  auto own = std::make_shared<Epochs>(threads_.size(), 0);
  join(*own, thread);
  return {std::move(own), threads_[thread].known.others};
}

void BlockChecks::fence(const Warp& warp, Mask lanes, bool beyond_block) {
  if (!grid_.settings().race) return;
  for_each_lane(lanes, [&](unsigned lane) {
    Thread& thread = threads_[thread_of(warp, lane)];
    merge(thread.known, thread.read);
    thread.read = {};
    thread.released_in_block = knowledge_of(thread_of(warp, lane));
    if (beyond_block) thread.released = thread.released_in_block;
    thread.epoch++;
  });
}

void BlockChecks::publish(const Knowledge& in_block, const Knowledge& beyond, std::uint64_t key,
                          bool shared) {
  merge(handovers_[key], in_block);
  if (shared || beyond.own == nullptr) return;
  Others& others = grid_.handover(key);
  auto all = std::make_shared<BlockEpochs>();
  (*all)[static_cast<std::uint32_t>(block_.number())] = beyond.own;
  others = joined(joined(others, beyond.others), all);
}

/// Atomic and volatile accesses hand on what a fence before them, or they themselves, release; who
/// reads it knows it if it acquires, or from its next fence on.
void BlockChecks::synchronise(const Access1& now, std::uint64_t key, bool shared) {
  Thread& thread = threads_[now.thread];
  if (now.kind != Access::kReduce && reads(now.kind)) {
    Knowledge found = handovers_[key];
    if (!shared) found.others = joined(found.others, grid_.handover(key));
    merge(now.order.acquires ? thread.known : thread.read, found);
  }
  if (!writes(now.kind)) return;
  if (!now.order.releases) return publish(thread.released_in_block, thread.released, key, shared);
  const Knowledge released = knowledge_of(now.thread);
  publish(released, released, key, shared);
  thread.epoch++;
}

void BlockChecks::arrive(const Warp& warp, unsigned barrier, Mask lanes, bool waits, bool counted) {
  counted_[barrier] = counted;
  for_each_lane(lanes, [&](unsigned lane) {
    arrivals_[barrier].push_back({thread_of(warp, lane), warp.pc, waits});
  });
}

void BlockChecks::check_meeting(const std::vector<Arrival>& arrivals) const {
  const auto report = [&](const std::string& what) {
    throw Fault{FaultKind::kCheck, what, 0, arrivals.back().thread, arrivals.back().pc};
  };
  for (const Arrival& arrival : arrivals) {
    if (arrival.pc != arrivals.front().pc)
      report("a barrier of the block is met at two places: thread " +
             grid_.grid().block.index_text(arrivals.front().thread) + " at " +
             line_of(arrivals.front().pc) + ", thread " +
             grid_.grid().block.index_text(arrival.thread) + " at " + line_of(arrival.pc));
  }
  if (arrivals.size() == threads_.size()) return;
  for (std::uint32_t i = 0; i < threads_.size(); i++) {
    if (threads_[i].ended)
      report("the barrier at " + line_of(arrivals.front().pc) + " is never reached by thread " +
             grid_.grid().block.index_text(i) + ", which has ended");
  }
}

void BlockChecks::complete(unsigned barrier) {
  const std::vector<Arrival> arrivals = std::move(arrivals_[barrier]);
  arrivals_[barrier].clear();
  if (arrivals.empty()) return;
  Others others;
  const auto add_others = [&](std::uint32_t thread) {
    others = joined(others, threads_[thread].known.others);
    others = joined(others, threads_[thread].read.others);
  };
  if (!counted_[barrier]) {
    // That of the grid is one place, inside a function of the driver.
    if (grid_.settings().sync && barrier != kGridBarrier) check_meeting(arrivals);
    // All of the block: everyone knows everything.
    for (std::uint32_t i = 0; i < threads_.size(); i++) {
      floor_[i] = threads_[i].epoch++;
      add_others(i);
    }
    for (Thread& thread : threads_) {
      thread.known = {nullptr, others};
      thread.read = {};
    }
    return;
  }
  auto own = std::make_shared<Epochs>(threads_.size(), 0);
  for (const Arrival& arrival : arrivals) {
    Thread& thread = threads_[arrival.thread];
    merge(thread.known, thread.read);
    thread.read = {};
    join(*own, arrival.thread);
    add_others(arrival.thread);
  }
  for (const Arrival& arrival : arrivals) {
    if (arrival.waits) threads_[arrival.thread].known = {own, others};
    threads_[arrival.thread].epoch++;
  }
}

void BlockChecks::meet(const Warp& warp, Mask lanes) {
  std::array<std::uint32_t, kLanes> of_warp{};
  Knowledge all;
  for_each_lane(lanes, [&](unsigned lane) {
    Thread& thread = threads_[thread_of(warp, lane)];
    merge(thread.known, thread.read);
    thread.read = {};
    merge(all, thread.known);
    for (unsigned i = 0; i < kLanes; i++) of_warp[i] = std::max(of_warp[i], thread.of_warp[i]);
    of_warp[lane] = std::max(of_warp[lane], thread.epoch);
  });
  for_each_lane(lanes, [&](unsigned lane) {
    Thread& thread = threads_[thread_of(warp, lane)];
    thread.of_warp = of_warp;
    thread.known = all;
    thread.epoch++;
  });
}

void BlockChecks::end(const Warp& warp, Mask lanes) {
  for_each_lane(lanes, [&](unsigned lane) { threads_[thread_of(warp, lane)].ended = true; });
}

// ---- messages

std::string BlockChecks::thread_name(std::uint32_t block, std::uint32_t thread) const {
  const std::string name = "thread " + grid_.grid().block.index_text(thread);
  if (block == static_cast<std::uint32_t>(block_.number())) return name;
  return "block " + grid_.grid().grid.index_text(block) + ", " + name;
}

std::string BlockChecks::line_of(std::uint32_t pc) const { return grid_.grid().line_of(pc); }

void BlockChecks::report_race(const Touch& before, const Access1& now, bool wrote,
                              std::uint64_t location, bool shared) const {
  const bool other_block = before.block != static_cast<std::uint32_t>(block_.number());
  raise_fault(
      FaultKind::kCheck, now.lane,
      "a race: " + std::string(writes(now.kind) ? "writes " : "reads ") +
          describe(block_.running(), location, now.bytes, shared) + ", which " +
          thread_name(before.block, before.thread) + (wrote ? " wrote at " : " read at ") +
          line_of(before.pc) + ", with " +
          (other_block
               ? "nothing that orders the two blocks (an atomic operation does with a fence "
                 "before it, and one behind it where it is read)"
               : "no barrier between the two"));
}

}  // namespace gpukit::ptx
