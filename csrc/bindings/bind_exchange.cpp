// Memory shared with other libraries: DLPack both ways, __cuda_array_interface__, buffers.
#include <pybind11/cast.h>
#include <array>
#include <memory>
#include <optional>
#include <string>

#include "base/check.h"
#include "base/error.h"
#include "bindings/foreign_arrays.h"
#include "bindings/host_data.h"
#include "bindings/signature.h"
#include "bindings/tensor_type.h"
#include "bindings/work.h"
#include "ops/elementwise.h"
#include "tensor/arrow.h"
#include "tensor/dlpack.h"
#include "tensor/transfer.h"

namespace gpukit::bindings {

namespace {

// ---- export ----

/// What a consumer asked __dlpack__ for.
struct Request {
  std::int64_t stream = dlpack::kLegacyStream;
  bool versioned = false;
  bool to_host = false;  ///< dl_device is the CPU
  std::optional<bool> copy;
};

/// The pair of ints at an argument.
std::array<std::int64_t, 2> int_pair(Argument argument, PyObject* value) {
  if (PyTuple_Check(value) == 0 || PyTuple_GET_SIZE(value) != 2)
    throw_wrong_type(argument, "a tuple of two ints", value);
  return {to_int64(argument, PyTuple_GET_ITEM(value, 0)),
          to_int64(argument, PyTuple_GET_ITEM(value, 1))};
}

/// True if the data must be copied to the CPU.
bool leaves_device(const Arguments& a, const Tensor& input) {
  if (!a.given(3)) return false;
  const auto [code, index] = int_pair(a.argument(3), a[3]);
  const dlpack::DeviceId own = dlpack::device_id(input);
  if (code == own.code && index == own.index) return false;
  GPUKIT_CHECK(code == dlpack::kCpu, BufferError, "__dlpack__: dl_device is (", code, ", ", index,
               "), the tensor is on (", own.code, ", ", own.index,
               "); it must be the tensor's own device or the CPU, (1, 0)");
  return own.code != dlpack::kCpu;
}

Request read_request(const Arguments& a, const Tensor& input) {
  Request request;
  if (a.given(1)) {
    request.stream = a.integer(1);
    GPUKIT_CHECK(!input.on_host() || request.stream == dlpack::kNoOrdering, ValueError,
                 "__dlpack__: stream is ", request.stream,
                 ", but the tensor is on the CPU, which has no streams. Leave it out");
  }
  if (a.given(2)) request.versioned = int_pair(a.argument(2), a[2])[0] >= dlpack::kMajorVersion;
  request.to_host = leaves_device(a, input);
  if (a.given(4)) request.copy = a.boolean(4, false);
  return request;
}

bool has_negative_stride(const Tensor& tensor) noexcept {
  for (int i = 0; i < tensor.rank(); ++i) {
    if (tensor.size(i) > 1 && tensor.strides()[i] < 0) return true;
  }
  return false;
}

/// The tensor itself unless a copy is required.
Tensor exported_tensor(const Tensor& input, const Request& request) {
  GPUKIT_CHECK(!input.requires_grad(), BufferError,
               "__dlpack__: the tensor requires a gradient. Use x.detach()");
  // Some consumers cannot read negative strides and crash on them.
  const bool backwards = has_negative_stride(input);
  const bool must_copy = backwards || request.to_host;
  GPUKIT_CHECK(
      !must_copy || request.copy != false, BufferError, "__dlpack__: copy=False, but ",
      request.to_host ? "the tensor is not on dl_device" : "a flipped tensor has to be copied",
      ". Use copy=None");
  if (request.to_host) return copy_to_device(ops::contiguous(input), Device::cpu(), false);
  dlpack::check_reachable("__dlpack__", input.open_device());
  return backwards || request.copy == true ? ops::clone(input) : input;
}

template <class ManagedType>
void destroy_unused(PyObject* capsule, const char* name) noexcept {
  if (PyCapsule_IsValid(capsule, name) == 0) return;  // a consumer has taken ownership
  auto* managed = static_cast<ManagedType*>(PyCapsule_GetPointer(capsule, name));
  managed->deleter(managed);
}

template <class ManagedType>
PyObject* capsule_of(ManagedType* managed, const char* name, PyCapsule_Destructor destructor) {
  PyObject* capsule = PyCapsule_New(managed, name, destructor);
  if (capsule == nullptr) managed->deleter(managed);
  return checked(capsule);
}

PyObject* to_dlpack(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const Request request = read_request(a, input);
  Tensor shared;
  run(!input.on_host(), [&] {
    shared = exported_tensor(input, request);
    dlpack::order_consumer(shared, request.stream);
  });
  if (!request.versioned) {
    return capsule_of(dlpack::export_unversioned(shared), dlpack::kCapsule, [](PyObject* capsule) {
      destroy_unused<dlpack::Managed>(capsule, dlpack::kCapsule);
    });
  }
  return capsule_of(dlpack::export_versioned(shared, !shared.is_same(input)),
                    dlpack::kVersionedCapsule, [](PyObject* capsule) {
                      destroy_unused<dlpack::ManagedVersioned>(capsule, dlpack::kVersionedCapsule);
                    });
}

// ---- export to Arrow ----

template <class Struct>
void destroy_arrow(PyObject* capsule, const char* name) noexcept {
  auto* content = static_cast<Struct*>(PyCapsule_GetPointer(capsule, name));
  if (content->release != nullptr) content->release(content);  // no consumer has taken ownership
  delete content;
}

template <class Struct>
py::object arrow_capsule(Struct content, const char* name, PyCapsule_Destructor destructor) {
  auto owner = std::make_unique<Struct>(content);
  PyObject* capsule = PyCapsule_New(owner.get(), name, destructor);
  if (capsule == nullptr) {
    content.release(&content);
    throw_python_error();
  }
  static_cast<void>(owner.release());
  return py::reinterpret_steal<py::object>(capsule);
}

PyObject* to_arrow(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  if (a.given(1) && PyCapsule_IsValid(a[1], arrow::kSchemaCapsule) == 0)
    throw_wrong_type(a.argument(1), "a capsule of an Arrow schema, or None", a[1]);
  GPUKIT_CHECK(input.on_host(), DeviceError, "__arrow_c_array__: the tensor is on ",
               to_string(input.device()), ". Use .cpu() first");
  GPUKIT_CHECK(!input.requires_grad(), BufferError,
               "__arrow_c_array__: the tensor requires a gradient. Use x.detach()");
  GPUKIT_CHECK(input.rank() == 1, ShapeError,
               "__arrow_c_array__: an Arrow array has one "
               "dimension, the tensor has shape ",
               to_string(input.shape()), ". Use x.flatten(), or pass one column at a time");
  const arrow::Schema schema = arrow::schema_of(input.dtype());
  const arrow::Array array =
      run(a.gil().releases(input), [&] { return arrow::array_of(ops::contiguous(input)); });
  const py::object elements = arrow_capsule(array, arrow::kArrayCapsule, [](PyObject* capsule) {
    destroy_arrow<arrow::Array>(capsule, arrow::kArrayCapsule);
  });
  const py::object type = arrow_capsule(schema, arrow::kSchemaCapsule, [](PyObject* capsule) {
    destroy_arrow<arrow::Schema>(capsule, arrow::kSchemaCapsule);
  });
  return py::make_tuple(type, elements).release().ptr();
}

// ---- import ----

/// The tensor on the requested device, copied only if requested or necessary.
Tensor adapted(const Arguments& a, const Tensor& tensor, std::optional<Device> device,
               std::optional<bool> copy) {
  if (device.has_value() && !(*device == tensor.device())) {
    GPUKIT_CHECK(copy != false, BufferError, "from_dlpack: copy=False, but the data is on ",
                 to_string(tensor.device()), " and device is ", to_string(*device),
                 ". Use copy=None");
    return run(true, [&] { return copy_to_device(ops::contiguous(tensor), *device, false); });
  }
  return copy == true ? run(a.gil().releases(tensor), [&] { return ops::clone(tensor); }) : tensor;
}

PyObject* from_dlpack(const Arguments& a) {
  const auto device = a.given(1) ? std::optional(a.device(1)) : std::nullopt;
  const auto copy = a.given(2) ? std::optional(a.boolean(2, false)) : std::nullopt;
  if (is_tensor(a[0])) return wrap(adapted(a, a.tensor(0), device, copy));
  const bool host_wanted = device.has_value() && device->is_cpu() && copy != false;
  return wrap(adapted(a, share_dlpack(a.argument(0), a[0], host_wanted), device, copy));
}

// clang-format off
constexpr FunctionRow kExchangeRows[] = {
  {.signature = "from_dlpack(x: object, *, device=None, copy: bool | None = None)", .call = from_dlpack, .cost = cost::kCopy,
   .doc = "A tensor over the memory of another library's array (anything with __dlpack__), or of a DLPack capsule.",
   .docs = {.parameters = "x: an array with __dlpack__ and __dlpack_device__, or a capsule.\ndevice: where the result shall be; None is where the array is.\ncopy: True always copies, False raises instead of copying.\n",
             .returns = "the array's shape, strides and dtype; read-only if the array is.",
             .raises = "BufferError: the producer cannot export it, or copy=False would need a copy.\nTypeError: x is neither.\nDeviceNotFoundError: device does not exist.\n"},
   .example = ">>> import gpukit, numpy\n" ">>> gpukit.from_dlpack(numpy.arange(3.0))\n" "tensor([0., 1., 2.], dtype=gpukit.float64)",
   .where = kFunction | kWaits},
  {.signature = "frombuffer(buffer: Buffer, *, dtype, count=-1, offset=0)",
   .call = [](const Arguments& a) {
     const DType dtype = to_dtype(a.argument(1), a[1]);
     return wrap(tensor_over_bytes(a.argument(0), a[0], dtype, a.integer(2, -1), a.integer(3, 0)));
   },
   .cost = cost::kNone,
   .doc = "A 1-d CPU tensor over the bytes of a buffer (bytes, bytearray, memoryview, array.array, mmap).",
   .docs = {.parameters = "buffer: any object with the buffer protocol.\ndtype: dtype of the elements.\ncount: how many; -1 is all.\noffset: bytes to leave out at the start.\n",
             .returns = "1-d, on the CPU, over the same memory; read-only if the buffer is.",
             .raises = "ValueError: the bytes are not a whole number of elements, or too few.\nTypeError: it is not a buffer.\n"},
   .example = ">>> gpukit.frombuffer(bytearray(4), dtype=gpukit.int16)\n" "tensor([0, 0], dtype=gpukit.int16)",
   .where = kFunction},
  {.signature = "__dlpack__(input, *, stream: int | None = None, max_version: tuple[int, int] | None = None, dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> object", .call = to_dlpack, .cost = cost::kNone,
   .doc = "A DLPack capsule over the tensor's memory, for other libraries' from_dlpack.\n\n"
           "stream: the consumer's CUDA stream, which waits for the tensor's work (None: the legacy one, -1: no waiting).\nRaises BufferError for simulated devices, tensors that require a gradient, and copies that copy=False forbids.",
   .where = kMethod | kWaits},
  {.signature = "__dlpack_device__(input) -> tuple[int, int]",
   .call = [](const Arguments& a) {
     const Tensor& input = a.tensor(0);
     const dlpack::DeviceId id = dlpack::device_id(input);
     return py::make_tuple(id.code, id.index).release().ptr();
   },
   .cost = cost::kNone,
   .doc = "(DLPack device type, index) of the tensor.",
   .where = kMethod},
  {.signature = "__arrow_c_array__(input, requested_schema: object = None) -> tuple[object, object]", .call = to_arrow, .cost = cost::kCopy,
   .doc = "Capsules of Arrow's C data interface over the tensor's memory: what pyarrow.array(x) and polars.Series(x) ask for.\n\n"
           "requested_schema: ignored; the consumer converts.\nRaises ShapeError unless there is one dimension, DeviceError on a GPU, DTypeError for bfloat16, and BufferError for tensors that require a gradient.",
   .where = kMethod | kWaits},
};
// clang-format on

}  // namespace

template <>
FunctionTable& functions<Family::kExchange>() {
  return function_table<kExchangeRows>();
}

PyObject* cuda_array_interface(PyObject* self, void*) {
  return guarded([&]() -> PyObject* {
    const Tensor& tensor = tensor_of(self);
    const auto refuse = [](const std::string& reason) {
      PyErr_SetString(PyExc_AttributeError, ("__cuda_array_interface__: " + reason).c_str());
      return nullptr;
    };
    if (tensor.on_host()) return refuse("the tensor is on the CPU. Use .cuda() first");
    if (!tensor.device().is_cuda())
      return refuse("the tensor is on " + to_string(tensor.device()) + ", not on a CUDA device");
    OpenDevice& device = tensor.open_device();
    if (!device.runtime().properties().shares_memory_with_others)
      return refuse(to_string(tensor.device()) + " is simulated. Use .cpu() first");
    if (tensor.requires_grad())
      return refuse("the tensor requires a gradient. Use .detach() first");
    py::tuple strides(tensor.rank());
    for (int i = 0; i < tensor.rank(); ++i) {
      strides[static_cast<std::size_t>(i)] =
          tensor.strides()[i] * static_cast<std::int64_t>(itemsize(tensor.dtype()));
    }
    py::dict answer;
    answer["shape"] = py::reinterpret_steal<py::object>(to_tuple(tensor.shape()));
    answer["typestr"] = std::string(dtype_info(tensor.dtype()).numpy_code);
    const auto address = tensor.count() == 0 ? 0 : reinterpret_cast<std::uintptr_t>(tensor.data());
    answer["data"] = py::make_tuple(address, tensor.storage()->read_only());
    answer["strides"] = tensor.is_contiguous() ? py::object(py::none()) : py::object(strides);
    answer["version"] = 3;
    answer["stream"] = dlpack::stream_number(device);
    return answer.release().ptr();
  });
}

}  // namespace gpukit::bindings
