// gpukit.cuda.CUDAGraph: a captured step, and the optimizers whose learning rates it follows.
#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "backend/current.h"
#include "backend/registry.h"
#include "base/check.h"
#include "base/error.h"
#include "bindings/arguments.h"
#include "bindings/bind.h"
#include "bindings/gil.h"
#include "bindings/session_hook.h"
#include "tensor/captured_graph.h"

namespace gpukit::bindings {

namespace {

struct GraphObject;
thread_local GraphObject* this_threads = nullptr;

/// The mutex guards `graph` and is never held while the GIL is taken; the GIL guards the rest.
struct GraphObject : std::enable_shared_from_this<GraphObject> {
  /// A group of an optimizer; the inputs up to `end` are its steps.
  struct Followed {
    std::size_t end;
    py::dict group;
  };
  std::mutex mutex;
  CapturedGraph graph;
  std::vector<Followed> groups;

  GraphObject() = default;
  GraphObject(const GraphObject&) = delete;
  GraphObject& operator=(const GraphObject&) = delete;
};

}  // namespace

template <>
inline constexpr bool is_bound_class<GraphObject> = true;

namespace {

using GraphPointer = std::shared_ptr<GraphObject>;

/// Calls without the GIL, one thread at a time.
template <class Call>
auto exclusively(GraphObject& self, Call&& call) {
  return run(true, [&] {
    const std::lock_guard lock(self.mutex);
    return call(self.graph);
  });
}

/// A thread that captures has the graph in its dict: the graph lives while work goes into it, and a
/// thread that ends ends its capture, which no other thread could.
constexpr const char* kHeldGraph = "gpukit.cuda.graph";

void end_of_hold(PyObject* capsule) {
  const std::unique_ptr<GraphPointer> held(
      static_cast<GraphPointer*>(PyCapsule_GetPointer(capsule, nullptr)));
  GraphObject& self = **held;
  if (this_threads != &self) return;
  this_threads = nullptr;
  const std::lock_guard lock(self.mutex);
  self.graph.reset();
}

void hold(GraphObject& self) {
  auto held = std::make_unique<GraphPointer>(self.shared_from_this());
  const auto capsule = owned(PyCapsule_New(held.get(), nullptr, end_of_hold));
  held.release();
  PyObject* dict = PyThreadState_GetDict();
  GPUKIT_CHECK(dict != nullptr, DeviceError, "cuda.graph: this thread cannot capture.");
  checked_status(PyDict_SetItemString(dict, kHeldGraph, capsule.ptr()));
}

void let_go(const GraphObject& self) noexcept {
  if (this_threads != &self) return;
  this_threads = nullptr;
  PyObject* dict = PyThreadState_GetDict();
  if (dict == nullptr || PyDict_DelItemString(dict, kHeldGraph) < 0) PyErr_Clear();
}

OpenDevice& current_device() {
  const Device device = resolved(Device::cuda(-1));
  return run(true, [&]() -> OpenDevice& { return open_device(device); });
}

void reset(GraphObject& self) {
  const bool own = this_threads == &self;
  exclusively(self, [own](CapturedGraph& graph) {
    GPUKIT_CHECK(own || !graph.capturing(), DeviceError,
                 "CUDAGraph.reset: another thread captures this graph. Let that end first.");
    graph.reset();
  });
  let_go(self);
  self.groups.clear();
}

void begin(GraphObject& self) {
  OpenDevice& device = current_device();
  exclusively(self, [&](CapturedGraph& graph) { graph.begin(device, current_stream(device)); });
  self.groups.clear();
  this_threads = &self;
  try {
    hold(self);
  } catch (...) {
    reset(self);
    throw;
  }
}

/// What `graph.end()` throws, too, ends the capture of this thread.
bool ended(GraphObject& self) {
  try {
    const bool any = exclusively(self, [](CapturedGraph& graph) { return graph.end(); });
    let_go(self);
    return any;
  } catch (...) {
    let_go(self);
    throw;
  }
}

void end(GraphObject& self) {
  GPUKIT_CHECK(
      ended(self), DeviceError,
      "cuda.graph: the block queued no work on the GPU. What tensors on the CPU do is done "
      "immediately and cannot be captured: move network and data first with .to('cuda').");
}

/// What the groups' learning rates are now: a scheduler may have changed them.
std::vector<double> rates_of(const GraphObject& self) {
  std::vector<double> rates;
  for (const GraphObject::Followed& followed : self.groups) {
    PyObject* rate = PyDict_GetItemString(followed.group.ptr(), "lr");
    GPUKIT_CHECK(rate != nullptr, ValueError, "CUDAGraph.replay: a captured optimizer has no 'lr'");
    rates.resize(followed.end, to_double({"CUDAGraph.replay", "lr"}, rate));
  }
  return rates;
}

void replay(GraphObject& self) {
  const std::vector<double> rates = rates_of(self);
  exclusively(self, [&](CapturedGraph& graph) {
    for (std::size_t i = 0; i < std::min(rates.size(), graph.inputs().size()); ++i)
      graph.inputs()[i]->set_rate(rates[i]);
    const OpenDevice* device = graph.device();
    graph.replay(device != nullptr ? current_stream(*device) : StreamRef{});
  });
}

void follow(GraphObject& self, const py::object& group) {
  if (!py::isinstance<py::dict>(group))
    throw_wrong_type({"follow", "group"}, "a dict", group.ptr());

  const std::size_t count =
      exclusively(self, [](CapturedGraph& graph) { return graph.inputs().size(); });
  self.groups.push_back({count, group.cast<py::dict>()});
}

}  // namespace

template <>
void bind<Part::kCapturedGraph>(py::module_& module) {
  py::class_<GraphObject, GraphPointer> cls(
      module, "CUDAGraph",
      "Work of a GPU that was captured once and runs again with one launch.\n\n"
      "Fill it with gpukit.cuda.graph. Its memory, and every tensor it reads or writes, stay until "
      "reset().\n\n"
      "Example:\n"
      "    >>> import gpukit\n"
      "    >>> with gpukit.simulate(1):\n"
      "    ...     x, g = gpukit.zeros(2, device='cuda'), gpukit.cuda.CUDAGraph()\n"
      "    ...     with gpukit.cuda.graph(g):\n"
      "    ...         _ = x.add_(1)\n"
      "    ...     g.replay()\n"
      "    ...     g.replay()\n"
      "    ...     x.tolist()\n"
      "    [2.0, 2.0]\n");
  cls.def(py::init([] { return std::make_shared<GraphObject>(); }));
  refuse_pickling(cls, "it holds work of this process's driver. Capture the step again");
  cls.def("capture_begin", begin,
          "Records what this thread queues on the current stream from now on, instead of running "
          "it; gpukit.cuda.graph does this.");
  cls.def("capture_end", end,
          "Ends the recording and makes the graph ready to run. DeviceError when the block queued "
          "nothing.");
  cls.def("replay", replay,
          "Runs the captured work on the current stream and does not wait. Random numbers go on, "
          "optimizers count their steps and take the learning rate of the moment.");
  cls.def("reset", reset,
          "Lets the graph and its memory go; it can be filled again. DeviceError while another "
          "thread captures it.");
  cls.def("follow", follow, py::arg("group"),
          "Private: the steps recorded since the last call take their rate from this dict.");
  module.def(
      "current_graph",
      [] { return this_threads != nullptr ? this_threads->shared_from_this() : GraphPointer(); },
      "The CUDAGraph that this thread captures, or None.");
}

}  // namespace gpukit::bindings
