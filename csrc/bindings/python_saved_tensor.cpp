#include "bindings/python_saved_tensor.h"

#include <memory>
#include <string>
#include <utility>

#include "autograd/engine.h"
#include "autograd/saved_tensor.h"
#include "base/check.h"
#include "base/error.h"
#include "bindings/arguments.h"
#include "bindings/gil.h"
#include "bindings/tensor_object.h"

namespace gpukit::bindings {

namespace {

using autograd::PackedPtr;
using autograd::PackedTensor;
using autograd::SavedTensorHooks;

/// An object that pack_hook returned, and the hook that makes a tensor of it.
class PackedObject final : public PackedTensor {
 public:
  PackedObject(const Tensor& tensor, PyObject* object, PyObject* unpack)
      : PackedTensor(tensor), object_(object), unpack_(Py_NewRef(unpack)) {
    if (!is_tensor(object) || tensor_of(object).storage() != tensor.storage()) return;
    shares_ = true;
    version_ = tensor.storage()->version();
  }
  ~PackedObject() override {
    release_reference(object_);
    release_reference(unpack_);
  }

 private:
  Tensor unpack() const override {
    const TakeGil gil;
    check_unchanged();
    const auto result = owned(or_stop([&] { return PyObject_CallOneArg(unpack_, object_); }));
    if (!is_tensor(result.ptr()))
      throw_wrong_type({"saved_tensors_hooks", "unpack_hook's result"}, "a Tensor", result.ptr());
    return tensor_of(result.ptr());
  }

  /// The memory of the tensor itself was packed: its values must be those of then.
  void check_unchanged() const {
    if (!shares_) return;
    const std::uint32_t now = tensor_of(object_).storage()->version();
    GPUKIT_CHECK(now == version_, AutogradError, "backward(): a tensor of shape ",
                 to_string(kind().shape),
                 " that pack_hook kept was changed in place since (version ", now, ", it was ",
                 version_, "). Return tensor.clone() from pack_hook, or change a copy");
  }

  PyObject* object_;
  PyObject* unpack_;
  std::uint32_t version_ = 0;
  bool shares_ = false;
};

class PythonHooks final : public SavedTensorHooks {
 public:
  PythonHooks(PyObject* pack, PyObject* unpack)
      : pack_(Py_NewRef(pack)), unpack_(Py_NewRef(unpack)) {}
  ~PythonHooks() override {
    release_reference(pack_);
    release_reference(unpack_);
  }
  PythonHooks(const PythonHooks&) = delete;
  PythonHooks& operator=(const PythonHooks&) = delete;

  PackedPtr pack(const Tensor& tensor) override {
    const TakeGil gil;
    const py::object argument = to_python(tensor);
    py::object packed = owned(or_stop([&] { return PyObject_CallOneArg(pack_, argument.ptr()); }));
    return PackedPtr::adopt(new PackedObject(tensor, packed.release().ptr(), unpack_));
  }

 private:
  PyObject* pack_;
  PyObject* unpack_;
};

/// A tensor kept outside of the graph's nodes as they keep theirs, with its place in the graph.
class SavedValue {
 public:
  explicit SavedValue(const Tensor& tensor) : saved_(autograd::SavedTensor::constant(tensor)) {
    if (tensor.requires_grad()) node_ = autograd::NodePtr::share(&autograd::node_for(tensor));
  }

  Tensor unpack() const {
    const Tensor tensor = detached(saved_.value("SavedTensor"));
    if (node_) {
      tensor.impl()->autograd = CountedPtr<AutogradMeta>::share(node_.get());
      tensor.impl()->requires_grad = true;
    }
    return tensor;
  }

 private:
  autograd::SavedTensor saved_;
  autograd::NodePtr node_;
};

void push_hooks(const py::object& pack, const py::object& unpack) {
  if (PyCallable_Check(pack.ptr()) == 0)
    throw_wrong_type({"saved_tensors_hooks", "pack_hook"}, "a function", pack.ptr());
  if (PyCallable_Check(unpack.ptr()) == 0)
    throw_wrong_type({"saved_tensors_hooks", "unpack_hook"}, "a function", unpack.ptr());
  SavedTensorHooks::push(std::make_shared<PythonHooks>(pack.ptr(), unpack.ptr()));
}

}  // namespace

template <>
inline constexpr bool is_bound_class<SavedValue> = true;

void bind_saved_tensors(py::module_& module) {
  py::class_<SavedValue> saved(module, "SavedTensor",
                               "A tensor that is kept as the graph keeps one: in the form of the "
                               "innermost saved_tensors_hooks.");
  saved.def(py::init<const Tensor&>(), py::arg("tensor"))
      .def(
          "unpack", [](const SavedValue& self) { return self.unpack(); },
          "The tensor, with its place in the graph. Raises AutogradError if it was changed in "
          "place.");
  refuse_pickling(saved, "it refers to the graph of this process. Keep the tensor's values");
  module.def("push_saved_tensor_hooks", push_hooks, py::arg("pack_hook"), py::arg("unpack_hook"),
             "See gpukit.autograd.graph.saved_tensors_hooks.");
  module.def("pop_saved_tensor_hooks", SavedTensorHooks::pop,
             "Takes the innermost hooks of this thread away.");
  module.def("disable_saved_tensor_hooks", autograd::disable_saved_tensor_hooks,
             py::arg("error_message"),
             "Refuses such hooks in this thread with the message; an empty one allows them.");
  module.def("saved_tensor_hooks_disabled", autograd::saved_tensor_hooks_disabled,
             "The message of disable_saved_tensor_hooks, or an empty str.");
}

}  // namespace gpukit::bindings
