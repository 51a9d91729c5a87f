// What the simulated NVML is to say: cards, driver generation, and calls that fail, hang or read
// something else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/card_table.h"

namespace gpukit::sim::nvml {

struct Rule {
  enum class Kind { kFail, kHang, kRead };
  Kind kind = Kind::kFail;
  /// An exported function without its _v2 or _v3, or "*" for all of them.
  std::string function;
  /// The status of a failure, or the number that is read.
  std::uint64_t value = 0;
  /// -1: every device.
  int device = -1;
};

struct Script {
  /// Whether `cards` were named; otherwise they are those of the simulated driver.
  bool has_cards = false;
  std::vector<const Card*> cards;
  /// The branch of the driver, such as 535. 0: that of the simulated driver.
  int branch = 0;
  /// NVLinks between each pair of cards.
  int nvlinks = 0;
  std::vector<int> lost;
  std::vector<int> mig;
  std::vector<Rule> rules;
};

/// Adds one setting: "lost@1", "mig@0", "fail:nvmlDeviceGetFanSpeed:3@1",
/// "hang:nvmlDeviceGetTemperature@0", "read:nvmlDeviceGetPowerUsage:70000", "driver:470",
/// "nvlinks:4". Without a device it applies to all. Returns the error in the text, or nothing.
std::string add_setting(std::string_view text, Script& script);

/// Reads settings separated by commas, the cards among them: "16xT4,lost@3". "0" means no card.
std::string parse_script(std::string_view text, Script& script);

}  // namespace gpukit::sim::nvml
