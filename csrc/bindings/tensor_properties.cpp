// Attributes of Tensor.
#include "autograd/elementwise.h"
#include "autograd/shape.h"
#include "autograd/tensor_gradient.h"
#include "base/check.h"
#include "base/error.h"
#include "bindings/arguments.h"
#include "bindings/exceptions.h"
#include "bindings/graph_object.h"
#include "bindings/size_type.h"
#include "bindings/tensor_object.h"
#include "bindings/tensor_type.h"
#include "tensor/view.h"

namespace gpukit::bindings {

namespace {

template <class Function>
PyObject* get(PyObject* self, const Function& function) {
  return guarded([&] { return function(tensor_of(self)); });
}

PyObject* layout(PyObject*, void*) {
  return guarded([] {
    return checked(PyObject_GetAttrString(imported("gpukit._tensors.legacy").ptr(), "strided"));
  });
}
PyObject* priority(PyObject*, void*) { return PyLong_FromLong(1000); }

PyObject* matrix_transposed(PyObject* self, void*) {
  return get(self, [](const Tensor& tensor) {
    GPUKIT_CHECK(tensor.rank() >= 2, ShapeError, "mT: the tensor is ", to_string(tensor.shape()),
                 "; at least 2 dimensions are needed");
    return wrap(autograd::transpose(tensor, -2, -1));
  });
}

/// Transposed and conjugated.
Tensor adjoint(const Tensor& tensor, std::string_view op, bool stacks) {
  GPUKIT_CHECK(tensor.rank() == 2 || (stacks && tensor.rank() > 2), ShapeError, op,
               ": the tensor is ", to_string(tensor.shape()), "; ",
               stacks ? "at least 2 dimensions are" : "a matrix is", " needed");
  return autograd::conj(autograd::transpose(tensor, -2, -1));
}

int set_part(PyObject* self, PyObject* value, std::string_view op, Tensor (*part)(const Tensor&)) {
  return guarded_or(-1, [&] {
    GPUKIT_CHECK(value != nullptr, TypeError, op, ": the attribute cannot be deleted");
    const Tensor target = part(tensor_of(self));
    if (is_number(value)) {
      autograd::fill_(target, to_stored({op, "value"}, value, target.dtype()));
    } else {
      autograd::copy_(target, to_tensor({op, "value"}, value));
    }
    return 0;
  });
}

int set_real(PyObject* self, PyObject* value, void*) {
  return set_part(self, value, "real", autograd::real_part);
}
int set_imag(PyObject* self, PyObject* value, void*) {
  return set_part(self, value, "imag", autograd::imag_part);
}

/// The tensor takes the other's storage, shape and dtype and stays itself.
int set_data(PyObject* self, PyObject* value, void*) {
  return guarded_or(-1, [&] {
    GPUKIT_CHECK(value != nullptr, TypeError, "data: the attribute cannot be deleted");
    const Tensor source = to_tensor({"data", "value"}, value);
    TensorImpl& target = *tensor_of(self).impl();
    const TensorImpl& from = *source.impl();
    if (target.base != nullptr) target.drop_base();
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

// clang-format off
constexpr PropertyRow kRows[] = {
  {.name = "shape", .type = "Size",
   .get = [](PyObject* self, void*) { return get(self, [](const Tensor& tensor) { return to_size(tensor.shape()); }); },
   .doc = "Sizes of the dimensions: a tuple of ints with numel().",
   .example = ">>> gpukit.ones(2, 3).shape\n" "(2, 3)"},
  {.name = "ndim", .type = "int",
   .get = [](PyObject* self, void*) { return PyLong_FromLong(tensor_of(self).rank()); },
   .doc = "Number of dimensions.",
   .example = ">>> gpukit.ones(2, 3).ndim\n" "2"},
  {.name = "dtype", .type = "dtype",
   .get = [](PyObject* self, void*) { return new_object(tensor_of(self).dtype()); },
   .doc = "Type of the elements.",
   .example = ">>> gpukit.ones(1).dtype\n" "gpukit.float32"},
  {.name = "device", .type = "device",
   .get = [](PyObject* self, void*) { return get(self, [](const Tensor& tensor) { return new_object(tensor.device()); }); },
   .doc = "Where the elements are; always with an index for CUDA.",
   .example = ">>> gpukit.ones(1).device\n" "device(type='cpu')"},
  {.name = "is_sparse", .type = "bool",
   .get = [](PyObject*, void*) { return PyBool_FromLong(0); },
   .doc = "False: gpukit has no sparse tensors.",
   .example = ">>> gpukit.ones(1).is_sparse\n" "False"},
  {.name = "is_meta", .type = "bool",
   .get = [](PyObject* self, void*) { return PyBool_FromLong(tensor_of(self).device().is_meta()); },
   .doc = "True on the device 'meta', where tensors have shapes and no elements.",
   .example = ">>> gpukit.ones(1).is_meta\n" "False"},
  {.name = "is_nested", .type = "bool",
   .get = [](PyObject*, void*) { return PyBool_FromLong(0); },
   .doc = "False: gpukit has no nested tensors.",
   .example = ">>> gpukit.ones(1).is_nested\n" "False"},
  {.name = "is_quantized", .type = "bool",
   .get = [](PyObject*, void*) { return PyBool_FromLong(0); },
   .doc = "False: gpukit has no quantised tensors.",
   .example = ">>> gpukit.ones(1).is_quantized\n" "False"},
  {.name = "is_sparse_csr", .type = "bool",
   .get = [](PyObject*, void*) { return PyBool_FromLong(0); },
   .doc = "False: gpukit has no sparse tensors.",
   .example = ">>> gpukit.ones(1).is_sparse_csr\n" "False"},
  {.name = "is_mps", .type = "bool",
   .get = [](PyObject*, void*) { return PyBool_FromLong(0); },
   .doc = "False: it is not on an Apple GPU.",
   .example = ">>> gpukit.ones(1).is_mps\n" "False"},
  {.name = "is_xpu", .type = "bool",
   .get = [](PyObject*, void*) { return PyBool_FromLong(0); },
   .doc = "False: it is not on an Intel GPU.",
   .example = ">>> gpukit.ones(1).is_xpu\n" "False"},
  {.name = "is_cuda", .type = "bool",
   .get = [](PyObject* self, void*) { return PyBool_FromLong(tensor_of(self).device().is_cuda()); },
   .doc = "True on a CUDA device.",
   .example = ">>> gpukit.ones(1).is_cuda\n" "False"},
  {.name = "is_cpu", .type = "bool",
   .get = [](PyObject* self, void*) { return PyBool_FromLong(tensor_of(self).device().is_cpu()); },
   .doc = "True on the CPU.",
   .example = ">>> gpukit.ones(1).is_cpu\n" "True"},
  {.name = "itemsize", .type = "int",
   .get = [](PyObject* self, void*) { return PyLong_FromSize_t(itemsize(tensor_of(self).dtype())); },
   .doc = "Bytes of one element.",
   .example = ">>> gpukit.ones(1).itemsize\n" "4"},
  {.name = "nbytes", .type = "int",
   .get = [](PyObject* self, void*) { return PyLong_FromSize_t(tensor_of(self).bytes()); },
   .doc = "Bytes of all elements.",
   .example = ">>> gpukit.ones(2, 3).nbytes\n" "24"},
  {.name = "layout", .type = "str", .get = layout,
   .doc = "Always 'strided'.",
   .example = ">>> gpukit.ones(1).layout\n" "gpukit.strided"},
  {.name = "T", .type = "Tensor",
   .get = [](PyObject* self, void*) { return get(self, [](const Tensor& tensor) { return wrap(autograd::reverse_dims(tensor)); }); },
   .doc = "A view with all dimensions reversed.",
   .example = ">>> gpukit.ones(2, 3).T.shape\n" "(3, 2)"},
  {.name = "mT", .type = "Tensor", .get = matrix_transposed,
   .doc = "A view with the last two dimensions swapped.",
   .example = ">>> gpukit.ones(4, 2, 3).mT.shape\n" "(4, 3, 2)"},
  {.name = "H", .type = "Tensor",
   .get = [](PyObject* self, void*) { return get(self, [](const Tensor& tensor) { return wrap(adjoint(tensor, "H", false)); }); },
   .doc = "A matrix transposed and conjugated.",
   .example = ">>> gpukit.ones(2, 3).H.shape\n" "(3, 2)"},
  {.name = "mH", .type = "Tensor",
   .get = [](PyObject* self, void*) { return get(self, [](const Tensor& tensor) { return wrap(adjoint(tensor, "mH", true)); }); },
   .doc = "The last two dimensions swapped, the elements conjugated.",
   .example = ">>> gpukit.ones(4, 2, 3).mH.shape\n" "(4, 3, 2)"},
  {.name = "real", .type = "Tensor",
   .get = [](PyObject* self, void*) {
     return get(self, [self](const Tensor& tensor) {
       return is_complex(tensor.dtype()) ? wrap(autograd::real_part(tensor)) : Py_NewRef(self);
     });
   },
   .set = set_real,
   .doc = "The real part, a view of the same memory; of a real tensor itself.",
   .example = ">>> gpukit.tensor([1 + 2j]).real\n" "tensor([1.])"},
  {.name = "imag", .type = "Tensor",
   .get = [](PyObject* self, void*) { return get(self, [](const Tensor& tensor) { return wrap(autograd::imag_part(tensor)); }); },
   .set = set_imag,
   .doc = "The imaginary part of a complex tensor, a view of the same memory.",
   .example = ">>> gpukit.tensor([1 + 2j]).imag\n" "tensor([2.])"},
  {.name = "data", .type = "Tensor",
   .get = [](PyObject* self, void*) { return get(self, [](const Tensor& tensor) { return wrap(detached(tensor)); }); },
   .set = set_data,
   .doc = "The same elements as a tensor without a gradient.",
   .example = ">>> gpukit.ones(1, requires_grad=True).data.requires_grad\n" "False"},
  {.name = "requires_grad", .type = "bool",
   .get = [](PyObject* self, void*) { return PyBool_FromLong(tensor_of(self).requires_grad()); },
   .set = set_requires_grad,
   .doc = "True when gradients are wanted.",
   .example = ">>> gpukit.ones(1, requires_grad=True).requires_grad\n" "True"},
  {.name = "grad", .type = "Tensor | None", .get = get_grad, .set = set_grad,
   .doc = "The gradient, or None.",
   .example = ">>> x = gpukit.tensor([3.0], requires_grad=True)\n" ">>> (x * x).sum().backward()\n" ">>> x.grad\n" "tensor([6.])"},
  {.name = "grad_fn", .type = "GraphNode | None",
   .get = [](PyObject* self, void*) { return get(self, [](const Tensor& tensor) { return graph_object(autograd::grad_fn_of(tensor)); }); },
   .doc = "The node of the recorded operation that made the tensor, or None.",
   .example = ">>> (gpukit.ones(2, requires_grad=True) * 2).grad_fn.name()\n" "'MulBackward0'"},
  {.name = "retains_grad", .type = "bool",
   .get = [](PyObject* self, void*) {
     const autograd::Node* node = autograd::node_of(tensor_of(self));
     return PyBool_FromLong(node != nullptr && !node->is_leaf() && node->retains_gradient());
   },
   .doc = "True after retain_grad() of a result.",
   .example = ">>> x = gpukit.ones(1, requires_grad=True)\n" ">>> y = x * 2\n" ">>> y.retain_grad()\n" ">>> y.retains_grad\n" "True"},
  {.name = "_base", .type = "Tensor | None",
   .get = [](PyObject* self, void*) {
     return get(self, [](const Tensor& tensor) {
       TensorImpl* base = tensor.impl()->base;
       return wrap(base != nullptr ? Tensor::share_raw(base) : Tensor());
     });
   },
   .doc = "The tensor that this is a view of, which is no view itself, or None. None also for views as another dtype.",
   .example = ">>> x = gpukit.ones(2, 3)\n" ">>> x[0]._base is x\n" "True"},
  {.name = "_version", .type = "int",
   .get = [](PyObject* self, void*) { return PyLong_FromUnsignedLong(tensor_of(self).storage()->version()); },
   .doc = "How often the memory was changed in place."},
  {.name = "is_leaf", .type = "bool",
   .get = [](PyObject* self, void*) { return get(self, [](const Tensor& tensor) { return PyBool_FromLong(autograd::is_leaf(tensor)); }); },
   .doc = "True for tensors that no recorded operation made.",
   .example = ">>> x = gpukit.ones(1, requires_grad=True)\n" ">>> x.is_leaf, (x * 2).is_leaf\n" "(True, False)"},
  {.name = "__array_priority__", .type = "int", .get = priority,
   .doc = "Says NumPy to leave mixed operators to the tensor."},
  {.name = "__cuda_array_interface__", .type = "dict[str, object]", .get = cuda_array_interface,
   .doc = "What other CUDA libraries read: version 3. AttributeError on the CPU and in a simulation."},
};
// clang-format on

}  // namespace

std::span<const PropertyRow> tensor_properties() { return kRows; }

}  // namespace gpukit::bindings
