// Rows of functions composed of others: what they do is written in Python, in
// gpukit/_operators/composed.py, so that whatever the parts record is recorded here too.
#pragma once

#include "bindings/signature.h"

namespace gpukit::bindings {

/// Calls the Python function of the same name, without underscores around it, with the arguments
/// that were given.
PyObject* composed(const Arguments& a);

/// The row of such a function.
constexpr FunctionRow composed_row(FunctionRow said) {
  said.call = composed;
  said.cost = cost::kNone;
  said.where |= kWaits;
  return said;
}

}  // namespace gpukit::bindings
