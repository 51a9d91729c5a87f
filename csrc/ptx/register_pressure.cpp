#include "ptx/register_pressure.h"

#include <algorithm>
#include <span>

namespace gpukit::ptx {

namespace {

constexpr std::uint32_t kNone = 0xffffffffu;
// Blocks that are visited for a step, at most: values beyond it live from their first event to
// their last.
constexpr std::uint64_t kVisitsOfStep = 64;

struct FlowBlock {
  std::uint32_t first = 0, end = 0;  ///< steps
  std::vector<std::uint32_t> before;
  // Of the value at hand, whose number they hold.
  std::uint32_t alive_at_start = kNone, alive_at_end = kNone, written = kNone, touched = kNone;
};

class Pressure {
 public:
  explicit Pressure(const ValueFlow& values)
      : values_(values),
        change_(values.steps + 2, 0),
        visits_(kVisitsOfStep * (values.steps + 64)) {
    make_blocks();
    group_events();
  }

  unsigned most() {
    for (std::uint32_t value = 0; value < values_.words.size(); value++) {
      const std::span<const ValueEvent> events(grouped_.data() + starts_[value],
                                               starts_[value + 1] - starts_[value]);
      if (!events.empty()) add_value(value, events);
    }
    std::int64_t now = 0, most = 0;
    for (const std::int64_t change : change_) most = std::max(most, now += change);
    return static_cast<unsigned>(most);
  }

 private:
  void make_blocks() {
    std::vector<bool> starts(values_.steps + std::size_t{1}, false);
    starts[0] = true;
    for (const FlowStep& flow : values_.flow) {
      starts[flow.step + std::size_t{1}] = true;
      for (const std::uint32_t target : flow.targets) starts[target] = true;
    }
    block_of_.resize(values_.steps + std::size_t{1});
    for (std::uint32_t step = 0; step <= values_.steps; step++) {
      if (starts[step]) blocks_.push_back({.first = step, .end = step, .before = {}});
      blocks_.back().end = step + 1;
      block_of_[step] = static_cast<std::uint32_t>(blocks_.size() - 1);
    }
    std::vector<bool> goes_on(blocks_.size(), true);
    for (const FlowStep& flow : values_.flow) {
      const std::uint32_t from = block_of_[flow.step];
      goes_on[from] = flow.goes_on;
      for (const std::uint32_t target : flow.targets)
        blocks_[block_of_[target]].before.push_back(from);
    }
    for (std::uint32_t i = 0; i + 1 < blocks_.size(); i++) {
      if (goes_on[i]) blocks_[i + 1].before.push_back(i);
    }
  }

  void group_events() {
    starts_.assign(values_.words.size() + 1, 0);
    for (const ValueEvent& event : values_.events) starts_[event.value + 1]++;
    for (std::size_t i = 1; i < starts_.size(); i++) starts_[i] += starts_[i - 1];
    std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
    grouped_.resize(values_.events.size());
    for (const ValueEvent& event : values_.events) grouped_[next[event.value]++] = event;
  }

  /// Alive at the start of each of the steps [first, end).
  void add_range(std::uint32_t first, std::uint32_t end) {
    if (first >= end) return;
    change_[first] += words_;
    change_[end] -= words_;
  }

  void add_value(std::uint32_t value, std::span<const ValueEvent> events) {
    value_ = value;
    words_ = values_.words[value];
    passed_.clear();
    waiting_.clear();
    if (visits_ == 0) return add_range(events.front().step, events.back().step + 1);
    find_reads_of_before(events);
    while (!waiting_.empty() && visits_ != 0) visit_before();
    if (!waiting_.empty()) return add_range(events.front().step, events.back().step + 1);
    for (std::size_t end = events.size(); end > 0;) {
      std::size_t first = end;
      const std::uint32_t block = block_of_[events[end - 1].step];
      while (first > 0 && block_of_[events[first - 1].step] == block) first--;
      add(blocks_[block], events.subspan(first, end - first));
      end = first;
    }
    for (const std::uint32_t block : passed_) add_range(blocks_[block].first, blocks_[block].end);
  }

  /// Blocks whose start the value reaches alive, by their own events.
  void find_reads_of_before(std::span<const ValueEvent> events) {
    for (const ValueEvent& event : events) {
      FlowBlock& block = blocks_[block_of_[event.step]];
      block.touched = value_;
      if (event.writes && !event.may_not_happen) block.written = value_;
      if (!event.writes && block.written != value_) start_alive(block_of_[event.step]);
    }
  }

  void start_alive(std::uint32_t number) {
    FlowBlock& block = blocks_[number];
    if (block.alive_at_start == value_) return;
    block.alive_at_start = value_;
    waiting_.push_back(number);
  }

  void visit_before() {
    const std::uint32_t number = waiting_.back();
    waiting_.pop_back();
    for (const std::uint32_t from : blocks_[number].before) {
      if (visits_ != 0) visits_--;
      FlowBlock& block = blocks_[from];
      if (block.alive_at_end == value_) continue;
      block.alive_at_end = value_;
      if (block.touched != value_) passed_.push_back(from);
      if (block.written != value_) start_alive(from);
    }
  }

  void add(const FlowBlock& block, std::span<const ValueEvent> events) {
    bool alive = block.alive_at_end == value_;
    std::uint32_t end = block.end;
    for (std::size_t i = events.size(); i-- > 0;) {
      const ValueEvent& event = events[i];
      if (!event.writes) {
        if (!alive) end = event.step + 1;
        alive = true;
      } else if (!alive) {
        add_range(event.step + 1, event.step + 2);
      } else if (!event.may_not_happen) {
        add_range(event.step + 1, end);
        alive = false;
      }
    }
    if (alive) add_range(block.first, end);
  }

  const ValueFlow& values_;
  std::vector<std::int64_t> change_;
  std::uint64_t visits_;
  std::vector<FlowBlock> blocks_;
  std::vector<std::uint32_t> block_of_;
  std::vector<std::size_t> starts_;
  std::vector<ValueEvent> grouped_;
  std::vector<std::uint32_t> waiting_;
  std::vector<std::uint32_t> passed_;  ///< blocks that it passes through untouched
  std::uint32_t value_ = 0;
  std::int64_t words_ = 0;
};

}  // namespace

unsigned most_words_alive(const ValueFlow& values) { return Pressure(values).most(); }

}  // namespace gpukit::ptx
