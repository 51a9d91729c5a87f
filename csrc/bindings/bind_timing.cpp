// What bench asks of the compiled part: how much work a function does.
#include <memory>
#include <utility>

#include "backend/registry.h"
#include "backend/work_tally.h"
#include "base/device_use.h"
#include "bindings/arguments.h"
#include "bindings/bind.h"
#include "bindings/gil.h"
#include "bindings/work_count.h"

namespace gpukit::bindings {

namespace {

/// A WorkTally with its observation, as Python begins and ends it.
class DeviceWorkCount {
 public:
  explicit DeviceWorkCount(const py::object& which)
      : device_(resolved(to_device({"DeviceWorkCount", "device"}, which.ptr()))) {
    run(true, [&] { open_device(device_); });
  }
  ~DeviceWorkCount() { stop(); }
  DeviceWorkCount(const DeviceWorkCount&) = delete;
  DeviceWorkCount& operator=(const DeviceWorkCount&) = delete;

  void start() {
    stop();
    tally_ = std::make_shared<WorkTally>(device_);
    observation_ = observe(tally_, Reach::kAllThreads);
  }
  void stop() noexcept {
    if (observation_ != nullptr) end_observation(std::exchange(observation_, nullptr));
  }
  WorkCount count() const { return tally_ == nullptr ? WorkCount{} : tally_->count(); }

 private:
  Device device_;
  std::shared_ptr<WorkTally> tally_;
  ObservationPtr observation_;
};

}  // namespace

py::dict work_as_dict(const WorkCount& count) {
  py::dict flops;
  for (int i = 0; i < kDTypeCount; ++i) {
    const double counted = count.flops[static_cast<std::size_t>(i)];
    if (counted > 0) flops[py::str(std::string(name(static_cast<DType>(i))))] = counted;
  }
  py::dict result;
  result["operations"] = count.operations;
  result["copies"] = count.copies;
  result["unknown"] = count.unknown;
  result["bytes"] = count.bytes;
  result["flops"] = flops;
  result["longest_sum"] = count.longest_sum;
  return result;
}

namespace {

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

template <>
inline constexpr bool is_bound_class<DeviceWorkCount> = true;

template <>
void bind<Part::kTiming>(py::module_& module) {
  py::class_<DeviceWorkCount> count(module, "DeviceWorkCount",
                                    "The operations of all threads that reach a device.");
  refuse_pickling(count, "it counts the work of this process. Take count()");
  count.def(py::init<const py::object&>(), py::arg("device"))
      .def("start", &DeviceWorkCount::start, "Begins to count, from zero.")
      .def("stop", &DeviceWorkCount::stop, "Ends counting; the counts are kept.")
      .def(
          "count", [](const DeviceWorkCount& self) { return work_as_dict(self.count()); },
          "Operations, copies and users' kernels among them, bytes, flops by dtype, longest sum.");
  module.def(
      "device_use", device_use,
      "(pieces of work, changes of stream, last stream) of each GPU since the process began.");
}

}  // namespace gpukit::bindings
