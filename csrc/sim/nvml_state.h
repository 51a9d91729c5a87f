// What the simulated NVML knows at a moment: its script, the cards, and who hangs.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "sim/nvml_abi.h"
#include "sim/nvml_script.h"

namespace gpukit::sim::nvml {

/// One card as NVML sees it.
struct Gpu {
  const Card* card = nullptr;
  int index = 0;
  std::string uuid;
  std::string bus_id;
  std::uint64_t memory_total = 0;
  std::uint64_t memory_used = 0;
  bool busy = false;
  /// The end of its latest work on the clock of the simulation.
  double clock_ms = 0;
  bool lost = false;
  bool mig = false;
};

constexpr int kMigParts = 2;

class State {
 public:
  /// Replaces the script and lets every hanging call return. Returns the error in the text.
  std::string configure(std::string_view text);
  /// Goes back to the cards of the simulated driver.
  void follow_driver();

  bool is_initialised();
  void set_initialised(bool on);

  std::vector<Gpu> gpus();
  int branch();
  /// Whether two cards read each other's memory: as the simulated driver says, or yes.
  bool are_peers(int device, int other);
  /// Links between each pair of cards.
  int nvlinks();
  /// The status a call ends with before it does anything; waits as long as the script lets it hang.
  int status_before(const std::string& function, int device);
  /// The number that the script gives for a reading.
  std::optional<std::uint64_t> reading(const std::string& function, int device);

 private:
  Script current_script();

  std::mutex mutex_;
  std::condition_variable replaced_;
  std::uint64_t generation_ = 0;
  bool scripted_ = false;
  int initialised_ = 0;
  Script script_;
};

/// Never destroyed: a thread may hang in a call while the process ends.
State& state();

}  // namespace gpukit::sim::nvml
