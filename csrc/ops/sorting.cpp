#include "ops/sorting.h"

#include <optional>

#include "base/check.h"
#include "base/error.h"
#include "ops/complex.h"
#include "ops/creation.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/indexing.h"
#include "ops/joining.h"
#include "ops/reduce.h"
#include "tensor/view.h"

namespace gpukit::ops {

namespace {

enum class Wanted { kBoth, kIndices };

/// Sorts the last dimension of a contiguous tensor.
static_assert(kDTypeKindCount == 4, "only kinds that have an order are sorted");
Sorted sort_rows(const Tensor& rows, bool descending, Wanted wanted) {
  if (rows.dtype() == DType::kBool) {
    const Sorted sorted = sort_rows(cast(rows, DType::kUInt8), descending, wanted);
    return {sorted.values.defined() ? cast(sorted.values, DType::kBool) : Tensor(), sorted.indices};
  }
  check_real("sort", rows);
  OpenDevice& device = rows.open_device();
  Sorted sorted;
  if (wanted == Wanted::kBoth) sorted.values = empty_on(device, rows.shape(), rows.dtype());
  sorted.indices = empty_on(device, rows.shape(), DType::kInt64);
  if (rows.count() == 0) return sorted;
  const Call call(rows);
  SortArgs args;
  args.columns = rows.rank() == 0 ? 1 : rows.size(rows.rank() - 1);
  args.rows = rows.count() / args.columns;
  args.in = rows.data();
  args.values = sorted.values.defined() ? sorted.values.data() : nullptr;
  args.indices = sorted.indices.data_as<std::int64_t>();
  args.dtype = rows.dtype();
  args.descending = descending;
  call.use(rows);
  call.ops.sort(args, call.stream);
  return sorted;
}

Tensor last_to(const Tensor& tensor, int dim) {
  return tensor.defined() && tensor.rank() > 0 ? contiguous(transpose(tensor, dim, -1)) : tensor;
}

Sorted sort_along(const Tensor& input, int dim, bool descending, Wanted wanted) {
  const Sorted sorted = sort_rows(last_to(input, dim), descending, wanted);
  return {last_to(sorted.values, dim), last_to(sorted.indices, dim)};
}

/// True where a sorted 1-d tensor differs from the element before; the first one does.
Tensor run_starts(const Tensor& sorted) {
  const std::int64_t count = sorted.count();
  const Tensor starts = full(Shape{count}, Scalar::boolean(true), DType::kBool, sorted.device());
  if (count > 1) {
    copy_(narrow(starts, 0, 1, count - 1),
          binary(BinaryOp::kNe, narrow(sorted, 0, 1, count - 1), narrow(sorted, 0, 0, count - 1)));
  }
  return starts;
}

/// For each element of the input, the number of its run.
Tensor inverse_of(const Tensor& starts, const Tensor& order, const Shape& shape) {
  const Tensor run_numbers = cumulative(starts, 0, false);
  binary_(BinaryOp::kSub, run_numbers, Scalar::integer(1));
  Tensor inverse = empty_on(order.open_device(), order.shape(), DType::kInt64);
  scatter_(inverse, 0, order, run_numbers);
  return reshape(inverse, shape);
}

Tensor run_lengths(const Tensor& indices, std::int64_t count) {
  const Tensor end = full(Shape{1}, Scalar::integer(count), DType::kInt64, indices.device());
  const Tensor bounds[] = {indices, end};
  const Tensor ends = cat(bounds, 0);
  return binary(BinaryOp::kSub, narrow(ends, 0, 1, indices.count()), indices);
}

}  // namespace

Sorted sort(const Tensor& input, int dim, bool descending) {
  return sort_along(input, dim, descending, Wanted::kBoth);
}

Tensor argsort(const Tensor& input, int dim, bool descending) {
  return sort_along(input, dim, descending, Wanted::kIndices).indices;
}

Sorted topk(const Tensor& input, std::int64_t k, int dim, bool largest) {
  const std::int64_t extent = input.rank() == 0 ? 1 : input.size(dim);
  GPUKIT_CHECK(k >= 0 && k <= extent, ValueError, "topk: k is ", k, ", but dimension ", dim, " of ",
               to_string(input.shape()), " has ", extent, " elements. Use 0 <= k <= ", extent, ".");
  const Sorted sorted = sort_along(input, dim, largest, Wanted::kBoth);
  if (input.rank() == 0) return sorted;
  return {contiguous(narrow(sorted.values, dim, 0, k)),
          contiguous(narrow(sorted.indices, dim, 0, k))};
}

Unique unique(const Tensor& input) {
  const Sorted sorted =
      sort_rows(contiguous(reshape(input, Shape{input.count()})), false, Wanted::kBoth);
  const Tensor starts = run_starts(sorted.values);
  const Tensor indices = flat_nonzero(starts);
  return {take(sorted.values, indices), inverse_of(starts, sorted.indices, input.shape()),
          run_lengths(indices, input.count())};
}

}  // namespace gpukit::ops
