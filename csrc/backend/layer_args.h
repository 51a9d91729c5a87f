// Arguments of the layers of DeviceOps, as op_args.h has those of its other operations.
#pragma once

#include <array>
#include <cstdint>

#include "core/dtype.h"

namespace gpukit {

/// out = (in - mean) / sqrt(variance + eps) * weight + bias along the last dimension of a
/// contiguous (rows, columns), computed in float32 at least and rounded once. weight and bias
/// (columns, dtype) may be null. mean and rstd (one a row, in the dtype that is computed in) are
/// both null when they are not requested.
struct LayerNormArgs {
  std::int64_t rows = 0, columns = 0;
  const void* in = nullptr;
  const void* weight = nullptr;
  const void* bias = nullptr;
  void* out = nullptr;
  void* mean = nullptr;
  void* rstd = nullptr;
  DType dtype = DType::kFloat32;
  double eps = 1e-5;
};

/// One of the three operands of a convolution, computed from the other two.
enum class ConvolutionPart : std::uint8_t { kOutput, kInput, kWeight };

/// A convolution of planes of up to three dimensions (fewer: sizes of 1 in front). All contiguous:
/// input (batch, input_channels, sizes), weight (output_channels, input_channels / groups, kernel),
/// output (batch, output_channels, places). The window of place p begins at p * stride - before,
/// and its tap t is t * dilation behind; outside of the input are zeros. `part` is written: the
/// output; the input's gradient of the output's (a transposed convolution); or the weight's, summed
/// over the batch. No size is 0. Integers: not the weight.
struct ConvolutionArgs {
  using Sizes = std::array<std::int64_t, 3>;

  ConvolutionPart part = ConvolutionPart::kOutput;
  DType dtype = DType::kFloat32;
  std::int64_t batch = 1, groups = 1, input_channels = 1, output_channels = 1;
  Sizes sizes{1, 1, 1}, kernel{1, 1, 1}, places{1, 1, 1};
  Sizes stride{1, 1, 1}, dilation{1, 1, 1}, before{0, 0, 0};
  void* input = nullptr;
  void* weight = nullptr;
  void* output = nullptr;
  bool allow_tf32 = false;

  static std::int64_t product(const Sizes& sizes) noexcept {
    return sizes[0] * sizes[1] * sizes[2];
  }
  std::int64_t taps() const noexcept { return product(kernel); }
  std::int64_t input_plane() const noexcept { return product(sizes); }
  std::int64_t output_plane() const noexcept { return product(places); }
  std::int64_t group_inputs() const noexcept { return input_channels / groups; }
  std::int64_t group_outputs() const noexcept { return output_channels / groups; }
  /// The window of each place is that one element: a product of matrices.
  bool is_pointwise() const noexcept {
    return taps() == 1 && stride == Sizes{1, 1, 1} && before == Sizes{0, 0, 0} && places == sizes;
  }
};

/// The largest element of each window over `planes` planes of up to three dimensions (fewer: sizes
/// of 1 in front), contiguous. The window of place p begins at p * stride - before, and its tap t
/// is t * dilation behind; what lies outside of the plane does not count, and each window has an
/// element inside. A NaN is the largest. `numbers` (int64) are the elements' places in their
/// planes, the first of equal ones, the last NaN; null when they are not requested. float32 or
/// float64.
struct MaxPoolArgs {
  using Sizes = ConvolutionArgs::Sizes;

  DType dtype = DType::kFloat32;
  std::int64_t planes = 1;
  Sizes sizes{1, 1, 1}, kernel{1, 1, 1}, places{1, 1, 1};
  Sizes stride{1, 1, 1}, dilation{1, 1, 1}, before{0, 0, 0};
  const void* in = nullptr;
  void* values = nullptr;
  std::int64_t* numbers = nullptr;
};

/// The way back: out (planes, size) has at each number of (planes, count) the sum of its values,
/// and 0 elsewhere. Contiguous; the numbers are inside.
struct PlaneSumArgs {
  DType dtype = DType::kFloat32;
  std::int64_t planes = 1, count = 1, size = 1;
  const void* in = nullptr;
  const std::int64_t* numbers = nullptr;
  void* out = nullptr;
};

/// out = (in - mean) * rstd * weight + bias for each channel of a contiguous (batch, channels,
/// plane). mean and rstd (channels) are written and `variance` (divided by the count) too, or with
/// `given` mean and rstd are read. weight and bias may be null. All of one dtype, float32 or
/// float64.
struct BatchNormArgs {
  std::int64_t batch = 1, channels = 1, plane = 1;
  DType dtype = DType::kFloat32;
  const void* in = nullptr;
  const void* weight = nullptr;
  const void* bias = nullptr;
  void* out = nullptr;
  void* mean = nullptr;
  void* rstd = nullptr;
  void* variance = nullptr;
  double eps = 1e-5;
  bool given = false;

  std::int64_t each() const noexcept { return batch * plane; }
};

/// Its derivative with the batch's statistics. `weight_gradient` has the sums of gradient times
/// the normal form, `bias_gradient` those of the gradient.
struct BatchNormBackwardArgs {
  BatchNormArgs forward;  ///< in, weight, mean and rstd count, and the sizes
  const void* gradient = nullptr;
  void* in_gradient = nullptr;
  void* weight_gradient = nullptr;
  void* bias_gradient = nullptr;
};

/// One step of an LSTM, contiguous, float32 or float64: gates (rows, 4 * hidden) has the sums of i,
/// f, g and o, cell (rows, hidden) what was kept. Written: `active`, the gates after sigmoid and
/// (g) tanh, which may be `gates`; next = f * cell + i * g; and out = o * tanh(next).
struct LstmCellArgs {
  std::int64_t rows = 1, hidden = 1;
  DType dtype = DType::kFloat32;
  const void* gates = nullptr;
  const void* cell = nullptr;
  void* active = nullptr;
  void* next = nullptr;
  void* out = nullptr;
};

/// Its derivative: of `out` and `next` to the gates' sums (may be `active`) and to `cell` (may be
/// `next_gradient`).
struct LstmCellBackwardArgs {
  std::int64_t rows = 1, hidden = 1;
  DType dtype = DType::kFloat32;
  const void* active = nullptr;
  const void* cell = nullptr;
  const void* next = nullptr;
  const void* out_gradient = nullptr;
  const void* next_gradient = nullptr;
  void* gates_gradient = nullptr;
  void* cell_gradient = nullptr;
};

/// All steps of an LSTM. gates (steps, rows, 4 * hidden), the input's part of the sums, has
/// adjacent columns; h and c (rows, hidden) and the recurrent weight (4 * hidden, hidden) are
/// contiguous. Written: h and the cell after each step (steps, rows, hidden), and the gates, of
/// each step or, without `keep`, of one.
struct LstmStepsArgs {
  std::int64_t steps = 1, rows = 1, hidden = 1;
  DType dtype = DType::kFloat32;
  bool reverse = false, keep = true, allow_tf32 = false;
  const void* gates = nullptr;
  std::int64_t gates_step = 0, gates_row = 0;  ///< strides
  const void* h = nullptr;
  const void* c = nullptr;
  const void* weight = nullptr;
  void* outputs = nullptr;
  void* cells = nullptr;
  void* active = nullptr;

  /// The place of step number i of the order.
  std::int64_t place(std::int64_t i) const noexcept { return reverse ? steps - 1 - i : i; }
};

/// Its derivative, from the gradients of the outputs (adjacent columns) and of the last cell to the
/// gates' sums, h and c. Of `forward`, c, weight, cells and active are read.
struct LstmStepsBackwardArgs {
  LstmStepsArgs forward;
  const void* out_gradient = nullptr;
  std::int64_t out_step = 0, out_row = 0;  ///< strides
  const void* last_gradient = nullptr;
  void* gates_gradient = nullptr;
  void* h_gradient = nullptr;
  void* c_gradient = nullptr;
};

/// out (batch, length, values) = softmax(query (batch, length, size) @ key (batch, keys, size)^T *
/// factor) @ value (batch, keys, values): contiguous float32. `causal`: query i sees the keys up to
/// i. `log_sums` (batch, length), which may be null: the logarithms to base 2 of the rows'
/// sums of exponentials.
struct AttentionArgs {
  std::int64_t batch = 1, length = 1, keys = 1, size = 1, values = 1;
  double factor = 1;
  bool causal = false;
  const void* query = nullptr;
  const void* key = nullptr;
  const void* value = nullptr;
  void* out = nullptr;
  void* log_sums = nullptr;
};

/// Its derivative; `out` and `log_sums` of the forward pass are read.
struct AttentionBackwardArgs {
  AttentionArgs forward;
  const void* gradient = nullptr;
  void* query_gradient = nullptr;
  void* key_gradient = nullptr;
  void* value_gradient = nullptr;
};

}  // namespace gpukit
