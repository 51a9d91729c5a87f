// Memory of devices: statistics, cache, limits.

#include "backend/registry.h"
#include "base/check.h"
#include "base/error.h"
#include "bindings/arguments.h"
#include "bindings/bind.h"
#include "bindings/gil.h"
#include "memory/device_resources.h"
#include "tensor/live_counts.h"

namespace gpukit::bindings {

namespace {

Device device_of(const char* op, const py::object& which) {
  const Argument argument{op, "device"};
  return resolved(which.is_none() ? Device::cuda(-1) : to_device(argument, which.ptr()));
}

/// The resources of a device that is in use, or nullptr: asking for statistics opens nothing.
DeviceResources* resources_if_open(Device device) {
  if (device.is_cpu()) return &resources_of(cpu_device());
  if (session_if_open(device.type) == nullptr) return nullptr;
  return run(true, [&] { return &resources_of(open_device(device)); });
}

py::dict as_dict(const MemoryStatistics& statistics) {
  py::dict result;
  result["allocated_bytes"] = statistics.allocated;
  result["max_allocated_bytes"] = statistics.max_allocated;
  result["reserved_bytes"] = statistics.reserved;
  result["max_reserved_bytes"] = statistics.max_reserved;
  result["allocation_count"] = statistics.allocation_count;
  result["device_allocation_count"] = statistics.device_allocation_count;
  result["out_of_memory_count"] = statistics.out_of_memory_count;
  result["active_blocks"] = statistics.active_blocks;
  return result;
}

PoolKind to_pool(const py::object& value) {
  const std::string text = to_text({"set_pool", "pool"}, value.ptr());
  for (std::size_t i = 0; i < kPoolNames.size(); ++i) {
    if (text == kPoolNames[i]) return static_cast<PoolKind>(i);
  }
  throw ValueError(
      concat("set_pool: pool must be 'pool', 'cuda_async' or 'none', got '", text, "'"));
}

py::dict live_counts() {
  py::dict counts;
  counts["device_buffers"] = live::device_buffers.load();
  counts["pinned_buffers"] = live::pinned_buffers.load();
  counts["pending_copies"] = live::pending_copies.load();
  counts["streams"] = live::streams.load();
  counts["events"] = live::events.load();
  return counts;
}

}  // namespace

template <>
void bind<Part::kMemory>(py::module_& module) {
  module.def(
      "memory_stats",
      [](const py::object& which) {
        DeviceResources* resources = resources_if_open(device_of("memory_stats", which));
        return as_dict(resources != nullptr ? resources->device_memory().statistics()
                                            : MemoryStatistics{});
      },
      py::arg("device") = py::none(),
      "Counts and bytes of a device's memory; zeros when the driver is not in use.");
  module.def(
      "pinned_memory_stats",
      [](const py::object& which) {
        DeviceResources* resources = resources_if_open(device_of("pinned_memory_stats", which));
        return as_dict(resources != nullptr ? resources->pinned_memory().statistics()
                                            : MemoryStatistics{});
      },
      py::arg("device") = py::none(), "Counts and bytes of the pinned host memory of a device.");
  module.def(
      "reset_peak_memory_stats",
      [](const py::object& which) {
        DeviceResources* resources = resources_if_open(device_of("reset_peak_memory_stats", which));
        if (resources != nullptr) resources->device_memory().reset_peak_statistics();
      },
      py::arg("device") = py::none(), "Resets the peaks to the current values.");
  module.def(
      "empty_cache",
      [](const py::object& which) {
        DeviceResources* resources = resources_if_open(device_of("empty_cache", which));
        if (resources == nullptr) return std::size_t{0};
        return run(true, [&] {
          return resources->device_memory().release_cached() +
                 resources->pinned_memory().release_cached();
        });
      },
      py::arg("device") = py::none(), "Gives cached memory back to the device; returns the bytes.");
  module.def(
      "mem_get_info",
      [](const py::object& which) {
        const Device device = device_of("mem_get_info", which);
        const MemoryInfo info =
            run(true, [&] { return open_device(device).runtime().memory_info(); });
        return py::make_tuple(info.free, info.total);
      },
      py::arg("device") = py::none(), "Free and total bytes of a device.");
  module.def(
      "set_memory_limit",
      [](const py::object& which, const py::object& bytes) {
        const Device device = device_of("set_memory_limit", which);
        const std::int64_t limit = to_int64({"set_memory_limit", "limit"}, bytes.ptr());
        GPUKIT_CHECK(limit >= 0, ValueError,
                     "set_memory_limit: limit must be 0 (none) or more bytes, got ", limit);
        run(true,
            [&] { resources_of(open_device(device)).set_limit(static_cast<std::size_t>(limit)); });
      },
      py::arg("device"), py::arg("limit"),
      "Bytes that this process may hold of the device's memory; 0 means no limit.");
  module.def(
      "set_pool",
      [](const py::object& which, const py::object& pool) {
        const Device device = device_of("set_pool", which);
        const PoolKind kind = to_pool(pool);
        run(true, [&] { resources_of(open_device(device)).select_pool(kind); });
      },
      py::arg("device"), py::arg("pool"),
      "Where new memory of a device comes from: 'pool', 'cuda_async' or 'none'.");
  module.def(
      "selected_pool",
      [](const py::object& which) {
        const DeviceResources* resources = resources_if_open(device_of("selected_pool", which));
        const PoolKind kind = resources != nullptr ? resources->selected_pool() : PoolKind{};
        return std::string(kPoolNames[static_cast<std::size_t>(kind)]);
      },
      py::arg("device") = py::none(), "What set_pool set; 'pool' at the start.");
  module.def("live_counts", live_counts,
             "How many buffers, copies under way, streams and events of devices exist now.");
  module.def(
      "memory_limit",
      [](const py::object& which) {
        DeviceResources* resources = resources_if_open(device_of("memory_limit", which));
        return resources != nullptr ? resources->limit() : std::size_t{0};
      },
      py::arg("device") = py::none(), "The limit that set_memory_limit set; 0 is none.");
}

}  // namespace gpukit::bindings
