// The error of a device that does not exist, with the same text everywhere.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "core/device.h"

namespace gpukit {

/// DeviceNotFoundError: `count` usable devices of its kind were found, and why `device` is none of
/// them. A GPU's fix is try_gpu. `details` are those of the error behind it, `function` is the
/// function that was called, or empty. Python raises it through `_core.throw_device_not_found`.
[[noreturn]] void throw_device_not_found(Device device, int count, const std::string& reason,
                                         const Details& details = {},
                                         std::string_view function = {});

}  // namespace gpukit
