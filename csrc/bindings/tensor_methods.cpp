// Methods that only tensors have, how subclasses are made, and the table of all methods.
#include <pybind11/cast.h>

#include "autograd/shape.h"
#include "autograd/tensor_gradient.h"
#include "base/check.h"
#include "base/error.h"
#include "base/wait_watch.h"
#include "bindings/host_data.h"
#include "bindings/signature.h"
#include "bindings/tensor_type.h"
#include "bindings/work.h"
#include "core/layout.h"
#include "ops/elementwise.h"
#include "tensor/view.h"

namespace gpukit::bindings {

namespace {

/// Which dimension is asked for; a tensor of none has none to ask for.
int asked_dim(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const std::int64_t dim = a.integer(1);
  GPUKIT_CHECK(input.rank() > 0, DimensionError, a.op(), ": dim is ", dim,
               ", but a 0-d tensor has no dimensions. Leave dim out.");
  return normalize_dim(dim, input.rank(), a.op());
}

PyObject* size(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  if (!a.given(1)) return to_tuple(input.shape());
  return PyLong_FromLongLong(input.size(asked_dim(a)));
}

PyObject* stride(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  if (!a.given(1)) return to_tuple(input.strides());
  return PyLong_FromLongLong(input.strides()[asked_dim(a)]);
}

PyObject* dim(const Arguments& a) { return PyLong_FromLong(a.tensor(0).rank()); }
PyObject* numel(const Arguments& a) { return PyLong_FromLongLong(a.tensor(0).count()); }
PyObject* element_size(const Arguments& a) {
  return PyLong_FromSize_t(itemsize(a.tensor(0).dtype()));
}
PyObject* storage_offset(const Arguments& a) { return PyLong_FromLongLong(a.tensor(0).offset()); }
PyObject* data_ptr(const Arguments& a) { return PyLong_FromVoidPtr(a.tensor(0).data()); }
PyObject* is_contiguous(const Arguments& a) { return PyBool_FromLong(a.tensor(0).is_contiguous()); }
PyObject* is_floating_point(const Arguments& a) {
  return PyBool_FromLong(is_floating(a.tensor(0).dtype()));
}
PyObject* detach(const Arguments& a) { return wrap(detached(a.tensor(0))); }

PyObject* get_device(const Arguments& a) {
  const Device device = a.tensor(0).device();
  return PyLong_FromLong(device.is_cpu() ? -1 : device.index);
}

PyObject* requires_grad_(const Arguments& a) {
  autograd::set_requires_grad("requires_grad_", a.tensor(0), a.boolean(1, true));
  return Py_NewRef(a.self());
}

PyTypeObject* subclass_of(Place place, PyObject* type) {
  if (PyType_Check(type) == 0 ||
      PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), tensor_type) == 0) {
    throw_wrong_type(place, "a subclass of gpukit.Tensor", type);
  }
  return reinterpret_cast<PyTypeObject*>(type);
}

PyObject* as_subclass(const Arguments& a) {
  return wrap_as(subclass_of(a.place(1), a[1]), autograd::alias(a.tensor(0)));
}

// What copying and pickling need is written in Python.
PyObject* call_python(const char* function, const Arguments& a, PyObject* more) {
  const py::object call = imported("gpukit._copying").attr(function);
  if (more == nullptr) return call(py::handle(a.self())).release().ptr();
  return call(py::handle(a.self()), py::handle(more)).release().ptr();
}

PyObject* copy(const Arguments& a) { return call_python("shallow_copy", a, nullptr); }
PyObject* deep_copy(const Arguments& a) { return call_python("deep_copy", a, a[1]); }
PyObject* reduce(const Arguments& a) { return call_python("reduce", a, nullptr); }

PyObject* format(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  if (PyUnicode_Check(a[1]) == 0) throw_wrong_type(a.place(1), "text", a[1]);
  if (input.rank() > 0) {
    GPUKIT_CHECK(PyUnicode_GetLength(a[1]) == 0, TypeError, "format: a tensor of shape ",
                 to_string(input.shape()), " has no format ", describe_value(a[1]),
                 "; only 0-d tensors format as numbers. Use .item() of one element, or .tolist()");
    return PyObject_Str(a.self());
  }
  const auto value = py::reinterpret_steal<py::object>(from_scalar(read_value(input)));
  return PyObject_Format(value.ptr(), a[1]);
}

/// First byte and length of the elements, for reading a contiguous CPU tensor as bytes.
PyObject* tobytes(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  GPUKIT_CHECK(input.is_cpu(), DeviceError, "tobytes: the tensor is on ", to_string(input.device()),
               ". Use .cpu() first");
  const Tensor packed =
      run(is_long(input, input.count(), cost::kCopy, 0), [&] { return ops::contiguous(input); });
  return PyBytes_FromStringAndSize(static_cast<const char*>(packed.data()),
                                   static_cast<Py_ssize_t>(packed.bytes()));
}

// clang-format off
constexpr FunctionRow kTensorOnlyRows[] = {
  {"size(input, dim=None)", size, "The shape, or the size of one dimension.", kMethod, "typing.Any"},
  {"stride(input, dim=None)", stride, "Elements to step over for the next index: of all dimensions or of one.", kMethod, "typing.Any"},
  {"dim(input)", dim, "Number of dimensions.", kMethod, "int"},
  {"ndimension(input)", dim, "Number of dimensions.", kMethod, "int"},
  {"numel(input)", numel, "Number of elements.", kBoth, "int"},
  {"nelement(input)", numel, "Number of elements.", kMethod, "int"},
  {"element_size(input)", element_size, "Bytes of one element.", kMethod, "int"},
  {"storage_offset(input)", storage_offset, "Elements before the first one in the shared memory.", kMethod, "int"},
  {"data_ptr(input)", data_ptr, "Address of the first element: host or device memory.", kMethod, "int"},
  {"is_contiguous(input)", is_contiguous, "True when the elements lie row by row without gaps.", kMethod, "bool"},
  {"is_floating_point(input)", is_floating_point, "True for floating dtypes.", kBoth, "bool"},
  {"get_device(input)", get_device, "Index of the CUDA device; -1 on the CPU.", kMethod, "int"},
  {"detach(input)", detach, "The same elements as a tensor without a gradient.", kMethod},
  {"requires_grad_(input, requires_grad=True)", requires_grad_, "Sets requires_grad; gives the tensor itself.", kMethod},
  {"as_subclass(input, cls)", as_subclass, "The same elements as an object of a subclass of Tensor.", kMethod},
  {"tobytes(input)", tobytes, "The elements row by row as bytes. CPU tensors only.", kMethod, "bytes"},
  {"__copy__(input)", copy, "A new tensor over the same memory.", kMethod},
  {"__deepcopy__(input, memo)", deep_copy, "A copy with memory of its own.", kMethod},
  {"__reduce_ex__(input, protocol)", reduce, "How to pickle: dtype, shape and bytes.", kMethod, "tuple[typing.Any, ...]"},
  {"__format__(input, format_spec)", format, "A 0-d tensor formats as its number.", kMethod | kWaits, "str"},
};
// clang-format on

}  // namespace

FunctionTable& tensor_only_functions() { return function_table<kTensorOnlyRows>(); }

// torch asks this of a foreign argument before it complains of the argument's type.
PyObject* torch_function(PyObject*, PyObject* args, PyObject*) {
  return guarded([&]() -> PyObject* {
    const py::object refuse = imported("gpukit._suggest").attr("refuse_torch_function");
    return refuse(*py::reinterpret_borrow<py::tuple>(args)).release().ptr();
  });
}

constexpr const char* kTorchFunctionDoc =
    "Called by torch's functions for a gpukit tensor: raises TypeError with what to import.";

PyMethodDef* tensor_methods() {
  static auto* const methods = [] {
    auto* list = new std::vector<PyMethodDef>;
    for (FunctionTable* table : all_function_tables()) table->append_methods(*list);
    list->push_back({"__torch_function__",
                     reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(torch_function)),
                     METH_CLASS | METH_VARARGS | METH_KEYWORDS, kTorchFunctionDoc});
    list->push_back({nullptr, nullptr, 0, nullptr});
    return list;
  }();
  return methods->data();
}

PyObject* tensor_await(PyObject* self) {
  return guarded([&] {
    return imported("gpukit._transfer").attr("until_ready")(py::handle(self)).release().ptr();
  });
}

PyObject* tensor_repr(PyObject* self) {
  return guarded([&] {
    const WaitReason reason(WaitKind::kPrint);
    return imported("gpukit._repr").attr("tensor_text")(py::handle(self)).release().ptr();
  });
}

PyObject* tensor_new(PyTypeObject* type, PyObject* args, PyObject*) {
  return guarded([&] {
    GPUKIT_CHECK(type != tensor_type, TypeError,
                 "Tensor: tensors are made by gpukit.tensor(data), not by Tensor(…)");
    GPUKIT_CHECK(PyTuple_GET_SIZE(args) > 0, TypeError, type->tp_name, ": the data is missing");
    PyObject* data = PyTuple_GET_ITEM(args, 0);
    const Tensor tensor = is_tensor(data)
                              ? detached(tensor_of(data))
                              : tensor_from_data({type->tp_name, "data"}, data, std::nullopt);
    return wrap_as(type, tensor);
  });
}

}  // namespace gpukit::bindings
