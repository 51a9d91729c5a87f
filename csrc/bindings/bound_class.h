// C++ types that Python objects hold: what pybind11 lets through and gpukit does not.
#pragma once

#include <pybind11/cast.h>

#include <string_view>

#include "bindings/python.h"

namespace gpukit::bindings {

/// True for a C++ type with a py::class_; specialised beside the type's definition, so that every
/// function that takes one is protected.
template <class T>
inline constexpr bool is_bound_class = false;

/// Throws TypeError: the object was made by __new__ alone, or its __init__ has not called super().
[[noreturn]] void throw_uninitialized(PyObject* object);

/// Before the first class is made: pybind11's common base ends the process when it is called
/// itself, which pickle's protocols 0 and 1 do; from then on it raises TypeError.
void guard_common_base();

/// pickle and copy raise TypeError with `reason`, a sentence that says what to do instead.
void refuse_pickling(const py::object& cls, const char* reason);

}  // namespace gpukit::bindings

namespace pybind11::detail {

/// pybind11 would hand out fresh, uninitialised memory for an object without a C++ part.
template <class T>
class type_caster<T, enable_if_t<gpukit::bindings::is_bound_class<T>>>
    : public type_caster_base<T> {
 public:
  bool load(handle source, bool convert) {
    return type_caster_generic::load_impl<type_caster>(source, convert);
  }
  void load_value(value_and_holder&& part) {
    if (part.value_ptr() == nullptr)
      gpukit::bindings::throw_uninitialized(reinterpret_cast<PyObject*>(part.inst));
    type_caster_generic::load_value(std::move(part));
  }
};

}  // namespace pybind11::detail
