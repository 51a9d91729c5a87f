// x[...] with every kind of index, and the functions that gather and scatter.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "backend/index_fault.h"
#include "core/scalar.h"
#include "tensor/tensor.h"

namespace gpukit::ops {

/// One part of an index expression, in the order it was written.
struct IndexItem {
  enum class Kind : std::uint8_t { kInteger, kSlice, kNewAxis, kEllipsis, kTensor };

  static IndexItem integer(std::int64_t value);
  static IndexItem slice(std::optional<std::int64_t> start, std::optional<std::int64_t> stop,
                         std::optional<std::int64_t> step);
  static IndexItem new_axis();
  static IndexItem ellipsis();
  /// Integers (any integer dtype, negative ones count from the end) or a bool mask of rank 0 and
  /// more.
  static IndexItem tensor(Tensor value);

  Kind kind = Kind::kInteger;
  std::int64_t value = 0;                         ///< kInteger
  std::optional<std::int64_t> start, stop, step;  ///< kSlice
  Tensor index;                                   ///< kTensor
};

/// An index expression taken apart: first a view, then gathering in it. With no `parts` the view is
/// the result.
struct IndexPlan {
  /// Index of one dimension, or a mask over `rank` (0 and more) neighbouring ones.
  struct Part {
    int dim = 0;  ///< first dimension of `view` that it covers
    int rank = 1;
    Tensor index;       ///< as it was written; bool means mask
    int input_dim = 0;  ///< the dimension of the whole tensor, for messages
  };
  Tensor view;
  std::vector<Part> parts;
  IndexedOp reader = IndexedOp::kIndex, writer = IndexedOp::kIndexPut;  ///< for messages
};

/// Integers (0-d tensors too, whose value is waited for) are taken first, as views, so that they
/// never move the dimensions of other indices, as in torch. Throws IndexError and ShapeError that
/// name the dimension.
IndexPlan plan_index(const Tensor& tensor, std::span<const IndexItem> items);
/// A new tensor; waits for masks, whose true elements are counted. Indices on a GPU are checked
/// there: one out of range is an IndexError when the device is waited for next.
Tensor index_get(const IndexPlan& plan);
/// view[parts] = value; value broadcasts. A repeated index keeps one of its values (the last one on
/// the CPU).
void index_put_(const IndexPlan& plan, const Tensor& value);
void index_put_(const IndexPlan& plan, Scalar value);
/// view[parts] += value; repeated indices add up. Same bits on every run.
void index_add_(const IndexPlan& plan, const Tensor& value);

/// tensor[items] and tensor[items] = value in one call each.
Tensor index(const Tensor& tensor, std::span<const IndexItem> items);
void index_assign(const Tensor& tensor, std::span<const IndexItem> items, const Tensor& value);
void index_assign(const Tensor& tensor, std::span<const IndexItem> items, Scalar value);

/// Row-major indices of the elements that are not zero: int64, 1-d. Waits.
Tensor flat_nonzero(const Tensor& tensor);
/// The same as coordinates: (count, rank).
Tensor nonzero(const Tensor& tensor);
/// The elements where the bool mask is true, 1-d. Both broadcast. Waits.
Tensor masked_select(const Tensor& tensor, const Tensor& mask);
/// target[mask] = value without waiting; mask broadcasts to the target.
void masked_fill_(const Tensor& target, const Tensor& mask, Scalar value);

/// The flattened tensor at linear indices; the result has the shape of the index.
Tensor take(const Tensor& tensor, const Tensor& index);
/// torch.gather: out[i][j] = tensor[index[i][j]][j] for dim 0, and so on. Ranks are equal.
Tensor gather(const Tensor& tensor, std::int64_t dim, const Tensor& index,
              IndexedOp op = IndexedOp::kGather);
/// The gradient of index_select: slices of `source` are added at `index` (rank 1) along dim.
void index_add_(const Tensor& target, std::int64_t dim, const Tensor& index, const Tensor& source);
/// The gradient of gather: target[index[i][j]][j] += source[i][j] for dim 0, and so on.
void scatter_add_(const Tensor& target, std::int64_t dim, const Tensor& index,
                  const Tensor& source);
/// target[index[i][j]][j] = source[i][j].
void scatter_(const Tensor& target, std::int64_t dim, const Tensor& index, const Tensor& source);

}  // namespace gpukit::ops
