// What module.cpp calls, in order. Each of them defines functions with pybind11.
#pragma once

#include <pybind11/pybind11.h>

#include "bindings/bound_class.h"
#include "bindings/python.h"
#include "bindings/tensor_caster.h"
#include "core/device.h"

namespace gpukit::bindings {

template <>
inline constexpr bool is_bound_class<Device> = true;

void bind_dtype(py::module_& module);
void bind_device(py::module_& module);
void bind_generator(py::module_& module);
void bind_functions(py::module_& module);
void bind_operators(py::module_& module);
void bind_storage(py::module_& module);
void bind_autograd(py::module_& module);
void bind_stream(py::module_& module);
void bind_captured_graph(py::module_& module);
void bind_code(py::module_& module);
void bind_memory(py::module_& module);
void bind_session(py::module_& module);
void bind_device_library(py::module_& module);
void bind_timing(py::module_& module);
void bind_diagnostics(py::module_& module);
void bind_watch(py::module_& module);
void bind_observer(py::module_& module);

}  // namespace gpukit::bindings
