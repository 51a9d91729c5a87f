// What bench asks of the compiled part: how much work a function does.
#include "backend/registry.h"
#include "base/device_use.h"
#include "bindings/arguments.h"
#include "bindings/bind.h"
#include "bindings/gil.h"

namespace gpukit::bindings {

namespace {

OpenDevice& opened(const char* op, const py::object& which) {
  const Device device = resolved(to_device({op, "device"}, which.ptr()));
  return run(true, [&]() -> OpenDevice& { return open_device(device); });
}

py::dict as_dict(const WorkCount& count) {
  py::dict flops;
  for (int i = 0; i < kDTypeCount; ++i) {
    const double counted = count.flops[static_cast<std::size_t>(i)];
    if (counted > 0) flops[py::str(std::string(name(static_cast<DType>(i))))] = counted;
  }
  py::dict result;
  result["operations"] = count.operations;
  result["copies"] = count.copies;
  result["bytes"] = count.bytes;
  result["flops"] = flops;
  result["longest_sum"] = count.longest_sum;
  return result;
}

/// (work, switches, stream) of every GPU up to the last one that was ever given work.
py::list device_use() {
  py::list rows;
  std::size_t last = kDevicesSeen;
  while (last > 0 && gpukit::detail::device_uses[last - 1].work.load() == 0) --last;
  for (std::size_t i = 0; i < last; ++i) {
    const DeviceUse& use = gpukit::detail::device_uses[i];
    rows.append(py::make_tuple(use.work.load(), use.switches.load(), use.stream.load()));
  }
  return rows;
}

}  // namespace

void bind_timing(py::module_& module) {
  module.def(
      "begin_count", [](const py::object& which) { opened("begin_count", which).begin_count(); },
      py::arg("device"), "Counts the operations of a device from now on. Costs nothing before.");
  module.def(
      "end_count",
      [](const py::object& which) { return as_dict(opened("end_count", which).end_count()); },
      py::arg("device"),
      "Ends the count: operations, copies among them, bytes they must move, flops by dtype, "
      "longest sum.");
  module.def(
      "device_use", device_use,
      "(pieces of work, changes of stream, last stream) of each GPU since the process began.");
}

}  // namespace gpukit::bindings
