// Cards that the simulator can simulate, with the properties that a driver reports for them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gpukit::sim {

struct Card {
  /// What `simulate(1, "T4")` names.
  const char* short_name;
  /// What the real driver calls the card.
  const char* full_name;
  int major;
  int minor;
  int multiprocessors;
  std::uint64_t memory_bytes;
  int core_mhz;
  /// Half the effective data rate, as drivers give it: bandwidth = 2 x memory_mhz x bus_bits / 8.
  int memory_mhz;
  int bus_bits;
  int l2_kib;
  int shared_kib_per_block_optin;
  int shared_kib_per_multiprocessor;
  int threads_per_multiprocessor;
  int blocks_per_multiprocessor;
  int copy_engines;
  /// What pinned copies reach over the card's usual link, one direction.
  double link_gbps;

  double memory_gbps() const { return 2e-3 * memory_mhz * bus_bits / 8; }
  int capability() const { return major * 10 + minor; }
};

std::span<const Card> all_cards();

/// The card of that name, or null. Case, spaces, dashes and the words NVIDIA, Tesla, GeForce, GTX,
/// RTX do not matter.
const Card* find_card(std::string_view name);

/// "sim", the ordinal, then the card's name: the same in every run, different for every device.
void card_uuid(const Card& card, int index, unsigned char (&bytes)[16]);

/// The number of the PCI bus of the `index`-th device.
inline int pci_bus(int index) { return 4 + index; }

/// "there is no card 'T9'. Did you mean 'T4'?", or every name where none is near.
std::string describe_unknown(std::string_view kind, std::string_view name,
                             std::span<const std::string_view> names);

/// A sentence that names the cards near to `name`, or all of them when none is near.
std::string describe_unknown_card(std::string_view name);

}  // namespace gpukit::sim
