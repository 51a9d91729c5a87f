// The views of tensor/view.h and the functions of ops/joining.h, recorded where a gradient is
// wanted.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tensor/tensor.h"

namespace gpukit::autograd {

Tensor reshape(const Tensor& tensor, const Shape& shape);
Tensor view(const Tensor& tensor, const Shape& shape);
Tensor flatten(const Tensor& tensor, std::int64_t start, std::int64_t end);
Tensor squeeze(const Tensor& tensor, const std::optional<Dims>& dims);
Tensor unsqueeze(const Tensor& tensor, std::int64_t dim);
Tensor permute(const Tensor& tensor, const Dims& order);
Tensor transpose(const Tensor& tensor, std::int64_t dim0, std::int64_t dim1);
Tensor t(const Tensor& tensor);
Tensor reverse_dims(const Tensor& tensor);
Tensor expand(const Tensor& tensor, const Shape& shape);
Tensor flip(const Tensor& tensor, const Dims& dims);
Tensor diagonal(const Tensor& tensor, std::int64_t offset);
/// `name` is the node's: several operations take a piece.
Tensor narrow(const Tensor& tensor, std::int64_t dim, std::int64_t start, std::int64_t length,
              const char* name = "SliceBackward0");
Tensor select(const Tensor& tensor, std::int64_t dim, std::int64_t index,
              const char* name = "SelectBackward0");
/// The parts of tensor/view.h as views of the graph.
Tensor real_part(const Tensor& tensor);
Tensor imag_part(const Tensor& tensor);
Tensor view_as_real(const Tensor& tensor);
Tensor view_as_complex(const Tensor& tensor);
/// The memory of the tensor seen with other sizes and strides, from the `offset`-th element of its
/// storage.
Tensor as_strided(const Tensor& tensor, const Shape& shape, const Strides& strides,
                  std::int64_t offset);
/// Windows of `size` elements, `step` apart, along a dimension: as a new last one.
Tensor unfold(const Tensor& tensor, int dim, std::int64_t size, std::int64_t step);
/// The same elements as another object of the same graph.
Tensor alias(const Tensor& tensor);

Tensor tril(const Tensor& tensor, std::int64_t diagonal);
Tensor triu(const Tensor& tensor, std::int64_t diagonal);
Tensor cat(std::span<const Tensor> tensors, std::int64_t dim);
Tensor stack(std::span<const Tensor> tensors, std::int64_t dim);
std::vector<Tensor> split(const Tensor& tensor, std::int64_t size, std::int64_t dim);
std::vector<Tensor> chunk(const Tensor& tensor, std::int64_t chunks, std::int64_t dim);
/// After repeating: `out` holds `input` counts[i] times along dimension i. Counts of dimensions
/// that the input lacks come first.
void record_repeat(const Tensor& out, const Tensor& input, const Dims& counts);

}  // namespace gpukit::autograd
