// The kernels that were compiled for the host, by name.
#pragma once

#include <string_view>

namespace gpukit::sim {

struct KernelEntry;

/// The host build of kernel `name`, or null.
const KernelEntry* find_kernel(std::string_view name);

}  // namespace gpukit::sim
