// backward, grad, hooks, the graph's nodes and the grad mode.
#include <set>
#include <string>
#include <vector>

#include "autograd/grad_mode.h"
#include "autograd/tensor_gradient.h"
#include "base/check.h"
#include "base/error.h"
#include "base/observer.h"
#include "bindings/bind.h"
#include "bindings/gil.h"
#include "bindings/graph_object.h"
#include "bindings/operator_call.h"
#include "bindings/python_function.h"
#include "bindings/python_hook.h"
#include "bindings/python_saved_tensor.h"
#include "bindings/signature.h"

namespace gpukit::bindings {

namespace {

/// A node of the graph, kept alive.
struct GraphNode {
  autograd::NodePtr node;
};

/// What register_hook returns.
struct RemovableHandle {
  autograd::HookHandle handle;
  void remove() const noexcept {
    if (const auto list = handle.list.lock()) list->remove(handle.id);
  }
};

}  // namespace

template <>
inline constexpr bool is_bound_class<GraphNode> = true;
template <>
inline constexpr bool is_bound_class<RemovableHandle> = true;

namespace {

std::optional<Tensor> optional_tensor(const Arguments& a, int i) {
  return a.given(i) ? std::optional(a.tensor(i)) : std::nullopt;
}

/// .grad then has a graph that leads to its own tensor.
void warn_of_cycles() {
  const py::object category = imported("gpukit.errors").attr("GpukitWarning");
  checked_status(PyErr_WarnEx(
      category.ptr(),
      "backward: with create_graph=True each .grad has a graph that holds its own tensor, so that "
      "neither is freed before .grad is set to None. gpukit.autograd.grad(loss, parameters, "
      "create_graph=True) gives the gradients without that",
      1));
}

/// A GradientEdge: a node and the number of its result.
bool is_edge(PyObject* value) {
  return PyTuple_Check(value) != 0 && PyTuple_GET_SIZE(value) == 2 &&
         py::isinstance<GraphNode>(PyTuple_GET_ITEM(value, 0));
}

autograd::NodePtr to_node(Argument argument, PyObject* value) {
  if (!is_edge(value))
    return autograd::gradient_node(argument.op, argument.name, to_tensor(argument, value));
  const std::int64_t result = to_int64(argument, PyTuple_GET_ITEM(value, 1));
  GPUKIT_CHECK(result == 0, ValueError, argument.op, ": ", argument.name, " is result ", result,
               " of a node, which has one: result 0");
  return py::handle(PyTuple_GET_ITEM(value, 0)).cast<const GraphNode&>().node;
}

/// The nodes of a list of tensors and edges.
std::vector<autograd::NodePtr> to_nodes(Argument argument, PyObject* value) {
  if (PyList_Check(value) == 0 && PyTuple_Check(value) == 0)
    throw_wrong_type(argument, "a tensor, or a list or tuple of tensors", value);
  std::vector<autograd::NodePtr> nodes;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i) {
    const std::string item = concat(argument.name, "[", i, "]");
    nodes.push_back(to_node({argument.op, item}, PySequence_Fast_GET_ITEM(value, i)));
  }
  return nodes;
}

/// Of a result named as a tensor, .grad is kept from then on. An edge only says where a pass ends.
void retain_named(const std::vector<autograd::NodePtr>& nodes, PyObject* value) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    PyObject* item = is_tensor(value) || is_edge(value)
                         ? value
                         : PySequence_Fast_GET_ITEM(value, static_cast<Py_ssize_t>(i));
    if (is_tensor(item) && !nodes[i]->is_leaf()) nodes[i]->retain_gradient();
  }
}

/// The nodes whose .grad is wanted; nothing stands for all leaves.
std::optional<std::vector<autograd::NodePtr>> chosen_inputs(const Arguments& a) {
  if (!a.given(4)) return std::nullopt;
  const bool one = is_tensor(a[4]) || is_edge(a[4]);
  auto inputs = one ? std::vector{to_node(a.argument(4), a[4])} : to_nodes(a.argument(4), a[4]);
  GPUKIT_CHECK(!inputs.empty(), ValueError,
               "backward: inputs is empty. Name a tensor, or leave inputs out for all leaves");
  retain_named(inputs, a[4]);
  return inputs;
}

PyObject* backward(const Arguments& a) {
  const Tensor& loss = a.tensor(0);
  const std::optional<Tensor> gradient = optional_tensor(a, 1);
  autograd::PassOptions options;
  options.create_graph = a.given(3) && a.boolean(3, false);
  options.keep_graph = a.given(2) ? a.boolean(2, false) : options.create_graph;
  if (options.create_graph) warn_of_cycles();
  const auto inputs = chosen_inputs(a);
  run(true, [&] {
    inputs ? autograd::backward(loss, gradient, *inputs, options)
           : autograd::backward(loss, gradient, options);
  });
  Py_RETURN_NONE;
}

/// None stands for a gradient that is left out.
std::vector<Tensor> tensors_or_none(Argument argument, const py::object& list) {
  std::vector<Tensor> tensors;
  if (list.is_none()) return tensors;
  const auto items =
      owned(PySequence_Fast(list.ptr(), "grad: grad_outputs must be a list or tuple"));
  for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(items.ptr()); ++k) {
    PyObject* item = PySequence_Fast_GET_ITEM(items.ptr(), k);
    tensors.push_back(item == Py_None ? Tensor() : to_tensor(argument, item));
  }
  return tensors;
}

py::tuple gradients_of(const py::object& outputs, const py::object& inputs,
                       const py::object& gradients, const py::object& retain_graph,
                       const py::object& create_graph, const py::object& allow_unused) {
  autograd::GradRequest request;
  request.outputs = to_nodes({"grad", "outputs"}, outputs.ptr());
  request.inputs = to_nodes({"grad", "inputs"}, inputs.ptr());
  request.gradients = tensors_or_none({"grad", "grad_outputs"}, gradients);
  request.options.create_graph = to_bool({"grad", "create_graph"}, create_graph.ptr());
  request.options.keep_graph = retain_graph.is_none()
                                   ? request.options.create_graph
                                   : to_bool({"grad", "retain_graph"}, retain_graph.ptr());
  request.allow_unused = to_bool({"grad", "allow_unused"}, allow_unused.ptr());
  std::vector<Tensor> found = run(true, [&] { return autograd::grad(request); });
  py::tuple result(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) result[i] = to_python(std::move(found[i]));
  return result;
}

py::tuple grad(const py::object& outputs, const py::object& inputs, const py::object& gradients,
               const py::object& retain_graph, const py::object& create_graph,
               const py::object& allow_unused) {
  if (!is_observed(Observed::kOperators)) [[likely]]
    return gradients_of(outputs, inputs, gradients, retain_graph, create_graph, allow_unused);
  const Operator& called = operator_of(
      OperatorKind::kFunction,
      "autograd_grad(outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused)",
      [](PyObject* const* values, int) {
        const auto value = [&](int i) { return py::reinterpret_borrow<py::object>(values[i]); };
        return gradients_of(value(0), value(1), value(2), value(3), value(4), value(5))
            .release()
            .ptr();
      });
  // An observer may return anything: it is not inspected here.
  return py::reinterpret_steal<py::tuple>(
      checked(observed_call(called, {outputs.ptr(), inputs.ptr(), gradients.ptr(),
                                     retain_graph.ptr(), create_graph.ptr(), allow_unused.ptr()})));
}

PyObject* register_hook(const Arguments& a) {
  if (PyCallable_Check(a[1]) == 0) throw_wrong_type(a.argument(1), "a function", a[1]);
  const RemovableHandle handle{autograd::add_hook(a.tensor(0), python_hook(a[1]))};
  track(a.self());
  return py::cast(handle).release().ptr();
}

PyObject* register_stored_hook(const Arguments& a) {
  if (PyCallable_Check(a[1]) == 0) throw_wrong_type(a.argument(1), "a function", a[1]);
  const RemovableHandle handle{
      autograd::add_stored_hook(a.tensor(0), python_stored_hook(a.self(), a[1]))};
  track(a.self());
  return py::cast(handle).release().ptr();
}

RemovableHandle register_node_hook(const GraphNode& self,
                                   autograd::HookList autograd::NodeHooks::* list,
                                   Argument argument, const py::object& hook) {
  if (PyCallable_Check(hook.ptr()) == 0) throw_wrong_type(argument, "a function", hook.ptr());
  return {autograd::add_node_hook(*self.node, list, python_node_hook(hook.ptr()))};
}

/// A dict that C++ keeps; made when it is first asked for, under the GIL.
py::object dict_of(std::shared_ptr<void>& labels) {
  if (!labels) {
    labels = {py::dict().release().ptr(),
              [](void* dict) { release_reference(static_cast<PyObject*>(dict)); }};
  }
  return py::reinterpret_borrow<py::object>(static_cast<PyObject*>(labels.get()));
}

/// The user's.
py::object metadata_of(const GraphNode& self) { return dict_of(self.node->make_hooks()->labels); }

/// Outside of a pass it is a new one.
py::object pass_labels() {
  std::shared_ptr<void>* labels = autograd::current_pass_labels();
  return labels != nullptr ? dict_of(*labels) : py::dict();
}

py::tuple next_functions(const GraphNode& self) {
  py::list next;
  for (const autograd::NodePtr& edge : self.node->edges()) {
    next.append(
        py::make_tuple(py::reinterpret_steal<py::object>(graph_object(edge)), edge ? 0 : -1));
  }
  return py::tuple(next);
}

/// The node's class, so that type(x.grad_fn).__name__ is the name; made once and kept.
py::handle class_of(const char* name) {
  static auto* classes = new py::dict();  // never destroyed: Python may have ended by then
  const py::str key(name);
  if (!classes->contains(key)) {
    const py::type base = py::type::of<GraphNode>();
    py::dict members;
    members["__slots__"] = py::tuple();
    members["__module__"] = base.attr("__module__");
    const py::handle meta(reinterpret_cast<PyObject*>(Py_TYPE(base.ptr())));
    (*classes)[key] = meta(key, py::make_tuple(base), members);
  }
  return (*classes)[key];
}

/// Names the node of a result that is a tensor; gives the result back.
py::object name_nodes(const std::string& name, const py::object& result, const py::args& inputs) {
  static auto* kept = new std::set<std::string>();  // under the GIL; as long as the process
  const char* lasting = kept->insert(name).first->c_str();
  std::vector<PyObject*> arguments;
  for (const py::handle input : inputs) arguments.push_back(input.ptr());
  if (is_tensor(result.ptr())) name_node(tensor_of(result.ptr()), lasting, arguments);
  return result;
}

std::string text_of(const GraphNode& self) {
  return concat("<", self.node->name(), " object at ", self.node.get(), ">");
}

void bind_handle(py::module_& module) {
  py::class_<RemovableHandle> handle(module, "RemovableHandle", "Takes a hook away again.");
  handle.def(
      "remove", [](const RemovableHandle& self) { self.remove(); },
      "Takes the hook away; a second time does nothing.");
  handle.def("__enter__", [](const py::object& self) {
    self.cast<const RemovableHandle&>();
    return self;
  });
  handle.def("__exit__", [](const RemovableHandle& self, const py::args&) { self.remove(); });
  handle.def_property_readonly(
      "id", [](const RemovableHandle& self) { return self.handle.id; },
      "The hook's number, which no other hook of the tensor or node has.");
  refuse_pickling(handle, "it refers to a hook of this process. Register the hook again");
}

void bind_graph(py::module_& module) {
  py::class_<GraphNode> node(module, "GraphNode",
                             "A recorded operation: what tensor.grad_fn is.\n\n"
                             "Args:\n    node: A node, to refer to it once more.\n\n"
                             "Example:\n    >>> import gpukit\n"
                             "    >>> x = gpukit.ones(2, requires_grad=True)\n"
                             "    >>> (x * 2).grad_fn.name()\n    'MulBackward0'\n");
  node.def(py::init<const GraphNode&>(), py::arg("node"))
      .def(
          "name", [](const GraphNode& self) { return self.node->name(); },
          "The name, as torch has it: 'AddBackward0'.")
      .def_property_readonly("next_functions", next_functions,
                             "The nodes of the inputs as (node, 0) pairs; (None, -1) for an input "
                             "without a gradient.")
      .def_property_readonly("metadata", metadata_of,
                             "A dict for the user's own labels of the node.")
      .def(
          "register_hook",
          [](const GraphNode& self, const py::object& hook) {
            return register_node_hook(self, &autograd::NodeHooks::after, {"register_hook", "fn"},
                                      hook);
          },
          py::arg("fn"),
          "Calls fn(grad_inputs, grad_outputs) after the node's derivative: tuples of the "
          "gradients of its inputs, None where none is wanted, and of its result. A tuple that it "
          "returns "
          "takes the place of grad_inputs. The result's remove() takes the hook away.")
      .def(
          "register_prehook",
          [](const GraphNode& self, const py::object& hook) {
            return register_node_hook(self, &autograd::NodeHooks::before,
                                      {"register_prehook", "fn"}, hook);
          },
          py::arg("fn"),
          "Calls fn(grad_outputs) before the node's derivative, after the hooks of its tensor. A "
          "tuple that it returns takes the place of grad_outputs. The result's remove() takes the "
          "hook away.")
      .def("__eq__",
           [](const GraphNode& self, const py::object& other) {
             return py::isinstance<GraphNode>(other) &&
                    other.cast<const GraphNode&>().node.get() == self.node.get();
           })
      .def("__hash__",
           [](const GraphNode& self) { return std::hash<const void*>()(self.node.get()); })
      .def("__repr__", text_of);
  refuse_pickling(node,
                  "it belongs to the graph of this process. Keep the tensor's values: "
                  "x.detach()");
}

void bind_pass(py::module_& module) {
  module.def("pass_labels", pass_labels,
             "A dict of the backward pass that calls this hook, which ends with it.");
  module.def(
      "pass_reaches",
      [](const GraphNode& node) { return autograd::current_pass_reaches(*node.node); },
      py::arg("node"), "True when a gradient arrives at the node in the pass of this hook.");
  module.def(
      "gradient_node",
      [](const Tensor& tensor) {
        return GraphNode{autograd::gradient_node("get_gradient_edge", "the tensor", tensor)};
      },
      py::arg("tensor"), "The node that the tensor's gradient goes to.");
}

void bind_grad_mode(py::module_& module) {
  module.def("is_grad_enabled", autograd::grad_enabled,
             "True when this thread records operations.\n\n"
             "Example:\n    >>> import gpukit\n    >>> gpukit.is_grad_enabled()\n    True\n");
  module.def("is_inference_mode_enabled", autograd::inference_mode_enabled,
             "True inside inference_mode().\n\n"
             "Example:\n    >>> import gpukit\n    >>> gpukit.is_inference_mode_enabled()\n    "
             "False\n");
  module.def("set_grad_mode", autograd::set_grad_enabled, py::arg("enabled"),
             "Sets whether this thread records operations.");
  module.def("set_inference_mode", autograd::set_inference_mode, py::arg("enabled"),
             "Sets the label of inference_mode().");
  module.def(
      "increment_version", [](const Tensor& tensor) { tensor.storage()->bump_version(); },
      py::arg("tensor"),
      "Counts a write that another library made, so that a backward pass refuses what it saved.\n\n"
      "Args:\n    tensor: The tensor that was written.\n\n"
      "Example:\n    >>> import gpukit\n    >>> x = gpukit.ones(2)\n"
      "    >>> gpukit.autograd.graph.increment_version(x)\n");
}

// clang-format off
constexpr FunctionRow kAutogradRows[] = {
  {.signature = "backward(input, gradient: Tensor | None = None, retain_graph: bool | None = None, create_graph=False, inputs: Tensor | GradientEdge | Sequence[Tensor | GradientEdge] | None = None) -> None", .call = backward, .cost = cost::kAlways,
   .doc = "Adds the gradient of this tensor to .grad of every leaf that it was computed from.",
   .docs = {.parameters = "gradient: of the tensor's shape, dtype and device; needed unless it has one element.\nretain_graph: keep the graph for a second call; None is create_graph.\ncreate_graph: record the pass, so that gradients have gradients; with a warning, since .grad then holds its own tensor.\ninputs: the tensors whose .grad is wanted, leaves or results, or their gradient edges; None is every leaf.\n",
             .returns = "None.",
             .raises = "AutogradError: the tensor has no graph, its graph was used before, or a tensor saved in it was changed in place.\nShapeError: gradient has another shape.\nDTypeError: gradient has another dtype.\nDeviceMismatchError: gradient is on another device.\n"},
   .example = ">>> x = gpukit.ones(2, requires_grad=True)\n" ">>> (x * 3).sum().backward()\n" ">>> x.grad\n" "tensor([3., 3.])",
   .where = kMethod | kWaits},
  {.signature = "retain_grad(input) -> None",
   .call = [](const Arguments& a) {
     autograd::retain_gradient(a.tensor(0));
     Py_RETURN_NONE;
   },
   .cost = cost::kNone,
   .doc = "Keeps .grad of a result too; of leaves it is kept anyway.",
   .docs = {.returns = "None.",
             .raises = "AutogradError: the tensor does not require a gradient.\n"},
   .example = ">>> x = gpukit.ones(1, requires_grad=True)\n" ">>> y = x * 2\n" ">>> y.retain_grad()\n" ">>> (y * 3).sum().backward()\n" ">>> y.grad\n" "tensor([3.])",
   .where = kMethod},
  {.signature = "register_hook(input, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle", .call = register_hook, .cost = cost::kNone,
   .doc = "Calls hook(gradient) when the tensor's gradient is computed; what it returns, if not None, is used instead.\n\n"
           "The result's remove() takes the hook away. What the hook raises comes out of backward().",
   .docs = {.parameters = "hook: a function of the gradient, a tensor of this one's shape.\n",
             .returns = "a handle with remove().",
             .raises = "AutogradError: the tensor does not require a gradient.\nTypeError: hook is not callable.\n"},
   .example = ">>> x = gpukit.ones(1, requires_grad=True)\n" ">>> handle = x.register_hook(lambda gradient: gradient * 10)\n" ">>> (x * 2).sum().backward()\n" ">>> x.grad\n" "tensor([20.])",
   .where = kMethod},
  {.signature = "register_post_accumulate_grad_hook(input, hook: Callable[[Tensor], None]) -> RemovableHandle", .call = register_stored_hook, .cost = cost::kNone,
   .doc = "Calls hook(tensor) in each backward pass when the whole gradient of this leaf is in its .grad.\n\n"
           "It is called as soon as every operation that used the leaf is done, while the pass goes on to others. "
           "The result's remove() takes the hook away. What the hook raises comes out of backward().",
   .docs = {.parameters = "hook: a function of the tensor that returns None.\n",
             .returns = "a handle with remove().",
             .raises = "AutogradError: the tensor does not require a gradient, or is no leaf.\nTypeError: hook is not callable.\n"},
   .example = ">>> x = gpukit.ones(1, requires_grad=True)\n" ">>> handle = x.register_post_accumulate_grad_hook(lambda leaf: print(leaf.grad))\n" ">>> (x * 2).sum().backward()\n" "tensor([2.])",
   .where = kMethod},
};
// clang-format on

}  // namespace

PyObject* graph_object(autograd::NodePtr node) {
  if (!node) Py_RETURN_NONE;
  const py::handle kind = class_of(node->name());
  return kind(GraphNode{std::move(node)}).release().ptr();
}

void name_node(const Tensor& result, const char* name, std::span<PyObject* const> arguments) {
  autograd::Node* node = autograd::node_of(result);
  if (node == nullptr || node->is_leaf()) return;
  for (PyObject* argument : arguments) {
    if (argument == nullptr || !is_tensor(argument)) continue;
    if (autograd::node_of(tensor_of(argument)) == node) return;
  }
  node->set_name(name);
}

template <>
FunctionTable& functions<Family::kAutograd>() {
  return function_table<kAutogradRows>();
}

template <>
void bind<Part::kAutograd>(py::module_& module) {
  bind_handle(module);
  bind_graph(module);
  module.def("autograd_grad", grad, py::arg("outputs"), py::arg("inputs"), py::arg("grad_outputs"),
             py::arg("retain_graph"), py::arg("create_graph"), py::arg("allow_unused"),
             "See gpukit.autograd.grad.");
  module.def("name_nodes", name_nodes, py::arg("name"), py::arg("result"),
             "Names the result's node as torch names that of the whole call.");
  bind_pass(module);
  bind_grad_mode(module);
  bind_python_function(module);
  bind_saved_tensors(module);
}

}  // namespace gpukit::bindings
