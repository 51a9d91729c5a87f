// gpukit.dtype: one object for each element type, so that `x.dtype is gpukit.float32`.
#include <array>

#include "base/check.h"
#include "base/error.h"
#include "bindings/arguments.h"
#include "bindings/bind.h"
#include "core/number_range.h"

namespace gpukit::bindings {

namespace {

struct DTypeObject {
  DType dtype;
};

}  // namespace

template <>
inline constexpr bool is_bound_class<DTypeObject> = true;

namespace {

std::array<PyObject*, kDTypeCount> singletons{};
PyTypeObject* dtype_type = nullptr;

bool is_dtype_object(PyObject* value) noexcept { return Py_TYPE(value) == dtype_type; }

DType dtype_of(PyObject* value) {
  for (int i = 0; i < kDTypeCount; ++i) {
    if (singletons[static_cast<std::size_t>(i)] == value) return static_cast<DType>(i);
  }
  throw_uninitialized(value);  // made by __new__ of the common base
}

/// A NumPy dtype or scalar class has a name that parse_dtype knows or refuses with a reason.
bool is_numpy_dtype(PyObject* value) noexcept {
  const std::string_view name = Py_TYPE(value)->tp_name;
  if (name.starts_with("numpy.dtype")) return true;
  if (PyType_Check(value) == 0) return false;
  const std::string_view type = reinterpret_cast<PyTypeObject*>(value)->tp_name;
  return type.starts_with("numpy.") || type.starts_with("ml_dtypes.");
}

bool is_python_type(PyObject* value) noexcept {
  return value == reinterpret_cast<PyObject*>(&PyFloat_Type) ||
         value == reinterpret_cast<PyObject*>(&PyLong_Type) ||
         value == reinterpret_cast<PyObject*>(&PyComplex_Type) ||
         value == reinterpret_cast<PyObject*>(&PyBool_Type);
}

/// As in torch and NumPy, Python's float is float64 where it is named as a dtype.
DType python_type(PyObject* value) noexcept {
  if (value == reinterpret_cast<PyObject*>(&PyFloat_Type)) return DType::kFloat64;
  if (value == reinterpret_cast<PyObject*>(&PyComplex_Type)) return DType::kComplex128;
  return value == reinterpret_cast<PyObject*>(&PyLong_Type) ? DType::kInt64 : DType::kBool;
}

DType numpy_dtype(PyObject* value) {
  const py::object dtype = imported("numpy").attr("dtype")(py::handle(value));
  const auto order = dtype.attr("byteorder").cast<std::string>();
  GPUKIT_CHECK(order != ">", DTypeError, "NumPy dtype ", describe_value(value),
               " has foreign byte order. Use a.astype(a.dtype.newbyteorder('=')).");
  return parse_dtype(dtype.attr("name").cast<std::string>());
}

std::string_view without_module(std::string_view text) noexcept {
  for (const std::string_view prefix : {"gpukit.", "torch.", "numpy.", "np."}) {
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  }
  return text;
}

/// Empty for what is no text, and for a text that is not UTF-8.
std::string_view dtype_text(PyObject* value) noexcept {
  if (PyUnicode_Check(value) == 0) return {};
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(value, &size);
  if (text == nullptr) PyErr_Clear();
  return text == nullptr ? "" : without_module({text, static_cast<std::size_t>(size)});
}

constexpr const char* kKindNames[] = {
#define GK_DTYPE_KIND(Kind) #Kind,
#include "base/dtypes.def"
};

/// One dictionary for each dtype: what Python's code asks of the table.
py::list dtype_rows() {
  py::list result;
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    const DTypeInfo& info = dtype_info(dtype);
    const FloatFormat format = float_format(dtype);
    py::dict row;
    row["name"] = info.name;
    row["kind"] = kKindNames[static_cast<int>(info.kind)];
    row["is_half"] = is_half(dtype);
    row["in_numpy"] = is_in_numpy(dtype);
    row["storage"] = info.storage_name;
    row["safetensors"] = info.safetensors_name;
    row["precision"] = format.precision;
    row["smallest_exponent"] = format.smallest_exponent;
    row["largest"] = format.largest;
    result.append(row);
  }
  return result;
}

PyObject* singleton(DType dtype) noexcept { return singletons[static_cast<std::size_t>(dtype)]; }

void add_conversions(py::class_<DTypeObject>& cls) {
  cls.def(
      "to_complex",
      [](const DTypeObject& self) {
        GPUKIT_CHECK(is_differentiable(self.dtype), DTypeError, "to_complex: ", name(self.dtype),
                     " has no complex dtype; use float32 or float64");
        return py::reinterpret_steal<py::object>(new_object(complex_dtype(self.dtype)));
      },
      "The complex dtype whose parts are of this one; complex64 for float16 and bfloat16.\n\n"
      "Raises:\n    DTypeError: An integer dtype or bool.\n\n"
      "Example:\n    >>> import gpukit\n    >>> gpukit.float64.to_complex()\n"
      "    gpukit.complex128");
  cls.def(
      "to_real",
      [](const DTypeObject& self) {
        return py::reinterpret_steal<py::object>(new_object(real_dtype(self.dtype)));
      },
      "The dtype of the parts of a complex one; another dtype itself.\n\n"
      "Example:\n    >>> import gpukit\n    >>> gpukit.complex64.to_real()\n    gpukit.float32");
}

void add_dtype_class(py::module_& module) {
  py::class_<DTypeObject> cls(
      module, "dtype",
      "Type of a tensor's elements: gpukit.float32, int64, bool and so on.\n\n"
      "`dtype(x)` returns the unique object for a name, a NumPy dtype or a dtype.\n\n"
      "Args:\n"
      "    dtype: a name, a NumPy dtype, bool, int, float, complex, or a dtype.\n\n"
      "Raises:\n"
      "    DTypeError: gpukit has no such dtype.\n\n"
      "Example:\n"
      "    >>> import gpukit\n"
      "    >>> gpukit.dtype('float32') is gpukit.float32, gpukit.float32.itemsize\n"
      "    (True, 4)\n",
      py::is_final());
  cls.def_static(
      "__new__",
      [](const py::object&, const py::object& dtype) {
        return py::reinterpret_steal<py::object>(
            new_object(to_dtype({"dtype", "dtype"}, dtype.ptr())));
      },
      py::arg("cls"), py::arg("dtype"));
  // Nothing is left to do: __new__ gave the singleton.
  cls.attr("__init__") = py::cpp_function([](const py::object&, const py::object&) {},
                                          py::name("init"), py::is_method(cls), py::arg("dtype"));
  cls.def_property_readonly(
      "name", [](const DTypeObject& self) { return std::string(name(self.dtype)); },
      "The name, e.g. 'float32'.");
  cls.def_property_readonly(
      "itemsize", [](const DTypeObject& self) { return itemsize(self.dtype); },
      "Bytes of one element.");
  cls.def_property_readonly(
      "is_floating_point", [](const DTypeObject& self) { return is_floating(self.dtype); },
      "True for float16, bfloat16, float32 and float64.");
  cls.def_property_readonly(
      "is_complex", [](const DTypeObject& self) { return is_complex(self.dtype); },
      "True for complex64 and complex128.");
  cls.def_property_readonly(
      "is_signed", [](const DTypeObject& self) { return dtype_info(self.dtype).is_signed; },
      "True when negative values exist.");
  add_conversions(cls);
  cls.def_property_readonly(
      "__numpy_dtype__",
      [](const DTypeObject& self) {
        return imported("gpukit._copying").attr("numpy_dtype")(py::handle(singleton(self.dtype)));
      },
      "What numpy.dtype(x) asks for, from NumPy 2.4 on: NumPy's dtype of the same name.");
  cls.def("__repr__",
          [](const DTypeObject& self) { return "gpukit." + std::string(name(self.dtype)); });
  cls.def("__reduce__", [](const DTypeObject& self) { return std::string(name(self.dtype)); });
}

}  // namespace

PyObject* new_object(DType dtype) noexcept { return Py_NewRef(singleton(dtype)); }

std::optional<DType> find_dtype(PyObject* value) {
  return is_dtype_object(value) ? dtype_of(value) : gpukit::find_dtype(dtype_text(value));
}

bool looks_like_dtype(PyObject* value) noexcept {
  return is_dtype_object(value) || names_dtype(dtype_text(value)) || is_python_type(value) ||
         is_numpy_dtype(value);
}

DType to_dtype(Argument argument, PyObject* value) {
  if (const auto found = find_dtype(value)) return *found;
  if (PyUnicode_Check(value) != 0) {
    try {
      return parse_dtype(without_module(to_text(argument, value)));
    } catch (const DTypeError& error) {
      throw DTypeError(concat(argument.op, ": ", argument.name, ": ", error.what()))
          .with_fix(error.fix());
    }
  }
  if (is_python_type(value)) return python_type(value);
  if (is_numpy_dtype(value)) return numpy_dtype(value);
  throw DTypeError(concat(argument.op, ": ", argument.name,
                          " must be a dtype such as gpukit.float32 or 'float32', got ",
                          describe_value(value), torch_advice(value)));
}

template <>
void bind<Part::kDtype>(py::module_& module) {
  add_dtype_class(module);
  const py::object cls = module.attr("dtype");
  for (int i = 0; i < kDTypeCount; ++i) {
    py::object one = py::cast(DTypeObject{static_cast<DType>(i)});
    dtype_type = Py_TYPE(one.ptr());
    const std::string text(name(static_cast<DType>(i)));
    singletons[static_cast<std::size_t>(i)] = one.inc_ref().ptr();
    module.attr(text.c_str()) = one;
  }
  for (const DTypeAlias& alias : dtype_aliases())
    module.attr(std::string(alias.name).c_str()) = py::handle(singleton(alias.dtype));
  module.def("dtype_rows", dtype_rows, "The table of dtypes, for gpukit._dtypes.");
}

}  // namespace gpukit::bindings
