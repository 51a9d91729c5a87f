// The error of a device that is not there, in the words of every place that finds it so.
#pragma once

#include <string>

namespace gpukit {

/// DeviceNotFoundError: `count` usable GPUs were found, and why cuda:index is none of them. Its fix
/// is try_gpu. gpukit/_device.py says the same sentence.
[[noreturn]] void throw_absent_device(int index, int count, const std::string& reason);

}  // namespace gpukit
