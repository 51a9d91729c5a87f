#include "bindings/target.h"

#include "base/check.h"
#include "base/error.h"
#include "core/device_types.h"

namespace gpukit::bindings {

namespace target {
namespace {

/// Text whose part before a ':' is a kind of device; what follows may be wrong.
bool is_device_text(PyObject* value) noexcept {
  if (PyUnicode_Check(value) == 0) return false;
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(value, &size);
  if (data == nullptr) PyErr_Clear();
  const std::string_view text(data != nullptr ? data : "", static_cast<std::size_t>(size));
  return find_device_type(text.substr(0, text.find(':'))).has_value();
}

}  // namespace
}  // namespace target

NamedTarget to_target(Argument argument, PyObject* value) {
  if (value == Py_None) return {};
  if (is_tensor(value)) return {tensor_of(value).device(), tensor_of(value).dtype()};
  if (target::is_device_text(value)) return {resolved(to_device(argument, value)), std::nullopt};
  if (const auto dtype = find_dtype(value)) return {std::nullopt, *dtype};
  if (looks_like_dtype(value)) return {std::nullopt, to_dtype(argument, value)};
  if (PyUnicode_Check(value) != 0 || looks_like_device(value) || is_integer(value)) {
    return {resolved(to_device(argument, value)), std::nullopt};
  }
  throw TypeError(concat(argument.op, ": ", argument.name,
                         " must be a device, a dtype or a Tensor, got ", describe_value(value),
                         torch_advice(value)));
}

}  // namespace gpukit::bindings
