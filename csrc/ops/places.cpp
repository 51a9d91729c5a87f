#include "ops/places.h"

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

[[noreturn]] void throw_out_of_range(std::int64_t index, std::int64_t size, int dim,
                                     std::string_view op) {
  const std::string valid =
      size > 0 ? concat("Use ", -size, " … ", size - 1, ".") : "It has no elements.";
  throw IndexError(concat(op, ": index ", index, " is out of range for dimension ", dim,
                          " of size ", size, ". ", valid));
}

std::int64_t extreme(ReduceOp op, const Tensor& index) {
  return read_item(reduce(op, index, std::nullopt, false)).as_int64();
}

void run_scatter(const Tensor& target, const Around& sizes, const Tensor& places,
                 const Tensor& value, Scatter how) {
  const Call call(target);
  ScatterArgs args;
  args.outer = sizes.outer;
  args.extent = sizes.extent;
  args.inner = sizes.inner;
  args.count = places.count();
  args.in = value.data();
  args.index = places.data_as<const std::int64_t>();
  args.out = target.data();
  args.dtype = target.dtype();
  args.itemsize = static_cast<int>(itemsize(target.dtype()));
  args.accumulate = how == Scatter::kAdd;
  call.use(target, places, value);
  call.ops.scatter(args, call.stream);
}

/// Backends add up neighbours of equal places: sort the places, and the values with them.
void run_scatter_add(const Tensor& target, const Around& sizes, const Tensor& places,
                     const Tensor& value) {
  const Sorted sorted = sort(view(places, Shape{places.count()}), 0, false);
  const Around rows{sizes.outer, places.count(), sizes.inner};
  run_scatter(target, sizes, sorted.values,
              gather_places(value, rows, sorted.indices, value.shape()), Scatter::kAdd);
}

}  // namespace

void check_indices(const Tensor& index, std::int64_t size, int dim, std::string_view op) {
  if (index.count() == 0) return;
  const std::int64_t lowest = extreme(ReduceOp::kMin, index);
  if (lowest < -size) throw_out_of_range(lowest, size, dim, op);
  const std::int64_t highest = extreme(ReduceOp::kMax, index);
  if (highest >= size) throw_out_of_range(highest, size, dim, op);
}

Tensor index_beside(const Tensor& index, const Tensor& tensor, std::string_view op) {
  const Tensor whole =
      contiguous(index.dtype() == DType::kBool ? index : cast(index, DType::kInt64));
  if (&whole.open_device() == &tensor.open_device()) return whole;
  if (!whole.is_cpu()) throw_device_mismatch(op, tensor, index);
  return copy_to_device(whole, tensor.device(), false);
}

Tensor gather_places(const Tensor& source, const Around& sizes, const Tensor& places,
                     const Shape& shape) {
  check_shape(shape, itemsize(source.dtype()), "index");
  Tensor out = empty_on(source.open_device(), shape, source.dtype());
  if (out.count() == 0) return out;
  const Call call(source);
  GatherArgs args;
  args.outer = sizes.outer;
  args.extent = sizes.extent;
  args.inner = sizes.inner;
  args.count = places.count();
  args.in = source.data();
  args.index = places.data_as<const std::int64_t>();
  args.out = out.data();
  args.itemsize = static_cast<int>(itemsize(source.dtype()));
  call.use(source, places);
  call.ops.gather(args, call.stream);
  return out;
}

void scatter_places(const Tensor& target, const Around& sizes, const Tensor& places,
                    const Tensor& value, Scatter how) {
  if (target.count() == 0 || value.count() == 0) return;
  const Tensor packed = contiguous(target);
  Tensor source = contiguous(value);
  if (overlaps_shifted(packed, source) || source.data() == packed.data()) source = clone(source);
  if (how == Scatter::kAdd) {
    run_scatter_add(packed, sizes, places, source);
  } else {
    run_scatter(packed, sizes, places, source, how);
  }
  if (!packed.is_same(target)) return copy_(target, packed);
  target.storage()->bump_version();
}

}  // namespace gpukit::ops
