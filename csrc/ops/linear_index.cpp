#include "ops/linear_index.h"

#include "base/check.h"
#include "base/error.h"
#include "ops/elementwise.h"
#include "ops/promotion.h"
#include "ops/reduce.h"
#include "ops/sorting.h"
#include "tensor/transfer.h"
#include "tensor/view.h"

namespace gpukit::ops {

namespace {

std::int64_t extreme(ReduceOp op, const Tensor& index) {
  return read_item(reduce(op, index, ReducedDims::all(), false)).as_int64();
}

std::int64_t first_position_of(const Tensor& index, std::int64_t value) {
  return read_item(reduce(ReduceOp::kArgMax,
                          cast(binary(BinaryOp::kEq, index, Scalar::integer(value)), DType::kUInt8),
                          ReducedDims::all(), false))
      .as_int64();
}

/// Throws for the lowest, else the highest index that is out of range. Waits for a GPU's index.
void look_at(IndexedOp op, const Tensor& index, std::int64_t size, int dim) {
  const std::int64_t lowest = counts_from_end(op) ? -size : 0;
  for (const ReduceOp which : {ReduceOp::kMin, ReduceOp::kMax}) {
    const std::int64_t found = extreme(which, index);
    if (found < lowest || found >= size)
      throw_index_fault({op, dim, found, size, first_position_of(index, found)});
  }
}

/// `order`, if not null, names the row of `value` of each entry of `indices`.
void run_scatter(const Tensor& target, const Around& sizes, const Tensor& indices,
                 const Tensor* order, const Tensor& value, Scatter how, IndexCheck check) {
  const Call call(target);
  ScatterArgs args;
  if (order != nullptr) {
    args.order = order->data_as<const std::int64_t>();
    call.use(*order);
  }
  args.outer = sizes.outer;
  args.extent = sizes.extent;
  args.inner = sizes.inner;
  args.count = indices.count();
  args.in = value.data();
  args.index = indices.data_as<const std::int64_t>();
  args.out = target.data();
  args.dtype = target.dtype();
  args.itemsize = static_cast<int>(itemsize(target.dtype()));
  args.accumulate = how == Scatter::kAdd;
  args.check = check;
  if (is_complex(target.dtype())) [[unlikely]] {  // two floating items side by side
    args.inner *= 2;
    args.itemsize /= 2;
    args.dtype = real_dtype(target.dtype());
  }
  call.use(target, indices, value);
  call.ops.scatter(args, call.stream);
}

/// Backends add up neighbours of equal indices: sort the indices, and say where their values are.
void run_scatter_add(const Tensor& target, const Around& sizes, const Tensor& indices,
                     const Tensor& value, IndexCheck check) {
  const Sorted sorted = sort(view(indices, Shape{indices.count()}), 0, false);
  run_scatter(target, sizes, sorted.values, &sorted.indices, value, Scatter::kAdd, check);
}

}  // namespace

IndexCheck check_index(IndexedOp op, const Tensor& index, const Tensor& tensor, std::int64_t size,
                       int dim) {
  IndexCheck check{op, dim, false};
  if (index.count() == 0) return check;
  const bool later =
      !index.on_host() && size > 0 && tensor.open_device().runtime().reports_indices();
  if (!later) {
    look_at(op, cast(index, DType::kInt64), size, dim);
  } else {
    check.report = true;
  }
  return check;
}

Tensor index_on_device(const Tensor& index, const Tensor& tensor, std::string_view op) {
  const Tensor whole =
      contiguous(index.dtype() == DType::kBool ? index : cast(index, DType::kInt64));
  if (&whole.open_device() == &tensor.open_device()) return whole;
  if (!whole.on_host()) throw_device_mismatch(op, tensor, index);
  return copy_to_device(whole, tensor.device(), false);
}

Tensor gather_linear(const Tensor& source, const Around& sizes, const Tensor& indices,
                     const Shape& shape, IndexCheck check) {
  check_shape(shape, itemsize(source.dtype()), "index");
  Tensor out = empty_on(source.open_device(), shape, source.dtype());
  if (out.count() == 0) return out;
  const Call call(source);
  GatherArgs args;
  args.outer = sizes.outer;
  args.extent = sizes.extent;
  args.inner = sizes.inner;
  args.count = indices.count();
  args.in = source.data();
  args.index = indices.data_as<const std::int64_t>();
  args.out = out.data();
  args.itemsize = static_cast<int>(itemsize(source.dtype()));
  if (is_complex(source.dtype())) [[unlikely]] {
    args.inner *= 2;
    args.itemsize /= 2;
  }
  args.check = check;
  call.use(source, indices);
  call.ops.gather(args, call.stream);
  return out;
}

Tensor combine_indices(const Shape& shape, std::span<const Tensor> indices,
                       std::span<const IndexPart> parts, const Strides& coordinate_steps,
                       IndexCheck check) {
  const Tensor out = empty_on(indices.front().open_device(), shape, DType::kInt64);
  if (out.count() == 0) return out;
  const Call call(out);
  LinearIndexArgs args;
  args.shape = shape;
  args.out = out.data_as<std::int64_t>();
  args.parts = parts;
  args.coordinate_steps = coordinate_steps;
  args.from_end = counts_from_end(check.op);
  args.check = check;
  call.use(out);
  for (const Tensor& index : indices) call.use(index);
  call.ops.linear_index(args, call.stream);
  return out;
}

void scatter_linear(const Tensor& target, const Around& sizes, const Tensor& indices,
                    const Tensor& value, Scatter how, IndexCheck check) {
  if (target.count() == 0 || value.count() == 0) return;
  const Tensor packed = contiguous(target);
  Tensor source = contiguous(value);
  if (overlaps_shifted(packed, source) || source.data() == packed.data()) source = clone(source);
  if (how == Scatter::kAdd) {
    run_scatter_add(packed, sizes, indices, source, check);
  } else {
    run_scatter(packed, sizes, indices, nullptr, source, how, check);
  }
  if (!packed.is_same(target)) return copy_(target, packed);
  target.storage()->bump_version();
}

}  // namespace gpukit::ops
