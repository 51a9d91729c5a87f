#include "sim/counted_launch.h"

#include <utility>

namespace gpukit::sim {

namespace counted_launch {
namespace {

thread_local CountedLaunch* current_launch = nullptr;

using Values = std::vector<std::pair<std::string, std::uint64_t>>;

// By the number of the enumerator.
constexpr const char* kClassNames[] = {nullptr,   "integer",    "float",   "half",   "double",
                                       "special", "conversion", "move",    "memory", "atomic",
                                       "warp",    "control",    "barrier", "tensor"};
static_assert(std::size(kClassNames) == ptx::kInstructionClasses);

void add(Values& values, const std::string& name, const ptx::SectorCounts& counts) {
  values.emplace_back(name + ".requests", counts.requests);
  values.emplace_back(name + ".sectors_asked", counts.sectors_asked);
  values.emplace_back(name + ".sectors_used", counts.sectors_used);
  values.emplace_back(name + ".bytes", counts.bytes);
}

Values values(const CountedLaunch& launch) {
  const ptx::LaunchCounts& counts = launch.counts;
  const Occupancy& occupancy = launch.occupancy;
  Values values{{"blocks", launch.blocks}, {"threads", launch.threads}};
  for (std::size_t i = 1; i < ptx::kInstructionClasses; i++)
    values.emplace_back(std::string("instructions.") + kClassNames[i], counts.instructions[i]);
  values.emplace_back("thread_instructions", counts.thread_instructions);
  add(values, "global_reads", counts.global_reads);
  add(values, "global_writes", counts.global_writes);
  add(values, "global_atomics", counts.global_atomics);
  values.emplace_back("shared_requests", counts.shared_requests);
  values.emplace_back("bank_conflicts", counts.bank_conflicts);
  values.emplace_back("local_requests", counts.local_requests);
  values.emplace_back("branches", counts.branches);
  values.emplace_back("divergent_branches", counts.divergent_branches);
  values.emplace_back("registers", occupancy.registers);
  values.emplace_back("shared_bytes", occupancy.shared_bytes);
  values.emplace_back("resident_blocks", occupancy.blocks);
  values.emplace_back("resident_warps", occupancy.warps);
  values.emplace_back("most_resident_warps", occupancy.most_warps);
  return values;
}

}  // namespace
}  // namespace counted_launch

CountingScope::CountingScope(std::shared_ptr<CountedLaunch> launch) : launch_(std::move(launch)) {
  counted_launch::current_launch = launch_.get();
}

CountingScope::~CountingScope() { counted_launch::current_launch = nullptr; }

CountedLaunch* CountingScope::current() { return counted_launch::current_launch; }

const std::string& count_names() {
  static const auto* const names = [] {
    auto* text = new std::string;
    for (const auto& [name, value] : counted_launch::values({}))
      *text += (text->empty() ? "" : "\n") + name;
    return text;
  }();
  return *names;
}

std::vector<std::uint64_t> count_values(const CountedLaunch& launch) {
  std::vector<std::uint64_t> values;
  for (const auto& [name, value] : counted_launch::values(launch)) values.push_back(value);
  return values;
}

}  // namespace gpukit::sim
