// gpukit._core.WaitLog, and the waits that are allowed.
#include <pybind11/stl.h>

#include "base/check.h"
#include "base/error.h"
#include "bindings/bind.h"
#include "bindings/origin.h"
#include "bindings/tensor_object.h"
#include "bindings/wait_log.h"

namespace gpukit::bindings {

namespace {

constexpr int kKinds = static_cast<int>(WaitKind::kSync) + 1;

WatchMode mode_of(const std::string& text) {
  if (text == "report") return WatchMode::kReport;
  if (text == "warn") return WatchMode::kWarn;
  if (text == "error") return WatchMode::kError;
  throw ValueError(concat("watch: mode must be 'report', 'warn' or 'error', got '", text, "'"));
}

std::uint32_t kind_bit(const std::string& text) {
  std::string known;
  for (int kind = 0; kind < kKinds; ++kind) {
    const std::string_view name = gpukit::name(static_cast<WaitKind>(kind));
    if (text == name) return 1u << kind;
    known += concat(known.empty() ? "" : ", ", name);
  }
  throw ValueError(
      concat("watch: include has '", text, "', which is not a kind of wait; known: ", known));
}

std::unique_ptr<WaitLog> make_log(const std::string& mode, std::size_t min_bytes,
                                  const std::vector<std::string>& include) {
  WaitFilter filter{mode_of(mode), min_bytes, 0};
  for (const std::string& kind : include) filter.kinds |= kind_bit(kind);
  return std::make_unique<WaitLog>(filter);
}

py::list rows_of(const WaitLog& log) {
  py::list rows;
  for (const WaitRow& row : log.rows()) {
    rows.append(py::make_tuple(row.location.file, row.location.line, row.location.function,
                               std::string(name(row.kind)), row.count, row.bytes, row.seconds));
  }
  return rows;
}

}  // namespace

template <>
inline constexpr bool is_bound_class<WaitLog> = true;

template <>
void bind<Part::kWatch>(py::module_& module) {
  py::class_<WaitLog> log(module, "WaitLog", "Counts Python's waits for devices, by line.");
  refuse_pickling(log, "it counts the waits of this process. Take rows()");
  log.def(py::init(&make_log), py::arg("mode"), py::arg("min_bytes"), py::arg("include"))
      .def(
          "start", [](WaitLog& self) { self.start(); }, "Begins to count.")
      .def(
          "stop", [](WaitLog& self) { self.stop(); }, "Ends counting.")
      .def("rows", rows_of,
           "(file, line, function, kind, count, bytes, seconds) for each line and kind.")
      .def_property_readonly(
          "seconds", [](const WaitLog& self) { return self.seconds(); },
          "Seconds from start to stop or now.")
      .def_property_readonly(
          "idle_seconds", [](const WaitLog& self) { return self.idle_seconds(); },
          "Of these, seconds in which nothing was queued after a wait.");
  module.def(
      "wait_kinds",
      [] {
        std::vector<std::string> kinds;
        for (int kind = 0; kind < kKinds; ++kind) {
          kinds.emplace_back(name(static_cast<WaitKind>(kind)));
        }
        return kinds;
      },
      "The kinds of wait that gpukit tells apart.");
  module.def("set_inner_folders", set_inner_folders, py::arg("folders"),
             "Folders of Python files that are never the line that waited.");
  module.def(
      "block_of",
      [](const Tensor& tensor) {
        const StorageRef& storage = tensor.storage();
        const Origin origin = origin_of(tensor);
        return py::make_tuple(reinterpret_cast<std::uintptr_t>(&*storage), storage->bytes(),
                              origin.file, origin.line);
      },
      py::arg("tensor"),
      "(number of the block, bytes, file, line) of a tensor's memory; the line that made it is "
      "known "
      "for blocks of 1 MiB and more.");
  module.def("push_allowed_wait", push_allowed_wait,
             "Waits of this thread are not counted, warned of or refused from now on.");
  module.def("pop_allowed_wait", pop_allowed_wait, "Ends the last push_allowed_wait.");
}

}  // namespace gpukit::bindings
