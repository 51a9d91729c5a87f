// Observed calls as Python objects.
#pragma once

#include "autograd/observed_call.h"
#include "bindings/operator_call.h"

namespace gpukit::bindings {

/// An operator as Python has it: made once, and kept as long as the operator.
struct OperatorObjects {
  py::object handle, name, kind;
};
const OperatorObjects& objects_of(const Operator& called);

/// The gpukit._core.OperatorCall, one object a call.
py::object as_object(OperatorCall& call);
/// A gpukit._core.DerivativeCall with what is known at this moment.
py::object as_object(const autograd::DerivativeCall& call);

}  // namespace gpukit::bindings
