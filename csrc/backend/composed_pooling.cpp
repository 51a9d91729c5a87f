// Largest elements of windows, tap by tap, and sums by number, for devices without their own loops.
#include <algorithm>
#include <limits>

#include "backend/composition.h"

namespace gpukit {

namespace composed_pooling {
namespace {

using Sizes = MaxPoolArgs::Sizes;

void* at(void* data, std::int64_t element, DType dtype) {
  return static_cast<char*>(data) + element * static_cast<std::int64_t>(itemsize(dtype));
}

class Composed {
 public:
  Composed(DeviceOps& ops, Workspace* workspace, const MaxPoolArgs& args, StreamRef stream)
      : args_(args), c_(ops, workspace, stream) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::int64_t reach =
          (args.places[i] - 1) * args.stride[i] + (args.kernel[i] - 1) * args.dilation[i] + 1;
      padded_[i] = std::max(reach, args.before[i] + args.sizes[i]);
    }
    shape_ = Shape{args.planes, args.places[0], args.places[1], args.places[2]};
    best_ = {args.values, args.dtype, contiguous_strides(shape_)};
    larger_ = {c_.scratch(element_count(shape_), DType::kBool), DType::kBool,
               contiguous_strides(shape_)};
    not_a_number_ = {c_.scratch(element_count(shape_), DType::kBool), DType::kBool,
                     contiguous_strides(shape_)};
  }

  void run() {
    void* planes = padded_planes();
    c_.fill(shape_, -std::numeric_limits<double>::infinity(), best_);
    if (args_.numbers != nullptr) begin_numbers();
    for (std::int64_t d = 0; d < args_.kernel[0]; ++d) {
      for (std::int64_t h = 0; h < args_.kernel[1]; ++h) {
        for (std::int64_t w = 0; w < args_.kernel[2]; ++w) take(planes, {d, h, w});
      }
    }
  }

 private:
  Strides strides_of(const Sizes& sizes) const {
    return {sizes[0] * sizes[1] * sizes[2], sizes[1] * sizes[2], sizes[2], 1};
  }

  void* padded_planes() {
    const std::int64_t count = args_.planes * ConvolutionArgs::product(padded_);
    const Operand planes{c_.scratch(count, args_.dtype), args_.dtype, strides_of(padded_)};
    const Shape whole{args_.planes, padded_[0], padded_[1], padded_[2]};
    c_.fill(whole, -std::numeric_limits<double>::infinity(), planes);
    Shape shape{args_.planes};
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      shape.push_back(args_.sizes[i]);
      offset = offset * padded_[i] + args_.before[i];
    }
    c_.copy(shape, {const_cast<void*>(args_.in), args_.dtype, strides_of(args_.sizes)},
            {at(planes.data, offset, args_.dtype), args_.dtype, planes.strides});
    return planes.data;
  }

  /// A value for each place of dimension `i`, seen as the whole shape.
  Operand along(std::size_t i, void* data) const {
    Strides strides = Strides::filled(4, 0);
    strides[static_cast<int>(i) + 1] = 1;
    return {data, DType::kInt64, strides};
  }

  void integer(BinaryOp op, const Shape& shape, const Operand& left, std::int64_t right,
               const Operand& out) {
    c_.binary(op, shape, left, Scalar::integer(right), out);
  }

  /// places_ has the number of each window's first element, inside or not, and args.numbers that
  /// of the first one inside.
  void begin_numbers() {
    const std::int64_t count = element_count(shape_);
    places_ = {c_.scratch(count, DType::kInt64), DType::kInt64, contiguous_strides(shape_)};
    numbers_ = {args_.numbers, DType::kInt64, places_.strides};
    c_.fill(shape_, 0, places_);
    c_.fill(shape_, 0, numbers_);
    std::int64_t step = 1;
    for (std::size_t i = 3; i-- > 0;) {
      const std::int64_t places = args_.places[i];
      const Shape line{1, places};
      const Operand ramp = c_.column_numbers(places);
      const Operand first = per_column(c_.scratch(places, DType::kInt64), DType::kInt64);
      integer(BinaryOp::kMul, line, ramp, args_.stride[i], ramp);
      integer(BinaryOp::kSub, line, ramp, args_.before[i], ramp);
      // As many steps as it takes to come inside.
      integer(BinaryOp::kMinimum, line, ramp, 0, first);
      integer(BinaryOp::kFloorDivide, line, first, args_.dilation[i], first);
      integer(BinaryOp::kMul, line, first, -args_.dilation[i], first);
      c_.binary(BinaryOp::kAdd, line, first, ramp, first);
      add_scaled(ramp, i, step, places_);
      add_scaled(first, i, step, numbers_);
      step *= args_.sizes[i];
    }
  }
  void add_scaled(const Operand& line, std::size_t i, std::int64_t step, const Operand& out) {
    integer(BinaryOp::kMul, Shape{1, args_.places[i]}, line, step, line);
    c_.binary(BinaryOp::kAdd, shape_, out, along(i, line.data), out);
  }

  void take(void* planes, const Sizes& tap) {
    std::int64_t offset = 0, number = 0;
    Strides strides = strides_of(padded_);
    for (std::size_t i = 0; i < 3; ++i) {
      offset = offset * padded_[i] + tap[i] * args_.dilation[i];
      number = number * args_.sizes[i] + tap[i] * args_.dilation[i];
      strides[static_cast<int>(i) + 1] *= args_.stride[i];
    }
    const Operand in{at(planes, offset, args_.dtype), args_.dtype, strides};
    c_.binary(BinaryOp::kGt, shape_, in, best_, larger_);
    c_.binary(BinaryOp::kNe, shape_, in, in, not_a_number_);
    c_.binary(BinaryOp::kLogicalOr, shape_, larger_, not_a_number_, larger_);
    c_.where(shape_, larger_, in, best_, best_);
    if (args_.numbers == nullptr) return;
    integer(BinaryOp::kAdd, shape_, places_, number, places_);
    c_.where(shape_, larger_, places_, numbers_, numbers_);
    integer(BinaryOp::kSub, shape_, places_, number, places_);
  }

  const MaxPoolArgs& args_;
  Composition c_;
  Sizes padded_{1, 1, 1};
  Shape shape_;
  Operand best_, larger_, not_a_number_, places_, numbers_;
};

}  // namespace
}  // namespace composed_pooling

void DeviceOps::max_pool(const MaxPoolArgs& args, StreamRef stream) {
  composed_pooling::Composed(*this, workspace_, args, stream).run();
}

/// The values in the order of their numbers, added up: the same sums in every run.
void DeviceOps::plane_sum(const PlaneSumArgs& args, StreamRef stream) {
  Composition c(*this, workspace_, stream);
  const std::int64_t count = args.planes * args.count;
  const Shape shape{args.planes, args.count};
  const Operand starts = c.column_numbers(args.planes);
  c.binary(BinaryOp::kMul, Shape{1, args.planes}, starts, Scalar::integer(args.size), starts);
  const Operand numbers = c.scratch_dense(shape, DType::kInt64);
  c.binary(BinaryOp::kAdd, shape, dense(args.numbers, DType::kInt64, args.count),
           per_row(starts.data, DType::kInt64), numbers);
  const Operand sorted = c.scratch_dense(shape, DType::kInt64);
  const Operand order = c.scratch_dense(shape, DType::kInt64);
  SortArgs sort;
  sort.columns = count;
  sort.in = numbers.data;
  sort.values = sorted.data;
  sort.indices = static_cast<std::int64_t*>(order.data);
  sort.dtype = DType::kInt64;
  this->sort(sort, stream);
  c.fill(Shape{args.planes, args.size}, 0, dense(args.out, args.dtype, args.size));
  ScatterArgs scatter;
  scatter.extent = args.planes * args.size;
  scatter.count = count;
  scatter.in = args.in;
  scatter.order = static_cast<const std::int64_t*>(order.data);
  scatter.index = static_cast<const std::int64_t*>(sorted.data);
  scatter.out = args.out;
  scatter.dtype = args.dtype;
  scatter.itemsize = static_cast<int>(itemsize(args.dtype));
  scatter.accumulate = true;
  this->scatter(scatter, stream);
}

}  // namespace gpukit
