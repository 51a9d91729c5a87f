#include "bindings/python_hook.h"

#include "bindings/arguments.h"
#include "bindings/gil.h"
#include "bindings/tensor_object.h"

namespace gpukit::bindings {

namespace {

class PythonHook : public autograd::Hook {
 public:
  explicit PythonHook(PyObject* callable) : callable_(Py_NewRef(callable)) {}
  ~PythonHook() override { release_reference(callable_); }
  PythonHook(const PythonHook&) = delete;
  PythonHook& operator=(const PythonHook&) = delete;

  Tensor call(const Tensor& gradient) override {
    const TakeGil gil;
    const py::object argument = to_python(gradient);
    const auto result =
        owned(or_stop([&] { return PyObject_CallOneArg(callable_, argument.ptr()); }));
    if (result.is_none()) return Tensor();
    if (!is_tensor(result.ptr()))
      throw_wrong_type({"register_hook", "the hook's result"}, "a Tensor or None", result.ptr());
    return tensor_of(result.ptr());
  }

  PyObject* callable() const noexcept { return callable_; }

 private:
  PyObject* callable_;
};

/// The node that keeps the hook must not keep its tensor: hence the weak reference.
class StoredHook final : public PythonHook {
 public:
  StoredHook(PyObject* tensor, PyObject* callable)
      : PythonHook(callable), tensor_(checked(PyWeakref_NewRef(tensor, nullptr))) {}
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

}  // namespace

std::shared_ptr<autograd::Hook> python_hook(PyObject* callable) {
  return std::make_shared<PythonHook>(callable);
}

std::shared_ptr<autograd::Hook> python_stored_hook(PyObject* tensor, PyObject* callable) {
  return std::make_shared<StoredHook>(tensor, callable);
}

int visit_hooks(const autograd::HookList& hooks, visitproc visit, void* arg) {
  for (const auto& [id, hook] : hooks.all()) {
    if (hook.use_count() == 2)  // the list's and this one
      Py_VISIT(static_cast<const PythonHook&>(*hook).callable());
  }
  return 0;
}

}  // namespace gpukit::bindings
