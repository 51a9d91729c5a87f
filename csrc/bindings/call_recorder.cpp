#include "bindings/call_recorder.h"

#include <pybind11/cast.h>

#include <utility>

#include "autograd/grad_mode.h"
#include "bindings/arguments.h"
#include "bindings/gil.h"
#include "bindings/observed_objects.h"
#include "bindings/operator_call.h"
#include "bindings/tensor_object.h"

namespace gpukit::bindings {

namespace {

/// What a constant in a trace is beside texts and dtypes: all else goes to the tracer.
bool is_constant(PyObject* object) noexcept {
  return object == Py_None || PyBool_Check(object) != 0 || PyFloat_CheckExact(object) != 0 ||
         PyLong_CheckExact(object) != 0;
}

bool is_plain_tensor(PyObject* object) noexcept { return Py_TYPE(object) == tensor_type; }

py::object id_of(PyObject* object) { return owned(PyLong_FromVoidPtr(object)); }

class CallRecorder final : public Observer {
 public:
  explicit CallRecorder(RecorderParts parts)
      : Observer({Observed::kOperators}), parts_(new RecorderParts(std::move(parts))) {}
  ~CallRecorder() override {
    with_gil_soon([](void* parts) { delete static_cast<RecorderParts*>(parts); }, parts_);
  }

  void before_operator(OperatorCall& call) override {
    if (open_ != nullptr || is_module(call)) return;  // what a plain operator calls is part of it
    if (told_ == 0 && parts_->calls.size() < parts_->most_calls && is_plain(call) &&
        number_arguments(call)) {
      open_ = &call;
      records_ = autograd::grad_enabled();
      return;
    }
    tell("before_operator", call);
    ++told_;
  }

  void after_operator(OperatorCall& call) override {
    if (open_ == &call) {
      open_ = nullptr;
      record(call);
    } else if (open_ == nullptr && !is_module(call)) {
      --told_;
      tell("after_operator", call);
    }
  }

 private:
  /// Modules are seen through; one inside another operator is that operator's.
  bool is_module(const OperatorCall& call) const noexcept {
    return told_ == 0 && call.called().kind == OperatorKind::kModule;
  }

  bool is_plain(const OperatorCall& call) const {
    const int found = PySet_Contains(parts_->names.ptr(), objects_of(call.called()).name.ptr());
    checked_status(found);
    return found != 0;
  }

  void tell(const char* method, OperatorCall& call) {
    parts_->tracer.attr(method)(as_object(call));
  }

  /// The arguments with numbers in the places of tensors; false where the tracer has to look.
  bool number_arguments(const OperatorCall& call) {
    const auto& parameters = call.called().signature->parameters();
    const auto& values = call.arguments().values;
    reads_gradient_ = false;
    arguments_ = py::dict();
    for (std::size_t i = 0; i < values.size(); ++i) {
      PyObject* item = values[i].ptr();
      if (item == nullptr) continue;
      py::object noted = values[i];
      if (is_plain_tensor(item)) {
        if (parameters[i].text == "out") return false;
        noted = known_value(item);
        if (!noted) return false;
      } else if (!is_constant(item)) {
        return false;
      }
      checked_status(PyDict_SetItem(arguments_.ptr(), parameters[i].name, noted.ptr()));
    }
    return true;
  }

  /// The number of a tensor as the trace has it, or null.
  py::object known_value(PyObject* tensor) {
    PyObject* entry = PyDict_GetItemWithError(parts_->known.ptr(), id_of(tensor).ptr());
    if (entry == nullptr) {
      if (PyErr_Occurred() != nullptr) throw_python_error();
      return {};
    }
    const py::object known = owned(PyObject_CallNoArgs(PyTuple_GET_ITEM(entry, 1)));
    if (known.ptr() != tensor) return {};
    auto value = py::reinterpret_borrow<py::object>(PyTuple_GET_ITEM(entry, 0));
    const auto number = value.attr("number").cast<py::ssize_t>();
    PyObject* facts = PyList_GetItem(parts_->facts.ptr(), number);
    if (facts == nullptr) throw_python_error();
    const bool requires_grad = tensor_of(tensor).requires_grad();
    if ((PyTuple_GET_ITEM(facts, 3) == Py_True) != requires_grad) return {};
    reads_gradient_ = reads_gradient_ || requires_grad;
    return value;
  }

  void record(OperatorCall& call) {
    const OperatorObjects& objects = objects_of(call.called());
    const py::tuple place = call.place();
    if (call.error() || !is_plain_tensor(call.result().ptr())) {
      parts_->tracer.attr("after_plain_operator")(
          objects.handle, objects.name, arguments_, records_, reads_gradient_,
          call.error() ? call.error() : py::none(), call.result() ? call.result() : py::none(),
          place);
      return;
    }
    parts_->calls.append(py::make_tuple(objects.handle, objects.name, arguments_,
                                        new_value(call.result().ptr()), false, place, records_,
                                        reads_gradient_));
    arguments_ = py::dict();
  }

  /// As tuple.__new__ makes it where it can: the class's own __new__ is Python.
  py::object as_facts(const py::tuple& facts) const {
    PyObject* type = parts_->facts_type.ptr();
    if (PyType_Check(type) == 0 ||
        PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), &PyTuple_Type) == 0)
      return parts_->facts_type(*facts);
    const py::tuple given = py::make_tuple(facts);
    return owned(PyTuple_Type.tp_new(reinterpret_cast<PyTypeObject*>(type), given.ptr(), nullptr));
  }

  /// Numbers a result and notes its facts, as the tracer does.
  py::object new_value(PyObject* object) {
    const Tensor& tensor = tensor_of(object);
    const Shape& shape = tensor.shape();
    py::tuple sizes(static_cast<std::size_t>(shape.size()));
    for (int i = 0; i < shape.size(); ++i) sizes[static_cast<std::size_t>(i)] = shape[i];
    const py::tuple facts =
        py::make_tuple(sizes, owned(new_object(tensor.dtype())), owned(new_object(tensor.device())),
                       tensor.requires_grad());
    parts_->facts.append(as_facts(facts));
    py::object value = parts_->value_type(parts_->facts.size() - 1);
    const py::object weak = owned(PyWeakref_NewRef(object, nullptr));
    const py::tuple entry = py::make_tuple(value, weak);
    checked_status(PyDict_SetItem(parts_->known.ptr(), id_of(object).ptr(), entry.ptr()));
    return value;
  }

  RecorderParts* parts_;
  const OperatorCall* open_ = nullptr;  ///< the plain operator that runs
  int told_ = 0;                        ///< calls that the tracer hears of and that go on
  py::dict arguments_;
  bool records_ = false, reads_gradient_ = false;
};

}  // namespace

std::shared_ptr<Observer> call_recorder(RecorderParts parts) {
  return std::make_shared<CallRecorder>(std::move(parts));
}

}  // namespace gpukit::bindings
