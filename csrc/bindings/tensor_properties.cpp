// Attributes of Tensor.
#include "autograd/shape.h"
#include "autograd/tensor_gradient.h"
#include "base/check.h"
#include "base/error.h"
#include "bindings/arguments.h"
#include "bindings/exceptions.h"
#include "bindings/graph_object.h"
#include "bindings/tensor_object.h"
#include "bindings/tensor_type.h"
#include "tensor/view.h"

namespace gpukit::bindings {

namespace {

template <class Function>
PyObject* get(PyObject* self, const Function& function) {
  return guarded([&] { return function(tensor_of(self)); });
}

PyObject* shape(PyObject* self, void*) {
  return get(self, [](const Tensor& tensor) { return to_tuple(tensor.shape()); });
}
PyObject* ndim(PyObject* self, void*) { return PyLong_FromLong(tensor_of(self).rank()); }
PyObject* dtype(PyObject* self, void*) { return dtype_object(tensor_of(self).dtype()); }
PyObject* device(PyObject* self, void*) {
  return get(self, [](const Tensor& tensor) { return device_object(tensor.device()); });
}
PyObject* is_cuda(PyObject* self, void*) {
  return PyBool_FromLong(tensor_of(self).device().is_cuda());
}
PyObject* is_cpu(PyObject* self, void*) { return PyBool_FromLong(tensor_of(self).is_cpu()); }
PyObject* item_size(PyObject* self, void*) {
  return PyLong_FromSize_t(itemsize(tensor_of(self).dtype()));
}
PyObject* nbytes(PyObject* self, void*) { return PyLong_FromSize_t(tensor_of(self).bytes()); }
PyObject* layout(PyObject*, void*) { return PyUnicode_FromString("strided"); }
PyObject* is_leaf(PyObject* self, void*) {
  return PyBool_FromLong(autograd::is_leaf(tensor_of(self)));
}
PyObject* grad_fn(PyObject* self, void*) {
  return get(self, [](const Tensor& tensor) { return graph_object(autograd::grad_fn_of(tensor)); });
}
PyObject* retains_grad(PyObject* self, void*) {
  const autograd::Node* node = autograd::node_of(tensor_of(self));
  return PyBool_FromLong(node != nullptr && !node->is_leaf() && node->retains_gradient());
}
PyObject* version(PyObject* self, void*) {
  return PyLong_FromUnsignedLong(tensor_of(self).storage()->version());
}
PyObject* priority(PyObject*, void*) { return PyLong_FromLong(1000); }

PyObject* reversed(PyObject* self, void*) {
  return get(self, [](const Tensor& tensor) { return wrap(autograd::reverse_dims(tensor)); });
}

PyObject* matrix_transposed(PyObject* self, void*) {
  return get(self, [](const Tensor& tensor) {
    GPUKIT_CHECK(tensor.rank() >= 2, ShapeError, "mT: the tensor is ", to_string(tensor.shape()),
                 "; at least 2 dimensions are needed");
    return wrap(autograd::transpose(tensor, -2, -1));
  });
}

PyObject* get_data(PyObject* self, void*) {
  return get(self, [](const Tensor& tensor) { return wrap(detached(tensor)); });
}

/// The tensor takes the other's storage, shape and dtype and stays itself.
int set_data(PyObject* self, PyObject* value, void*) {
  return guarded_or(-1, [&] {
    GPUKIT_CHECK(value != nullptr, TypeError, "data: the attribute cannot be deleted");
    const Tensor source = to_tensor({"data", "value"}, value);
    TensorImpl& target = *tensor_of(self).impl();
    const TensorImpl& from = *source.impl();
    target.storage = from.storage;
    target.shape = from.shape;
    target.strides = from.strides;
    target.offset = from.offset;
    target.count = from.count;
    target.dtype = from.dtype;
    target.contiguous = from.contiguous;
    target.is_view = from.is_view;
    autograd::follow_data(tensor_of(self));
    return 0;
  });
}

PyObject* get_requires_grad(PyObject* self, void*) {
  return PyBool_FromLong(tensor_of(self).requires_grad());
}

int set_requires_grad(PyObject* self, PyObject* value, void*) {
  return guarded_or(-1, [&] {
    GPUKIT_CHECK(value != nullptr, TypeError, "requires_grad: the attribute cannot be deleted");
    autograd::set_requires_grad("requires_grad", tensor_of(self),
                                to_bool({"requires_grad", "value"}, value));
    return 0;
  });
}

/// A result has no gradient unless it was asked for, which a reader of .grad rarely means.
void warn_of_result(const Tensor& tensor) {
  const autograd::Node* node = autograd::node_of(tensor);
  if (node == nullptr || node->is_leaf() || node->retains_gradient()) return;
  const py::object category = imported("gpukit.errors").attr("GpukitWarning");
  checked_status(PyErr_WarnEx(
      category.ptr(),
      "grad: an operation made this tensor, and backward() keeps gradients of leaves only. Call "
      ".retain_grad() before backward(), or change parameters in place inside no_grad()",
      1));
}

PyObject* get_grad(PyObject* self, void*) {
  return get(self, [self](const Tensor& tensor) {
    Tensor gradient = autograd::gradient_of(tensor);
    if (gradient.defined()) {
      track(self);
    } else {
      warn_of_result(tensor);
    }
    return wrap(std::move(gradient));
  });
}

int set_grad(PyObject* self, PyObject* value, void*) {
  return guarded_or(-1, [&] {
    const Tensor& tensor = tensor_of(self);
    if (value == nullptr || value == Py_None) {
      autograd::set_gradient(tensor, Tensor());
      return 0;
    }
    const Tensor& gradient = to_tensor({"grad", "value"}, value);
    autograd::set_gradient(tensor, gradient);
    track(self);
    return 0;
  });
}

PyGetSetDef table[] = {
    {"shape", shape, nullptr, "Sizes of the dimensions, a tuple of ints.", nullptr},
    {"ndim", ndim, nullptr, "Number of dimensions.", nullptr},
    {"dtype", dtype, nullptr, "Type of the elements.", nullptr},
    {"device", device, nullptr, "Where the elements are; always with an index for CUDA.", nullptr},
    {"is_cuda", is_cuda, nullptr, "True on a CUDA device.", nullptr},
    {"is_cpu", is_cpu, nullptr, "True on the CPU.", nullptr},
    {"itemsize", item_size, nullptr, "Bytes of one element.", nullptr},
    {"nbytes", nbytes, nullptr, "Bytes of all elements.", nullptr},
    {"layout", layout, nullptr, "Always 'strided'.", nullptr},
    {"T", reversed, nullptr, "A view with all dimensions reversed.", nullptr},
    {"mT", matrix_transposed, nullptr, "A view with the last two dimensions swapped.", nullptr},
    {"data", get_data, set_data, "The same elements as a tensor without a gradient.", nullptr},
    {"requires_grad", get_requires_grad, set_requires_grad, "True when gradients are wanted.",
     nullptr},
    {"grad", get_grad, set_grad, "The gradient, or None.", nullptr},
    {"grad_fn", grad_fn, nullptr,
     "The node of the recorded operation that made the tensor, or None.", nullptr},
    {"retains_grad", retains_grad, nullptr, "True after retain_grad() of a result.", nullptr},
    {"_version", version, nullptr, "How often the memory was changed in place.", nullptr},
    {"is_leaf", is_leaf, nullptr, "True for tensors that no recorded operation made.", nullptr},
    {"__array_priority__", priority, nullptr, "Says NumPy to leave mixed operators to the tensor.",
     nullptr},
    {"__cuda_array_interface__", cuda_array_interface, nullptr,
     "What other CUDA libraries read: version 3. AttributeError on the CPU and in a simulation.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace

PyGetSetDef* tensor_properties() { return table; }

}  // namespace gpukit::bindings
