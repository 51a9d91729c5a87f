// Tensors as arguments and results of pybind11 functions.
#pragma once

#include <pybind11/cast.h>

#include "bindings/tensor_object.h"

namespace pybind11::detail {

/// Copies the handle, so a function may keep it and drop the GIL.
template <>
struct type_caster<gpukit::Tensor> {
  PYBIND11_TYPE_CASTER(gpukit::Tensor, const_name("gpukit._core.Tensor"));

  bool load(handle source, bool) {
    if (!gpukit::bindings::is_tensor(source.ptr())) return false;
    value = gpukit::bindings::tensor_of(source.ptr());
    return true;
  }
  static handle cast(gpukit::Tensor tensor, return_value_policy, handle) {
    return gpukit::bindings::wrap(std::move(tensor));
  }
};

}  // namespace pybind11::detail
