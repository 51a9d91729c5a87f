// A storage seen through any dtype and layout: what files of tensors are made of.
#pragma once

#include <cstdint>
#include <string_view>

#include "tensor/tensor.h"

namespace gpukit {

/// A tensor over the storage of `base`, from `offset` elements of `dtype` on. Shares the memory.
/// Throws ValueError when the layout leaves the storage, a stride is negative, or the elements
/// would not be aligned.
Tensor storage_view(const Tensor& base, DType dtype, const Shape& shape, const Strides& strides,
                    std::int64_t offset, std::string_view op = "storage_view");

}  // namespace gpukit
