// Indexing and the functions of ops/indexing.h, recorded where a gradient is wanted.
#pragma once

#include <cstdint>
#include <span>

#include "core/scalar.h"
#include "ops/indexing.h"
#include "tensor/tensor.h"

namespace gpukit::autograd {

using ops::IndexItem;

Tensor index(const Tensor& tensor, std::span<const IndexItem> items);
void index_assign(const Tensor& tensor, std::span<const IndexItem> items, const Tensor& value);
void index_assign(const Tensor& tensor, std::span<const IndexItem> items, Scalar value);

Tensor index_select(const Tensor& tensor, std::int64_t dim, const Tensor& index,
                    IndexedOp op = IndexedOp::kIndexSelect);
Tensor take(const Tensor& tensor, const Tensor& index);
Tensor gather(const Tensor& tensor, std::int64_t dim, const Tensor& index,
              IndexedOp op = IndexedOp::kGather);
Tensor masked_select(const Tensor& tensor, const Tensor& mask);

// `source`: the tensor of one element that the value was read from, if any; it gets the gradient of
// what was filled.
Tensor masked_fill(const Tensor& tensor, const Tensor& mask, Scalar value,
                   const Tensor& source = Tensor());
void masked_fill_(const Tensor& target, const Tensor& mask, Scalar value,
                  const Tensor& source = Tensor());
void index_add_(const Tensor& target, std::int64_t dim, const Tensor& index, const Tensor& source);
void scatter_(const Tensor& target, std::int64_t dim, const Tensor& index, const Tensor& source);
void scatter_add_(const Tensor& target, std::int64_t dim, const Tensor& index,
                  const Tensor& source);

}  // namespace gpukit::autograd
