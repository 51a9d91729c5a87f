// Every operator does nothing: shapes and dtypes of results are decided before a device is asked.
#pragma once

#include "backend/device_ops.h"

namespace gpukit::meta {

class MetaOps final : public DeviceOps {
 public:
  Device device() const noexcept override { return Device::meta(); }
  void fill(const FillArgs&, StreamRef) override {}
  void copy(const CopyArgs&, StreamRef) override {}
  void unary(const UnaryArgs&, StreamRef) override {}
  void binary(const BinaryArgs&, StreamRef) override {}
  void complex_function(const ComplexArgs&, StreamRef) override {}
  void where(const WhereArgs&, StreamRef) override {}
  void ramp(const RampArgs&, StreamRef) override {}
  void reduce(const ReduceArgs&, StreamRef) override {}
  void cumulative(const CumulativeArgs&, StreamRef) override {}
  void random(const RandomArgs&, StreamRef) override {}
  void linear_index(const LinearIndexArgs&, StreamRef) override {}
  void gather(const GatherArgs&, StreamRef) override {}
  void scatter(const ScatterArgs&, StreamRef) override {}
  void sort(const SortArgs&, StreamRef) override {}
  void linalg(const LinalgArgs&, StreamRef) override {}
  void fft(const FftArgs&, StreamRef) override {}
  void write_words(const WordsArgs&, StreamRef) override {}
  void flat_binary(const FlatBinaryArgs&, StreamRef) override {}
  void clamp(const ClampArgs&, StreamRef) override {}
  void triangle(const TriangleArgs&, StreamRef) override {}
  void softmax(const SoftmaxArgs&, StreamRef) override {}
  void layer_norm(const LayerNormArgs&, StreamRef) override {}
  void matmul(const MatmulArgs&, StreamRef) override {}
  void convolution(const ConvolutionArgs&, StreamRef) override {}
  void max_pool(const MaxPoolArgs&, StreamRef) override {}
  void plane_sum(const PlaneSumArgs&, StreamRef) override {}
  void batch_norm(const BatchNormArgs&, StreamRef) override {}
  void batch_norm_backward(const BatchNormBackwardArgs&, StreamRef) override {}
  void lstm_cell(const LstmCellArgs&, StreamRef) override {}
  void lstm_cell_backward(const LstmCellBackwardArgs&, StreamRef) override {}
  void lstm_steps(const LstmStepsArgs&, StreamRef) override {}
  void lstm_steps_backward(const LstmStepsBackwardArgs&, StreamRef) override {}
  void attention(const AttentionArgs&, StreamRef) override {}
  void attention_backward(const AttentionBackwardArgs&, StreamRef) override {}
  void optimizer_step(const OptimizerArgs&, StreamRef) override {}
  void cross_entropy(const CrossEntropyArgs&, StreamRef) override {}
  void cross_entropy_backward(const CrossEntropyBackwardArgs&, StreamRef) override {}
  bool has_attention(DType) const noexcept override { return true; }
};

}  // namespace gpukit::meta
