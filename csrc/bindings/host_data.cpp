// Nested lists of numbers to tensors and back, and the choice between lists, buffers and
// array-likes.
#include "bindings/host_data.h"

#include <pybind11/cast.h>
#include <cstring>
#include <limits>

#include "backend/registry.h"
#include "base/check.h"
#include "base/error.h"
#include "bindings/foreign_arrays.h"
#include "bindings/work.h"
#include "ops/elementwise.h"
#include "ops/joining.h"
#include "ops/promotion.h"
#include "tensor/factory.h"

namespace gpukit::bindings {

namespace {

bool is_list(PyObject* object) noexcept {
  return PyList_Check(object) != 0 || PyTuple_Check(object) != 0;
}
bool is_leaf(PyObject* object) noexcept {
  return is_number(object) || (is_tensor(object) && tensor_of(object).rank() == 0);
}

/// What a first walk over the nested lists finds.
struct Layout {
  Argument argument;
  Shape shape;
  DTypeKind kind = DTypeKind::kBool;  ///< the highest of Python's numbers
  std::optional<DType> dtype;         ///< what NumPy's numbers and 0-d tensors promote to
  bool python = false;                ///< Python numbers are among the elements
  bool arrays = false;                ///< tensors or arrays are among the elements
  bool empty = false;

  void raise(DTypeKind found) noexcept {
    python = true;
    if (found > kind) kind = found;
  }
  void raise(DType found) { dtype = dtype.has_value() ? promote(*dtype, found) : found; }
};

void visit_leaf(Layout& layout, PyObject* leaf) {
  if (PyFloat_CheckExact(leaf) != 0) return layout.raise(DTypeKind::kFloating);
  if (PyLong_CheckExact(leaf) != 0) return layout.raise(DTypeKind::kInteger);
  if (is_tensor(leaf)) return layout.raise(tensor_of(leaf).dtype());
  if (const auto dtype = numpy_scalar_dtype(leaf)) return layout.raise(*dtype);
  layout.raise(to_scalar(layout.argument, leaf, DType::kUInt64).kind());
}

/// Lists of several lengths are a wrong value; a list next to numbers is of a wrong type, as in
/// torch.
template <class Kind>
[[noreturn]] void throw_ragged(const Layout& layout, int level, std::string_view found) {
  throw Kind(concat(layout.argument.op, ": ", layout.argument.name, " is ragged: at level ", level,
                    " ", found, ". All lists of one level need one length"));
}

void check_unchanged(const Layout& layout, PyObject* list, int level) {
  GPUKIT_CHECK(is_list(list) && PySequence_Fast_GET_SIZE(list) == layout.shape[level], ValueError,
               layout.argument.op, ": ", layout.argument.name, " changed while it was read");
}

/// Calls visit(item) for the items of a list of this level. An item that is not a plain number may
/// run code of others (__index__, say), which may change the list: it is held, and the list looked
/// at again.
template <class Visit>
void for_each_item(const Layout& layout, PyObject* list, int level, const Visit& visit) {
  check_unchanged(layout, list, level);
  for (std::int64_t i = 0; i < layout.shape[level]; ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(list, i);
    if (PyFloat_CheckExact(item) != 0 || PyLong_CheckExact(item) != 0) {
      visit(item);
      continue;
    }
    const auto held = py::reinterpret_borrow<py::object>(item);
    visit(item);
    check_unchanged(layout, list, level);
  }
}

void scan(Layout& layout, PyObject* object, int level) {
  if (!is_list(object)) {
    if (!is_leaf(object)) {
      layout.arrays = true;
      return;
    }
    if (level < layout.shape.size())
      throw_ragged<TypeError>(layout, level, "a number is next to lists");
    visit_leaf(layout, object);
    return;
  }
  if (level >= layout.shape.size())
    throw_ragged<TypeError>(layout, level, "a list is next to numbers");
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(object);
  if (count != layout.shape[level]) {
    throw_ragged<ValueError>(
        layout, level,
        concat("there are lists of ", layout.shape[level], " and of ", count, " elements"));
  }
  for_each_item(layout, object, level, [&](PyObject* item) {
    if (!layout.arrays) scan(layout, item, level + 1);
  });
}

/// The shape that the first elements have.
void measure(Layout& layout, PyObject* object) {
  while (is_list(object)) {
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(object);
    GPUKIT_CHECK(layout.shape.size() < kMaxRank, ShapeError, layout.argument.op, ": ",
                 layout.argument.name, " is nested more than ", kMaxRank,
                 " levels deep (or contains itself)");
    layout.shape.push_back(count);
    if (count == 0) {
      layout.empty = true;
      return;
    }
    object = PySequence_Fast_GET_ITEM(object, 0);
  }
}

template <class T>
T store(Argument argument, PyObject* leaf) {
  if constexpr (std::is_floating_point_v<T>) {
    if (PyFloat_CheckExact(leaf) != 0) return static_cast<T>(PyFloat_AS_DOUBLE(leaf));
  }
  const Scalar value =
      is_tensor(leaf) ? read_value(tensor_of(leaf)) : to_scalar(argument, leaf, DTypeOf<T>::value);
  GPUKIT_CHECK(is_complex_type<T> || !value.is_complex(), TypeError, argument.op, ": ",
               argument.name, " holds a complex number, which ", name(DTypeOf<T>::value),
               " does not hold. Use dtype='complex64'");
  if constexpr (std::is_same_v<T, std::uint64_t>) {
    const double number = value.as_double();
    GPUKIT_CHECK(value.is_huge() || (number >= 0 && number < 0x1p64), RangeError, argument.op, ": ",
                 argument.name, " holds ", number, ", which does not fit into uint64");
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    const double number = value.as_double();
    const bool inside = number >= -0x1p63 && number < 0x1p63;
    const bool fits =
        of_kind(value.kind(), true, !value.is_huge(), inside, inside && value.imaginary() == 0.0);
    const std::int64_t whole = value.as_int64();
    GPUKIT_CHECK(
        fits && whole >= std::numeric_limits<T>::min() && whole <= std::numeric_limits<T>::max(),
        RangeError, argument.op, ": ", argument.name, " holds ", number,
        ", which does not fit into ", name(DTypeOf<T>::value));
  }
  return value.as<T>();
}

template <class T>
void fill(const Layout& layout, PyObject* object, int level, T*& out) {
  if (level == layout.shape.size()) {
    *out++ = store<T>(layout.argument, object);
    return;
  }
  for_each_item(layout, object, level, [&](PyObject* item) { fill(layout, item, level + 1, out); });
}

DType inferred(const Layout& layout) {
  const DType floating = ops::default_floating();
  const DType own = layout.empty ? floating
                                 : of_kind(layout.kind, DType::kBool, DType::kInt64, floating,
                                           complex_dtype(floating));
  if (!layout.dtype.has_value()) return own;
  return layout.python ? promote(*layout.dtype, own) : *layout.dtype;
}

/// Of copies and conversions of data. Arrays of others may lie on a device that is still at work.
constinit GilRule data_rule(cost::kCopy, true);

/// Lists that hold tensors or arrays: each becomes a tensor, and they are stacked.
Tensor from_array_list(Argument argument, PyObject* list, std::optional<DType> dtype) {
  GPUKIT_CHECK(is_list(list), TypeError, argument.op, ": ", argument.name, " holds ",
               describe_value(list), ", which is no number, list, tensor or array");
  std::vector<Tensor> parts;
  std::int64_t count = 0;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list); ++i) {
    const auto item = py::reinterpret_borrow<py::object>(PySequence_Fast_GET_ITEM(list, i));
    parts.push_back(tensor_from_data(argument, item.ptr(), dtype));
    count += parts.back().count();
  }
  return run(data_rule.releases(parts.front(), count), [&] { return ops::stack(parts, 0); });
}

Tensor from_lists(Argument argument, PyObject* data, std::optional<DType> dtype) {
  Layout layout;
  layout.argument = argument;
  measure(layout, data);
  if (!layout.empty) scan(layout, data, 0);
  if (layout.arrays) return from_array_list(argument, data, dtype);
  const Tensor result = empty_on(cpu_device(), layout.shape, dtype.value_or(inferred(layout)));
  if (layout.empty) return result;
  visit_dtype(result.dtype(), [&]<class T>() {
    T* out = result.data_as<T>();
    fill<T>(layout, data, 0, out);
  });
  return result;
}

Tensor converted(const Tensor& source, std::optional<DType> dtype) {
  return run(data_rule.releases(source), [&] {
    return dtype.has_value() && *dtype != source.dtype() ? ops::cast(source, *dtype)
                                                         : ops::clone(source);
  });
}

/// pandas, torch and other array-likes, by way of NumPy.
std::optional<Tensor> from_array_like(Argument argument, PyObject* data,
                                      std::optional<DType> dtype) {
  if (!has_attribute(data, "__array__") && !has_attribute(data, "__array_interface__"))
    return std::nullopt;
  const py::object array = imported("numpy").attr("require")(py::handle(data), py::none(), "CA");
  const auto shared = share_buffer(argument, array.ptr());
  if (!shared.has_value()) return std::nullopt;
  return converted(*shared, dtype);
}

template <class T>
PyObject* number_of(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return PyBool_FromLong(value ? 1 : 0);
  } else if constexpr (std::is_same_v<T, std::uint64_t>) {
    return PyLong_FromUnsignedLongLong(value);
  } else if constexpr (std::is_integral_v<T>) {
    return PyLong_FromLongLong(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return PyFloat_FromDouble(static_cast<double>(value));
  } else if constexpr (is_complex_type<T>) {
    return PyComplex_FromDoubles(static_cast<double>(value.real()),
                                 static_cast<double>(value.imag()));
  } else {
    static_assert(is_half_type<T>);
    return PyFloat_FromDouble(static_cast<double>(static_cast<float>(value)));
  }
}

template <class T>
PyObject* list_of(const Shape& shape, int level, const T*& values) {
  if (level == shape.size()) return checked(number_of(*values++));
  auto list = owned(PyList_New(static_cast<Py_ssize_t>(shape[level])));
  for (std::int64_t i = 0; i < shape[level]; ++i) {
    PyList_SET_ITEM(list.ptr(), static_cast<Py_ssize_t>(i), list_of(shape, level + 1, values));
  }
  return list.release().ptr();
}

}  // namespace

namespace {

bool is_deque(PyObject* object) {
  return py::isinstance(object, imported("collections").attr("deque"));
}

}  // namespace

Tensor tensor_from_data(Argument argument, PyObject* data, std::optional<DType> dtype) {
  if (is_list(data) || is_number(data)) return from_lists(argument, data, dtype);
  if (is_tensor(data)) return converted(tensor_of(data), dtype);
  if (PyUnicode_Check(data) == 0 && PyBytes_Check(data) == 0) {
    if (const auto shared = share_array(argument, data)) return converted(*shared, dtype);
    if (const auto copied = from_array_like(argument, data, dtype)) return *copied;
    if (PyRange_Check(data) != 0 || is_deque(data)) {
      const auto list = owned(PySequence_List(data));
      return from_lists(argument, list.ptr(), dtype);
    }
  }
  throw_wrong_type(argument, "a number, a nested list of numbers, an array or a Tensor", data);
}

Tensor tensor_from_bytes(std::string_view bytes, DType dtype, const Shape& shape) {
  check_shape(shape, itemsize(dtype), "tensor_from_bytes");
  const std::size_t wanted = static_cast<std::size_t>(element_count(shape)) * itemsize(dtype);
  GPUKIT_CHECK(bytes.size() == wanted, ValueError, "tensor_from_bytes: data has ", bytes.size(),
               " bytes, shape ", to_string(shape), " of ", name(dtype), " needs ", wanted);
  const Tensor result = empty_on(cpu_device(), shape, dtype);
  if (wanted > 0) std::memcpy(result.data(), bytes.data(), wanted);
  return result;
}

PyObject* to_nested_list(const Tensor& tensor) {
  return visit_dtype(tensor.dtype(), [&]<class T>() {
    const T* values = tensor.data_as<T>();
    return list_of<T>(tensor.shape(), 0, values);
  });
}

}  // namespace gpukit::bindings
