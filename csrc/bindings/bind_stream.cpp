// gpukit.cuda.Stream and Event, and this thread's current stream.
#include <mutex>
#include <tuple>
#include <vector>

#include "backend/current.h"
#include "backend/registry.h"
#include "base/check.h"
#include "base/error.h"
#include "base/process_state.h"
#include "base/wait_watch.h"
#include "bindings/bind.h"
#include "bindings/gil.h"
#include "bindings/session_hook.h"
#include "bindings/stream_object.h"
#include "tensor/transfer.h"

namespace gpukit::bindings {

namespace {

/// Streams that no Python object holds. They are reused and never destroyed: cached memory
/// belongs to streams.
struct StreamPool {
  struct Entry {
    OpenDevice* device;
    int priority;
    StreamRef ref;
  };
  std::mutex mutex;
  std::vector<Entry> idle;

  bool take(OpenDevice& device, int priority, StreamRef& ref) {
    const std::lock_guard lock(mutex);
    for (std::size_t i = 0; i < idle.size(); ++i) {
      if (idle[i].device != &device || idle[i].priority != priority) continue;
      ref = idle[i].ref;
      idle.erase(idle.begin() + static_cast<std::ptrdiff_t>(i));
      return true;
    }
    return false;
  }
  void release(OpenDevice& device, int priority, StreamRef ref) {
    const std::lock_guard lock(mutex);
    idle.push_back({&device, priority, ref});
  }
};

StreamPool& pool() {
  static StreamPool* const shared = new StreamPool;
  return *shared;
}

using StreamPointer = std::shared_ptr<StreamObject>;

/// The opened accelerator behind an argument; None is the current CUDA device.
OpenDevice& open_accelerator(Argument argument, const py::object& which) {
  const Device device = which.is_none() ? Device::cuda(-1) : to_device(argument, which.ptr());
  if (!device.is_accelerator()) {
    throw InvalidDeviceError(concat(argument.op, ": ", argument.name,
                                    " must be an accelerator such as 'cuda:0', got '",
                                    to_string(device), "'; the CPU has no streams"));
  }
  const Device concrete = resolved(device);
  return run(true, [&]() -> OpenDevice& { return open_device(concrete); });
}

StreamPointer stream_over(OpenDevice& device, StreamRef ref) {
  auto stream = std::make_shared<StreamObject>();
  stream->session = device.session().shared_from_this();
  stream->device = &device;
  stream->ref = ref;
  return stream;
}

StreamPointer make_stream(const py::object& which, const py::object& priority) {
  OpenDevice& device = open_accelerator({"Stream", "device"}, which);
  const std::int64_t level = to_int64({"Stream", "priority"}, priority.ptr());
  GPUKIT_CHECK(level >= -5 && level <= 5, ValueError,
               "Stream: priority must be -5 to 5 (lower runs first), got ", level);
  StreamPointer stream = stream_over(device, {});
  stream->priority = static_cast<int>(level);
  if (!pool().take(device, stream->priority, stream->ref)) {
    stream->ref = run(true, [&] { return device.runtime().create_stream(stream->priority); });
  }
  stream->from_pool = true;
  return stream;
}

struct EventObject {
  EventOptions options;
  std::shared_ptr<Session> session;
  OpenDevice* device = nullptr;
  EventRef ref;
  bool recorded = false;
  live::Counted<live::events> counted;

  ~EventObject() {
    if (device != nullptr && ref.handle != 0 && device->alive() && process_state::driver_usable()) {
      device->runtime().destroy_event(ref);
    }
  }
};

}  // namespace

template <>
inline constexpr bool is_bound_class<EventObject> = true;

namespace {

/// The event belongs to the device of the first stream it is recorded on.
void bring_to(EventObject& event, const StreamObject& stream) {
  if (event.device == stream.device && event.ref.handle != 0) return;
  GPUKIT_CHECK(event.device == nullptr, DeviceMismatchError, "Event.record: the event is of ",
               to_string(event.device->device()), ", the stream of ",
               to_string(stream.device->device()));
  event.session = stream.session;
  event.device = stream.device;
  event.ref = run(true, [&] { return stream.device->runtime().create_event(event.options); });
}

void record(EventObject& event, const StreamObject& stream) {
  bring_to(event, stream);
  run(true, [&] {
    flush_uploads(*stream.device);
    stream.device->runtime().record(event.ref, stream.ref);
  });
  event.recorded = true;
}

StreamPointer current(const py::object& which) {
  OpenDevice& device = open_accelerator({"current_stream", "device"}, which);
  return run(true, [&] { return stream_over(device, current_stream(device)); });
}

StreamPointer stream_or_current(const py::object& stream) {
  if (stream.is_none()) return current(py::none());
  if (!py::isinstance<StreamObject>(stream))
    throw_wrong_type({"Event", "stream"}, "a Stream", stream.ptr());
  stream.cast<StreamObject&>();  // a TypeError when it was never initialised
  return stream.cast<StreamPointer>();
}

double elapsed_time(EventObject& start, EventObject& end) {
  GPUKIT_CHECK(start.options.timing && end.options.timing, GenericError,
               "elapsed_time: both events need timing; create Event(enable_timing=True)");
  GPUKIT_CHECK(start.recorded && end.recorded, GenericError,
               "elapsed_time: both events must be recorded first");
  GPUKIT_CHECK(start.device == end.device, DeviceMismatchError,
               "elapsed_time: the events are of two devices");
  return run(true, [&] { return start.device->runtime().elapsed_ms(start.ref, end.ref); });
}

void add_event(py::module_& module) {
  py::class_<EventObject, std::shared_ptr<EventObject>> cls(
      module, "Event",
      "A mark in a stream: Event(enable_timing=False, blocking=False).\n\n"
      "With timing, elapsed_time gives milliseconds between two events; blocking waits sleep "
      "instead of polling.\n\n"
      "Args:\n"
      "    enable_timing: keep the time.\n"
      "    blocking: sleep in synchronize() instead of polling.\n\n"
      "Example:\n"
      "    >>> import gpukit\n"
      "    >>> with gpukit.simulate(1):\n"
      "    ...     start = gpukit.cuda.Event(enable_timing=True)\n"
      "    ...     end = gpukit.cuda.Event(enable_timing=True)\n"
      "    ...     start.record()\n"
      "    ...     x = gpukit.ones(1000, device=\"cuda\") * 2\n"
      "    ...     end.record()\n"
      "    ...     end.synchronize()\n"
      "    ...     start.elapsed_time(end) > 0\n"
      "    True\n");
  cls.def(py::init([](const py::object& timing, const py::object& blocking) {
            auto event = std::make_shared<EventObject>();
            event->options.timing = to_bool({"Event", "enable_timing"}, timing.ptr());
            event->options.blocking = to_bool({"Event", "blocking"}, blocking.ptr());
            return event;
          }),
          py::arg("enable_timing") = false, py::arg("blocking") = false);
  refuse_pickling(cls, "it is a mark in a stream of this process. Make a new one: Event()");
  cls.def(
      "record",
      [](EventObject& self, const py::object& stream) { record(self, *stream_or_current(stream)); },
      py::arg("stream") = py::none(),
      "Marks the work queued so far on a stream, by default the current one.\n\n"
      "Args:\n"
      "    stream: a Stream; None is the current one.\n\n"
      "Raises:\n"
      "    TypeError: it is not a Stream.\n");
  cls.def(
      "wait",
      [](EventObject& self, const py::object& stream) {
        const StreamPointer target = stream_or_current(stream);
        if (!self.recorded) return;
        run(true, [&] { target->device->runtime().wait(target->ref, self.ref); });
      },
      py::arg("stream") = py::none(),
      "Makes later work of a stream wait for the event.\n\n"
      "Args:\n"
      "    stream: a Stream; None is the current one.\n\n"
      "Raises:\n"
      "    TypeError: it is not a Stream.\n");
  cls.def(
      "query",
      [](EventObject& self) {
        if (!self.recorded) return true;
        return run(true, [&] {
          const bool done = self.device->runtime().query(self.ref);
          if (done) self.device->raise_index_fault();
          return done;
        });
      },
      "True when the marked work is done.");
  cls.def(
      "synchronize",
      [](EventObject& self) {
        if (!self.recorded) return;
        run(true, [&] {
          const WatchedWait watched(WaitKind::kSync, 0);
          self.device->runtime().synchronize(self.ref);
          self.device->raise_index_fault();
        });
      },
      "Waits until the marked work is done.");
  cls.def(
      "elapsed_time",
      [](EventObject& self, const py::object& end) {
        if (!py::isinstance<EventObject>(end))
          throw_wrong_type({"elapsed_time", "end_event"}, "an Event", end.ptr());
        return elapsed_time(self, end.cast<EventObject&>());
      },
      py::arg("end_event"),
      "Milliseconds from this event to a later one; both need enable_timing=True.\n\n"
      "Args:\n"
      "    end_event: an Event.\n\n"
      "Returns:\n"
      "    a float.\n\n"
      "Raises:\n"
      "    GpukitError: one was not recorded, or keeps no time.\n"
      "    DeviceMismatchError: they are of different devices.\n");
}

void add_stream(py::module_& module) {
  py::class_<StreamObject, StreamPointer> cls(
      module, "Stream",
      "A queue of work on one CUDA device: Stream(device=None, priority=0). Lower priorities run "
      "first.\n\n"
      "Args:\n"
      "    device: a device, its name or its index; None is the current CUDA device.\n"
      "    priority: an int; the lowest runs first.\n\n"
      "Raises:\n"
      "    DeviceNotFoundError: there is no such GPU.\n"
      "    ValueError: the card has no such priority.\n\n"
      "Example:\n"
      "    >>> import gpukit\n"
      "    >>> with gpukit.simulate(1):\n"
      "    ...     side = gpukit.cuda.Stream()\n"
      "    ...     with gpukit.cuda.stream(side):\n"
      "    ...         x = gpukit.ones(3, device=\"cuda\") + 1\n"
      "    ...     gpukit.cuda.current_stream().wait_stream(side)\n"
      "    ...     x.tolist()\n"
      "    [2.0, 2.0, 2.0]\n");
  cls.def(py::init(&make_stream), py::arg("device") = py::none(), py::arg("priority") = 0);
  refuse_pickling(cls, "it is a queue of this process. Make a new one: Stream()");
  cls.def_property_readonly(
      "device", [](const StreamObject& self) { return self.device->device(); }, "Its device.");
  cls.def_property_readonly(
      "cuda_stream", [](const StreamObject& self) { return self.ref.handle; },
      "The driver's handle as an int.");
  cls.def_property_readonly(
      "priority", [](const StreamObject& self) { return self.priority; }, "Its priority.");
  cls.def(
      "query",
      [](StreamObject& self) { return run(true, [&] { return is_idle(*self.device, self.ref); }); },
      "True when all queued work is done.");
  cls.def(
      "synchronize",
      [](StreamObject& self) { run(true, [&] { synchronize(*self.device, self.ref); }); },
      "Waits until all queued work is done.");
  cls.def(
      "wait_event",
      [](StreamObject& self, const py::object& event) {
        if (!py::isinstance<EventObject>(event))
          throw_wrong_type({"wait_event", "event"}, "an Event", event.ptr());
        auto& mark = event.cast<EventObject&>();
        if (mark.recorded) run(true, [&] { self.device->runtime().wait(self.ref, mark.ref); });
      },
      py::arg("event"),
      "Makes later work wait for an event.\n\n"
      "Args:\n"
      "    event: an Event.\n\n"
      "Raises:\n"
      "    TypeError: it is not an Event.\n");
  cls.def(
      "wait_stream",
      [](StreamObject& self, const py::object& stream) {
        if (!py::isinstance<StreamObject>(stream))
          throw_wrong_type({"wait_stream", "stream"}, "a Stream", stream.ptr());
        const auto& other = stream.cast<StreamObject&>();
        EventObject mark;
        record(mark, other);
        run(true, [&] { self.device->runtime().wait(self.ref, mark.ref); });
      },
      py::arg("stream"),
      "Makes later work wait for what another stream has queued so far.\n\n"
      "Args:\n"
      "    stream: a Stream.\n\n"
      "Raises:\n"
      "    TypeError: it is not a Stream.\n");
  cls.def(
      "record_event",
      [](StreamObject& self, const py::object& event) {
        py::object mark = event.is_none() ? py::cast(std::make_shared<EventObject>()) : event;
        if (!py::isinstance<EventObject>(mark))
          throw_wrong_type({"record_event", "event"}, "an Event", mark.ptr());
        record(mark.cast<EventObject&>(), self);
        return mark;
      },
      py::arg("event") = py::none(),
      "Marks the work queued so far; gives the event.\n\n"
      "Args:\n"
      "    event: an Event; None makes one.\n\n"
      "Raises:\n"
      "    TypeError: it is not an Event.\n");
  cls.def(
      "__cuda_stream__",
      [](const StreamObject& self) { return py::make_tuple(0, self.ref.handle); },
      "The CUDA stream protocol: (version, handle).");
  cls.def("__eq__", [](const StreamObject& self, const py::object& other) {
    if (!py::isinstance<StreamObject>(other)) return false;
    const auto& stream = other.cast<StreamObject&>();
    return self.device == stream.device && self.ref == stream.ref;
  });
  cls.def("__hash__", [](const StreamObject& self) {
    return self.ref.handle ^ reinterpret_cast<std::uintptr_t>(self.device);
  });
  cls.def("__repr__", [](const StreamObject& self) {
    return concat("<gpukit.cuda.Stream device=", to_string(self.device->device()),
                  " cuda_stream=0x", std::hex, self.ref.handle, ">");
  });
}

/// A stream of another library: never pooled, never destroyed.
struct ExternalStreamObject : StreamObject {};

}  // namespace

template <>
inline constexpr bool is_bound_class<ExternalStreamObject> = true;

namespace {

void add_external_stream(py::module_& module) {
  py::class_<ExternalStreamObject, StreamObject, std::shared_ptr<ExternalStreamObject>> cls(
      module, "ExternalStream",
      "A stream that another library made, by its handle: ExternalStream(ptr, device=None).\n\n"
      "gpukit does not free it; it must live as long as the tensors that were used on it.\n\n"
      "Args:\n"
      "    ptr: the CUstream as an int; 0 is the legacy stream.\n"
      "    device: a device, its name or its index; None is the current CUDA device.\n\n"
      "Raises:\n"
      "    ValueError: ptr is negative.\n"
      "    DeviceNotFoundError: there is no such GPU.\n\n"
      "Example:\n"
      "    >>> import gpukit\n"
      "    >>> with gpukit.simulate(1):\n"
      "    ...     theirs = gpukit.cuda.Stream()  # in earnest: another library's\n"
      "    ...     gpukit.cuda.ExternalStream(theirs.cuda_stream) == theirs\n"
      "    True\n");
  cls.def(py::init([](const py::object& pointer, const py::object& which) {
            const std::int64_t handle = to_int64({"ExternalStream", "ptr"}, pointer.ptr());
            GPUKIT_CHECK(handle >= 0, ValueError, "ExternalStream: ptr must be 0 or more, got ",
                         handle);
            OpenDevice& device = open_accelerator({"ExternalStream", "device"}, which);
            auto stream = std::make_shared<ExternalStreamObject>();
            stream->session = device.session().shared_from_this();
            stream->device = &device;
            stream->ref = StreamRef{static_cast<std::uintptr_t>(handle)};
            return stream;
          }),
          py::arg("ptr"), py::arg("device") = py::none());
}

}  // namespace

StreamObject::~StreamObject() {
  if (from_pool && device->alive()) pool().release(*device, priority, ref);
}

StreamRef stream_of_object(Argument argument, PyObject* object) {
  if (!py::isinstance<StreamObject>(object)) throw_wrong_type(argument, "a Stream", object);
  return py::handle(object).cast<StreamObject&>().ref;
}

template <>
void bind<Part::kStream>(py::module_& module) {
  add_stream(module);
  add_external_stream(module);
  add_event(module);
  module.def("current_stream", current, py::arg("device") = py::none(),
             "This thread's current stream of a device.\n\n"
             "Args:\n"
             "    device: a device, its name or its index; None is the current CUDA device.\n\n"
             "Raises:\n"
             "    DeviceNotFoundError: the device does not exist.\n\n"
             "Example:\n"
             "    >>> import gpukit\n"
             "    >>> with gpukit.simulate(1):\n"
             "    ...     gpukit.cuda.current_stream() == gpukit.cuda.default_stream()\n"
             "    True\n");
  module.def(
      "default_stream",
      [](const py::object& which) {
        OpenDevice& device = open_accelerator({"default_stream", "device"}, which);
        return run(true, [&] { return stream_over(device, device.runtime().default_stream()); });
      },
      py::arg("device") = py::none(),
      "gpukit's own stream of a device.\n\n"
      "Args:\n"
      "    device: a device, its name or its index; None is the current CUDA device.\n\n"
      "Raises:\n"
      "    DeviceNotFoundError: the device does not exist.\n\n"
      "Example:\n"
      "    >>> import gpukit\n"
      "    >>> with gpukit.simulate(1):\n"
      "    ...     gpukit.cuda.default_stream().device\n"
      "    device(type='cuda', index=0)\n");
  module.def(
      "set_stream",
      [](const StreamObject& stream) { set_current_stream(*stream.device, stream.ref); },
      py::arg("stream"),
      "Makes a stream this thread's current one for its device.\n\n"
      "Example:\n"
      "    >>> import gpukit\n"
      "    >>> with gpukit.simulate(1):\n"
      "    ...     side = gpukit.cuda.Stream()\n"
      "    ...     gpukit.cuda.set_stream(side)\n"
      "    ...     gpukit.cuda.current_stream() == side\n"
      "    True\n");
}

}  // namespace gpukit::bindings
