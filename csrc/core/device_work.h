// What an operation costs at least: reported by a device's arithmetic to its observers.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/device.h"
#include "core/dtype.h"

namespace gpukit {

/// One operation of a device's arithmetic. Bytes are those that must be read and written once;
/// broadcast operands count once. A product counts 2 m n k flops; sums, comparisons, exp and sqrt
/// count one an element; copies, fills, random numbers and sorting count none.
struct DeviceWork {
  DType dtype;  ///< of the operands
  double flops;
  double bytes;
  std::int64_t longest_sum = 1;  ///< per element: the rounding error grows with it
  bool copies = false;           ///< only moves values
  Device device = Device::cpu();
  bool known = true;  ///< false: a user's kernel, whose flops and bytes are unknown
};

/// The work of several operations.
struct WorkCount {
  std::int64_t operations = 0;
  std::int64_t copies = 0;   ///< of the operations
  std::int64_t unknown = 0;  ///< of the operations, those whose flops and bytes are not known
  double bytes = 0;
  std::array<double, kDTypeCount> flops{};
  std::int64_t longest_sum = 1;

  void add(const DeviceWork& work) noexcept {
    ++operations;
    copies += work.copies ? 1 : 0;
    unknown += work.known ? 0 : 1;
    bytes += work.bytes;
    flops[static_cast<std::size_t>(work.dtype)] += work.flops;
    longest_sum = std::max(longest_sum, work.longest_sum);
  }
  void add(const WorkCount& other) noexcept {
    operations += other.operations;
    copies += other.copies;
    unknown += other.unknown;
    bytes += other.bytes;
    for (std::size_t i = 0; i < flops.size(); ++i) flops[i] += other.flops[i];
    longest_sum = std::max(longest_sum, other.longest_sum);
  }
};

}  // namespace gpukit
