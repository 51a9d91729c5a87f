// The parts that make_tensor_type() puts together; each has its own file.
#pragma once

#include <Python.h>

#include <span>
#include <vector>

namespace gpukit::bindings {

/// The entry of a type's table for this function.
template <class Function>
PyType_Slot slot(int id, Function* function) {
  return {id, reinterpret_cast<void*>(function)};
}

/// Appends slots of the number, sequence and mapping protocols.
void add_operator_slots(std::vector<PyType_Slot>& slots);
void add_indexing_slots(std::vector<PyType_Slot>& slots);
void add_buffer_slots(std::vector<PyType_Slot>& slots);

/// One row an attribute of Tensor.
struct PropertyRow {
  const char* name = nullptr;
  const char* type = nullptr;  ///< for the stub
  getter get = nullptr;
  setter set = nullptr;
  const char* doc = "";
  const char* example = nullptr;  ///< doctest lines; "import gpukit" comes before them
};
std::span<const PropertyRow> tensor_properties();

/// A null-terminated table that lives as long as the process.
PyMethodDef* tensor_methods();

/// Getter of __cuda_array_interface__, version 3.
PyObject* cuda_array_interface(PyObject* self, void*);

/// tp_repr and tp_str.
PyObject* tensor_repr(PyObject* self);
/// am_await: `await x` gives x once it is ready.
PyObject* tensor_await(PyObject* self);
/// tp_new: of subclasses only.
PyObject* tensor_new(PyTypeObject* type, PyObject* args, PyObject* kwargs);

}  // namespace gpukit::bindings
