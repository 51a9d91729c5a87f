// How many registers the values of a function need at a time: from where each is written and read.
#pragma once

#include <cstdint>
#include <vector>

namespace gpukit::ptx {

/// A value is read or written at a step. Within a step, reads come first.
struct ValueEvent {
  std::uint32_t value = 0;
  std::uint32_t step = 0;
  bool writes = false;
  bool may_not_happen = false;  ///< the step is guarded
};

/// Where the flow goes after a step, for those that do not only go on.
struct FlowStep {
  std::uint32_t step = 0;
  bool goes_on = false;
  std::vector<std::uint32_t> targets;
};

struct ValueFlow {
  std::uint32_t steps = 0;
  std::vector<std::uint8_t> words;  ///< of each value, in registers of 32 bits
  std::vector<ValueEvent> events;   ///< in the order of their steps
  std::vector<FlowStep> flow;       ///< in the order of their steps
};

/// The most words that are alive at a step.
unsigned most_words_alive(const ValueFlow& values);

}  // namespace gpukit::ptx
