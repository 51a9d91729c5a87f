#include "ptx/checks.h"

#include <algorithm>

#include "ptx/block.h"
#include "ptx/lanes.h"

namespace gpukit::ptx {

namespace {

constexpr std::size_t kMostPages = 16384;  // 64 MiB of memory that a launch touches
constexpr std::uint64_t kCellBytes = 4;

bool reads(Access access) { return access != Access::kWrite && access != Access::kStrongWrite; }
bool writes(Access access) { return access != Access::kRead && access != Access::kStrongRead; }
bool is_strong(Access access) { return access != Access::kRead && access != Access::kWrite; }

std::string place_name(std::uint64_t place, bool shared) {
  return shared ? "byte " + std::to_string(place) + " of shared memory"
                : "address " + in_hexadecimal(place);
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
  known_blocks_.clear();
}

// ---- accesses

void BlockChecks::access(Warp& warp, Mask mask, unsigned bytes, const Pointers& pointers,
                         Access access) {
  const auto shared_start = reinterpret_cast<std::uint64_t>(block_.shared());
  const auto local_start = reinterpret_cast<std::uint64_t>(warp.memory.local);
  const auto parameters = reinterpret_cast<std::uint64_t>(warp.memory.parameters);
  for_each_lane(mask, [&](unsigned lane) {
    const auto address = reinterpret_cast<std::uint64_t>(pointers.of_lane[lane]);
    if (address - local_start < warp.memory.local_bytes * kLanes) return;
    if (address - parameters < warp.memory.parameter_bytes) return;
    const bool shared = address - shared_start < block_.shared_bytes();
    const std::uint64_t place = shared ? address - shared_start : address;
    const Access1 now{thread_of(warp, lane), warp.pc, lane, access};
    if (grid_.settings().init) check_fresh(warp, now, place, bytes, shared);
    if (!grid_.settings().race) return;
    if (is_strong(access)) synchronise(now, place, shared);
    if (shared) {
      for (unsigned i = 0; i < bytes; i++) check_cell(shared_[place + i], now, 1, place, true);
      return;
    }
    for (std::uint64_t at = place & ~(kCellBytes - 1); at < place + bytes; at += kCellBytes) {
      std::uint8_t touched = 0;
      for (unsigned i = 0; i < kCellBytes; i++)
        touched |= static_cast<std::uint8_t>((at + i >= place && at + i < place + bytes) << i);
      Cell* cell = grid_.cell(at);
      if (cell != nullptr) check_cell(*cell, now, touched, place, false);
    }
  });
}

bool BlockChecks::knows(std::uint32_t thread, const Touch& touch) const {
  if (touch.block != static_cast<std::uint32_t>(block_.number())) {
    if (touch.time <= grid_.known_to_all()) return true;
    const auto known = known_blocks_.find(touch.block);
    return known != known_blocks_.end() && known->second >= touch.time;
  }
  return touch.thread == thread || known_epoch(thread, touch.thread) >= touch.epoch;
}

std::uint32_t BlockChecks::known_epoch(std::uint32_t thread, std::uint32_t of) const {
  std::uint32_t known = floor_[of];
  const Thread& here = threads_[thread];
  if (thread / kLanes == of / kLanes) known = std::max(known, here.of_warp[of % kLanes]);
  if (here.snapshot != nullptr) known = std::max(known, (*here.snapshot)[of]);
  return known;
}

void BlockChecks::check_cell(Cell& cell, const Access1& now, std::uint8_t bytes,
                             std::uint64_t place, bool shared) {
  const bool strong = is_strong(now.kind);
  const auto conflicts = [&](const Touch& touch) {
    return touch.epoch != 0 && (touch.bytes & bytes) != 0 && !(touch.strong && strong) &&
           !knows(now.thread, touch);
  };
  if (conflicts(cell.write)) report_race(cell.write, now, true, place, shared);
  Touch touch;
  touch.block = static_cast<std::uint32_t>(block_.number());
  touch.thread = now.thread;
  touch.epoch = threads_[now.thread].epoch;
  touch.time = grid_.time() + 1;  // a later release tells of it
  touch.pc = now.pc;
  touch.bytes = bytes;
  touch.strong = strong;
  if (writes(now.kind)) {
    for (const Touch& read : cell.reads) {
      if (conflicts(read)) report_race(read, now, false, place, shared);
    }
    cell.write = touch;
    cell.reads = {};
  } else {
    const bool first = cell.reads[0].epoch == 0 ||
                       (cell.reads[0].thread == now.thread && cell.reads[0].block == touch.block);
    cell.reads[first ? 0 : 1] = touch;
  }
}

void BlockChecks::check_fresh(Warp& warp, const Access1& now, std::uint64_t address, unsigned bytes,
                              bool shared) {
  if (!shared) {
    if (reads(now.kind) && warp.memory.device->is_fresh(address, bytes))
      raise_fault(FaultKind::kCheck, now.lane,
                  "reads " + std::to_string(bytes) + " bytes at " + place_name(address, false) +
                      ", which nobody wrote: " + warp.memory.device->describe(address));
    if (writes(now.kind)) warp.memory.device->note_written(address, bytes);
    return;
  }
  for (unsigned i = 0; i < bytes; i++) {
    if (reads(now.kind) && !shared_written_[address + i])
      raise_fault(
          FaultKind::kCheck, now.lane,
          "reads " + place_name(address + i, true) + ", which no thread of the block wrote");
    if (writes(now.kind)) shared_written_[address + i] = true;
  }
}

// ---- what orders threads

void BlockChecks::join(std::vector<std::uint32_t>& into, std::uint32_t thread) const {
  const Thread& from = threads_[thread];
  if (from.snapshot != nullptr) {
    for (std::size_t i = 0; i < into.size(); i++) into[i] = std::max(into[i], (*from.snapshot)[i]);
  }
  const std::size_t first = thread / kLanes * kLanes;
  for (std::size_t i = 0; i < kLanes && first + i < into.size(); i++)
    into[first + i] = std::max(into[first + i], from.of_warp[i]);
  into[thread] = std::max(into[thread], from.epoch);
}

/// Atomic and volatile accesses of a place order those who make them, one after the other.
void BlockChecks::synchronise(const Access1& now, std::uint64_t key, bool shared) {
  Thread& thread = threads_[now.thread];
  std::vector<std::uint32_t>& here = handovers_[key];
  if (here.empty()) here.assign(threads_.size(), 0);
  const bool acquires = now.kind != Access::kReduce && reads(now.kind);
  if (acquires) {
    std::vector<std::uint32_t> known = here;
    join(known, now.thread);
    known[now.thread] = 0;
    thread.snapshot = std::make_shared<const std::vector<std::uint32_t>>(std::move(known));
  }
  if (writes(now.kind)) {
    join(here, now.thread);
    thread.epoch++;
  }
  if (shared) return;
  BlockTimes& blocks = grid_.handover(key);
  const auto merge = [](BlockTimes& into, const BlockTimes& from) {
    for (const auto& [block, time] : from) into[block] = std::max(into[block], time);
  };
  if (acquires) merge(known_blocks_, blocks);
  if (!writes(now.kind)) return;
  merge(blocks, known_blocks_);
  blocks[static_cast<std::uint32_t>(block_.number())] = grid_.advance();
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
             grid_.grid().block.place_of(arrivals.front().thread) + " at " +
             line_of(arrivals.front().pc) + ", thread " +
             grid_.grid().block.place_of(arrival.thread) + " at " + line_of(arrival.pc));
  }
  if (arrivals.size() == threads_.size()) return;
  for (std::uint32_t i = 0; i < threads_.size(); i++) {
    if (threads_[i].ended)
      report("the barrier at " + line_of(arrivals.front().pc) + " is never reached by thread " +
             grid_.grid().block.place_of(i) + ", which has ended");
  }
}

void BlockChecks::complete(unsigned barrier) {
  const std::vector<Arrival> arrivals = std::move(arrivals_[barrier]);
  arrivals_[barrier].clear();
  if (arrivals.empty()) return;
  if (!counted_[barrier]) {
    if (grid_.settings().sync) check_meeting(arrivals);
    // All of the block: everyone knows everything.
    for (std::size_t i = 0; i < threads_.size(); i++) {
      floor_[i] = threads_[i].epoch++;
      threads_[i].snapshot = nullptr;
    }
    return;
  }
  std::vector<std::uint32_t> known(threads_.size(), 0);
  for (const Arrival& arrival : arrivals) join(known, arrival.thread);
  const auto snapshot = std::make_shared<const std::vector<std::uint32_t>>(std::move(known));
  for (const Arrival& arrival : arrivals) {
    if (arrival.waits) threads_[arrival.thread].snapshot = snapshot;
    threads_[arrival.thread].epoch++;
  }
}

void BlockChecks::meet(const Warp& warp, Mask lanes) {
  std::array<std::uint32_t, kLanes> known{};
  Snapshot first =
      threads_[thread_of(warp, static_cast<unsigned>(std::countr_zero(lanes)))].snapshot;
  bool same = true;
  for_each_lane(lanes, [&](unsigned lane) {
    const Thread& thread = threads_[thread_of(warp, lane)];
    same = same && thread.snapshot == first;
    for (unsigned i = 0; i < kLanes; i++) known[i] = std::max(known[i], thread.of_warp[i]);
    known[lane] = std::max(known[lane], thread.epoch);
  });
  if (!same) {
    std::vector<std::uint32_t> all(threads_.size(), 0);
    for_each_lane(lanes, [&](unsigned lane) { join(all, thread_of(warp, lane)); });
    first = std::make_shared<const std::vector<std::uint32_t>>(std::move(all));
  }
  for_each_lane(lanes, [&](unsigned lane) {
    Thread& thread = threads_[thread_of(warp, lane)];
    thread.of_warp = known;
    thread.snapshot = first;
    thread.epoch++;
  });
}

void BlockChecks::end(const Warp& warp, Mask lanes) {
  for_each_lane(lanes, [&](unsigned lane) { threads_[thread_of(warp, lane)].ended = true; });
}

// ---- messages

std::string BlockChecks::thread_name(std::uint32_t block, std::uint32_t thread) const {
  const std::string name = "thread " + grid_.grid().block.place_of(thread);
  if (block == static_cast<std::uint32_t>(block_.number())) return name;
  return "block " + grid_.grid().grid.place_of(block) + ", " + name;
}

std::string BlockChecks::line_of(std::uint32_t pc) const { return grid_.grid().line_of(pc); }

void BlockChecks::report_race(const Touch& before, const Access1& now, bool wrote,
                              std::uint64_t place, bool shared) const {
  const bool other_block = before.block != static_cast<std::uint32_t>(block_.number());
  raise_fault(
      FaultKind::kCheck, now.lane,
      "a race: " + std::string(writes(now.kind) ? "writes " : "reads ") +
          place_name(place, shared) + ", which " + thread_name(before.block, before.thread) +
          (wrote ? " wrote at " : " read at ") + line_of(before.pc) + ", with " +
          (other_block ? "nothing that orders the two blocks" : "no barrier between the two"));
}

}  // namespace gpukit::ptx
