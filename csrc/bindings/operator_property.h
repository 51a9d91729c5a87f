// The properties of Tensor that are operators: those that give a tensor, and those that can be set.
#pragma once

#include <Python.h>

namespace gpukit::bindings {

/// Getter and setter of a PropertyRow, which is the closure: between the observers, if there are
/// any. The operator of a getter has the property's name, that of a setter "set_data".
PyObject* get_operator(PyObject* self, void* row);
int set_operator(PyObject* self, PyObject* value, void* row);

}  // namespace gpukit::bindings
