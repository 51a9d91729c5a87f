// Moving and converting tensors: to, cpu, cuda, float, numpy, tolist, item and their like.
#include <pybind11/cast.h>

#include "autograd/elementwise.h"
#include "base/check.h"
#include "base/error.h"
#include "base/wait_watch.h"
#include "bindings/composed_row.h"
#include "bindings/host_data.h"
#include "bindings/row_texts.h"
#include "bindings/session_hook.h"
#include "bindings/signature.h"
#include "bindings/stream_object.h"
#include "bindings/target.h"
#include "bindings/work.h"
#include "tensor/factory.h"
#include "tensor/shared_memory.h"
#include "tensor/transfer.h"
#include "tensor/view.h"

namespace gpukit::bindings {

namespace {

/// What `to` was asked for, whichever way it was written.
struct Target {
  std::optional<Device> device;
  bool copy = false;
  TransferOptions options;
};

/// As torch does; a bool is true where either part is not 0.
void warn_of_lost_parts(DType from, DType to) {
  if (!is_complex(from) || is_complex(to) || to == DType::kBool) return;
  const py::object category = imported("gpukit.errors").attr("GpukitWarning");
  checked_status(PyErr_WarnEx(category.ptr(),
                              "to: a complex tensor becomes real, which discards the imaginary "
                              "part. Use .real if that is meant",
                              1));
}

/// Self when nothing changes. Anything that touches a GPU runs without the GIL.
PyObject* converted(const Arguments& a, const Target& target) {
  const Tensor& source = tensor_of(a.self());
  if (target.options.dtype) warn_of_lost_parts(source.dtype(), *target.options.dtype);
  if (target.device && *target.device != source.device()) {
    return wrap(
        run(true, [&] { return autograd::to_device(source, *target.device, target.options); }));
  }
  const DType dtype = target.options.dtype.value_or(source.dtype());
  if (dtype == source.dtype() && !target.copy) return Py_NewRef(a.self());
  return wrap(run(a.gil().releases_for_launch(source, source.count()), [&] {
    return dtype == source.dtype() ? autograd::clone(source) : autograd::cast(source, dtype);
  }));
}

/// A bool in the second place is non_blocking: x.to(other, True).
bool second_is_non_blocking(const Arguments& a) {
  return a[2] != nullptr && a.by_position(2) && PyBool_Check(a[2]) != 0;
}

/// The dtype and the device have one name each.
void check_named_once(const Arguments& a, const NamedTarget& first) {
  const bool second = a.given(2) && !second_is_non_blocking(a);
  GPUKIT_CHECK(!second || !first.dtype, TypeError, "to: device is ", describe_value(a[1]),
               ", which names the dtype, and dtype is ", describe_value(a[2]),
               ". Give one of them, or a device and a dtype");
  GPUKIT_CHECK(!a.given(6) || (!second && !a.given(1)), TypeError,
               "to: other names the device and the dtype, and ", second ? "dtype" : "device",
               " is ", describe_value(a[second ? 2 : 1]), ". Give one of them");
}

// to(device), to(dtype), to(device, dtype), to(other); each may be followed by non_blocking and
// copy.
PyObject* to(const Arguments& a) {
  if (a.given(7)) return composed(a);
  const NamedTarget first = a[1] != nullptr ? to_target({"to", "device"}, a[1]) : NamedTarget{};
  const NamedTarget other = a.given(6) ? to_target({"to", "other"}, a[6]) : NamedTarget{};
  check_named_once(a, first);
  Target target;
  target.device = other.device ? other.device : first.device;
  target.options.dtype = first.dtype;
  PyObject* second = a[2];
  const bool second_is_flag = second_is_non_blocking(a);
  if (second != nullptr && !second_is_flag && second != Py_None)
    target.options.dtype = to_dtype({"to", "dtype"}, second);
  PyObject* non_blocking = second_is_flag ? second : a[3];
  PyObject* copy = second_is_flag && a[3] != nullptr ? a[3] : a[4];
  if (non_blocking != nullptr)
    target.options.non_blocking = to_bool({"to", "non_blocking"}, non_blocking);
  if (copy != nullptr) target.copy = to_bool({"to", "copy"}, copy);
  if (a.given(5)) target.options.stream = stream_of_object({"to", "stream"}, a[5]);
  if (other.dtype) target.options.dtype = other.dtype;
  GPUKIT_CHECK(a[1] != nullptr || second != nullptr || a.given(6) || target.copy, TypeError,
               "to: name a device, a dtype or another tensor, e.g. x.to('cuda:0')");
  return converted(a, target);
}

PyObject* cpu(const Arguments& a) {
  Target target;
  target.device = Device::cpu();
  target.options.non_blocking = a.boolean(1, false);
  return converted(a, target);
}

PyObject* cuda(const Arguments& a) {
  Target target;
  target.device = resolved(a.given(1) ? to_device(a.argument(1), a[1]) : Device::cuda(-1));
  if (!target.device->is_cuda()) {
    throw InvalidDeviceError(
        concat("cuda: device must be a CUDA device, got '", to_string(*target.device), "'"));
  }
  target.options.non_blocking = a.boolean(2, false);
  return converted(a, target);
}

template <DType Target_>
PyObject* as_dtype(const Arguments& a) {
  Target target;
  target.options.dtype = Target_;
  return converted(a, target);
}

PyObject* type(const Arguments& a) {
  const bool non_blocking = a.boolean(2, false);
  const py::object names = imported("gpukit._tensors.legacy");
  if (!a.given(1)) return names.attr("type_name")(py::handle(a.self())).release().ptr();
  Target target;
  const py::object named = names.attr("target_of")(py::handle(a[1]));
  if (named.is_none()) {
    target.options.dtype = to_dtype(a.argument(1), a[1]);
  } else {
    target.options.dtype = to_dtype(a.argument(1), PyTuple_GET_ITEM(named.ptr(), 0));
    const std::string kind = to_text(a.argument(1), PyTuple_GET_ITEM(named.ptr(), 1));
    if (kind == "cpu") target.device = Device::cpu();
    if (kind == "cuda" && !a.tensor(0).device().is_cuda())
      target.device = resolved(Device::cuda(-1));
  }
  target.options.non_blocking = non_blocking;
  return converted(a, target);
}

/// A contiguous copy on the CPU, or the tensor itself when it is there already.
Tensor on_host(const Arguments& a, const Tensor& tensor) {
  return run(a.gil().releases(tensor), [&] {
    const Tensor packed = ops::contiguous(tensor);
    return packed.on_host() ? packed : copy_to_device(packed, Device::cpu(), false);
  });
}

PyObject* item(const Arguments& a) {
  const Tensor& tensor = tensor_of(a.self());  // a method only: Python has checked the type
  GPUKIT_CHECK(tensor.count() == 1, ShapeError, "item: the tensor has ", tensor.count(),
               " elements (shape ", to_string(tensor.shape()),
               "); exactly one is needed. Use .tolist(), or reduce it first");
  if (tensor.dtype() == DType::kFloat32 && tensor.on_host())
    return PyFloat_FromDouble(*tensor.data_as<float>());
  return from_scalar(read_value(tensor));
}

/// A dtype that the package ml_dtypes gives NumPy.
py::object extension_array(const py::object& numpy, const Tensor& tensor) {
  const std::string dtype_name(name(tensor.dtype()));
  const auto bits = py::reinterpret_steal<py::object>(bits_of(tensor));
  try {
    const py::object dtype = imported("ml_dtypes").attr(dtype_name.c_str());
    return numpy.attr("asarray")(bits).attr("view")(dtype);
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_ImportError)) throw;
  }
  throw DTypeError(concat("numpy: NumPy has no ", dtype_name,
                          ". Use .float().numpy(), or install the package ml_dtypes"))
      .with_fix("x.float().numpy()");
}

py::object as_array(PyObject* object) {
  const py::object numpy = imported("numpy");
  const Tensor& tensor = tensor_of(object);
  if (!is_in_numpy(tensor.dtype())) return extension_array(numpy, tensor);
  return numpy.attr("asarray")(py::handle(object));
}

[[noreturn]] void throw_not_on_host(const char* op, const Tensor& tensor) {
  check_has_values(tensor);
  const std::string way = tensor.requires_grad() ? ".detach().cpu().numpy()" : ".cpu().numpy()";
  throw DeviceError(concat(op, ": the tensor is on ", to_string(tensor.device()), ". Use ", way,
                           " (copies ", tensor.bytes(), " B). gpukit never moves data silently."))
      .with_fix("x" + way);
}

/// What is done with an array is not recorded, so that must be asked for.
void check_no_gradient(const char* op, const Tensor& tensor) {
  if (!tensor.requires_grad()) return;
  throw AutogradError(concat(op,
                             ": the tensor requires a gradient, and nothing that is done with "
                             "an array is recorded. Use .detach().numpy()"))
      .with_fix("x.detach().numpy()");
}

PyObject* numpy(const Arguments& a) {
  const Tensor& tensor = a.tensor(0);
  const bool force = a.boolean(1, false);
  if (force) {
    const WaitReason reason(WaitKind::kNumpy);
    const Tensor host = on_host(a, detached(tensor));
    return as_array(to_python(host).ptr()).release().ptr();
  }
  if (!tensor.on_host()) throw_not_on_host("numpy", tensor);
  check_no_gradient("numpy", tensor);
  return as_array(a.self()).release().ptr();
}

// NumPy asks for it when it cannot use the buffer protocol.
PyObject* array(const Arguments& a) {
  const Tensor& tensor = a.tensor(0);
  raise_dropped_interrupt(tensor);
  if (!tensor.on_host()) throw_not_on_host("__array__", tensor);
  check_no_gradient("__array__", tensor);
  const bool always = a.given(2) && a.boolean(2, false), never = a.given(2) && !always;
  const py::object shared = as_array(a.self());
  py::object result = shared;
  if (a.given(1)) result = result.attr("astype")(py::handle(a[1]), py::arg("copy") = false);
  const bool is_copy = !result.is(shared);
  GPUKIT_CHECK(!(is_copy && never), ValueError, "__array__: copy=False, but dtype ",
               describe_value(a[1]), " differs from ", name(tensor.dtype()), ". Use copy=None");
  if (always && !is_copy) result = result.attr("copy")();
  return result.release().ptr();
}

PyObject* pin_memory(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  GPUKIT_CHECK(input.on_host(), ValueError,
               "pin_memory: only CPU tensors can be pinned, this one is on ",
               to_string(input.device()));
  if (input.storage()->pinned()) return Py_NewRef(a.self());
  prepare_cuda();
  return wrap(run(true, [&] {
    const Tensor pinned = empty_pinned(input.shape(), input.dtype());
    if (input.count() > 0) ops::copy_(pinned, input);
    return pinned;
  }));
}

bool is_at_rest(const Tensor& tensor) {
  return tensor.on_host() && tensor.storage()->pending() == nullptr;
}

/// True when the tensor is ready, false when `timeout` seconds were not enough.
bool wait_with_timeout(const Tensor& input, std::string_view op, double timeout) {
  GPUKIT_CHECK(timeout >= 0, ValueError, op, ": timeout must be 0 or more seconds, got ", timeout);
  return run(true, [&] { return wait_for(input, std::chrono::duration<double>(timeout)); });
}

PyObject* wait(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  if (!a.given(1)) {
    run(!is_at_rest(input), [&] { wait_for(input); });
  } else if (!wait_with_timeout(input, a.op(), a.number(1, 0))) {
    PyErr_Format(PyExc_TimeoutError, "wait: the tensor was not ready after %S seconds", a[1]);
    return nullptr;
  }
  return Py_NewRef(a.self());
}

// clang-format off
constexpr Docs kFloatDocs = {.returns = "the same shape; itself when it has that dtype.",
    .raises = "-"};
constexpr Docs kCloneDocs = {.returns = "a tensor of the same shape and dtype, row by row without gaps.",
    .raises = "-"};

constexpr FunctionRow kConversionRows[] = {
  {.signature = "to(input, device: DeviceLike | DTypeLike | Tensor | None = None, dtype=None, non_blocking=False, copy=False, *, stream: Stream | None = None, other: Tensor | None = None, memory_format=None)", .call = to, .cost = cost::kCopy,
   .doc = "The tensor on another device, in another dtype, or both; itself when nothing changes.\n\n"
           "Forms: to(device), to(dtype), to(device, dtype), to(other). With non_blocking=True the call returns while\nthe copy is under way; whatever uses the result waits for it. The source is kept; change it in place only\nthrough gpukit until the copy is done.",
   .docs = {.parameters = "device: a device, its name, or a dtype or tensor in its place.\ndtype: a dtype or its name; None keeps it.\nnon_blocking: return while the copy is under way.\ncopy: a copy also where nothing changes.\nstream: a stream to copy on; None is gpukit's own for copies.\nother: the tensor whose device and dtype are taken.\n",
             .returns = "a tensor of the same shape.",
             .raises = "InvalidDeviceError: device is not a device.\nDeviceNotFoundError: it does not exist.\nDTypeError: dtype is unknown.\nTransferError: the copy failed.\n"},
   .example = ">>> gpukit.ones(2).to(gpukit.int64)\n" "tensor([1, 1])",
   .where = kMethod | kWaits},
  {.signature = "cpu(input, non_blocking=False)", .call = cpu, .cost = cost::kCopy,
   .doc = "The tensor on the CPU; itself when it is there.",
   .docs = {.parameters = "non_blocking: return while the copy is under way.\n",
             .returns = "a tensor of the same shape and dtype.",
             .raises = "TransferError: the copy failed.\n"},
   .example = ">>> gpukit.ones(2).cpu().device\n" "device(type='cpu')",
   .where = kMethod | kWaits},
  {.signature = "cuda(input, device=None, non_blocking=False)", .call = cuda, .cost = cost::kCopy,
   .doc = "The tensor on a CUDA device, by default the current one; itself when it is there.",
   .docs = {.parameters = "device: a device, its name or its index; None is the current one.\nnon_blocking: return while the copy is under way.\n",
             .returns = "a tensor of the same shape and dtype.",
             .raises = "InvalidDeviceError: device is no GPU.\nDeviceNotFoundError: there is no such GPU.\nOutOfMemoryError: it does not fit.\n"},
   .example = ">>> device = gpukit.try_gpu(quiet=True)\n" ">>> x = gpukit.ones(2).cuda() if device.type == \"cuda\" else gpukit.ones(2)\n" ">>> x.device.type == device.type\n" "True",
   .where = kMethod | kWaits},
  {.signature = "float(input)", .call = as_dtype<DType::kFloat32>, .cost = cost::kCopy,
   .doc = "Converted to float32.",
   .docs = kFloatDocs,
   .example = ">>> gpukit.tensor([1, 2]).float()\n" "tensor([1., 2.])",
   .where = kMethod},
  {.signature = "double(input)", .call = as_dtype<DType::kFloat64>, .cost = cost::kCopy,
   .doc = "Converted to float64.",
   .docs = kFloatDocs,
   .example = ">>> gpukit.ones(1).double().dtype\n" "gpukit.float64",
   .where = kMethod},
  {.signature = "half(input)", .call = as_dtype<DType::kFloat16>, .cost = cost::kCopy,
   .doc = "Converted to float16.",
   .docs = kFloatDocs,
   .example = ">>> gpukit.ones(1).half().dtype\n" "gpukit.float16",
   .where = kMethod},
  {.signature = "bfloat16(input)", .call = as_dtype<DType::kBFloat16>, .cost = cost::kCopy,
   .doc = "Converted to bfloat16.",
   .docs = kFloatDocs,
   .example = ">>> gpukit.ones(1).bfloat16().dtype\n" "gpukit.bfloat16",
   .where = kMethod},
  {.signature = "int(input)", .call = as_dtype<DType::kInt32>, .cost = cost::kCopy,
   .doc = "Converted to int32; fractions are cut off.",
   .docs = kFloatDocs,
   .example = ">>> gpukit.tensor([1.7]).int()\n" "tensor([1], dtype=gpukit.int32)",
   .where = kMethod},
  {.signature = "long(input)", .call = as_dtype<DType::kInt64>, .cost = cost::kCopy,
   .doc = "Converted to int64; fractions are cut off.",
   .docs = kFloatDocs,
   .example = ">>> gpukit.tensor([1.7]).long()\n" "tensor([1])",
   .where = kMethod},
  {.signature = "bool(input)", .call = as_dtype<DType::kBool>, .cost = cost::kCopy,
   .doc = "Converted to bool: everything but 0 is True.",
   .docs = kFloatDocs,
   .example = ">>> gpukit.tensor([0, 3]).bool()\n" "tensor([False,  True])",
   .where = kMethod},
  {.signature = "byte(input)", .call = as_dtype<DType::kUInt8>, .cost = cost::kCopy,
   .doc = "Converted to uint8; fractions are cut off.",
   .docs = kFloatDocs,
   .example = ">>> gpukit.tensor([1.7]).byte()\n" "tensor([1], dtype=gpukit.uint8)",
   .where = kMethod},
  {.signature = "char(input)", .call = as_dtype<DType::kInt8>, .cost = cost::kCopy,
   .doc = "Converted to int8; fractions are cut off.",
   .docs = kFloatDocs,
   .example = ">>> gpukit.tensor([-1.7]).char()\n" "tensor([-1], dtype=gpukit.int8)",
   .where = kMethod},
  {.signature = "short(input)", .call = as_dtype<DType::kInt16>, .cost = cost::kCopy,
   .doc = "Converted to int16; fractions are cut off.",
   .docs = kFloatDocs,
   .example = ">>> gpukit.tensor([1.7]).short()\n" "tensor([1], dtype=gpukit.int16)",
   .where = kMethod},
  {.signature = "type(input, dtype: DTypeLike | None = None, non_blocking=False) -> str | Tensor", .call = type, .cost = cost::kCopy,
   .doc = "Converted to a dtype; itself when it has that dtype. Without one, torch's name of what the tensor is.",
   .docs = {.parameters = "dtype: a dtype, its name, or torch's older type or its name, which is of a device too.\nnon_blocking: return while a copy is under way.\n",
             .returns = "the same shape, of that dtype; or text such as 'torch.FloatTensor'.",
             .raises = "DTypeError: dtype is unknown.\n"},
   .example = ">>> gpukit.ones(1).type(gpukit.int32)\n" "tensor([1], dtype=gpukit.int32)\n" ">>> gpukit.ones(1).type()\n" "'torch.FloatTensor'",
   .where = kMethod | kWaits,
   .overloads = "(input, dtype: None = None, non_blocking=False) -> str\n" "(input, dtype, non_blocking=False) -> Tensor"},
  {.signature = "tolist(input) -> Any",
   .call = [](const Arguments& a) {
     const WaitReason reason(WaitKind::kItem);
     return to_nested_list(on_host(a, a.tensor(0)));
   },
   .cost = cost::kCopy,
   .doc = "Nested lists of Python numbers; one number for a 0-d tensor. Waits.",
   .docs = {.returns = "lists as deep as the tensor has dimensions, of bool, int or float.",
             .raises = "TransferError: a copy failed.\n"},
   .example = ">>> gpukit.tensor([[1, 2], [3, 4]]).tolist()\n" "[[1, 2], [3, 4]]",
   .where = kMethod | kWaits},
  {.signature = "item(input) -> RealNumber", .call = item, .cost = cost::kNone,
   .doc = "The one element as a Python number. Waits for the device.",
   .docs = {.returns = "a bool, an int or a float.",
             .raises = "ShapeError: there is not exactly one element.\n"},
   .example = ">>> gpukit.ones(3).sum().item()\n" "3.0",
   .where = kMethod | kWaits},
  {.signature = "numpy(input, *, force=False) -> numpy.typing.NDArray[Any]", .call = numpy, .cost = cost::kCopy,
   .doc = "A NumPy array over the same memory. A GPU tensor raises DeviceError, or is copied with force=True.",
   .docs = {.parameters = "force: also copy from a GPU, and wait for that; and take a tensor that requires a gradient.\n",
             .returns = "an array of the same shape and dtype; bfloat16 needs the package ml_dtypes.",
             .raises = "DeviceError: the tensor is on a GPU, without force.\nAutogradError: it requires a gradient, without force.\n"},
   .example = ">>> gpukit.ones(3).numpy().sum().item()\n" "3.0",
   .where = kMethod | kWaits},
  {.signature = "__array__(input, dtype=None, copy: bool | None = None) -> numpy.typing.NDArray[Any]", .call = array, .cost = cost::kCopy,
   .doc = "What numpy.asarray asks for.",
   .where = kMethod | kWaits},
  {.signature = "clone(input, *, memory_format=None)",
   .call = [](const Arguments& a) {
     if (a.given(1)) return composed(a);
     const Tensor& input = a.tensor(0);
     return wrap(run(a.gil().releases(input), [&] { return autograd::clone(input); }));
   },
   .cost = cost::kCopy,
   .doc = "A contiguous copy on the same device.",
   .docs = kCloneDocs,
   .example = ">>> x = gpukit.ones(2)\n" ">>> y = gpukit.clone(x)\n" ">>> y[0] = 5\n" ">>> x, y\n" "(tensor([1., 1.]), tensor([5., 1.]))"},
  {.signature = "contiguous(input, *, memory_format=None)",
   .call = [](const Arguments& a) {
     if (a.given(1)) return composed(a);
     const Tensor& input = a.tensor(0);
     if (input.is_contiguous()) return Py_NewRef(a.self());
     return wrap(run(a.gil().releases(input), [&] { return autograd::contiguous(input); }));
   },
   .cost = cost::kGather,
   .doc = "A contiguous tensor of the same elements; itself when it is one.",
   .docs = kCloneDocs,
   .example = ">>> gpukit.ones(2, 3).t().contiguous().is_contiguous()\n" "True",
   .where = kMethod},
  {.signature = "pin_memory(input)", .call = pin_memory, .cost = cost::kAlways,
   .doc = "A copy in page-locked memory, which GPUs read and write at full speed. CPU tensors only.",
   .docs = {.returns = "a CPU tensor of the same shape and dtype.",
             .raises = "DeviceNotFoundError: there is no CUDA device.\n"},
   .example = ">>> x = gpukit.ones(2).pin_memory() if gpukit.cuda.is_available() else gpukit.ones(2)\n" ">>> x.is_pinned() == gpukit.cuda.is_available()\n" "True",
   .where = kMethod | kWaits},
  {.signature = "is_pinned(input) -> bool",
   .call = [](const Arguments& a) { return PyBool_FromLong(a.tensor(0).storage()->pinned()); },
   .cost = cost::kNone,
   .doc = "True when the memory is page-locked.",
   .docs = kIsPinnedDocs,
   .example = ">>> gpukit.ones(1).is_pinned()\n" "False",
   .where = kMethod},
  {.signature = "is_shared(input) -> bool",
   .call = [](const Arguments& a) { return PyBool_FromLong(shared_memory_of(a.tensor(0)) >= 0); },
   .cost = cost::kNone,
   .doc = "True when the memory is shared with other processes, see share_memory_.",
   .docs = kIsPinnedDocs,
   .example = ">>> gpukit.ones(1).is_shared()\n" "False",
   .where = kMethod},
  {.signature = "ready(input) -> bool",
   .call = [](const Arguments& a) {
     const Tensor& input = a.tensor(0);
     return PyBool_FromLong(run(!is_at_rest(input), [&] { return is_ready(input); }));
   },
   .cost = cost::kNone,
   .doc = "True when the tensor's bytes have arrived and nothing queued on its stream is still running. Never waits.",
   .docs = kIsPinnedDocs,
   .example = ">>> gpukit.ones(3).ready()\n" "True",
   .where = kMethod},
  {.signature = "wait(input, timeout: float | None = None)", .call = wait, .cost = cost::kNone,
   .doc = "Waits for the copies and the queued work before it, `timeout` seconds at most; gives the tensor itself.",
   .docs = {.parameters = "timeout: seconds; None is for ever.\n",
             .returns = "the tensor itself.",
             .raises = "TimeoutError: it was not ready in time.\nTransferError: a copy failed.\nValueError: timeout is negative.\n"},
   .example = ">>> gpukit.ones(2).wait()\n" "tensor([1., 1.])",
   .where = kMethod | kWaits},
  {.signature = "block_until_ready", .same_as = "wait",
   .doc = "The same as wait().",
   .example = ">>> gpukit.ones(2).block_until_ready()\ntensor([1., 1.])"},
};
// clang-format on

}  // namespace

template <>
FunctionTable& functions<Family::kConversion>() {
  return function_table<kConversionRows>();
}

}  // namespace gpukit::bindings
