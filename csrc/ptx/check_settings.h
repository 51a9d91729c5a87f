// What launches are watched for on request. Addresses are always checked.
#pragma once

namespace gpukit::ptx {

struct CheckSettings {
  bool race = false;  ///< threads that touch the same memory with nothing that orders them
  bool init = false;  ///< reads of shared and global memory that nobody wrote
  bool sync = false;  ///< barriers of the block that not all threads meet at one instruction
  bool any() const { return race || init || sync; }
};

}  // namespace gpukit::ptx
