// gpukit.device, the default and current devices, waiting for devices.
#include <pybind11/operators.h>
#include <pybind11/stl.h>

#include <array>
#include <optional>

#include "backend/current.h"
#include "backend/registry.h"
#include "base/check.h"
#include "base/env.h"
#include "base/error.h"
#include "base/log.h"
#include "bindings/arguments.h"
#include "bindings/bind.h"
#include "bindings/gil.h"
#include "bindings/session_hook.h"
#include "core/device_types.h"
#include "cpu/thread_pool.h"
#include "tensor/transfer.h"

namespace gpukit::bindings {

namespace {

/// One object for each of the first devices of a kind; slot 0 is the one without an index.
constexpr std::size_t kInternedDevices = 66;
std::array<std::array<PyObject*, kInternedDevices>, kMostDeviceTypes> interned{};
PyTypeObject* device_type = nullptr;

bool is_device_object(PyObject* value) noexcept { return Py_TYPE(value) == device_type; }

Device make(const py::object& type, const py::object& index) {
  const Argument argument{"device", "type"};
  if (index.is_none()) return to_device(argument, type.ptr());
  if (PyUnicode_Check(type.ptr()) == 0) {
    throw InvalidDeviceError(concat("device: with an index, type must be text such as 'cuda', got ",
                                    describe_value(type.ptr())));
  }
  if (PyBool_Check(index.ptr()) != 0 || PyIndex_Check(index.ptr()) == 0) {
    throw InvalidDeviceError(
        concat("device: index must be an int, got ", describe_value(index.ptr())));
  }
  return make_device(to_text(argument, type.ptr()), to_int64({"device", "index"}, index.ptr()));
}

std::string repr(Device device) {
  std::string text = concat("device(type='", name(device.type), "'");
  if (!device.is_single() && device.has_index()) text += concat(", index=", device.index);
  return text + ")";
}

py::object index_of(Device device) {
  if (device.is_single() || !device.has_index()) return py::none();
  return py::int_(device.index);
}

/// GPUKIT_DEVICE, read at the first creation without a device.
void apply_environment_default() {
  static bool done = false;  // guarded by the GIL
  if (done) [[likely]]
    return;
  done = true;
  const std::string text = env::text("GPUKIT_DEVICE");
  if (text.empty()) return;
  try {
    set_default_device(parse_device(text));
  } catch (const InvalidDeviceError& error) {
    log::warning("GPUKIT_DEVICE: ", error.what(), " Using the CPU.");
  }
}

void wait_for_device(Device device) {
  if (device.is_cpu()) return;
  run(true, [&] { gpukit::synchronize(open_device(device)); });
}

void synchronize(const py::object& which) {
  if (which.is_none()) {
    for (const DeviceType type : registered_types()) {
      if (session_if_open(type) != nullptr) wait_for_device(gpukit::resolve(Device::of(type, -1)));
    }
    return;
  }
  wait_for_device(resolved(to_device({"synchronize", "device"}, which.ptr())));
}

/// The index of a CUDA device that may be absent; used for set_device and its context manager.
int cuda_index(const char* op, const py::object& which) {
  const Device device = to_device({op, "device"}, which.ptr());
  if (!device.is_cuda()) {
    throw InvalidDeviceError(
        concat(op, ": device must be a CUDA device, got '", to_string(device), "'"));
  }
  return device.has_index() ? device.index : current_index(DeviceType::kCuda);
}

void set_current(const py::object& which) {
  const int index = cuda_index("set_device", which);
  prepare_cuda();
  run(true, [&] { open_device(Device::cuda(index)); });
  set_current_index(DeviceType::kCuda, index);
}

void add_device_class(py::module_& module) {
  py::class_<Device> cls(
      module, "device",
      "Where a tensor lives: device('cpu'), device('cuda:1'), device('cuda', 1), device(1).\n\n"
      "Immutable and hashable. Naming a device checks only the text; an absent one fails when it\n"
      "is used. As a context manager it is where new tensors go.\n\n"
      "Args:\n"
      "    type: 'cpu', 'cuda' ('gpu' is the same), with or without ':index'; an index; or a "
      "device.\n"
      "    index: the index, if the text has none.\n\n"
      "Raises:\n"
      "    InvalidDeviceError: it is not a device.\n\n"
      "Example:\n"
      "    >>> import gpukit\n"
      "    >>> gpukit.device('cuda', 1)\n"
      "    device(type='cuda', index=1)\n"
      "    >>> str(gpukit.device('gpu:0'))\n"
      "    'cuda:0'\n",
      py::is_final());
  cls.def(py::init(&make), py::arg("type"), py::arg("index") = py::none());
  cls.def_property_readonly(
      "type", [](Device self) { return std::string(name(self.type)); }, "'cpu' or 'cuda'.");
  cls.def_property_readonly("index", index_of,
                            "The index, or None for the CPU and for 'the current one'.");
  cls.def_property_readonly(
      "simulated", [](Device self) { return self.is_cuda() && cuda_is_simulated(); },
      "True when the device is simulated on the CPU.");
  cls.def(
      "resolve", [](Device self) { return resolved(self); },
      "The same device with its index filled in: device('cuda') is the current one.");
  cls.def("__enter__", [](const py::object& self) {
    push_default_device(self.cast<Device>());
    return self;
  });
  cls.def("__exit__", [](Device, const py::args&) { pop_default_device(); });
  cls.def("__repr__", repr);
  cls.def("__str__", [](Device self) { return to_string(self); });
  cls.def(
      "__eq__",
      [](Device self, const py::object& other) {
        return is_device_object(other.ptr()) && self == other.cast<Device>();
      },
      py::is_operator());
  cls.def("__hash__",
          [](Device self) { return static_cast<int>(self.type) * 65536 + self.index + 1; });
  cls.def("__reduce__", [](const py::object& self) {
    const auto device = self.cast<Device>();
    return py::make_tuple(py::type::of(self),
                          py::make_tuple(std::string(name(device.type)), index_of(device)));
  });
  device_type = reinterpret_cast<PyTypeObject*>(cls.ptr());
}

}  // namespace

bool looks_like_device(PyObject* value) noexcept { return is_device_object(value); }

Device to_device(Argument argument, PyObject* value) {
  if (is_device_object(value)) return py::handle(value).cast<Device>();
  if (PyUnicode_Check(value) != 0) return parse_device(to_text(argument, value));
  if (is_integer(value)) {
    return make_device("cuda", to_int64(argument, value));
  }
  throw InvalidDeviceError(concat(argument.op, ": ", argument.name,
                                  " must be a device such as 'cpu' or 'cuda:0', got ",
                                  describe_value(value), torch_advice(value)));
}

PyObject* new_object(Device device) {
  const auto slot = static_cast<std::size_t>(device.index + 1);
  if (slot >= kInternedDevices) return py::cast(device).release().ptr();
  PyObject*& known = interned[static_cast<std::size_t>(device.type)][slot];
  if (known == nullptr) known = py::cast(device).release().ptr();
  return Py_NewRef(known);
}

Device resolved(Device device) {
  if (device.is_cuda()) prepare_cuda();
  return gpukit::resolve(device);
}

Device creation_device(Argument argument, PyObject* value_or_null) {
  if (value_or_null != nullptr) return resolved(to_device(argument, value_or_null));
  apply_environment_default();
  return resolved(default_device());
}

template <>
void bind<Part::kDevice>(py::module_& module) {
  add_device_class(module);
  module.def(
      "set_default_device",
      [](const py::object& device) {
        apply_environment_default();
        set_default_device(device.is_none()
                               ? Device::cpu()
                               : to_device({"set_default_device", "device"}, device.ptr()));
      },
      py::arg("device"),
      "Sets where new tensors go when no device is named; None means the CPU. Process wide.\n\n"
      "Args:\n"
      "    device: a device, its name or its index.\n\n"
      "Raises:\n"
      "    InvalidDeviceError: it is not a device.\n\n"
      "Example:\n"
      "    >>> import gpukit\n"
      "    >>> gpukit.set_default_device('cpu')\n");
  module.def(
      "get_default_device",
      [] {
        apply_environment_default();
        return default_device();
      },
      "Where new tensors go when no device is named.\n\n"
      "Example:\n"
      "    >>> import gpukit\n"
      "    >>> gpukit.get_default_device()\n"
      "    device(type='cpu')\n");
  module.def("synchronize", synchronize, py::arg("device") = py::none(),
             "Waits until all queued work of a device is done; the GIL is released.\n\n"
             "None means the current device of each kind that is in use. Work on the CPU is always "
             "done.\n\n"
             "Args:\n"
             "    device: a device, its name or its index.\n\n"
             "Raises:\n"
             "    DeviceNotFoundError: the device does not exist.\n\n"
             "Example:\n"
             "    >>> import gpukit\n"
             "    >>> gpukit.synchronize()\n");
  module.def(
      "current_cuda_index", [] { return current_index(DeviceType::kCuda); },
      "Index of this thread's current CUDA device.");
  module.def("set_current_cuda", set_current, py::arg("device"),
             "Makes a CUDA device this thread's current one. It must be there.");
  module.def(
      "switch_cuda_index", [](int index) { set_current_index(DeviceType::kCuda, index); },
      py::arg("index"), "Sets this thread's current index without looking at the device.");
  module.def(
      "set_num_threads",
      [](const py::object& n) {
        const std::int64_t count = to_int64({"set_num_threads", "n"}, n.ptr());
        GPUKIT_CHECK(count >= 1 && count <= 4096, ValueError,
                     "set_num_threads: n must be 1 to 4096, got ", count);
        run(true, [&] { cpu::set_num_threads(static_cast<int>(count)); });
      },
      py::arg("n"),
      "Sets how many threads work on CPU tensors, the caller included (1 to 4096).\n\n"
      "Args:\n"
      "    n: how many.\n\n"
      "Raises:\n"
      "    ValueError: n is not 1 to 4096.\n\n"
      "Example:\n"
      "    >>> import gpukit\n"
      "    >>> gpukit.set_num_threads(gpukit.get_num_threads())\n");
  module.def("get_num_threads", cpu::get_num_threads,
             "How many threads work on CPU tensors.\n\n"
             "Example:\n"
             "    >>> import gpukit\n"
             "    >>> gpukit.get_num_threads() >= 1\n"
             "    True\n");
}

}  // namespace gpukit::bindings
