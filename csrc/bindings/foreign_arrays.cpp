#include "bindings/foreign_arrays.h"

#include <pybind11/cast.h>
#include <array>
#include <memory>
#include <string>

#include "backend/current.h"
#include "backend/registry.h"
#include "base/check.h"
#include "base/error.h"
#include "bindings/gil.h"
#include "bindings/host_data.h"
#include "tensor/dlpack.h"

namespace gpukit::bindings {

namespace {

constexpr const char* kCudaInterface = "__cuda_array_interface__";

// ---- DLPack ----

/// The tensor of a capsule, which is renamed once its content is taken.
Tensor consume(Argument argument, PyObject* capsule) {
  using namespace dlpack;
  if (PyCapsule_IsValid(capsule, kVersionedCapsule) != 0) {
    auto* managed =
        static_cast<ManagedVersioned*>(PyCapsule_GetPointer(capsule, kVersionedCapsule));
    Tensor tensor = import_versioned(managed);
    checked_status(PyCapsule_SetName(capsule, kUsedVersionedCapsule));
    return tensor;
  }
  if (PyCapsule_IsValid(capsule, kCapsule) != 0) {
    Tensor tensor =
        import_unversioned(static_cast<Managed*>(PyCapsule_GetPointer(capsule, kCapsule)));
    checked_status(PyCapsule_SetName(capsule, kUsedCapsule));
    return tensor;
  }
  const char* name = PyCapsule_GetName(capsule);
  const std::string_view found = name != nullptr ? name : "";
  throw BufferError(concat(argument.op, ": ", argument.name, " is a capsule '", found, "', ",
                           found.starts_with("used_dltensor")
                               ? "whose content was taken already. Ask the producer for a new one"
                               : "which is not a DLPack capsule"));
}

/// What __dlpack_device__ answers, checked.
dlpack::DeviceId producer_device(Argument argument, PyObject* object) {
  const auto answer = owned(PyObject_CallMethod(object, "__dlpack_device__", nullptr));
  const bool pair = PyTuple_Check(answer.ptr()) != 0 && PyTuple_GET_SIZE(answer.ptr()) == 2;
  GPUKIT_CHECK(pair, BufferError, argument.op, ": __dlpack_device__ of ", argument.name,
               " answered ", describe_value(answer.ptr()), ", not (type, index)");
  const auto number = [&](Py_ssize_t i) {
    const std::int64_t value =
        to_int64({argument.op, "__dlpack_device__ of " + std::string(argument.name)},
                 PyTuple_GET_ITEM(answer.ptr(), i));
    GPUKIT_CHECK(value >= 0 && value <= 1 << 16, BufferError, argument.op,
                 ": __dlpack_device__ of ", argument.name, " answered ",
                 describe_value(answer.ptr()));
    return static_cast<std::int32_t>(value);
  };
  return {number(0), number(1)};
}

/// obj.__dlpack__(…); producers of before DLPack 1.0 know `stream` only.
py::object ask_producer(PyObject* object, const py::dict& basic, const py::dict& more) {
  const py::object method = py::handle(object).attr("__dlpack__");
  const py::dict all = basic.attr("copy")();
  all.attr("update")(more);
  try {
    return method(**all);
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_TypeError)) throw;
  }
  return method(**basic);
}

/// The stream of ours that the producer's work has to come before.
py::dict stream_argument(dlpack::DeviceId from) {
  py::dict basic;
  if (from.code != dlpack::kCuda) return basic;
  OpenDevice& device = open_device(resolved(Device::cuda(from.index)));
  dlpack::check_reachable("from_dlpack", device);
  basic["stream"] = dlpack::stream_number(device);
  return basic;
}

// ---- __cuda_array_interface__ ----

/// A DLPack struct over what the interface says, so that one importer checks both.
struct CudaArray {
  dlpack::ManagedVersioned managed{};
  std::array<std::int64_t, kMaxRank> shape{};
  std::array<std::int64_t, kMaxRank> strides{};
  PyObject* owner = nullptr;

  static void destroy(dlpack::ManagedVersioned* self) {
    const std::unique_ptr<CudaArray> array(static_cast<CudaArray*>(self->context));
    release_reference(array->owner);
  }
};

/// Reads the entries of one interface dict.
class InterfaceReader {
 public:
  InterfaceReader(Argument argument, py::dict entries)
      : argument_(argument), entries_(std::move(entries)) {}

  /// Nothing for a missing or None entry.
  py::object find(const char* key) const {
    return entries_.contains(key) ? py::object(entries_[key]) : py::none();
  }
  py::object tuple(const char* key) const {
    py::object value = find(key);
    check(PyTuple_Check(value.ptr()) != 0, key, value);
    return value;
  }
  std::int64_t integer(const char* key, py::handle value) const {
    check(PyLong_Check(value.ptr()) != 0, key, value);
    return to_int64({argument_.op, key}, value.ptr());
  }
  void check(bool good, const char* key, py::handle value) const {
    GPUKIT_CHECK(good, BufferError, argument_.op, ": ", kCudaInterface, " of ", argument_.name,
                 " says ", key, " = ", describe_value(value.ptr()));
  }

 private:
  Argument argument_;
  py::dict entries_;
};

DType interface_dtype(const InterfaceReader& reader) {
  const py::object text = reader.find("typestr");
  reader.check(PyUnicode_Check(text.ptr()) != 0, "typestr", text);
  return parse_dtype(to_text({kCudaInterface, "typestr"}, text.ptr()));
}

void read_layout(const InterfaceReader& reader, DType dtype, CudaArray& array) {
  const py::object shape = reader.tuple("shape"), strides = reader.find("strides");
  const auto rank = static_cast<std::size_t>(PyTuple_GET_SIZE(shape.ptr()));
  reader.check(rank <= kMaxRank, "shape", shape);
  const bool same_rank =
      strides.is_none() || (PyTuple_Check(strides.ptr()) != 0 &&
                            PyTuple_GET_SIZE(strides.ptr()) == PyTuple_GET_SIZE(shape.ptr()));
  reader.check(same_rank, "strides", strides);
  const auto size = static_cast<std::int64_t>(itemsize(dtype));
  for (std::size_t i = 0; i < rank; ++i) {
    const auto at = static_cast<Py_ssize_t>(i);
    array.shape[i] = reader.integer("shape", PyTuple_GET_ITEM(shape.ptr(), at));
    if (strides.is_none()) continue;
    const std::int64_t bytes = reader.integer("strides", PyTuple_GET_ITEM(strides.ptr(), at));
    reader.check(bytes % size == 0, "strides", strides);
    array.strides[i] = bytes / size;
  }
  dlpack::TensorView& view = array.managed.tensor;
  view.ndim = static_cast<std::int32_t>(rank);
  view.shape = array.shape.data();
  view.strides = strides.is_none() ? nullptr : array.strides.data();
}

void read_data(const InterfaceReader& reader, CudaArray& array) {
  const py::object data = reader.tuple("data");
  reader.check(PyTuple_GET_SIZE(data.ptr()) == 2, "data", data);
  const py::handle address = PyTuple_GET_ITEM(data.ptr(), 0);
  reader.check(PyLong_Check(address.ptr()) != 0, "data", data);
  array.managed.tensor.data = PyLong_AsVoidPtr(address.ptr());
  if (PyErr_Occurred() != nullptr) throw_python_error();
  const bool read_only = to_bool({kCudaInterface, "data"}, PyTuple_GET_ITEM(data.ptr(), 1));
  array.managed.flags = read_only ? dlpack::kFlagReadOnly : 0;
}

/// The interface does not say which device the data is on, so the driver does. What it does not
/// know is refused by the import.
OpenDevice& device_of(const dlpack::TensorView& view) {
  OpenDevice& current = open_device(resolved(Device::cuda(-1)));
  if (view.data == nullptr) return current;  // no elements
  const AddressLocation found = current.runtime().locate(view.data);
  const bool elsewhere =
      found.kind == AddressLocation::Kind::kDevice && found.device != current.device().index;
  return elsewhere ? open_device(Device::cuda(found.device)) : current;
}

Tensor share_cuda_array(Argument argument, PyObject* object) {
  const py::object answer = py::handle(object).attr(kCudaInterface);
  GPUKIT_CHECK(PyDict_Check(answer.ptr()) != 0, BufferError, argument.op, ": ", kCudaInterface,
               " of ", argument.name, " is ", describe_value(answer.ptr()), ", not a dict");
  const InterfaceReader reader(argument, py::dict(answer));
  reader.check(reader.find("mask").is_none(), "mask", reader.find("mask"));
  const DType dtype = interface_dtype(reader);
  auto array = std::make_unique<CudaArray>();
  read_layout(reader, dtype, *array);
  read_data(reader, *array);
  OpenDevice& device = device_of(array->managed.tensor);
  dlpack::check_reachable(argument.op, device);
  if (const py::object stream = reader.find("stream"); !stream.is_none()) {
    dlpack::order_after_producer(device, reader.integer("stream", stream));
  }
  array->managed.version = {dlpack::kMajorVersion, dlpack::kMinorVersion};
  array->managed.context = array.get();
  array->managed.deleter = &CudaArray::destroy;
  array->managed.tensor.dtype = dlpack::type_id(dtype);
  array->managed.tensor.device = {dlpack::kCuda, device.device().index};
  Tensor tensor = dlpack::import_versioned(&array->managed);
  array.release()->owner = Py_NewRef(object);
  return tensor;
}

}  // namespace

bool has_dlpack(PyObject* object) noexcept {
  return has_attribute(object, "__dlpack__") && has_attribute(object, "__dlpack_device__");
}

Tensor share_dlpack(Argument argument, PyObject* object, bool host_wanted) {
  if (PyCapsule_CheckExact(object) != 0) return consume(argument, object);
  if (!has_dlpack(object)) {
    throw_wrong_type(argument, "an array with __dlpack__ and __dlpack_device__, or a capsule",
                     object);
  }
  const dlpack::DeviceId from = producer_device(argument, object);
  const bool on_host = from.code == dlpack::kCpu || from.code == dlpack::kCudaHost;
  py::dict basic, more;
  more["max_version"] = py::make_tuple(dlpack::kMajorVersion, dlpack::kMinorVersion);
  if (host_wanted && !on_host) {
    more["dl_device"] = py::make_tuple(static_cast<int>(dlpack::kCpu), 0);
  } else {
    basic = stream_argument(from);
  }
  const py::object capsule = ask_producer(object, basic, more);
  GPUKIT_CHECK(PyCapsule_CheckExact(capsule.ptr()) != 0, BufferError, argument.op,
               ": __dlpack__ of ", argument.name, " gave ", describe_value(capsule.ptr()),
               ", not a capsule");
  return consume(argument, capsule.ptr());
}

std::optional<Tensor> share_array(Argument argument, PyObject* object) {
  auto shared = share_buffer(argument, object);
  if (shared.has_value() || PyObject_CheckBuffer(object) != 0) return shared;
  if (PyType_Check(object) != 0) return std::nullopt;
  if (has_dlpack(object)) return share_dlpack(argument, object, false);
  if (has_attribute(object, kCudaInterface)) return share_cuda_array(argument, object);
  return std::nullopt;
}

}  // namespace gpukit::bindings
