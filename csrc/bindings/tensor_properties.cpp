// Attributes of Tensor.
#include "base/check.h"
#include "base/error.h"
#include "bindings/arguments.h"
#include "bindings/exceptions.h"
#include "bindings/grad_slot.h"
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
PyObject* is_leaf(PyObject*, void*) { return Py_NewRef(Py_True); }
PyObject* priority(PyObject*, void*) { return PyLong_FromLong(1000); }

PyObject* reversed(PyObject* self, void*) {
  return get(self, [](const Tensor& tensor) { return wrap(reverse_dims(tensor)); });
}

PyObject* matrix_transposed(PyObject* self, void*) {
  return get(self, [](const Tensor& tensor) {
    GPUKIT_CHECK(tensor.rank() >= 2, ShapeError, "mT: the tensor is ", to_string(tensor.shape()),
                 "; at least 2 dimensions are needed");
    return wrap(transpose(tensor, -2, -1));
  });
}

PyObject* get_data(PyObject* self, void*) {
  return get(self, [](const Tensor& tensor) { return wrap(alias(tensor)); });
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
    return 0;
  });
}

PyObject* get_requires_grad(PyObject* self, void*) {
  return PyBool_FromLong(tensor_of(self).requires_grad());
}

int set_requires_grad(PyObject* self, PyObject* value, void*) {
  return guarded_or(-1, [&] {
    GPUKIT_CHECK(value != nullptr, TypeError, "requires_grad: the attribute cannot be deleted");
    mark_requires_grad("requires_grad", tensor_of(self),
                       to_bool({"requires_grad", "value"}, value));
    return 0;
  });
}

PyObject* get_grad(PyObject* self, void*) {
  return get(self, [](const Tensor& tensor) {
    const Tensor* gradient = gradient_of(tensor);
    return wrap(gradient != nullptr ? *gradient : Tensor());
  });
}

void check_gradient(const Tensor& tensor, const Tensor& gradient) {
  GPUKIT_CHECK(gradient.shape() == tensor.shape(), ShapeError, "grad: the gradient is ",
               to_string(gradient.shape()), ", the tensor ", to_string(tensor.shape()),
               "; they must be equal");
  GPUKIT_CHECK(gradient.dtype() == tensor.dtype(), DTypeError, "grad: the gradient is ",
               name(gradient.dtype()), ", the tensor ", name(tensor.dtype()),
               "; they must be equal");
  GPUKIT_CHECK(gradient.device() == tensor.device(), DeviceMismatchError,
               "grad: the gradient is on ", to_string(gradient.device()), ", the tensor on ",
               to_string(tensor.device()), ". Use gradient.to('", to_string(tensor.device()), "')");
  GPUKIT_CHECK(!gradient.is_same(tensor), ValueError, "grad: a tensor cannot be its own gradient");
}

int set_grad(PyObject* self, PyObject* value, void*) {
  return guarded_or(-1, [&] {
    const Tensor& tensor = tensor_of(self);
    if (value == nullptr || value == Py_None) {
      set_gradient(tensor, Tensor());
      return 0;
    }
    const Tensor& gradient = to_tensor({"grad", "value"}, value);
    check_gradient(tensor, gradient);
    track(self);
    set_gradient(tensor, gradient);
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
    {"is_leaf", is_leaf, nullptr, "True for tensors that no recorded operation made.", nullptr},
    {"__array_priority__", priority, nullptr, "Says NumPy to leave mixed operators to the tensor.",
     nullptr},
    {"__cuda_array_interface__", cuda_array_interface, nullptr,
     "What other CUDA libraries read: version 3. AttributeError on the CPU and in a simulation.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace

void mark_requires_grad(std::string_view op, const Tensor& tensor, bool wanted) {
  GPUKIT_CHECK(!wanted || is_floating(tensor.dtype()), DTypeError, op,
               ": only floating tensors have gradients, this one is ", name(tensor.dtype()),
               ". Use .float() first");
  tensor.impl()->requires_grad = wanted;
}

PyGetSetDef* tensor_properties() { return table; }

}  // namespace gpukit::bindings
