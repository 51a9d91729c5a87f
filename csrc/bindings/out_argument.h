// The argument `out` of the functions that have it in torch: an existing tensor takes the result.
#pragma once

#include "bindings/signature.h"

namespace gpukit::bindings {

/// Calls the row and copies its result into `out`, which is returned. Throws TypeError for
/// anything but a tensor, ShapeError, DTypeError, DeviceMismatchError, AutogradError.
PyObject* store_in_out(const Arguments& arguments, const ParsedRow& row, PyObject* out);

}  // namespace gpukit::bindings
