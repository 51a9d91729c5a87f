// Views: other shapes over the same storage. Nothing here moves data, but `reshape` may copy as it
// says.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tensor/tensor.h"

namespace gpukit {

/// `shape` may hold one -1. Throws ShapeError when the sizes do not match or the strides do not
/// allow a view.
Tensor view(const Tensor& tensor, const Shape& shape);
/// The view when the strides allow one, else nothing. `shape` has no -1.
std::optional<Tensor> try_view(const Tensor& tensor, const Shape& shape);
/// Resolves one -1 and checks the element count. Throws ShapeError naming both.
Shape infer_shape(const Shape& wanted, std::int64_t count, std::string_view op);

Tensor permute(const Tensor& tensor, const Dims& order);
/// The same in two steps: all dimensions in their new order counted from 0, which throws
/// ShapeError, IndexError and ValueError, and the view.
Dims permutation(const Tensor& tensor, const Dims& order);
Tensor permuted(const Tensor& tensor, const Dims& permutation);
Tensor transpose(const Tensor& tensor, std::int64_t dim0, std::int64_t dim1);
/// Of a matrix; 0-d and 1-d tensors stay (torch's t()).
Tensor t(const Tensor& tensor);
/// All dimensions reversed (NumPy's and torch's .T).
Tensor reverse_dims(const Tensor& tensor);
Tensor squeeze(const Tensor& tensor, std::optional<Dims> dims);
Tensor unsqueeze(const Tensor& tensor, std::int64_t dim);
/// -1 keeps a size. Throws ShapeError.
Tensor expand(const Tensor& tensor, const Shape& shape);
/// tensor[index] along one dimension, which disappears. Throws IndexError.
Tensor select(const Tensor& tensor, std::int64_t dim, std::int64_t index);
/// tensor[start:stop:step] along one dimension with the bounds already clipped; step > 0, length >=
/// 0.
Tensor slice(const Tensor& tensor, std::int64_t dim, std::int64_t start, std::int64_t length,
             std::int64_t step);
Tensor narrow(const Tensor& tensor, std::int64_t dim, std::int64_t start, std::int64_t length);
/// Reversed along dims: a view with negative strides.
Tensor flip(const Tensor& tensor, const Dims& dims);
Tensor diagonal(const Tensor& tensor, std::int64_t offset);
/// The parts of a complex tensor; of any other dtype real_part is the tensor itself.
Tensor real_part(const Tensor& tensor);
Tensor imag_part(const Tensor& tensor);
/// A complex tensor as a floating one with a last dimension of 2, and back. Throw DTypeError,
/// ShapeError.
Tensor view_as_real(const Tensor& tensor);
Tensor view_as_complex(const Tensor& tensor);
Tensor alias(const Tensor& tensor);  ///< a new impl over the same storage
/// The same elements as an independent tensor: writing into it does not change its base.
Tensor detached(const Tensor& tensor);

}  // namespace gpukit
