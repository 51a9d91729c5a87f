#include "bindings/target.h"

#include "base/check.h"
#include "base/error.h"

namespace gpukit::bindings {

NamedTarget to_target(Argument argument, PyObject* value) {
  if (value == Py_None) return {};
  if (is_tensor(value)) return {tensor_of(value).device(), tensor_of(value).dtype()};
  if (looks_like_dtype(value)) return {std::nullopt, to_dtype(argument, value)};
  if (PyUnicode_Check(value) != 0 || looks_like_device(value) || is_integer(value)) {
    return {resolved(to_device(argument, value)), std::nullopt};
  }
  throw TypeError(concat(argument.op, ": ", argument.name,
                         " must be a device, a dtype or a Tensor, got ", describe_value(value),
                         torch_advice(value)));
}

}  // namespace gpukit::bindings
