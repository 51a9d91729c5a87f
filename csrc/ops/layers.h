// What layers compute in one operation of the device: windows, batch norm, the step of an LSTM.
#pragma once

#include "backend/layer_args.h"
#include "core/shape.h"
#include "tensor/tensor.h"

namespace gpukit::ops {

/// How windows move over planes: a number for each of their dimensions.
struct Windows {
  Dims kernel, stride, before, dilation, places;
};

struct Largest {
  Tensor values, numbers;
};
/// The largest element of each window of (…, *sizes): (…, *places); see MaxPoolArgs. `numbers` is
/// undefined unless it is requested. Throws ShapeError, DTypeError, ValueError.
Largest max_pool(const Tensor& input, const Windows& windows, bool numbers);
/// The sums of (…, *places) by their numbers in planes of `sizes`.
Tensor plane_sum(const Tensor& values, const Tensor& numbers, const Dims& sizes);

struct BatchNorm {
  Tensor out, mean, rstd, variance;
};
/// (N, C, …) with the statistics of each channel, or with a mean and an rstd that are given.
/// weight, bias, mean and rstd may be undefined.
BatchNorm batch_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                     const Tensor& mean, const Tensor& rstd, double eps);
struct BatchNormGradients {
  Tensor input, weight, bias;
};
BatchNormGradients batch_norm_backward(const Tensor& gradient, const Tensor& input,
                                       const Tensor& weight, const Tensor& mean,
                                       const Tensor& rstd);

struct LstmCell {
  Tensor out, next, active;
};
/// gates (rows, 4 * hidden) and cell (rows, hidden); see LstmCellArgs.
LstmCell lstm_cell(const Tensor& gates, const Tensor& cell);
struct LstmCellGradients {
  Tensor gates, cell;
};
LstmCellGradients lstm_cell_backward(const LstmCell& forward, const Tensor& cell,
                                     const Tensor& out_gradient, const Tensor& next_gradient);

struct LstmSteps {
  Tensor outputs, cells, active;
};
/// All steps of gates (steps, rows, 4 * hidden), the input's part of their sums, from h and c
/// (rows, hidden) with the recurrent weight (4 * hidden, hidden). Results are (steps, rows, …): h
/// and the cell after each step, and the gates, which are of one step alone unless `keep`.
LstmSteps lstm_steps(const Tensor& gates, const Tensor& h, const Tensor& c, const Tensor& weight,
                     bool reverse, bool keep);
struct LstmStepsGradients {
  Tensor gates, h, c;
};
/// Of the outputs and the last cell to the gates' sums of all steps, and to h and c.
LstmStepsGradients lstm_steps_backward(const LstmSteps& forward, const Tensor& c,
                                       const Tensor& weight, const Tensor& by_outputs,
                                       const Tensor& by_cell, bool reverse);

struct Attention {
  Tensor out, log_sums;
};
/// Whether the device of `query` has attention in its dtype, as one operation.
bool has_attention(const Tensor& query);
/// query (batch, length, size), key (batch, keys, size), value (batch, keys, values); see
/// AttentionArgs.
Attention attention(const Tensor& query, const Tensor& key, const Tensor& value, double factor,
                    bool causal);
struct AttentionGradients {
  Tensor query, key, value;
};
AttentionGradients attention_backward(const Tensor& query, const Tensor& key, const Tensor& value,
                                      const Attention& forward, const Tensor& gradient,
                                      double factor, bool causal);

}  // namespace gpukit::ops
