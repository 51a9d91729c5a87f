// Counted work as Python sees it.
#pragma once

#include "bindings/python.h"
#include "core/device_work.h"

namespace gpukit::bindings {

/// {"operations", "copies", "unknown", "bytes", "flops" by dtype, "longest_sum"}.
py::dict work_as_dict(const WorkCount& count);

}  // namespace gpukit::bindings
