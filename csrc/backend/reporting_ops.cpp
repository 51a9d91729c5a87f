#include "backend/reporting_ops.h"

#include <cmath>

#include "backend/fft_args.h"
#include "backend/linalg_args.h"
#include "backend/matmul_size.h"
#include "backend/step_recorder.h"
#include "base/observer.h"

namespace gpukit {

namespace reporting_ops {
namespace {

// A row of softmax takes its maximum, subtracts, exponentiates, sums and divides.
constexpr double kSoftmaxFlops = 5;
// Two sums, a difference, a square, a factor, weight and bias.
constexpr double kLayerNormFlops = 7;
// Five functions, three products and a sum.
constexpr double kLstmCellFlops = 9;
// Adam takes about ten an element, SGD with momentum four.
constexpr double kOptimizerFlops = 10;

double elements_of(const Shape& shape) {
  double count = 1;
  for (const std::int64_t extent : shape) count *= static_cast<double>(extent);
  return count;
}

double sized(double count, DType dtype) { return count * static_cast<double>(itemsize(dtype)); }

/// Bytes of the distinct elements of an operand: a broadcast dimension is read once.
double bytes_of(const Shape& shape, const Operand& operand) {
  double count = 1;
  for (int i = 0; i < shape.size(); ++i) {
    if (operand.strides[i] != 0) count *= static_cast<double>(shape[i]);
  }
  return sized(count, operand.dtype);
}

/// Work of cross-entropy over its rows, with `passes` over the logits' bytes.
DeviceWork row_work(const CrossEntropyRows& rows, double passes) {
  const double count = static_cast<double>(rows.rows) * static_cast<double>(rows.columns);
  return {rows.dtype, kSoftmaxFlops * count, passes * sized(count, rows.dtype), rows.columns};
}

/// Attention: two products, of whose elements a causal call needs half, and a softmax. The backward
/// pass has five products.
DeviceWork work_of(const AttentionArgs& args, double products, double passes) {
  const auto batch = static_cast<double>(args.batch), keys = static_cast<double>(args.keys);
  const auto length = static_cast<double>(args.length);
  const auto sizes = static_cast<double>(args.size + args.values);
  const double weights = batch * length * keys * (args.causal ? 0.5 : 1.0);
  return {DType::kFloat32, weights * (2 * sizes * products + kSoftmaxFlops),
          passes * sized(batch * (length + keys) * sizes, DType::kFloat32), args.keys};
}

/// A product with the weight and a cell a step.
DeviceWork work_of(const LstmStepsArgs& args, double cells) {
  const auto hidden = static_cast<double>(args.hidden);
  const double count = static_cast<double>(args.steps * args.rows) * hidden;
  return {args.dtype, count * (8 * hidden + cells * kLstmCellFlops),
          sized(11 * count + 4 * hidden * hidden, args.dtype)};
}

/// Multiplications and additions of LAPACK's algorithms, without terms of lower order.
double flops_of(const LinalgArgs& args, double m, double n, double right) {
  const auto k = static_cast<double>(args.smaller());
  switch (args.routine) {
    case LinalgRoutine::kLu:
      return k * k * (static_cast<double>(args.larger()) - k / 3);
    case LinalgRoutine::kLuSolve:
      return 2 * n * n * right;
    case LinalgRoutine::kTriangularSolve:
      return n * n * right;
    case LinalgRoutine::kCholesky:
      return n * n * n / 3;
    case LinalgRoutine::kQr:
    case LinalgRoutine::kHouseholder:
      return 2 * k * k * (static_cast<double>(args.larger()) - k / 3);
    case LinalgRoutine::kEigh:
      return (args.vectors ? 9 : 4.0 / 3) * n * n * n;
    case LinalgRoutine::kSvd:
      return (args.vectors ? 22 : 8.0 / 3) * m * n * k;
    case LinalgRoutine::kEig:
      return (args.vectors ? 25 : 10) * n * n * n;
    case LinalgRoutine::kLeastSquares:
      return 2 * m * n * (k + right);
    case LinalgRoutine::kSolve:
      return 2 * n * n * (n / 3 + right);
  }
  return 0;
}

template <class... Operands>
double bytes_of_all(const Shape& shape, const Operands&... operands) {
  return (bytes_of(shape, operands) + ...);
}

}  // namespace
}  // namespace reporting_ops

void ReportingOps::report(DeviceWork work) const noexcept {
  if (step_recorder != nullptr) [[unlikely]]
    step_recorder->count_operation();
  work.device = device_;
  note(work);
}

void ReportingOps::unary(const UnaryArgs& args, StreamRef stream) {
  real_.unary(args, stream);
  record_step(args);
  report({args.in.dtype, reporting_ops::elements_of(args.shape),
          reporting_ops::bytes_of_all(args.shape, args.out, args.in)});
}

void ReportingOps::binary(const BinaryArgs& args, StreamRef stream) {
  real_.binary(args, stream);
  record_step(args);
  double bytes = reporting_ops::bytes_of(args.shape, args.out);
  if (args.scalar_side != ScalarSide::kLeft)
    bytes += reporting_ops::bytes_of(args.shape, args.left);
  if (args.scalar_side != ScalarSide::kRight)
    bytes += reporting_ops::bytes_of(args.shape, args.right);
  const DType dtype = args.scalar_side == ScalarSide::kLeft ? args.right.dtype : args.left.dtype;
  report({dtype, reporting_ops::elements_of(args.shape), bytes});
}

void ReportingOps::complex_function(const ComplexArgs& args, StreamRef stream) {
  real_.complex_function(args, stream);
  // A product of complex numbers is six operations on real ones.
  const double count = static_cast<double>(args.count);
  const double operands =
      (args.left_step != 0 ? 1 : 0) + (args.right != nullptr && args.right_step != 0 ? 1 : 0);
  report({args.dtype, 6 * count, reporting_ops::sized((1 + operands) * count, args.dtype)});
}

void ReportingOps::where(const WhereArgs& args, StreamRef stream) {
  real_.where(args, stream);
  record_step(args);
  report(
      {args.out.dtype, 0,
       reporting_ops::bytes_of_all(args.shape, args.out, args.condition, args.left, args.right)});
}

void ReportingOps::clamp(const ClampArgs& args, StreamRef stream) {
  real_.clamp(args, stream);
  record_step(args);
  report({args.in.dtype, reporting_ops::elements_of(args.shape),
          reporting_ops::bytes_of_all(args.shape, args.out, args.in)});
}

void ReportingOps::fill(const FillArgs& args, StreamRef stream) {
  real_.fill(args, stream);
  record_step(args);
  report({args.out.dtype, 0, reporting_ops::bytes_of(args.shape, args.out)});
}

void ReportingOps::copy(const CopyArgs& args, StreamRef stream) {
  real_.copy(args, stream);
  record_step(args);
  report({args.out.dtype, 0, reporting_ops::bytes_of_all(args.shape, args.out, args.in), 1, true});
}

void ReportingOps::ramp(const RampArgs& args, StreamRef stream) {
  real_.ramp(args, stream);
  report({args.dtype, 0, reporting_ops::sized(static_cast<double>(args.count), args.dtype)});
}

void ReportingOps::triangle(const TriangleArgs& args, StreamRef stream) {
  real_.triangle(args, stream);
  const double count = static_cast<double>(args.batch) * static_cast<double>(args.rows) *
                       static_cast<double>(args.columns);
  report({args.dtype, 0, 2 * reporting_ops::sized(count, args.dtype)});
}

void ReportingOps::reduce(const ReduceArgs& args, StreamRef stream) {
  real_.reduce(args, stream);
  const double kept = reporting_ops::elements_of(args.kept);
  const double length = reporting_ops::elements_of(args.reduced);
  report({args.in_dtype, kept * length,
          reporting_ops::sized(kept * length, args.in_dtype) +
              reporting_ops::sized(kept, args.out_dtype),
          static_cast<std::int64_t>(length)});
}

void ReportingOps::cumulative(const CumulativeArgs& args, StreamRef stream) {
  real_.cumulative(args, stream);
  const double count = static_cast<double>(args.outer) * static_cast<double>(args.length) *
                       static_cast<double>(args.inner);
  report({args.dtype, count, 2 * reporting_ops::sized(count, args.dtype), args.length});
}

void ReportingOps::softmax(const SoftmaxArgs& args, StreamRef stream) {
  real_.softmax(args, stream);
  const double count = static_cast<double>(args.rows) * static_cast<double>(args.columns);
  report({args.dtype, reporting_ops::kSoftmaxFlops * count,
          2 * reporting_ops::sized(count, args.dtype), args.columns});
}

void ReportingOps::layer_norm(const LayerNormArgs& args, StreamRef stream) {
  real_.layer_norm(args, stream);
  const double count = static_cast<double>(args.rows) * static_cast<double>(args.columns);
  report({args.dtype, reporting_ops::kLayerNormFlops * count,
          2 * reporting_ops::sized(count, args.dtype), args.columns});
}

void ReportingOps::matmul(const MatmulArgs& args, StreamRef stream) {
  real_.matmul(args, stream);
  const ProductSize size = size_of(args);
  const auto batch = static_cast<double>(args.batch);
  const auto m = static_cast<double>(args.m);
  const auto n = static_cast<double>(args.n);
  const auto k = static_cast<double>(args.k);
  const double a_count = (args.a.batch_stride == 0 ? 1 : batch) * m * k;
  const double b_count = (args.b.batch_stride == 0 ? 1 : batch) * k * n;
  const double c_count = (args.beta == 0 ? 1 : 2) * size.results();
  const double bias_count = args.bias != nullptr ? n : 0;
  const int passes = (args.bias != nullptr) + (args.activation != Activation::kNone);
  const double sums = args.row_sums != nullptr ? m : 0;
  report({args.dtype, 2 * size.multiply_adds() + passes * size.results() + sums * k,
          reporting_ops::sized(a_count + b_count + c_count + bias_count + sums, args.dtype),
          args.k});
}

void ReportingOps::convolution(const ConvolutionArgs& args, StreamRef stream) {
  real_.convolution(args, stream);
  const auto inputs = static_cast<double>(args.batch * args.input_channels * args.input_plane());
  const auto outputs = static_cast<double>(args.batch * args.output_channels * args.output_plane());
  const std::int64_t depth = args.group_inputs() * args.taps();
  const auto weights = static_cast<double>(args.output_channels * depth);
  report({args.dtype, 2 * outputs * static_cast<double>(depth),
          reporting_ops::sized(inputs + outputs + weights, args.dtype), depth});
}

void ReportingOps::linalg(const LinalgArgs& args, StreamRef stream) {
  real_.linalg(args, stream);
  const auto m = static_cast<double>(args.rows), n = static_cast<double>(args.columns);
  const auto batch = static_cast<double>(args.batch), right = static_cast<double>(args.count);
  report({args.dtype, batch * reporting_ops::flops_of(args, m, n, right),
          reporting_ops::sized(2 * batch * (m * n + n * right), args.dtype), args.larger()});
}

void ReportingOps::fft(const FftArgs& args, StreamRef stream) {
  real_.fft(args, stream);
  // The count of a radix-2 transform, which all agree upon; real lines take half of it.
  const auto lines = reporting_ops::elements_of(args.lines), n = static_cast<double>(args.size);
  const double share = args.in.dtype == args.out.dtype ? 1 : 0.5;
  report({args.out.dtype, share * 5 * lines * n * std::log2(n),
          lines * (reporting_ops::sized(static_cast<double>(args.read), args.in.dtype) +
                   reporting_ops::sized(static_cast<double>(args.written()), args.out.dtype)),
          args.size});
}

void ReportingOps::max_pool(const MaxPoolArgs& args, StreamRef stream) {
  real_.max_pool(args, stream);
  const auto planes = static_cast<double>(args.planes);
  const double places = planes * static_cast<double>(ConvolutionArgs::product(args.places));
  const double sizes = planes * static_cast<double>(ConvolutionArgs::product(args.sizes));
  const std::int64_t taps = ConvolutionArgs::product(args.kernel);
  const double numbers = args.numbers != nullptr ? places : 0;
  report({args.dtype, places * static_cast<double>(taps),
          reporting_ops::sized(sizes + places, args.dtype) +
              reporting_ops::sized(numbers, DType::kInt64),
          taps});
}

void ReportingOps::plane_sum(const PlaneSumArgs& args, StreamRef stream) {
  real_.plane_sum(args, stream);
  const auto count = static_cast<double>(args.planes * args.count);
  report({args.dtype, count,
          reporting_ops::sized(count + static_cast<double>(args.planes * args.size), args.dtype) +
              reporting_ops::sized(count, DType::kInt64)});
}

void ReportingOps::batch_norm(const BatchNormArgs& args, StreamRef stream) {
  real_.batch_norm(args, stream);
  const auto count = static_cast<double>(args.channels * args.each());
  report({args.dtype, reporting_ops::kLayerNormFlops * count,
          2 * reporting_ops::sized(count, args.dtype), args.each()});
}

void ReportingOps::batch_norm_backward(const BatchNormBackwardArgs& args, StreamRef stream) {
  real_.batch_norm_backward(args, stream);
  const auto count = static_cast<double>(args.forward.channels * args.forward.each());
  report({args.forward.dtype, reporting_ops::kLayerNormFlops * count,
          3 * reporting_ops::sized(count, args.forward.dtype), args.forward.each()});
}

void ReportingOps::lstm_cell(const LstmCellArgs& args, StreamRef stream) {
  real_.lstm_cell(args, stream);
  const auto count = static_cast<double>(args.rows * args.hidden);
  report({args.dtype, reporting_ops::kLstmCellFlops * count,
          reporting_ops::sized(11 * count, args.dtype)});
}

void ReportingOps::lstm_cell_backward(const LstmCellBackwardArgs& args, StreamRef stream) {
  real_.lstm_cell_backward(args, stream);
  const auto count = static_cast<double>(args.rows * args.hidden);
  report({args.dtype, 2 * reporting_ops::kLstmCellFlops * count,
          reporting_ops::sized(13 * count, args.dtype)});
}

void ReportingOps::lstm_steps(const LstmStepsArgs& args, StreamRef stream) {
  real_.lstm_steps(args, stream);
  report(reporting_ops::work_of(args, 1));
}

void ReportingOps::lstm_steps_backward(const LstmStepsBackwardArgs& args, StreamRef stream) {
  real_.lstm_steps_backward(args, stream);
  report(reporting_ops::work_of(args.forward, 2));
}

void ReportingOps::attention(const AttentionArgs& args, StreamRef stream) {
  real_.attention(args, stream);
  report(reporting_ops::work_of(args, 1, 1));
}

void ReportingOps::attention_backward(const AttentionBackwardArgs& args, StreamRef stream) {
  real_.attention_backward(args, stream);
  report(reporting_ops::work_of(args.forward, 2.5, 2));
}

void ReportingOps::random(const RandomArgs& args, StreamRef stream) {
  real_.random(args, stream);
  report({args.dtype, 0, reporting_ops::sized(static_cast<double>(args.count), args.dtype)});
}

void ReportingOps::linear_index(const LinearIndexArgs& args, StreamRef stream) {
  real_.linear_index(args, stream);
  const auto count = static_cast<double>(element_count(args.shape));
  report({DType::kInt64, 0,
          reporting_ops::sized(count * static_cast<double>(args.parts.size() + 1), DType::kInt64)});
}

void ReportingOps::gather(const GatherArgs& args, StreamRef stream) {
  real_.gather(args, stream);
  const double rows = static_cast<double>(args.outer) * static_cast<double>(args.count);
  const double moved = rows * static_cast<double>(args.inner) * args.itemsize;
  report({DType::kInt64, 0,
          2 * moved + reporting_ops::sized(static_cast<double>(args.count), DType::kInt64)});
}

void ReportingOps::scatter(const ScatterArgs& args, StreamRef stream) {
  real_.scatter(args, stream);
  const double count = static_cast<double>(args.outer) * static_cast<double>(args.count) *
                       static_cast<double>(args.inner);
  report({args.dtype, args.accumulate ? count : 0,
          2 * count * args.itemsize +
              reporting_ops::sized(static_cast<double>(args.count), DType::kInt64)});
}

void ReportingOps::sort(const SortArgs& args, StreamRef stream) {
  real_.sort(args, stream);
  const double count = static_cast<double>(args.rows) * static_cast<double>(args.columns);
  report(
      {args.dtype, 0,
       2 * reporting_ops::sized(count, args.dtype) + reporting_ops::sized(count, DType::kInt64)});
}

void ReportingOps::optimizer_step(const OptimizerArgs& args, StreamRef stream) {
  real_.optimizer_step(args, stream);
  double count = 0;
  double moved = 0;
  for (const OptimizerItem& item : args.items) {
    const int states =
        (item.first != nullptr) + (item.second != nullptr) + (item.largest != nullptr);
    count += static_cast<double>(item.count);
    // The gradient is read, the parameter and its states are read and written.
    moved += static_cast<double>(item.count) * (3 + 2 * states);
  }
  report({args.dtype, reporting_ops::kOptimizerFlops * count,
          reporting_ops::sized(moved, args.dtype)});
}

void ReportingOps::cross_entropy(const CrossEntropyArgs& args, StreamRef stream) {
  real_.cross_entropy(args, stream);
  report(reporting_ops::row_work(args.input, 1));
}

void ReportingOps::cross_entropy_backward(const CrossEntropyBackwardArgs& args, StreamRef stream) {
  real_.cross_entropy_backward(args, stream);
  report(reporting_ops::row_work(args.input, 2));
}

}  // namespace gpukit
