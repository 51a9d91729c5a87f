// add and sub with alpha.
#pragma once

#include "bindings/signature.h"
#include "kernels/op_codes.h"

namespace gpukit::bindings {

/// a[0] op a[2] * a[1] for (input, other, alpha): the dtype of the result comes first, then other
/// is multiplied in it. Half types are rounded once, at the end. Throws DTypeError for an alpha of
/// the wrong kind, RangeError for one that does not fit.
PyObject* scaled_sum(BinaryOp op, const Arguments& a);
/// The same into a[0].
void scaled_sum_(BinaryOp op, const Arguments& a);

}  // namespace gpukit::bindings
