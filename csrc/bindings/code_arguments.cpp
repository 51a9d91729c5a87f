#include "bindings/code_arguments.h"

#include <pybind11/cast.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <optional>

#include "autograd/grad_mode.h"
#include "backend/session.h"
#include "base/check.h"
#include "base/error.h"
#include "base/format.h"
#include "bindings/arguments.h"

namespace gpukit::bindings {

namespace {

constexpr std::size_t kAddressBytes = sizeof(void*);

/// Python's list or tuple of arguments, kept as a tuple.
py::object argument_tuple(const std::string& kernel, PyObject* arguments) {
  GPUKIT_CHECK(PyTuple_Check(arguments) != 0 || PyList_Check(arguments) != 0, TypeError, kernel,
               ": args must be a tuple of the kernel's arguments, got ", describe_value(arguments),
               "; one argument is written (x,)");
  return owned(PySequence_Tuple(arguments));
}

std::string kind_text(const Parameter& parameter) {
  const char* unit = parameter.bytes == 1 ? " byte" : " bytes";
  switch (parameter.kind) {
    case ParameterKind::kInteger:
      return concat(
          parameter.bytes == kAddressBytes ? "a tensor or an integer of " : "an integer of ",
          parameter.bytes, unit);
    case ParameterKind::kFloat:
      return concat("a float of ", parameter.bytes, unit);
    case ParameterKind::kStruct:
      return concat("a struct of ", parameter.bytes, unit);
    default:
      return concat("a value of ", parameter.bytes, unit);
  }
}

std::string all_kinds(const Parameters& parameters) {
  std::string text;
  for (const Parameter& parameter : parameters.all)
    text += concat(text.empty() ? "" : "; ", kind_text(parameter));
  return text.empty() ? "none" : text;
}

bool is_boolean(PyObject* value) noexcept {
  return PyBool_Check(value) != 0 || numpy_scalar_dtype(value) == DType::kBool;
}

bool is_float(PyObject* value) noexcept {
  if (PyFloat_Check(value) != 0) return true;
  const std::optional<DType> dtype = numpy_scalar_dtype(value);
  return dtype && is_floating(*dtype);
}

/// A buffer's bytes, contiguous; nothing for an object that has none.
class BufferView {
 public:
  explicit BufferView(PyObject* value) {
    if (PyObject_CheckBuffer(value) == 0) return;
    taken_ = PyObject_GetBuffer(value, &view_, PyBUF_C_CONTIGUOUS) == 0;
    if (!taken_) PyErr_Clear();
  }
  ~BufferView() {
    if (taken_) PyBuffer_Release(&view_);
  }
  BufferView(const BufferView&) = delete;
  BufferView& operator=(const BufferView&) = delete;

  explicit operator bool() const noexcept { return taken_; }
  const void* data() const noexcept { return view_.buf; }
  std::size_t bytes() const noexcept { return static_cast<std::size_t>(view_.len); }

 private:
  Py_buffer view_{};
  bool taken_ = false;
};

}  // namespace

/// Reads one argument by its parameter.
class ArgumentReader {
 public:
  ArgumentReader(CodeArguments& to, const std::string& kernel, Py_ssize_t index, PyObject* value,
                 const OpenDevice& device)
      : to_(to), kernel_(kernel), index_(index), value_(value), device_(device) {}

  void read(const Parameter& parameter) const {
    if (is_tensor(value_)) return read_tensor(parameter);
    switch (parameter.kind) {
      case ParameterKind::kInteger:
        return read_integer(parameter);
      case ParameterKind::kFloat:
        return read_float(parameter);
      case ParameterKind::kStruct:
        return read_struct(parameter);
      default:
        return read_untyped(parameter);
    }
  }

  /// Without a parameter: CuPy's sizes.
  void read_by_type() const {
    if (is_tensor(value_)) return add_tensor();
    if (const BufferView buffer{value_}) return to_.add(buffer.data(), buffer.bytes());
    if (PyBool_Check(value_) != 0) return read_integer({ParameterKind::kInteger, 1});
    if (PyFloat_Check(value_) != 0) return read_float({ParameterKind::kFloat, 8});
    if (PyComplex_Check(value_) != 0) return read_struct({ParameterKind::kStruct, 16});
    if (is_integer(value_)) return read_integer({ParameterKind::kInteger, 8});
    refuse("a tensor, a number or bytes");
  }

 private:
  std::string prefix() const { return concat(kernel_, ": args[", index_, "]"); }

  [[noreturn]] void refuse(const std::string& wanted, const std::string& fix = "") const {
    throw TypeError(concat(prefix(), " must be ", wanted, ", got ", describe_value(value_),
                           fix.empty() ? "" : ". ", fix, torch_advice(value_)));
  }

  void read_tensor(const Parameter& parameter) const {
    const bool fits =
        parameter.bytes == kAddressBytes &&
        (parameter.kind == ParameterKind::kInteger || parameter.kind == ParameterKind::kUntyped);
    if (!fits) {
      const bool one = tensor_of(value_).count() == 1;
      refuse(kind_text(parameter), one ? "Pass the number: .item()" : "");
    }
    add_tensor();
  }

  void add_tensor() const {
    const Tensor& tensor = tensor_of(value_);
    check_device(tensor);
    GPUKIT_CHECK(tensor.is_contiguous(), ShapeError, prefix(), " is a view of shape ",
                 to_string(tensor.shape()),
                 " that is not contiguous, and a kernel is given an "
                 "address only. Pass .contiguous(), which is a copy; or, to a kernel that takes "
                 "strides itself, .data_ptr() and the strides");
    GPUKIT_CHECK(
        !tensor.requires_grad() || !autograd::grad_enabled(), AutogradError, prefix(),
        " requires grad, and what your own kernel does is not recorded. Pass .detach(), or "
        "launch it under gpukit.no_grad()");
    to_.add_tensor(tensor);
  }

  void check_device(const Tensor& tensor) const {
    if (&tensor.open_device() == &device_) return;
    tensor.open_device().runtime();  // throws once its session is over
    const std::string to = to_string(device_.device());
    throw DeviceMismatchError(concat(prefix(), " is on ", to_string(tensor.device()),
                                     ", and the kernel runs on ", to, ". Move it first: .to('", to,
                                     "') (copies ",
                                     format_bytes(static_cast<std::int64_t>(tensor.bytes())), ")"))
        .with_fix(concat(".to('", to, "')"));
  }

  void read_integer(const Parameter& parameter) const {
    const bool whole = is_integer(value_) || is_boolean(value_);
    if (!whole) refuse(kind_text(parameter), is_float(value_) ? "Pass int(…) of it" : "");
    const auto number = is_boolean(value_) ? py::reinterpret_steal<py::object>(PyLong_FromLong(
                                                 PyObject_IsTrue(value_) != 0 ? 1 : 0))
                                           : owned(PyNumber_Index(value_));
    int overflow = 0;
    const long long low = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (overflow < 0) refuse_range(parameter);
    std::uint64_t bits = static_cast<std::uint64_t>(low);
    if (overflow > 0) {
      bits = PyLong_AsUnsignedLongLong(number.ptr());
      if (PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        refuse_range(parameter);
      }
    }
    if (parameter.bytes < 8) {
      const long long end = 1LL << (8 * parameter.bytes);
      if (overflow != 0 || low >= end || low < -(end / 2)) refuse_range(parameter);
    }
    to_.add(&bits, parameter.bytes);  // little-endian
  }

  [[noreturn]] void refuse_range(const Parameter& parameter) const {
    throw RangeError(concat(prefix(), " is ", describe_value(value_), ", which does not fit into ",
                            parameter.bytes, parameter.bytes == 1 ? " byte" : " bytes"));
  }

  void read_float(const Parameter& parameter) const {
    const bool number = is_float(value_) || is_integer(value_) || is_boolean(value_);
    if (!number) refuse(kind_text(parameter));
    const double value = PyFloat_AsDouble(value_);
    if (value == -1.0 && PyErr_Occurred() != nullptr) throw_python_error();
    if (parameter.bytes == sizeof(double)) return to_.add(&value, sizeof value);
    const bool fits = !std::isfinite(value) || std::abs(value) <= std::numeric_limits<float>::max();
    if (!fits) refuse_range(parameter);
    const auto single = static_cast<float>(value);
    to_.add(&single, sizeof single);
  }

  void read_struct(const Parameter& parameter) const {
    if (PyComplex_CheckExact(value_) != 0) {
      const std::complex<double> value(PyComplex_RealAsDouble(value_),
                                       PyComplex_ImagAsDouble(value_));
      if (parameter.bytes == sizeof value) return to_.add(&value, sizeof value);
      const std::complex<float> single(value);
      if (parameter.bytes == sizeof single) return to_.add(&single, sizeof single);
    }
    const BufferView buffer(value_);
    if (!buffer || buffer.bytes() != parameter.bytes) {
      refuse(concat(kind_text(parameter), " as bytes or a NumPy value of that size"),
             buffer ? concat("It has ", buffer.bytes(), " bytes") : "");
    }
    to_.add(buffer.data(), buffer.bytes());
  }

  void read_untyped(const Parameter& parameter) const {
    const BufferView buffer(value_);
    if (buffer && buffer.bytes() == parameter.bytes) return to_.add(buffer.data(), buffer.bytes());
    const bool floating = parameter.bytes == sizeof(float) || parameter.bytes == sizeof(double);
    if (is_float(value_) && floating) return read_float({ParameterKind::kFloat, parameter.bytes});
    const bool whole = (is_integer(value_) || is_boolean(value_)) && parameter.bytes <= 8 &&
                       (parameter.bytes & (parameter.bytes - 1)) == 0;
    if (whole) return read_integer(parameter);
    read_struct(parameter);
  }

  CodeArguments& to_;
  const std::string& kernel_;
  Py_ssize_t index_;
  PyObject* value_;
  const OpenDevice& device_;
};

Py_ssize_t find_device_tensor(PyObject* arguments) {
  if (PyTuple_Check(arguments) == 0 && PyList_Check(arguments) == 0) return -1;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(arguments); ++i) {
    PyObject* value = PySequence_Fast_GET_ITEM(arguments, i);
    if (is_tensor(value) && tensor_of(value).device().is_cuda()) return i;
  }
  return -1;
}

CodeArguments::CodeArguments(const std::string& kernel, const Parameters& parameters,
                             PyObject* arguments, const OpenDevice& device) {
  const py::object values = argument_tuple(kernel, arguments);
  const Py_ssize_t count = PyTuple_GET_SIZE(values.ptr());
  const auto wanted = static_cast<Py_ssize_t>(parameters.all.size());
  GPUKIT_CHECK(!parameters.known || count == wanted, TypeError, kernel, " takes ", wanted,
               wanted == 1 ? " argument, got " : " arguments, got ", count, ": ",
               all_kinds(parameters));
  for (Py_ssize_t i = 0; i < count; ++i) {
    const ArgumentReader reader(*this, kernel, i, PyTuple_GET_ITEM(values.ptr(), i), device);
    if (parameters.known) {
      reader.read(parameters.all[static_cast<std::size_t>(i)]);
    } else {
      reader.read_by_type();
    }
  }
}

void CodeArguments::add(const void* value, std::size_t bytes) {
  slots_.push_back({bytes_.size(), -1});
  const auto* first = static_cast<const std::byte*>(value);
  bytes_.insert(bytes_.end(), first, first + bytes);
}

void CodeArguments::add_tensor(const Tensor& tensor) {
  const std::uint64_t later = 0;
  add(&later, kAddressBytes);
  slots_.back().tensor = static_cast<std::ptrdiff_t>(tensors_.size());
  tensors_.push_back(tensor);
}

void** CodeArguments::fill() {
  addresses_.clear();
  for (const Slot& slot : slots_) {
    std::byte* target = bytes_.data() + slot.start;
    if (slot.tensor >= 0) {
      const Tensor& tensor = tensors_[static_cast<std::size_t>(slot.tensor)];
      const void* address = tensor.count() == 0 ? nullptr : tensor.data();
      std::memcpy(target, &address, sizeof address);
    }
    addresses_.push_back(target);
  }
  return addresses_.data();
}

Extent3 to_extent(const std::string& kernel, const char* name, PyObject* value,
                  const std::array<std::int64_t, 3>& limits) {
  const Argument argument{kernel, name};
  const bool sequence = PyTuple_Check(value) != 0 || PyList_Check(value) != 0;
  if (!sequence && !is_integer(value))
    throw_wrong_type(argument, "an int or one to three ints", value);
  const Dims sizes = to_dims(argument, value);
  GPUKIT_CHECK(sizes.size() >= 1 && sizes.size() <= 3, ValueError, kernel, ": ", name,
               " must be an int or one to three ints, got ", describe_value(value));
  std::array<unsigned, 3> extent{1, 1, 1};
  for (int i = 0; i < sizes.size(); ++i) {
    const std::int64_t most = limits[static_cast<std::size_t>(i)];
    GPUKIT_CHECK(sizes[i] >= 1 && sizes[i] <= most, ValueError, kernel, ": ", name, "[", i,
                 "] must be 1 to ", most, ", got ", sizes[i],
                 sizes[i] == 0 ? ". Leave the launch out where there is nothing to do" : "");
    extent[static_cast<std::size_t>(i)] = static_cast<unsigned>(sizes[i]);
  }
  return {extent[0], extent[1], extent[2]};
}

}  // namespace gpukit::bindings
