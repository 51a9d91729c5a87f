// Kinds of devices that shared libraries add.
#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "backend/device_library.h"
#include "backend/registry.h"
#include "base/check.h"
#include "base/error.h"
#include "bindings/arguments.h"
#include "bindings/bind.h"
#include "bindings/gil.h"

namespace gpukit::bindings {

namespace {

/// The concrete device of an argument that must be an accelerator of an added kind.
Device added_device(Argument argument, const py::object& which) {
  const Device device = to_device(argument, which.ptr());
  if (!is_added(device.type)) {
    throw InvalidDeviceError(concat(argument.op, ": ", argument.name,
                                    " must be a device that a library added, got '",
                                    to_string(device), "'"));
  }
  return device;
}

std::vector<Device> added_devices() {
  std::vector<Device> devices;
  for (const DeviceType type : registered_types()) {
    if (!is_added(type)) continue;
    for (int index = 0; index < device_count(type); ++index)
      devices.push_back(Device::of(type, index));
  }
  return devices;
}

py::dict device_summary(const py::object& which) {
  const Device device = resolve(added_device({"describe_device", "device"}, which));
  OpenDevice& opened = run(true, [&]() -> OpenDevice& { return open_device(device); });
  const DeviceProperties& properties = opened.runtime().properties();
  py::dict result;
  result["name"] = properties.name;
  result["total_memory"] = properties.total_memory;
  result["shares_memory_with_host"] = opened.capabilities().shares_memory_with_host;
  result["peer_copies"] = opened.capabilities().peer_copies;
  result["graphs"] = opened.capabilities().graphs;
  return result;
}

void end_session(const py::object& which, const std::string& reason) {
  const DeviceType type = added_device({"end_device_session", "device"}, which).type;
  run(true, [&] { gpukit::reset_session(type, reason); });
}

}  // namespace

template <>
void bind<Part::kDeviceLibrary>(py::module_& module) {
  module.def(
      "load_device_library",
      [](const std::string& path) { return run(true, [&] { return load_device_library(path); }); },
      py::arg("path"),
      "Loads a shared library that adds a kind of device (an absolute path); returns its name.");
  module.def(
      "added_devices", [] { return run(true, added_devices); },
      "The devices of the kinds that libraries added.");
  module.def("describe_device", device_summary, py::arg("device"),
             "Name, memory and capabilities of a device that a library added.");
  module.def("end_device_session", end_session, py::arg("device"), py::arg("reason"),
             "Ends the session of an added kind of device; its tensors raise `reason` when used.");
}

}  // namespace gpukit::bindings
