// gpukit._core.observe and the objects passed to observers. Private: compile, autocast, anomaly
// detection and the profiler are written with it.
#include <pybind11/stl.h>

#include <unordered_map>

#include "base/check.h"
#include "base/error.h"
#include "base/observer.h"
#include "bindings/bind.h"
#include "bindings/call_recorder.h"
#include "bindings/graph_object.h"
#include "bindings/observed_objects.h"
#include "bindings/python_observer.h"
#include "bindings/tensor_object.h"
#include "bindings/work_count.h"

namespace gpukit::bindings {

namespace {

/// What Python keeps of an operator: to call it again.
struct OperatorHandle {
  const Operator* called;
};

/// A derivative with its state when it was reported to an observer.
struct DerivativeView {
  autograd::NodePtr node;
  Tensor gradient;
  std::vector<std::pair<std::size_t, Tensor>> input_gradients;
  WorkCount work;
  std::vector<autograd::NodePtr> nodes;
  py::object error;
  int depth = 0;
};

/// Observes until it is stopped or ends.
class ObservationHandle {
 public:
  explicit ObservationHandle(ObservationPtr observation) noexcept
      : observation_(std::move(observation)) {}
  ~ObservationHandle() { stop(); }
  ObservationHandle(ObservationHandle&& other) noexcept = default;
  ObservationHandle& operator=(ObservationHandle&&) = delete;

  void stop() noexcept {
    if (const ObservationPtr observation = std::exchange(observation_, nullptr))
      end_observation(observation);
  }

 private:
  ObservationPtr observation_;
};

}  // namespace

template <>
inline constexpr bool is_bound_class<OperatorCall> = true;
template <>
inline constexpr bool is_bound_class<OperatorHandle> = true;
template <>
inline constexpr bool is_bound_class<DerivativeView> = true;
template <>
inline constexpr bool is_bound_class<ObservationHandle> = true;

namespace {

py::dict named_ones(const py::object& arguments) {
  GPUKIT_CHECK(PyDict_Check(arguments.ptr()) != 0, TypeError,
               "OperatorCall.arguments: a dict of arguments by name is needed, got ",
               describe_value(arguments.ptr()));
  return py::reinterpret_borrow<py::dict>(arguments);
}

py::object or_none(const py::object& value) { return value ? value : py::none(); }

py::tuple call_begun(const OperatorCall& call) {
  const OperatorObjects& objects = objects_of(call.called());
  return py::make_tuple(objects.handle, objects.name, objects.kind, call.named_arguments());
}

py::tuple call_ended(const OperatorCall& call) {
  return py::make_tuple(or_none(call.error()), or_none(call.result()), call.place());
}

py::tuple nodes_of(const std::vector<autograd::NodePtr>& nodes) {
  py::list all;
  for (const autograd::NodePtr& node : nodes)
    all.append(py::reinterpret_steal<py::object>(graph_object(node)));
  return py::tuple(all);
}

/// The exception as an object; the propagating one is not changed.
py::object exception_of(const std::exception_ptr& thrown) {
  if (!thrown) return py::none();
  try {
    std::rethrow_exception(thrown);
  } catch (const py::error_already_set& error) {
    return error.value();
  } catch (...) {
    set_python_error();
  }
  const py::error_already_set error;
  return error.value();
}

py::list input_gradients_of(const DerivativeView& self) {
  py::list gradients;
  for (const auto& [input, gradient] : self.input_gradients)
    gradients.append(py::make_tuple(input, to_python(gradient)));
  return gradients;
}

void bind_operator(py::module_& module) {
  py::class_<OperatorHandle> handle(module, "Operator", "What an observed call has called.");
  refuse_pickling(handle, "it is of this process. Keep its name");
  handle
      .def_property_readonly(
          "name", [](const OperatorHandle& self) { return self.called->signature->name(); },
          "The name of the function or method that does it; of one that has none, of its slot.")
      .def_property_readonly(
          "kind", [](const OperatorHandle& self) { return std::string(name(self.called->kind)); },
          "'row' (a function or method), 'slot' (a + b, a[i]), 'property' (a.T), 'module' or "
          "'function'.")
      .def_property_readonly(
          "parameters",
          [](const OperatorHandle& self) {
            py::list names;
            for (const Signature::Parameter& parameter : self.called->signature->parameters())
              names.append(py::handle(parameter.name));
            return py::tuple(names);
          },
          "The names of the parameters.")
      .def(
          "call",
          [](const OperatorHandle& self, const py::object& arguments) {
            return owned(call_operator(*self.called, named_ones(arguments)));
          },
          py::arg("arguments"), "Calls it with arguments by name, as OperatorCall.arguments has.");
}

void bind_operator_call(py::module_& module) {
  py::class_<OperatorCall, std::shared_ptr<OperatorCall>> call(
      module, "OperatorCall", "One call of an operator, as reported to observers.");
  refuse_pickling(call, "it is of this process. Keep its name and its arguments");
  call.def_property_readonly(
          "name", [](const OperatorCall& self) { return std::string(self.name()); },
          "The operator's name: 'add' for a + b too.")
      .def_property_readonly(
          "operator", [](const OperatorCall& self) { return OperatorHandle{&self.called()}; },
          "What was called, to be called again.")
      .def_property(
          "arguments", &OperatorCall::named_arguments,
          [](OperatorCall& self, const py::object& arguments) {
            self.replace_arguments(named_ones(arguments));
          },
          "Those given, by the parameter's name; a variadic one is a tuple. Set, before "
          "the operator runs, it goes on with others.")
      .def("answer", &OperatorCall::answer, py::arg("result"),
           "Sets the result. Before the operator has run it does not run any more.")
      .def_property_readonly(
          "result", [](const OperatorCall& self) { return or_none(self.result()); },
          "The result; None before there is one.")
      .def_property_readonly(
          "answered", [](const OperatorCall& self) { return self.has_result(); },
          "True when there is a result.")
      .def_property_readonly(
          "error", [](const OperatorCall& self) { return or_none(self.error()); },
          "The exception that the operator or an observer raised, or None.")
      .def_property_readonly(
          "parent", [](const OperatorCall& self) { return self.parent(); },
          "The operator inside of which this one is called, or None.")
      .def_property_readonly(
          "depth", [](const OperatorCall& self) { return self.depth(); },
          "The number of observed calls around it.")
      .def_property_readonly(
          "place", &OperatorCall::place,
          "(file, line, function) of the user's program. While the call goes on.")
      .def_property_readonly(
          "begun", call_begun,
          "(operator, name, kind of operator, arguments): in one step, for those who hear of all.")
      .def_property_readonly("ended", call_ended, "(error, result, place): in one step too.")
      .def_property_readonly(
          "work", [](const OperatorCall& self) { return work_as_dict(self.work()); },
          "The work of devices inside the call, if observe() was asked for it.")
      .def_property_readonly(
          "nodes", [](const OperatorCall& self) { return nodes_of(self.nodes()); },
          "The nodes of the graph made inside the call, if observe() was asked for them.");
}

void bind_derivative_call(py::module_& module) {
  py::class_<DerivativeView> call(module, "DerivativeCall",
                                  "The derivative of one node, as reported to observers.");
  refuse_pickling(call, "it is of this process. Keep its name and its gradients");
  call.def_property_readonly(
          "name", [](const DerivativeView& self) { return self.node->name(); },
          "The node's name: 'AddBackward0'.")
      .def_property_readonly(
          "node",
          [](const DerivativeView& self) {
            return py::reinterpret_steal<py::object>(graph_object(self.node));
          },
          "The node, as tensor.grad_fn gives it.")
      .def_property_readonly(
          "gradient", [](const DerivativeView& self) { return to_python(self.gradient); },
          "The gradient of the node's result.")
      .def_property_readonly("given", input_gradients_of,
                             "[(number of the input, gradient)], as the derivative gave them.")
      .def_property_readonly(
          "error", [](const DerivativeView& self) { return self.error; },
          "The exception that the derivative or an observer raised, or None.")
      .def_property_readonly(
          "depth", [](const DerivativeView& self) { return self.depth; },
          "The number of observed calls around it.")
      .def_property_readonly(
          "work", [](const DerivativeView& self) { return work_as_dict(self.work); },
          "The work of devices inside, if observe() was asked for it.")
      .def_property_readonly(
          "nodes", [](const DerivativeView& self) { return nodes_of(self.nodes); },
          "The nodes made inside, if observe() was asked for them.");
}

ObservationHandle observation_of(const std::shared_ptr<Observer>& observer, Reach reach) {
  imported("gpukit._devices.inner_folders").attr("name_inner_folders")();
  return ObservationHandle(observe(observer, reach));
}

void bind_observation(py::module_& module) {
  py::class_<ObservationHandle> handle(module, "Observation", "An observer that observes.");
  refuse_pickling(handle, "it observes this process. Call observe() again");
  handle
      .def(
          "stop", [](ObservationHandle& self) { self.stop(); },
          "Ends it; a second time does nothing.")
      .def("__enter__",
           [](const py::object& self) {
             self.cast<const ObservationHandle&>();  // refuses one that was never made
             return self;
           })
      .def("__exit__", [](ObservationHandle& self, const py::args&) { self.stop(); });
  module.def(
      "observe",
      [](const py::object& observer, bool all_threads, bool work, bool nodes) {
        return observation_of(python_observer(observer, {work, nodes}),
                              all_threads ? Reach::kAllThreads : Reach::kThisThread);
      },
      py::arg("observer"), py::kw_only(), py::arg("all_threads") = false, py::arg("work") = false,
      py::arg("nodes") = false,
      "Tells the observer's before_operator, after_operator, before_derivative and "
      "after_derivative of every call of this thread, until the result is stopped or ends.");
}

void bind_recorder(py::module_& module) {
  module.def(
      "record",
      [](py::object tracer, const py::object& known, const py::object& facts,
         const py::object& calls, py::object value_type, py::object facts_type, py::object names,
         std::size_t most_calls) {
        return observation_of(
            call_recorder({std::move(tracer), known.cast<py::dict>(), facts.cast<py::list>(),
                           calls.cast<py::list>(), std::move(value_type), std::move(facts_type),
                           std::move(names), most_calls}),
            Reach::kThisThread);
      },
      py::arg("tracer"), py::arg("known"), py::arg("facts"), py::arg("calls"),
      py::arg("value_type"), py::arg("facts_type"), py::arg("names"), py::arg("most_calls"),
      "Like observe() for a tracer of gpukit.compile: at most `most_calls` calls of the operators "
      "named are "
      "added to `calls` without running Python; all others are reported to the tracer.");
}

/// A step of an optimizer, which is Python's and may be many operators.
py::object observed_step(const py::object& optimizer, const py::object& closure) {
  const Operator& called = operator_of(
      OperatorKind::kFunction, "optimizer_step(optimizer, closure)",
      [](PyObject* const* values, int) {
        return py::handle(values[0]).attr("_take_step")(py::handle(values[1])).release().ptr();
      },
      0, [](PyObject* const* values) { return has_attribute(values[0], "_take_step"); });
  return owned(observed_call(called, {optimizer.ptr(), closure.ptr()}));
}

}  // namespace

const OperatorObjects& objects_of(const Operator& called) {
  static auto* const known = new std::unordered_map<const Operator*, OperatorObjects>;
  OperatorObjects& found = (*known)[&called];
  if (!found.handle) {
    found = {py::cast(OperatorHandle{&called}), py::str(called.signature->name()),
             py::str(std::string(name(called.kind)))};
  }
  return found;
}

py::object as_object(OperatorCall& call) { return py::cast(call.shared_from_this()); }

py::object as_object(const autograd::DerivativeCall& call) {
  return py::cast(DerivativeView{autograd::NodePtr::share(&call.node), call.gradient,
                                 call.input_gradients, call.work(), call.nodes(),
                                 exception_of(call.error), call.depth()});
}

template <>
void bind<Part::kObserver>(py::module_& module) {
  bind_operator(module);
  bind_operator_call(module);
  bind_derivative_call(module);
  bind_observation(module);
  bind_recorder(module);
  module.def(
      "is_observed", [] { return is_observed(Observed::kOperators); },
      "True while operators are observed in any thread.");
  module.def("observed_step", observed_step, py::arg("optimizer"), py::arg("closure"),
             "Takes the optimizer's step between the observers of this thread.");
}

}  // namespace gpukit::bindings
