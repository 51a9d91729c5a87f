// How much a launch moves and computes, read from its arguments: for the virtual clock's simple
// roofline. Nothing here knows caches, occupancy or how good a kernel is.
#pragma once

#include <string_view>

#include "sim/card_table.h"

namespace gpukit::sim {

struct Traffic {
  double bytes = 0;
  double flops = 0;
  /// Bytes of the type that is computed in.
  double item_bytes = 4;
};

/// What the kernel `name` does with the arguments at `arguments`; nothing for an unknown kernel.
Traffic kernel_traffic(std::string_view name, const void* arguments);

/// Nanoseconds that a card would need at best.
double roofline_nanoseconds(const Card& card, const Traffic& traffic);

}  // namespace gpukit::sim
