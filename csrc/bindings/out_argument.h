// The argument `out` of the functions that have it in torch: an existing tensor takes the result.
#pragma once

#include <string>

#include "bindings/signature.h"

namespace gpukit::bindings {

/// True for functions that give one tensor and take `out` in torch.
bool takes_out(const FunctionRow& row);

/// The signature with a keyword argument out=None at its end.
std::string signature_with_out(std::string_view signature);

/// Calls the function and copies its result into `out`, which is given back. Throws TypeError for
/// what is no tensor, ShapeError, DTypeError, DeviceMismatchError, AutogradError.
PyObject* store_in_out(const Arguments& arguments, PyObject* (*call)(const Arguments& arguments),
                       PyObject* out);

}  // namespace gpukit::bindings
