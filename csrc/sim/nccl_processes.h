// A communicator of ranks in several processes: they meet in memory that has no name, and values
// pass through it in pieces.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "sim/nccl_group.h"

namespace gpukit::sim::nccl {

/// ncclUniqueId: says where the memory is. It lives as long as a process that has it open.
struct UniqueId {
  std::array<char, 128> bytes;
};

/// Makes the memory that the ranks of one communicator will share. The error, or nothing.
std::string make_unique_id(UniqueId& id);

struct Joined {
  std::shared_ptr<Group> group;
  /// What is wrong, where there is no group.
  std::string error;
  bool is_bad_argument = false;
};

/// Waits until all ranks have joined.
Joined join(const UniqueId& id, std::size_t ranks, std::size_t rank, int device);

}  // namespace gpukit::sim::nccl
