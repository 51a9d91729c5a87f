// The error of a device that is not there, in the words of every place that finds it so.
#pragma once

#include <string>

#include "core/device.h"

namespace gpukit {

/// DeviceNotFoundError: `count` usable devices of its kind were found, and why `device` is none of
/// them. A GPU's fix is try_gpu; gpukit/_device.py says the same sentence.
[[noreturn]] void throw_device_not_found(Device device, int count, const std::string& reason);

}  // namespace gpukit
