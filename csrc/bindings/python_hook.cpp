#include "bindings/python_hook.h"

#include "bindings/arguments.h"
#include "bindings/gil.h"
#include "bindings/tensor_object.h"

namespace gpukit::bindings {

namespace {

/// The callable of a hook.
class Callable {
 public:
  explicit Callable(PyObject* callable) : callable_(Py_NewRef(callable)) {}
  virtual ~Callable() { release_reference(callable_); }
  Callable(const Callable&) = delete;
  Callable& operator=(const Callable&) = delete;
  PyObject* callable() const noexcept { return callable_; }

 private:
  PyObject* callable_;
};

class PythonHook final : public autograd::TensorHook, public Callable {
 public:
  using Callable::Callable;

  Tensor call(const Tensor& gradient) override {
    const TakeGil gil;
    const py::object argument = to_python(gradient);
    const auto result =
        owned(or_stop([&] { return PyObject_CallOneArg(callable(), argument.ptr()); }));
    if (result.is_none()) return Tensor();
    if (!is_tensor(result.ptr()))
      throw_wrong_type({"register_hook", "the hook's result"}, "a Tensor or None", result.ptr());
    return tensor_of(result.ptr());
  }
};

/// The node that keeps the hook must not keep its tensor: hence the weak reference.
class StoredHook final : public autograd::TensorHook, public Callable {
 public:
  StoredHook(PyObject* tensor, PyObject* callable)
      : Callable(callable), tensor_(checked(PyWeakref_NewRef(tensor, nullptr))) {}
  ~StoredHook() override { release_reference(tensor_); }

  Tensor call(const Tensor&) override {
    const TakeGil gil;
    const py::object tensor = owned(PyObject_CallNoArgs(tensor_));
    if (tensor.is_none()) return Tensor();  // the gradient is unreachable
    const auto result =
        owned(or_stop([&] { return PyObject_CallOneArg(callable(), tensor.ptr()); }));
    if (!result.is_none()) {
      throw_wrong_type({"register_post_accumulate_grad_hook", "the hook's result"}, "None",
                       result.ptr());
    }
    return Tensor();
  }

 private:
  PyObject* tensor_;
};

class PythonNodeHook final : public autograd::NodeHook, public Callable {
 public:
  using Callable::Callable;

  std::optional<autograd::Gradients> call(const autograd::Gradients& gradients,
                                          const autograd::Gradients* results) override {
    const TakeGil gil;
    const py::tuple given = tuple_of(gradients);
    const py::object after = results != nullptr ? py::object(tuple_of(*results)) : py::object();
    const auto returned = owned(or_stop([&] {
      return PyObject_CallFunctionObjArgs(callable(), given.ptr(), after.ptr(), nullptr);
    }));
    if (returned.is_none()) return std::nullopt;
    const Argument argument{results != nullptr ? "register_hook" : "register_prehook",
                            "the hook's result"};
    if (PyTuple_Check(returned.ptr()) == 0)
      throw_wrong_type(argument, "a tuple of gradients, or None", returned.ptr());
    return gradients_of(argument, returned.ptr());
  }

 private:
  static py::tuple tuple_of(const autograd::Gradients& gradients) {
    py::tuple tuple(gradients.size());
    for (std::size_t i = 0; i < gradients.size(); ++i)
      tuple[i] = gradients[i].defined() ? to_python(gradients[i]) : py::none();
    return tuple;
  }
  static autograd::Gradients gradients_of(Argument argument, PyObject* tuple) {
    autograd::Gradients gradients;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
      PyObject* item = PyTuple_GET_ITEM(tuple, i);
      if (item != Py_None && !is_tensor(item))
        throw_wrong_type(argument, "a tuple of tensors, or None where there is no gradient", item);
      gradients.push_back(item == Py_None ? Tensor() : tensor_of(item));
    }
    return gradients;
  }
};

}  // namespace

std::shared_ptr<autograd::TensorHook> python_hook(PyObject* callable) {
  return std::make_shared<PythonHook>(callable);
}

std::shared_ptr<autograd::TensorHook> python_stored_hook(PyObject* tensor, PyObject* callable) {
  return std::make_shared<StoredHook>(tensor, callable);
}

std::shared_ptr<autograd::NodeHook> python_node_hook(PyObject* callable) {
  return std::make_shared<PythonNodeHook>(callable);
}

int visit_hooks(const autograd::HookList& hooks, visitproc visit, void* arg) {
  for (const auto& [id, hook] : hooks.all()) {
    if (hook.use_count() == 2)  // the list's and this one
      Py_VISIT(dynamic_cast<const Callable&>(*hook).callable());
  }
  return 0;
}

}  // namespace gpukit::bindings
