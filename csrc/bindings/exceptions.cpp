#include "bindings/exceptions.h"

#include <pybind11/cast.h>
#include <new>

#include "base/error.h"

namespace gpukit::bindings {

namespace {

/// The class in gpukit.errors, or nullptr for the kinds that are Python's own.
const char* class_name(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::kGeneric:
      return "GpukitError";
    case ErrorKind::kDevice:
      return "DeviceError";
    case ErrorKind::kDeviceNotFound:
      return "DeviceNotFoundError";
    case ErrorKind::kInvalidDevice:
      return "InvalidDeviceError";
    case ErrorKind::kDeviceMismatch:
      return "DeviceMismatchError";
    case ErrorKind::kOutOfMemory:
      return "OutOfMemoryError";
    case ErrorKind::kShape:
      return "ShapeError";
    case ErrorKind::kDType:
      return "DTypeError";
    case ErrorKind::kAutograd:
      return "AutogradError";
    case ErrorKind::kCheckpoint:
      return "CheckpointError";
    case ErrorKind::kTransfer:
      return "TransferError";
    case ErrorKind::kDriver:
      return "DriverError";
    case ErrorKind::kSimulation:
      return "SimulationError";
    case ErrorKind::kDimension:
      return "DimensionError";
    case ErrorKind::kRange:
      return "RangeError";
    case ErrorKind::kValue:
      return "ArgumentError";
    case ErrorKind::kIndex:
      return "BoundsError";
    case ErrorKind::kCompile:
      return "CompileError";
    default:
      return nullptr;
  }
}

PyObject* builtin_class(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::kType:
      return PyExc_TypeError;
    case ErrorKind::kHostMemory:
      return PyExc_MemoryError;
    case ErrorKind::kBuffer:
      return PyExc_BufferError;
    case ErrorKind::kNotSupported:
      return PyExc_NotImplementedError;
    default:
      return PyExc_RuntimeError;
  }
}

py::object class_of(ErrorKind kind) {
  if (const char* name = class_name(kind)) return imported("gpukit.errors").attr(name);
  return py::reinterpret_borrow<py::object>(builtin_class(kind));
}

py::object text_or_none(const std::string& text) {
  if (text.empty()) return py::none();
  return py::str(text);
}

/// The codes of these are not counted from the start of ErrorKind.
bool has_code_of_class(ErrorKind kind) noexcept {
  return kind == ErrorKind::kValue || kind == ErrorKind::kIndex || kind == ErrorKind::kCompile;
}

py::object make_exception(const Error& error) {
  const py::object type = class_of(error.kind());
  const py::str text(error.what());
  if (class_name(error.kind()) != nullptr) {
    const py::object code =
        has_code_of_class(error.kind()) ? py::none() : py::object(py::str(error.code()));
    return type(text, py::arg("code") = code, py::arg("fix") = text_or_none(error.fix()),
                py::arg("details") = details_dict(error.details()));
  }
  py::object exception = type(text);
  exception.attr("code") = error.code();
  exception.attr("fix") = text_or_none(error.fix());
  exception.attr("details") = details_dict(error.details());
  return exception;
}

void set(const py::object& exception) noexcept {
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
}

void set_error(const Error& error) {
  if (error.kind() == ErrorKind::kPythonSet) {
    if (PyErr_Occurred() == nullptr) PyErr_SetNone(PyExc_KeyboardInterrupt);
    return;
  }
  set(make_exception(error));
}

void set_error(const OutOfMemoryError& error) {
  py::object exception = make_exception(error);
  exception.attr("requested") = error.requested;
  exception.attr("free") = error.free;
  exception.attr("total") = error.total;
  exception.attr("cached") = error.cached;
  imported("gpukit._devices.memory").attr("name_holders")(exception);
  set(exception);
}

void set_other(const char* text) {
  set(imported("gpukit.errors").attr("GpukitError")(py::str(text)));
}

void translate() {
  try {
    throw;
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const py::builtin_exception& error) {
    error.set_error();
  } catch (const OutOfMemoryError& error) {
    set_error(error);
  } catch (const Error& error) {
    set_error(error);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    set_other(error.what());
  } catch (...) {
    set_other("an exception of unknown type was thrown inside gpukit");
  }
}

}  // namespace

py::dict details_dict(const Details& details) {
  py::dict made;
  for (const auto& [key, value] : details) {
    std::visit([&](const auto& held) { made[py::str(key)] = held; }, value);
  }
  return made;
}

void set_python_error() noexcept {
  try {
    translate();
  } catch (py::error_already_set& error) {
    error.restore();  // making the exception failed; that failure is the news then
  } catch (...) {
    PyErr_NoMemory();
  }
}

}  // namespace gpukit::bindings
