// Methods that only tensors have, how subclasses are made, and the table of all methods.
#include <pybind11/cast.h>

#include "autograd/shape.h"
#include "autograd/tensor_gradient.h"
#include "base/check.h"
#include "base/error.h"
#include "base/observer.h"
#include "base/wait_watch.h"
#include "bindings/composed_row.h"
#include "bindings/host_data.h"
#include "bindings/operator_call.h"
#include "bindings/row_texts.h"
#include "bindings/signature.h"
#include "bindings/size_type.h"
#include "bindings/stream_object.h"
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

PyObject* dim(const Arguments& a) { return PyLong_FromLong(a.tensor(0).rank()); }
PyObject* numel(const Arguments& a) { return PyLong_FromLongLong(a.tensor(0).count()); }

PyTypeObject* subclass_of(Argument argument, PyObject* type) {
  if (PyType_Check(type) == 0 ||
      PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), tensor_type) == 0) {
    throw_wrong_type(argument, "a subclass of gpukit.Tensor", type);
  }
  return reinterpret_cast<PyTypeObject*>(type);
}

// What copying and pickling need is written in Python.
PyObject* call_python(const char* function, const Arguments& a, PyObject* more) {
  const py::object call = imported("gpukit._copying").attr(function);
  if (more == nullptr) return call(py::handle(a.self())).release().ptr();
  return call(py::handle(a.self()), py::handle(more)).release().ptr();
}

PyObject* format(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  if (PyUnicode_Check(a[1]) == 0) throw_wrong_type(a.argument(1), "text", a[1]);
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
  GPUKIT_CHECK(input.on_host(), DeviceError, "tobytes: the tensor is on ",
               to_string(input.device()), ". Use .cpu() first");
  const Tensor packed = run(a.gil().releases(input), [&] { return ops::contiguous(input); });
  return PyBytes_FromStringAndSize(static_cast<const char*>(packed.data()),
                                   static_cast<Py_ssize_t>(packed.bytes()));
}

// clang-format off
constexpr Docs kSizeDocs = {.parameters = "dim: a dimension, or None for all.\n",
    .returns = "a tuple of ints, or one int.",
    .raises = GPUKIT_RAISES_DIM};
constexpr Docs kDimDocs = {.returns = "an int.",
    .raises = "-"};

constexpr FunctionRow kTensorOnlyRows[] = {
  {.signature = "size(input, dim=None) -> int | Size",
   .call = [](const Arguments& a) {
     const Tensor& input = a.tensor(0);
     if (!a.given(1)) return to_size(input.shape());
     return PyLong_FromLongLong(input.size(asked_dim(a)));
   },
   .cost = cost::kNone,
   .doc = "The shape, or the size of one dimension.",
   .docs = kSizeDocs,
   .example = ">>> gpukit.ones(2, 3).size(), gpukit.ones(2, 3).size(1)\n" "((2, 3), 3)",
   .where = kMethod,
   .overloads = "(input, dim: None = None) -> Size\n" "(input, dim: int) -> int"},
  {.signature = "stride(input, dim=None) -> int | tuple[int, ...]",
   .call = [](const Arguments& a) {
     const Tensor& input = a.tensor(0);
     if (!a.given(1)) return to_tuple(input.strides());
     return PyLong_FromLongLong(input.strides()[asked_dim(a)]);
   },
   .cost = cost::kNone,
   .doc = "Elements to step over for the next index: of all dimensions or of one.",
   .docs = kSizeDocs,
   .example = ">>> gpukit.ones(2, 3).stride()\n" "(3, 1)",
   .where = kMethod,
   .overloads = "(input, dim: None = None) -> tuple[int, ...]\n" "(input, dim: int) -> int"},
  {.signature = "dim(input) -> int", .call = dim, .cost = cost::kNone,
   .doc = "Number of dimensions.",
   .docs = kDimDocs,
   .example = ">>> gpukit.ones(2, 3).dim()\n" "2",
   .where = kMethod},
  {.signature = "ndimension", .same_as = "dim",
   .doc = "Number of dimensions.",
   .example = ">>> gpukit.ones(2, 3).ndimension()\n2"},
  {.signature = "numel(input) -> int", .call = numel, .cost = cost::kNone,
   .doc = "Number of elements.",
   .docs = kDimDocs,
   .example = ">>> gpukit.ones(2, 3).numel()\n" "6"},
  {.signature = "nelement(input) -> int", .call = numel, .cost = cost::kNone,
   .doc = "Number of elements.",
   .docs = kDimDocs,
   .example = ">>> gpukit.ones(2, 3).nelement()\n" "6",
   .where = kMethod},
  {.signature = "element_size(input) -> int",
   .call = [](const Arguments& a) { return PyLong_FromSize_t(itemsize(a.tensor(0).dtype())); },
   .cost = cost::kNone,
   .doc = "Bytes of one element.",
   .docs = kDimDocs,
   .example = ">>> gpukit.ones(1).element_size()\n" "4",
   .where = kMethod},
  {.signature = "storage_offset(input) -> int",
   .call = [](const Arguments& a) { return PyLong_FromLongLong(a.tensor(0).offset()); },
   .cost = cost::kNone,
   .doc = "Elements before the first one in the shared memory.",
   .docs = kDimDocs,
   .example = ">>> gpukit.arange(5)[2:].storage_offset()\n" "2",
   .where = kMethod},
  {.signature = "data_ptr(input) -> int",
   .call = [](const Arguments& a) { return PyLong_FromVoidPtr(a.tensor(0).data()); },
   .cost = cost::kNone,
   .doc = "Address of the first element: host or device memory.",
   .docs = kDimDocs,
   .example = ">>> x = gpukit.ones(2, 3)\n" ">>> x.t().data_ptr() == x.data_ptr()\n" "True",
   .where = kMethod},
  {.signature = "_is_view(input) -> bool",
   .call = [](const Arguments& a) { return PyBool_FromLong(a.tensor(0).impl()->base != nullptr); },
   .cost = cost::kNone,
   .doc = "True for a view of another tensor, which `_base` gives; False for views as another dtype.",
   .docs = kIsPinnedDocs,
   .example = ">>> gpukit.ones(2, 3)[0]._is_view()\n" "True",
   .where = kMethod},
  {.signature = "is_contiguous(input, *, memory_format=None) -> bool",
   .call = [](const Arguments& a) {
     return a.given(1) ? composed(a) : PyBool_FromLong(a.tensor(0).is_contiguous());
   },
   .cost = cost::kNone,
   .doc = "True when the elements lie row by row without gaps.",
   .docs = kIsPinnedDocs,
   .example = ">>> gpukit.ones(2, 3).t().is_contiguous()\n" "False",
   .where = kMethod},
  {.signature = "is_floating_point(input) -> bool",
   .call = [](const Arguments& a) { return PyBool_FromLong(is_floating(a.tensor(0).dtype())); },
   .cost = cost::kNone,
   .doc = "True for floating dtypes.",
   .docs = kIsPinnedDocs,
   .example = ">>> gpukit.is_floating_point(gpukit.ones(1))\n" "True"},
  {.signature = "is_inference(input) -> bool",
   .call = [](const Arguments& a) { return PyBool_FromLong(a.tensor(0).impl()->is_inference); },
   .cost = cost::kNone,
   .doc = "True for tensors made inside inference_mode(), and for views of them.",
   .docs = kIsPinnedDocs,
   .example = ">>> with gpukit.inference_mode():\n" "...     x = gpukit.ones(2)\n" ">>> x.is_inference(), gpukit.ones(2).is_inference()\n" "(True, False)"},
  {.signature = "get_device(input) -> int",
   .call = [](const Arguments& a) {
     const Device device = a.tensor(0).device();
     return PyLong_FromLong(device.is_single() ? -1 : device.index);
   },
   .cost = cost::kNone,
   .doc = "Index of the CUDA device; -1 on the CPU and on meta.",
   .docs = kDimDocs,
   .example = ">>> gpukit.ones(1).get_device()\n" "-1",
   .where = kMethod},
  {.signature = "detach(input)",
   .call = [](const Arguments& a) { return wrap(detached(a.tensor(0))); },
   .cost = cost::kNone,
   .doc = "The same elements as a tensor without a gradient.",
   .docs = {.returns = "a view without a graph.",
             .raises = "-"},
   .example = ">>> gpukit.ones(1, requires_grad=True).detach().requires_grad\n" "False",
   .where = kMethod},
  {.signature = "detach_(input)",
   .call = [](const Arguments& a) {
     autograd::detach_(a.tensor(0));
     return Py_NewRef(a.self());
   },
   .cost = cost::kNone,
   .doc = "Leave the graph: the tensor is a leaf without a gradient from here on.",
   .docs = {.returns = "the tensor itself.",
             .raises = "-"},
   .example = ">>> h = gpukit.ones(1, requires_grad=True) * 2\n" ">>> h.detach_().requires_grad\n" "False",
   .where = kMethod},
  {.signature = "requires_grad_(input, requires_grad=True)",
   .call = [](const Arguments& a) {
     autograd::set_requires_grad("requires_grad_", a.tensor(0), a.boolean(1, true));
     return Py_NewRef(a.self());
   },
   .cost = cost::kNone,
   .doc = "Sets requires_grad; gives the tensor itself.",
   .docs = {.parameters = "requires_grad: True or False.\n",
             .returns = "the tensor itself.",
             .raises = "DTypeError: the tensor is not floating.\nAutogradError: it is a result, not a leaf, and requires_grad is False.\n"},
   .example = ">>> gpukit.ones(1).requires_grad_()\n" "tensor([1.], requires_grad=True)",
   .where = kMethod},
  {.signature = "as_subclass(input, cls: type[S]) -> S",
   .call = [](const Arguments& a) { return wrap_as(subclass_of(a.argument(1), a[1]), autograd::alias(a.tensor(0))); },
   .cost = cost::kNone,
   .doc = "The same elements as an object of a subclass of Tensor.",
   .docs = {.parameters = "cls: a subclass of gpukit.Tensor.\n",
             .returns = "an object of cls over the same memory.",
             .raises = "TypeError: cls is none.\n"},
   .example = ">>> Named = type(\"Named\", (gpukit.Tensor,), {})\n" ">>> type(gpukit.ones(1).as_subclass(Named)).__name__\n" "'Named'",
   .where = kMethod},
  {.signature = "new(input, *size: int)",
   .call = [](const Arguments& a) {
     PyObject* only = a.star_given() ? a.only_star() : nullptr;
     const py::tuple given = only != nullptr    ? py::make_tuple(py::handle(only))
                             : a.star_given() ? a.star_objects()
                                              : py::tuple();
     return imported("gpukit._tensors.legacy").attr("new_like")(py::handle(a.self()), given).release().ptr();
   },
   .cost = cost::kNone,
   .doc = "torch's older way: a tensor of this dtype on this device, of sizes (elements that are not set) or of data.",
   .docs = {.parameters = "size: ints, one tuple of them, or a list of data; nothing makes a tensor without elements.\n",
             .returns = "a new tensor.",
             .raises = "TypeError: size is neither sizes nor data.\n"},
   .example = ">>> gpukit.ones(1).new([1, 2])\n" "tensor([1., 2.])",
   .where = kMethod},
  {.signature = "record_stream(input, stream: Stream) -> None",
   .call = [](const Arguments& a) {
     const Tensor& input = a.tensor(0);
     GPUKIT_CHECK(!input.on_host(), DeviceError, "record_stream: the tensor is on the CPU, whose memory no stream uses. "
                  "Leave the line out");
     input.storage()->record_stream(stream_of_object(a.argument(1), a[1]));
     return Py_NewRef(Py_None);
   },
   .cost = cost::kNone,
   .doc = "Says that a stream uses the memory, which is reused only after its work. gpukit's own operations say it themselves.",
   .docs = {.parameters = "stream: a stream of the tensor's device.\n",
             .returns = "None.",
             .raises = "DeviceError: the tensor is on the CPU.\n"},
   .example = ">>> if gpukit.cuda.is_available():\n" "...     x = gpukit.ones(2, device=\"cuda\")\n" "...     x.record_stream(gpukit.cuda.current_stream())",
   .where = kMethod},
  {.signature = "tobytes(input) -> bytes", .call = tobytes, .cost = cost::kCopy,
   .doc = "The elements row by row as bytes. CPU tensors only.",
   .docs = {.returns = "bytes, numel() * element_size() of them.",
             .raises = "DeviceError: the tensor is on a GPU.\n"},
   .example = ">>> gpukit.tensor([1, 2], dtype=gpukit.uint8).tobytes()\n" "b'\\x01\\x02'",
   .where = kMethod},
  {.signature = "__reversed__(input)",
   .call = [](const Arguments& a) {
     const py::handle self(a.self());
     return a.tensor(0).rank() == 0 ? self.inc_ref().ptr() : self.attr("flip")(0).release().ptr();
   },
   .cost = cost::kCopy,
   .doc = "The slices along the first dimension in reverse order: what reversed(x) gives.",
   .where = kMethod},
  {.signature = "__copy__(input)",
   .call = [](const Arguments& a) { return call_python("shallow_copy", a, nullptr); },
   .cost = cost::kNone,
   .doc = "A new tensor over the same memory.",
   .where = kMethod},
  {.signature = "__deepcopy__(input, memo: dict[int, object])",
   .call = [](const Arguments& a) { return call_python("deep_copy", a, a[1]); },
   .cost = cost::kNone,
   .doc = "A copy with its own memory.",
   .where = kMethod},
  {.signature = "__reduce_ex__(input, protocol: SupportsIndex) -> tuple[object, ...]",
   .call = [](const Arguments& a) { return call_python("reduce", a, a[1]); },
   .cost = cost::kNone,
   .doc = "How to pickle: dtype, shape and bytes; from protocol 5 on the bytes are a buffer that need not be copied.",
   .where = kMethod},
  {.signature = "__format__(input, format_spec: str) -> str", .call = format, .cost = cost::kNone,
   .doc = "A 0-d tensor formats as its number.",
   .where = kMethod | kWaits},
};
// clang-format on

}  // namespace

template <>
FunctionTable& functions<Family::kTensorOnly>() {
  return function_table<kTensorOnlyRows>();
}

// torch asks this of a foreign argument before it complains of the argument's type.
PyObject* torch_function(PyObject*, PyObject* args, PyObject*) {
  return guarded([&]() -> PyObject* {
    const py::object refuse = imported("gpukit._names.suggest").attr("refuse_torch_function");
    return refuse(*py::reinterpret_borrow<py::tuple>(args)).release().ptr();
  });
}

constexpr const char* kTorchFunctionDoc =
    "Called by torch's functions for a gpukit tensor: raises TypeError with what to import.";

PyMethodDef* tensor_methods() {
  static auto* const methods = [] {
    auto* list = new std::vector<PyMethodDef>;
    for (FunctionTable* table : all_function_tables()) table->append(*list);
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
    return imported("gpukit._tensors.transfer")
        .attr("until_ready")(py::handle(self))
        .release()
        .ptr();
  });
}

namespace {

PyObject* shown(PyObject* self) {
  const WaitReason reason(WaitKind::kPrint);
  return imported("gpukit._tensors.printing").attr("tensor_text")(py::handle(self)).release().ptr();
}

[[gnu::cold, gnu::noinline]] PyObject* observed_repr(PyObject* self) {
  return observed_slot("__repr__(input)", {self},
                       [](PyObject* const* values, int) { return shown(values[0]); });
}

}  // namespace

PyObject* tensor_repr(PyObject* self) {
  if (is_observed(Observed::kOperators)) [[unlikely]]
    return observed_repr(self);
  return guarded([&] { return shown(self); });
}

PyObject* tensor_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    if (type == tensor_type) {
      const py::object made = imported("gpukit._tensors.legacy").attr("tensor");
      return checked(PyObject_Call(made.ptr(), args, kwargs));
    }
    GPUKIT_CHECK(PyTuple_GET_SIZE(args) > 0, TypeError, type->tp_name, ": the data is missing");
    PyObject* data = PyTuple_GET_ITEM(args, 0);
    const Tensor tensor = is_tensor(data)
                              ? detached(tensor_of(data))
                              : tensor_from_data({type->tp_name, "data"}, data, std::nullopt);
    return wrap_as(type, tensor);
  });
}

}  // namespace gpukit::bindings
