#include "bindings/bound_class.h"

#include <pybind11/pybind11.h>

#include <string>

#include "base/check.h"
#include "base/error.h"
#include "bindings/exceptions.h"

namespace gpukit::bindings {

namespace {

newfunc original_new = nullptr;

/// The name that users know: "gpukit.device", not "gpukit._core.device".
std::string public_name(PyTypeObject* type) {
  const py::handle cls(reinterpret_cast<PyObject*>(type));
  return concat(py::str(cls.attr("__module__")).cast<std::string>(), ".",
                py::str(cls.attr("__qualname__")).cast<std::string>());
}

PyObject* new_instance(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    if (py::detail::all_type_info(type).empty()) {
      throw TypeError(concat(public_name(type),
                             ": this class cannot be made; it is the common base of "
                             "classes written in C++"));
    }
    return original_new(type, args, kwargs);
  });
}

}  // namespace

void throw_uninitialized(PyObject* object) {
  const std::string name = public_name(Py_TYPE(object));
  throw TypeError(concat(name, ": this object was never initialised: ", name,
                         ".__init__ has not run. Make it by calling the class, and call "
                         "super().__init__() first in the __init__ of a subclass"));
}

void guard_common_base() {
  auto* base = reinterpret_cast<PyTypeObject*>(py::detail::get_internals().instance_base);
  // Another extension built with the same pybind11 shares the base; its classes lose nothing.
  original_new = base->tp_new;
  base->tp_new = new_instance;
}

void refuse_pickling(const py::object& cls, const char* reason) {
  for (const char* name : {"__reduce__", "__getstate__"}) {
    cls.attr(name) = py::cpp_function(
        [reason](const py::object& self) -> py::object {
          throw TypeError(
              concat(public_name(Py_TYPE(self.ptr())), ": cannot be pickled or copied: ", reason));
        },
        py::name(name), py::is_method(cls));
  }
}

}  // namespace gpukit::bindings
