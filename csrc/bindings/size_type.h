// gpukit.Size, the type of shapes: a tuple with numel(), whose slices, sums and multiples are
// sizes.
#pragma once

#include <Python.h>

#include "core/shape.h"

namespace gpukit::bindings {

/// Creates the type. Called once, at import, before the first tensor.
void make_size_type();
/// gpukit.Size; set by make_size_type().
inline PyTypeObject* size_type = nullptr;

/// A shape as a gpukit.Size. A new reference.
PyObject* to_size(const Shape& shape);

}  // namespace gpukit::bindings
