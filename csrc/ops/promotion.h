// Which dtype a result has, before anything is computed.
#pragma once

#include "core/scalar.h"
#include "tensor/tensor.h"

namespace gpukit::ops {

/// The dtype of results that must be floating where no operand is (set_default_dtype). float32 at
/// the start.
DType default_floating() noexcept;
/// Process wide. Throws DTypeError for a dtype that is not floating.
void set_default_floating(DType dtype);

/// Promotion of two operands. A 0-d tensor does not change the dtype of one with dimensions unless
/// its kind is higher (bool < integer < floating).
DType result_dtype(const Tensor& left, const Tensor& right);
/// The same with a Python number, which is weaker still.
DType result_dtype(const Tensor& tensor, Scalar scalar) noexcept;

/// The dtype a Python number has by itself: bool, int64 (uint64 beyond its range), or the default
/// floating dtype.
DType number_dtype(Scalar number) noexcept;

/// True when values of `from` may be stored in `to` by an in-place operation: the kind does not
/// fall.
bool can_store(DType from, DType to) noexcept;

/// The element at an address of the host, with its own kind; exact for every dtype.
Scalar load_scalar(DType dtype, const void* address);
/// The value of a 0-d CPU tensor with its own kind; exact for every dtype.
Scalar read_scalar(const Tensor& tensor);
/// The value of any tensor with one element; waits for the device.
Scalar read_item(const Tensor& tensor);

}  // namespace gpukit::ops
