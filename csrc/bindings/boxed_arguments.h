// The arguments of a call that is observed: owned, so that observers may keep and replace them.
#pragma once

#include <vector>

#include "bindings/python.h"

namespace gpukit::bindings {

struct BoxedArguments {
  /// One a parameter, null where it was left out; what "*size" got is a tuple.
  std::vector<py::object> values;
  int positional = 0;  ///< so many of the first were given by position
};

}  // namespace gpukit::bindings
