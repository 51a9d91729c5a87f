#include "backend/scratch.h"

#include "base/check.h"
#include "base/error.h"

namespace gpukit {

Scratch::Scratch(Workspace* workspace, std::size_t bytes, StreamRef stream)
    : workspace_(workspace), bytes_(bytes), stream_(stream), address_(nullptr) {
  if (bytes == 0) return;
  GPUKIT_CHECK(workspace != nullptr, DeviceError,
               "no workspace was set for this device before its first use");
  address_ = workspace->allocate(bytes, stream);
}

}  // namespace gpukit
