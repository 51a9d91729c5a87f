// Filled tensors.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/scalar.h"
#include "tensor/tensor.h"

namespace gpukit::ops {

Tensor full(const Shape& shape, Scalar value, DType dtype, Device device,
            std::string_view op = "full");
Tensor zeros(const Shape& shape, DType dtype, Device device);
Tensor ones(const Shape& shape, DType dtype, Device device);
/// ceil((stop - start) / step) elements; step 0 or a wrong direction throws ValueError.
Tensor arange(Scalar start, Scalar stop, Scalar step, DType dtype, Device device);
/// Complex numbers along a line in the plane.
Tensor linspace(Scalar start, Scalar stop, std::int64_t steps, DType dtype, Device device);
Tensor linspace(double start, double stop, std::int64_t steps, DType dtype, Device device);
Tensor eye(std::int64_t rows, std::int64_t columns, DType dtype, Device device);
Tensor tril(const Tensor& input, std::int64_t diagonal);
Tensor triu(const Tensor& input, std::int64_t diagonal);

}  // namespace gpukit::ops
