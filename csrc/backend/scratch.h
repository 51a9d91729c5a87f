// Scratch memory of one operation.
#pragma once

#include <cstddef>

#include "backend/device_ops.h"

namespace gpukit {

/// Scratch memory of one call (none for 0 bytes). It goes back as soon as the work that uses it is
/// queued: its next user comes later on the same stream.
class Scratch {
 public:
  Scratch(Workspace* workspace, std::size_t bytes, StreamRef stream);
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    if (address_ != nullptr) workspace_->deallocate(address_, bytes_, stream_);
  }

  void* address() const noexcept { return address_; }

 private:
  Workspace* workspace_;
  std::size_t bytes_;
  StreamRef stream_;
  void* address_;
};

}  // namespace gpukit
