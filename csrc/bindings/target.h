// What a tensor or a module is moved or converted to: the one parser of that argument.
#pragma once

#include <optional>

#include "bindings/arguments.h"

namespace gpukit::bindings {

struct NamedTarget {
  std::optional<Device> device;
  std::optional<DType> dtype;
};

/// Of a device, its name or index, of a dtype, its name or class, or of a tensor, which names both;
/// nothing for None. TypeError for all else.
NamedTarget to_target(Argument argument, PyObject* value);

}  // namespace gpukit::bindings
