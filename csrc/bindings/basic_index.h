// The short way for the index expressions of every day: ints, and slices with positive steps.
#pragma once

#include <Python.h>

#include <optional>

#include "core/scalar.h"
#include "tensor/tensor.h"

namespace gpukit::bindings {

/// The view that such an expression names, worked out in one go. Nothing for all other expressions,
/// and for those that are wrong: the general way (ops/indexing.h) takes them or says what is wrong.
std::optional<Tensor> basic_view(const Tensor& tensor, PyObject* key);

/// Writes a number into a CPU tensor of one element. False, and nothing written, where that needs
/// care.
bool store_element(const Tensor& target, Scalar value);

}  // namespace gpukit::bindings
