// What one simulation is made of, as `simulate()` and GPUKIT_SIMULATE write it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/check_settings.h"
#include "sim/block_executor.h"
#include "sim/card_table.h"

namespace gpukit::sim {

struct SimConfig {
  std::vector<const Card*> cards;
  /// Which of them a program sees is what CUDA_VISIBLE_DEVICES says when the driver is started.
  bool reads_visible_devices = false;
  /// Memory of each card; 0 means the card's own.
  std::uint64_t memory_bytes = 0;
  /// Speed of each link direction; 0 means the card's own.
  double link_gbps = 0;
  double launch_us = 5;
  double transfer_latency_us = 8;
  /// Costs are slept, and time stamps are the wall clock's; otherwise both live on a virtual clock.
  bool realtime = false;
  ExecutionOrder order;
  /// The CUDA version that it claims. Where the text names none: 13.0, whose driver takes what each
  /// compiler of today writes, and 12.8 beside cards that no compiler of CUDA 13 makes code for.
  int driver_version = 13000;
  /// Whether the text says so.
  bool driver_is_named = false;
  bool peer_access = true;
  /// Kernels run as PTX where they can; otherwise by their host build where they have one.
  bool engine_is_ptx = false;
  /// PTX texts of gpukit's own kernels, for `engine=ptx`; empty when there are none.
  std::string ptx_folder;
  /// Warp instructions after which a launch of PTX is ended; 0 for none.
  std::uint64_t instruction_limit = 0;
  /// After so long a launch of PTX reports its progress on stderr; 0 for never.
  double progress_seconds = 5;
  /// What launches of PTX are watched for.
  ptx::CheckSettings checks;
  /// An invalid address is a finding of `check=`; it always ends the launch.
  bool check_memory = false;
  /// Launches of PTX are counted.
  bool counts = false;
  /// Device memory is out of the host's reach while no work runs.
  bool strict = false;
  /// Log file for calls that the driver does not implement; empty for no log.
  std::string log_path;
  std::vector<std::string> faults;
  /// Settings of the simulated NVML (nvml_script.h).
  std::vector<std::string> nvml;
};

struct ParsedConfig {
  SimConfig config;
  /// What is wrong with the text; empty when it is fine.
  std::string error;
};

/// The branch of the driver with which that CUDA version came: 570 for 12080.
int driver_branch(int cuda_version);

/// Reads
/// "2xT4,mem=4GiB,link_gbps=12,launch_us=5,realtime=0,seed=1,order=fwd,driver=12080,fault=oom@3".
/// Cards may be mixed: "1xT4+1xA100". Without a card the simulation has one T4.
ParsedConfig parse_config(std::string_view text);

/// Those that a list such as "1,0" shows, in its order. As with a driver, the list ends at what
/// is not the number of a card; a duplicate hides all.
std::vector<const Card*> visible_cards(const std::vector<const Card*>& cards,
                                       std::string_view list);

}  // namespace gpukit::sim
