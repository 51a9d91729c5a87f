// gpukit.Generator as Python holds it.
#pragma once

#include "bindings/arguments.h"
#include "ops/random.h"

namespace gpukit::bindings {

/// The generator behind a Python object; the default one for nullptr and None.
ops::Generator& generator_of(Argument argument, PyObject* object);

}  // namespace gpukit::bindings
