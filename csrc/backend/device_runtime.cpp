#include "backend/device_runtime.h"

#include "base/check.h"
#include "base/error.h"

namespace gpukit {

void* DeviceRuntime::allocate_from_pool(std::size_t, StreamRef) {
  throw NotSupportedError(concat(to_string(device()),
                                 ": there is no stream-ordered pool. Use "
                                 "gpukit.config.set_pool('pool')"));
}

}  // namespace gpukit
