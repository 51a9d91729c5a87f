#include "bindings/arguments.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/check.h"
#include "base/error.h"
#include "bindings/python_text.h"
#include "core/number_range.h"
#include "ops/promotion.h"

namespace gpukit::bindings {

namespace {

constexpr Py_ssize_t kLongestValue = 60;

bool is_numpy_bool(PyObject* value) noexcept {
  const std::string_view name = Py_TYPE(value)->tp_name;
  return name == "numpy.bool" || name == "numpy.bool_";
}

/// Arrays have __index__ too, for the case of one element.
bool has_length(PyObject* value) noexcept {
  const PyTypeObject* type = Py_TYPE(value);
  return (type->tp_as_mapping != nullptr && type->tp_as_mapping->mp_length != nullptr) ||
         (type->tp_as_sequence != nullptr && type->tp_as_sequence->sq_length != nullptr);
}

/// The int as int64; `value` is a Python int.
std::int64_t int64_of(Argument argument, PyObject* value) {
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  GPUKIT_CHECK(overflow == 0, RangeError, argument.op, ": ", argument.name, " ",
               describe_value(value), " does not fit into int64");
  if (number == -1 && PyErr_Occurred() != nullptr) throw_python_error();
  return number;
}

/// An int of 2^63 up to 2^64 - 1; nothing for all else.
std::optional<Scalar> huge_integer(PyObject* value) {
  if (!is_integer(value)) return std::nullopt;
  const auto number = owned(PyNumber_Index(value));
  int overflow = 0;
  PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow <= 0) return std::nullopt;
  const unsigned long long whole = PyLong_AsUnsignedLongLong(number.ptr());
  if (PyErr_Occurred() == nullptr) return Scalar::unsigned_integer(whole);
  PyErr_Clear();
  return std::nullopt;
}

/// The module that defines a class; "" where it does not say.
std::string module_of(PyTypeObject* type) {
  const std::string_view name = type->tp_name;
  if (const std::size_t dot = name.rfind('.'); dot != std::string_view::npos)
    return std::string(name.substr(0, dot));
  if (PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) == 0) return "builtins";
  const auto module = py::reinterpret_steal<py::object>(
      PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "__module__"));
  if (module && PyUnicode_Check(module.ptr()) != 0) return readable_text(module.ptr());
  PyErr_Clear();
  return "";
}

/// An exact float, or an exact int that int64 holds: what most numbers are.
std::optional<Scalar> plain_scalar(PyObject* value) noexcept {
  if (PyFloat_CheckExact(value) != 0) return Scalar::floating(PyFloat_AS_DOUBLE(value));
  if (PyLong_CheckExact(value) == 0) return std::nullopt;
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  return overflow == 0 ? std::optional(Scalar::integer(number)) : std::nullopt;
}

/// Python's or NumPy's. All of them have __float__, which drops a part.
bool is_complex_number(PyObject* value) noexcept {
  if (PyComplex_Check(value) != 0) return true;
  const auto dtype = numpy_scalar_dtype(value);
  return dtype.has_value() && is_complex(*dtype);
}

/// The type's name, with its module where that is not Python's own: "torch.Tensor", "list".
std::string type_label(PyObject* value) {
  const std::string_view name = Py_TYPE(value)->tp_name;
  if (name.find('.') != std::string_view::npos) return std::string(name);
  const std::string module = module_of(Py_TYPE(value));
  const bool plain = module.empty() || module == "builtins" || module == "__main__";
  return plain ? std::string(name) : concat(module, ".", name);
}

/// Whether its class or a base of it is one of torch's.
bool is_torchs(PyObject* value) {
  PyObject* const bases = Py_TYPE(value)->tp_mro;
  for (Py_ssize_t i = 0; bases != nullptr && i < PyTuple_GET_SIZE(bases); ++i) {
    const std::string module =
        module_of(reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(bases, i)));
    if (module == "torch" || module.starts_with("torch.")) return true;
  }
  return false;
}

}  // namespace

bool is_integer(PyObject* value) noexcept {
  if (PyLong_CheckExact(value) != 0) return true;
  return PyIndex_Check(value) != 0 && PyBool_Check(value) == 0 && !is_numpy_bool(value) &&
         !has_length(value);
}

std::string describe_value(PyObject* value) {
  std::string text;
  if (is_tensor(value)) {
    const Tensor& tensor = tensor_of(value);
    return concat("a tensor of shape ", to_string(tensor.shape()));
  } else if (PyObject* shown = PyObject_Repr(value)) {
    const py::object owner = py::reinterpret_steal<py::object>(shown);
    if (PyUnicode_GetLength(shown) > kLongestValue) {
      const auto cut =
          py::reinterpret_steal<py::object>(PyUnicode_Substring(shown, 0, kLongestValue));
      text = readable_text(cut.ptr()) + "…";
    } else {
      text = readable_text(shown);
    }
  } else {
    PyErr_Clear();
    text = "a value without repr";
  }
  if (value == Py_None) return text;
  return concat(text, " (", type_label(value), ")");
}

std::string torch_advice(PyObject* value) {
  if (!is_torchs(value)) return "";
  const bool has_memory = PyObject_HasAttrString(value, "__dlpack__") != 0;
  return concat(". It is torch's: replace a left-over import of torch",
                has_memory ? ", or share its memory by gpukit.from_dlpack(t)" : "");
}

void throw_wrong_type(Argument argument, std::string_view wanted, PyObject* value) {
  throw TypeError(concat(argument.op, ": ", argument.name, " must be ", wanted, ", got ",
                         describe_value(value), torch_advice(value)));
}

bool to_bool(Argument argument, PyObject* value) {
  if (value == Py_True) return true;
  if (value == Py_False) return false;
  if (is_numpy_bool(value)) return PyObject_IsTrue(value) == 1;
  throw_wrong_type(argument, "True or False", value);
}

std::int64_t to_int64(Argument argument, PyObject* value) {
  if (PyLong_CheckExact(value) != 0) return int64_of(argument, value);
  if (PyBool_Check(value) != 0 || is_numpy_bool(value) || PyIndex_Check(value) == 0) {
    throw_wrong_type(argument, "an int", value);
  }
  const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(value));
  if (!number) {
    PyErr_Clear();
    throw_wrong_type(argument, "an int", value);
  }
  return int64_of(argument, number.ptr());
}

double to_double(Argument argument, PyObject* value) {
  if (PyFloat_Check(value) != 0) return PyFloat_AS_DOUBLE(value);
  if (!is_number(value) && !is_tensor(value)) throw_wrong_type(argument, "a number", value);
  if (is_complex_number(value)) throw_wrong_type(argument, "a real number", value);
  const double number = PyFloat_AsDouble(value);
  if (number == -1.0 && PyErr_Occurred() != nullptr) {
    if (PyErr_ExceptionMatches(PyExc_OverflowError) == 0) throw_python_error();
    PyErr_Clear();
    throw ValueError(concat(argument.op, ": ", argument.name, " ", describe_value(value),
                            " is too large for a float"));
  }
  return number;
}

std::string to_text(Argument argument, PyObject* value) {
  if (PyUnicode_Check(value) == 0) throw_wrong_type(argument, "text", value);
  return readable_text(value);
}

bool is_of_class(PyObject* object, std::string_view name) noexcept {
  PyObject* const line = Py_TYPE(object)->tp_mro;
  for (Py_ssize_t i = 0; line != nullptr && i < PyTuple_GET_SIZE(line); ++i) {
    if (reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(line, i))->tp_name == name) return true;
  }
  return false;
}

bool is_numpy_array(PyObject* object) noexcept { return is_of_class(object, "numpy.ndarray"); }

bool is_numpy_scalar(PyObject* value) noexcept {
  // All of NumPy's scalars have __float__; these are no numbers.
  static constexpr std::string_view kOthers[] = {"numpy.clongdouble", "numpy.datetime64",
                                                 "numpy.timedelta64", "numpy.flexible",
                                                 "numpy.object_"};
  if (!std::string_view(Py_TYPE(value)->tp_name).starts_with("numpy.")) return false;
  return is_of_class(value, "numpy.generic") &&
         std::none_of(std::begin(kOthers), std::end(kOthers),
                      [&](std::string_view name) { return is_of_class(value, name); });
}

std::optional<DType> numpy_scalar_dtype(PyObject* value) noexcept {
  std::string_view type = Py_TYPE(value)->tp_name;
  if (!type.starts_with("numpy.")) return std::nullopt;
  type.remove_prefix(6);
  if (type == "bool_") return DType::kBool;
  if (type == "longlong") return DType::kInt64;
  if (type == "ulonglong") return DType::kUInt64;
  for (int i = 0; i < kDTypeCount; ++i) {
    if (kDTypes[static_cast<std::size_t>(i)].name == type) return static_cast<DType>(i);
  }
  return std::nullopt;
}

bool is_number(PyObject* value) noexcept {
  if (PyFloat_Check(value) != 0 || PyLong_Check(value) != 0) return true;
  if (is_tensor(value)) return false;
  if (PyComplex_Check(value) != 0) return true;
  return is_integer(value) || is_numpy_scalar(value);
}

Scalar to_scalar(Argument argument, PyObject* value) {
  if (const auto plain = plain_scalar(value)) return *plain;
  if (PyBool_Check(value) != 0) return Scalar::boolean(value == Py_True);
  if (is_numpy_bool(value)) return Scalar::boolean(PyObject_IsTrue(value) == 1);
  if (is_integer(value)) return Scalar::integer(to_int64(argument, value));
  if (is_complex_number(value)) {
    const Py_complex number = PyComplex_AsCComplex(value);
    if (PyErr_Occurred() != nullptr) throw_python_error();
    return Scalar::complex({number.real, number.imag});
  }
  if (is_number(value)) return Scalar::floating(to_double(argument, value));
  throw_wrong_type(argument, "a number", value);
}

Scalar to_scalar(Argument argument, PyObject* value, DType dtype) {
  if (const auto plain = plain_scalar(value)) [[likely]]
    return *plain;
  if (of_kind(kind_of(dtype), false, dtype == DType::kUInt64, true, true)) {
    if (const std::optional<Scalar> huge = huge_integer(value)) return *huge;
  }
  return to_scalar(argument, value);
}

void check_fits(Argument argument, Scalar number, DType dtype) {
  if (fits(number, dtype)) [[likely]]
    return;
  const auto shown = owned(from_scalar(number));
  throw RangeError(concat(argument.op, ": ", argument.name, " ",
                          readable_text(owned(PyObject_Repr(shown.ptr())).ptr()),
                          " does not fit into ", name(dtype), " (", range_text(dtype),
                          "). Use a dtype that holds it."));
}

void check_bounds(std::string_view op, DType dtype, const std::optional<Scalar>& low,
                  const std::optional<Scalar>& high) {
  for (const auto& bound : {low, high}) {
    if (bound) dtype = promote_with_scalar(dtype, bound->kind(), ops::default_floating());
  }
  if (low) check_fits({op, "min"}, *low, dtype);
  if (high) check_fits({op, "max"}, *high, dtype);
}

Scalar to_stored(Argument argument, PyObject* value, DType dtype) {
  const Scalar number = to_scalar(argument, value, dtype);
  check_fits(argument, number, dtype);
  return number;
}

Scalar to_value(Argument argument, PyObject* value, DType dtype) {
  if (!is_tensor(value)) return to_scalar(argument, value, dtype);
  const Tensor& tensor = tensor_of(value);
  GPUKIT_CHECK(tensor.count() == 1, ShapeError, argument.op, ": ", argument.name,
               " is a tensor of shape ", to_string(tensor.shape()),
               "; a number or one element is needed. Use copy_ for several");
  return read_value(tensor);
}

Scalar to_stored_value(Argument argument, PyObject* value, DType dtype) {
  const Scalar number = to_value(argument, value, dtype);
  check_fits(argument, number, dtype);
  return number;
}

Dims to_dims(Argument argument, PyObject* value) {
  if (PyList_Check(value) != 0 || PyTuple_Check(value) != 0) {
    PyObject** const items = PySequence_Fast_ITEMS(value);
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(value);
    const auto is_plain = [](PyObject* item) { return PyLong_CheckExact(item) != 0; };
    if (PyTuple_Check(value) != 0 || std::all_of(items, items + count, is_plain))
      return to_dims(argument, items, count);
    return to_dims(argument, owned(PyList_AsTuple(value)).ptr());  // __index__ may change a list
  }
  if (PyIndex_Check(value) == 0) throw_wrong_type(argument, "an int or a tuple of ints", value);
  Dims dims;
  dims.push_back(to_int64(argument, value));
  return dims;
}

Dims to_dims(Argument argument, PyObject* const* values, Py_ssize_t count) {
  GPUKIT_CHECK(count <= kMaxRank, ShapeError, argument.op, ": ", argument.name, " has ", count,
               " dimensions; at most ", kMaxRank, " are possible");
  Dims dims;
  dims.resize(static_cast<int>(count));
  for (int i = 0; i < dims.size(); ++i) {
    PyObject* item = values[i];
    const bool plain = PyLong_CheckExact(item) != 0;
    if (!plain && (PyIndex_Check(item) == 0 || PyBool_Check(item) != 0)) {
      throw_wrong_type(argument, "ints", item);
    }
    dims[i] = plain ? int64_of(argument, item) : to_int64(argument, item);
  }
  return dims;
}

const Tensor& to_tensor(Argument argument, PyObject* value) {
  if (is_tensor(value)) return tensor_of(value);
  const std::string advice = torch_advice(value);
  throw TypeError(concat(argument.op, ": ", argument.name, " must be a Tensor, got ",
                         describe_value(value),
                         advice.empty() ? ". Use gpukit.tensor(…) first" : advice, "."));
}

std::vector<Tensor> to_tensors(Argument argument, PyObject* value) {
  if (PyList_Check(value) == 0 && PyTuple_Check(value) == 0) {
    throw_wrong_type(argument, "a list or tuple of tensors", value);
  }
  std::vector<Tensor> tensors;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i) {
    const std::string item = concat(argument.name, "[", i, "]");
    tensors.push_back(to_tensor({argument.op, item}, PySequence_Fast_GET_ITEM(value, i)));
  }
  return tensors;
}

PyObject* to_tuple(const Dims& dims) {
  PyObject* tuple = checked(PyTuple_New(dims.size()));
  for (int i = 0; i < dims.size(); ++i) {
    PyObject* number = PyLong_FromLongLong(dims[i]);
    if (number == nullptr) {
      Py_DECREF(tuple);
      throw_python_error();
    }
    PyTuple_SET_ITEM(tuple, i, number);
  }
  return tuple;
}

PyObject* from_scalar(Scalar value) {
  switch (value.kind()) {
    case DTypeKind::kBool:
      return PyBool_FromLong(value.as_bool() ? 1 : 0);
    case DTypeKind::kInteger:
      return checked(value.is_huge() ? PyLong_FromUnsignedLongLong(value.as_uint64())
                                     : PyLong_FromLongLong(value.as_int64()));
    case DTypeKind::kFloating:
      return checked(PyFloat_FromDouble(value.as_double()));
    case DTypeKind::kComplex:
      return checked(PyComplex_FromDoubles(value.as_double(), value.imaginary()));
  }
  __builtin_unreachable();
}

}  // namespace gpukit::bindings
