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

enum class Part {
  kDtype,
  kDevice,
  kGenerator,
  kFunctions,
  kOperators,
  kStorage,
  kAutograd,
  kStream,
  kCapturedGraph,
  kCode,
  kMemory,
  kSession,
  kDeviceLibrary,
  kTiming,
  kDiagnostics,
  kWatch,
  kObserver
};
/// Adds a part to the module.
template <Part>
void bind(py::module_& module);
template <>
void bind<Part::kDtype>(py::module_& module);
template <>
void bind<Part::kDevice>(py::module_& module);
template <>
void bind<Part::kGenerator>(py::module_& module);
template <>
void bind<Part::kFunctions>(py::module_& module);
template <>
void bind<Part::kOperators>(py::module_& module);
template <>
void bind<Part::kStorage>(py::module_& module);
template <>
void bind<Part::kAutograd>(py::module_& module);
template <>
void bind<Part::kStream>(py::module_& module);
template <>
void bind<Part::kCapturedGraph>(py::module_& module);
template <>
void bind<Part::kCode>(py::module_& module);
template <>
void bind<Part::kMemory>(py::module_& module);
template <>
void bind<Part::kSession>(py::module_& module);
template <>
void bind<Part::kDeviceLibrary>(py::module_& module);
template <>
void bind<Part::kTiming>(py::module_& module);
template <>
void bind<Part::kDiagnostics>(py::module_& module);
template <>
void bind<Part::kWatch>(py::module_& module);
template <>
void bind<Part::kObserver>(py::module_& module);

}  // namespace gpukit::bindings
