#include "ops/layers.h"

#include "base/check.h"
#include "base/error.h"
#include "base/numeric.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"

namespace gpukit::ops {

namespace layers {
namespace {

void check_computed(std::string_view op, const Tensor& tensor) {
  GPUKIT_CHECK(tensor.dtype() == DType::kFloat32 || tensor.dtype() == DType::kFloat64, DTypeError,
               op, ": input is ", name(tensor.dtype()),
               "; it is computed in float32 and float64. Use input.float().");
}

/// An operand that must have a shape, beside `like`.
Tensor companion(std::string_view op, std::string_view what, const Tensor& given,
                 const Tensor& like, const Shape& shape) {
  if (!given.defined()) return given;
  GPUKIT_CHECK(given.shape() == shape, ShapeError, op, ": ", what, " is ", to_string(given.shape()),
               "; ", to_string(shape), " is needed.");
  GPUKIT_CHECK(given.dtype() == like.dtype(), DTypeError, op, ": ", what, " is ",
               name(given.dtype()), ", input ", name(like.dtype()), ".");
  check_same_device(op, like, given);
  return contiguous(given);
}

Tensor empty_like(const Tensor& like, const Shape& shape) {
  return empty_on(like.open_device(), shape, like.dtype());
}
void* address_or_null(const Tensor& tensor) { return tensor.defined() ? tensor.data() : nullptr; }

MaxPoolArgs::Sizes in_three(const Dims& values, std::int64_t missing) {
  MaxPoolArgs::Sizes sizes{missing, missing, missing};
  for (int i = 0; i < values.size(); ++i)
    sizes[static_cast<std::size_t>(3 - values.size() + i)] = values[i];
  return sizes;
}

/// The last dimensions replaced.
Shape with_planes(const Shape& shape, const Dims& sizes) {
  Shape result = shape;
  for (int i = 0; i < sizes.size(); ++i) result[shape.size() - sizes.size() + i] = sizes[i];
  return result;
}

/// Whether each window of a dimension has an element inside.
bool window_fits(const Windows& w, int i, std::int64_t size) {
  if ((w.places[i] - 1) * w.stride[i] - w.before[i] >= size) return false;
  // Those that begin in front of the dimension: the first tap that is inside.
  for (std::int64_t start = -w.before[i], place = 0; start < 0 && place < w.places[i];
       start += w.stride[i], ++place) {
    const std::int64_t tap = ceil_div(-start, w.dilation[i]);
    if (tap >= w.kernel[i] || start + tap * w.dilation[i] >= size) return false;
  }
  return true;
}

void check_windows(const Tensor& input, const Windows& w) {
  const int dims = w.kernel.size();
  GPUKIT_CHECK(dims >= 1 && dims <= 3 && input.rank() >= dims && w.stride.size() == dims &&
                   w.before.size() == dims && w.dilation.size() == dims && w.places.size() == dims,
               ValueError, "max_pool: ", dims, " dimensions of windows over ",
               to_string(input.shape()), "; 1 to 3 numbers of each kind are needed.");
  for (int i = 0; i < dims; ++i) {
    GPUKIT_CHECK(w.kernel[i] >= 1 && w.stride[i] >= 1 && w.dilation[i] >= 1 && w.places[i] >= 0 &&
                     w.before[i] >= 0,
                 ValueError, "max_pool: sizes and steps of windows must be positive.");
    const std::int64_t size = input.size(input.rank() - dims + i);
    GPUKIT_CHECK(w.places[i] == 0 || window_fits(w, i, size), ValueError,
                 "max_pool: a window has no element inside of the ", size, " of dimension ", i,
                 "; use a smaller padding or dilation.");
  }
}

Shape channel_shape(const Tensor& input) { return Shape{input.size(1)}; }

BatchNormArgs sizes_of(const Tensor& input) {
  BatchNormArgs args;
  args.batch = input.size(0);
  args.channels = input.size(1);
  args.plane = input.count() == 0 ? 0 : input.count() / (args.batch * args.channels);
  args.dtype = input.dtype();
  return args;
}

}  // namespace
}  // namespace layers

Largest max_pool(const Tensor& input, const Windows& windows, bool numbers) {
  using namespace layers;
  check_computed("max_pool", input);
  check_windows(input, windows);
  const Tensor in = contiguous(input);
  const Shape shape = with_planes(in.shape(), windows.places);
  Largest result{empty_like(in, shape), Tensor()};
  if (numbers) result.numbers = empty_on(in.open_device(), shape, DType::kInt64);
  if (result.values.count() == 0) return result;
  MaxPoolArgs args;
  args.dtype = in.dtype();
  args.kernel = in_three(windows.kernel, 1);
  args.stride = in_three(windows.stride, 1);
  args.dilation = in_three(windows.dilation, 1);
  args.before = in_three(windows.before, 0);
  args.places = in_three(windows.places, 1);
  const int dims = windows.kernel.size();
  args.sizes = in_three(Dims(std::span(in.shape().end() - dims, in.shape().end())), 1);
  args.planes = in.count() / ConvolutionArgs::product(args.sizes);
  args.in = in.data();
  args.values = result.values.data();
  args.numbers = static_cast<std::int64_t*>(address_or_null(result.numbers));
  const Call call(in);
  call.use(in, result.values);
  call.ops.max_pool(args, call.stream);
  return result;
}

Tensor plane_sum(const Tensor& values, const Tensor& numbers, const Dims& sizes) {
  using namespace layers;
  check_computed("max_pool", values);
  GPUKIT_CHECK(numbers.shape() == values.shape() && numbers.dtype() == DType::kInt64, ShapeError,
               "max_pool: the numbers must be int64 of ", to_string(values.shape()), ".");
  const Tensor in = contiguous(values), at = contiguous(numbers);
  const Tensor out = empty_like(in, with_planes(in.shape(), sizes));
  if (out.count() == 0) return out;
  if (in.count() == 0) {
    fill_(out, Scalar::integer(0));
    return out;
  }
  PlaneSumArgs args;
  args.dtype = in.dtype();
  args.size = element_count(Shape(std::span(sizes.begin(), sizes.end())));
  args.planes = out.count() / args.size;
  args.count = in.count() / args.planes;
  args.in = in.data();
  args.numbers = static_cast<const std::int64_t*>(at.data());
  args.out = out.data();
  const Call call(in);
  call.use(in, at, out);
  call.ops.plane_sum(args, call.stream);
  return out;
}

BatchNorm batch_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                     const Tensor& mean, const Tensor& rstd, double eps) {
  using namespace layers;
  check_computed("batch_norm", input);
  const Tensor in = contiguous(input);
  const Shape channels = channel_shape(in);
  const Tensor scale = companion("batch_norm", "weight", weight, in, channels);
  const Tensor shift = companion("batch_norm", "bias", bias, in, channels);
  BatchNorm result{empty_like(in, in.shape()), companion("batch_norm", "mean", mean, in, channels),
                   companion("batch_norm", "rstd", rstd, in, channels), Tensor()};
  BatchNormArgs args = sizes_of(in);
  args.given = result.mean.defined();
  if (!args.given) {
    result.mean = empty_like(in, channels);
    result.rstd = empty_like(in, channels);
    result.variance = empty_like(in, channels);
  }
  if (in.count() == 0) return result;
  args.in = in.data();
  args.weight = address_or_null(scale);
  args.bias = address_or_null(shift);
  args.out = result.out.data();
  args.mean = result.mean.data();
  args.rstd = result.rstd.data();
  args.variance = address_or_null(result.variance);
  args.eps = eps;
  const Call call(in);
  call.use(in, result.out, result.mean, result.rstd);
  for (const Tensor* other :
       std::initializer_list<const Tensor*>{&scale, &shift, &result.variance}) {
    if (other->defined()) call.use(*other);
  }
  call.ops.batch_norm(args, call.stream);
  return result;
}

BatchNormGradients batch_norm_backward(const Tensor& gradient, const Tensor& input,
                                       const Tensor& weight, const Tensor& mean,
                                       const Tensor& rstd) {
  using namespace layers;
  const Tensor in = contiguous(input), g = contiguous(gradient);
  const Tensor scale = weight.defined() ? contiguous(weight) : weight;
  const Shape channels = channel_shape(in);
  const BatchNormGradients result{empty_like(in, in.shape()), empty_like(in, channels),
                                  empty_like(in, channels)};
  BatchNormBackwardArgs args;
  args.forward = sizes_of(in);
  args.forward.in = in.data();
  args.forward.weight = address_or_null(scale);
  args.forward.mean = mean.data();
  args.forward.rstd = rstd.data();
  args.gradient = g.data();
  args.in_gradient = result.input.data();
  args.weight_gradient = result.weight.data();
  args.bias_gradient = result.bias.data();
  const Call call(in);
  call.use(in, g, mean, rstd, result.input, result.weight, result.bias);
  if (scale.defined()) call.use(scale);
  call.ops.batch_norm_backward(args, call.stream);
  return result;
}

LstmCell lstm_cell(const Tensor& gates, const Tensor& cell) {
  using namespace layers;
  check_computed("lstm_cell", gates);
  GPUKIT_CHECK(gates.rank() == 2 && gates.size(1) % 4 == 0, ShapeError, "lstm_cell: gates is ",
               to_string(gates.shape()), "; (rows, 4 * hidden) is needed.");
  const Tensor in = contiguous(gates);
  const Shape shape{in.size(0), in.size(1) / 4};
  const Tensor kept = companion("lstm_cell", "cell", cell, in, shape);
  LstmCell result{empty_like(in, shape), empty_like(in, shape), empty_like(in, in.shape())};
  if (in.count() == 0) return result;
  LstmCellArgs args;
  args.rows = shape[0];
  args.hidden = shape[1];
  args.dtype = in.dtype();
  args.gates = in.data();
  args.cell = kept.data();
  args.active = result.active.data();
  args.next = result.next.data();
  args.out = result.out.data();
  const Call call(in);
  call.use(in, kept, result.out, result.next, result.active);
  call.ops.lstm_cell(args, call.stream);
  return result;
}

LstmCellGradients lstm_cell_backward(const LstmCell& forward, const Tensor& cell,
                                     const Tensor& out_gradient, const Tensor& next_gradient) {
  using namespace layers;
  const Tensor& active = forward.active;
  check_computed("lstm_cell", active);
  GPUKIT_CHECK(active.rank() == 2 && active.size(1) % 4 == 0, ShapeError, "lstm_cell: gates is ",
               to_string(active.shape()), "; (rows, 4 * hidden) is needed.");
  const Shape shape{active.size(0), active.size(1) / 4};
  const Tensor gates = contiguous(active);
  const Tensor kept = companion("lstm_cell", "cell", cell, active, shape);
  const Tensor next = companion("lstm_cell", "next", forward.next, active, shape);
  const Tensor g = companion("lstm_cell", "the gradient", out_gradient, active, shape);
  const Tensor next_g = companion("lstm_cell", "the gradient", next_gradient, active, shape);
  LstmCellGradients result{empty_like(active, active.shape()), empty_like(active, shape)};
  if (active.count() == 0) return result;
  LstmCellBackwardArgs args;
  args.rows = shape[0];
  args.hidden = shape[1];
  args.dtype = active.dtype();
  args.active = gates.data();
  args.cell = kept.data();
  args.next = next.data();
  args.out_gradient = g.data();
  args.next_gradient = next_g.data();
  args.gates_gradient = result.gates.data();
  args.cell_gradient = result.cell.data();
  const Call call(active);
  call.use(gates, kept, next, g, next_g, result.gates, result.cell);
  call.ops.lstm_cell_backward(args, call.stream);
  return result;
}

}  // namespace gpukit::ops
