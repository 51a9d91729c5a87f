// Objects of the program that graphs keep alive.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "sim/cuda_abi.h"

namespace gpukit::sim {

/// How many references a graph holds to each.
using HeldObjects = std::map<CUuserObject, unsigned>;

/// All of a simulation. The destructor of an object is called when nothing refers to it, and may
/// call no function of the driver; an ended simulation calls none.
class UserObjects {
 public:
  CUuserObject create(void* data, CUhostFn destroy, unsigned references);
  /// False for an unknown object.
  bool retain(CUuserObject object, unsigned count);
  void retain(const HeldObjects& held);
  /// False for an unknown object and for more references than there are.
  bool release(CUuserObject object, unsigned count);
  void release(const HeldObjects& held);

 private:
  struct Entry {
    void* data;
    CUhostFn destroy;
    std::uint64_t references;
  };

  std::mutex mutex_;
  std::uintptr_t next_ = 0x5c000000;
  std::map<CUuserObject, Entry> entries_;
};

}  // namespace gpukit::sim
