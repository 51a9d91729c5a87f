#include "bindings/basic_index.h"

namespace gpukit::bindings {

namespace {

/// A view in the making: dimensions before `dim` are done.
struct ViewBuilder {
  const Tensor& source;
  int dim = 0;
  std::int64_t offset;
  Shape shape;
  Strides strides;

  explicit ViewBuilder(const Tensor& tensor) : source(tensor), offset(tensor.offset()) {}

  bool take_integer(PyObject* item) {
    const Py_ssize_t index = PyLong_AsSsize_t(item);
    if (index == -1 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      return false;
    }
    const std::int64_t size = source.size(dim);
    const std::int64_t element = index < 0 ? index + size : index;
    if (element < 0 || element >= size) return false;
    offset += element * source.strides()[dim++];
    return true;
  }

  bool take_slice(PyObject* item) {
    Py_ssize_t start = 0, stop = 0, step = 1;
    if (PySlice_Unpack(item, &start, &stop, &step) < 0) {
      PyErr_Clear();
      return false;
    }
    if (step < 1) return false;
    const Py_ssize_t length = PySlice_AdjustIndices(source.size(dim), &start, &stop, step);
    const std::int64_t stride = source.strides()[dim++];
    offset += length > 0 ? start * stride : 0;
    shape.push_back(length);
    strides.push_back(stride * step);
    return true;
  }

  bool take(PyObject* item) {
    if (dim == source.rank()) return false;
    if (PyLong_CheckExact(item) != 0) return take_integer(item);
    return PySlice_Check(item) != 0 && take_slice(item);
  }

  Tensor finish() {
    for (; dim < source.rank(); ++dim) {
      shape.push_back(source.size(dim));
      strides.push_back(source.strides()[dim]);
    }
    return Tensor::make_view(source, source.dtype(), shape, strides, offset);
  }
};

}  // namespace

std::optional<Tensor> basic_view(const Tensor& tensor, PyObject* key) {
  ViewBuilder builder(tensor);
  if (PyTuple_CheckExact(key) == 0) {
    if (!builder.take(key)) return std::nullopt;
    return builder.finish();
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); ++i) {
    if (!builder.take(PyTuple_GET_ITEM(key, i))) return std::nullopt;
  }
  return builder.finish();
}

bool store_element(const Tensor& target, Scalar value) {
  if (!target.on_host() || target.count() != 1 || target.storage()->read_only() ||
      target.impl()->is_inference)
    return false;
  target.storage()->wait_for_readers();
  if (target.dtype() == DType::kFloat32) {
    *target.data_as<float>() = value.as<float>();
  } else if (target.dtype() == DType::kFloat64) {
    *target.data_as<double>() = value.as<double>();
  } else if (target.dtype() == DType::kInt64 && of_kind(value.kind(), true, true, false, false)) {
    *target.data_as<std::int64_t>() = value.as_int64();
  } else {
    return false;  // the general way
  }
  target.storage()->bump_version();
  return true;
}

}  // namespace gpukit::bindings
