// A device's arithmetic that says what each operation costs. OpenDevice::ops() gives it instead of
// the real one while an observer is registered for device work.
#pragma once

#include "backend/device_ops.h"
#include "core/device_work.h"

namespace gpukit {

class ReportingOps final : public DeviceOps {
 public:
  ReportingOps(DeviceOps& real, Device device) noexcept : real_(real), device_(device) {}

  Device device() const noexcept override { return device_; }
  void unary(const UnaryArgs& args, StreamRef stream) override;
  void binary(const BinaryArgs& args, StreamRef stream) override;
  void complex_function(const ComplexArgs& args, StreamRef stream) override;
  void where(const WhereArgs& args, StreamRef stream) override;
  void clamp(const ClampArgs& args, StreamRef stream) override;
  void fill(const FillArgs& args, StreamRef stream) override;
  void copy(const CopyArgs& args, StreamRef stream) override;
  void ramp(const RampArgs& args, StreamRef stream) override;
  void triangle(const TriangleArgs& args, StreamRef stream) override;
  void reduce(const ReduceArgs& args, StreamRef stream) override;
  void cumulative(const CumulativeArgs& args, StreamRef stream) override;
  void softmax(const SoftmaxArgs& args, StreamRef stream) override;
  void layer_norm(const LayerNormArgs& args, StreamRef stream) override;
  void matmul(const MatmulArgs& args, StreamRef stream) override;
  void random(const RandomArgs& args, StreamRef stream) override;
  void linear_index(const LinearIndexArgs& args, StreamRef stream) override;
  void gather(const GatherArgs& args, StreamRef stream) override;
  void scatter(const ScatterArgs& args, StreamRef stream) override;
  void sort(const SortArgs& args, StreamRef stream) override;
  void linalg(const LinalgArgs& args, StreamRef stream) override;
  void fft(const FftArgs& args, StreamRef stream) override;
  void convolution(const ConvolutionArgs& args, StreamRef stream) override;
  void max_pool(const MaxPoolArgs& args, StreamRef stream) override;
  void plane_sum(const PlaneSumArgs& args, StreamRef stream) override;
  void batch_norm(const BatchNormArgs& args, StreamRef stream) override;
  void batch_norm_backward(const BatchNormBackwardArgs& args, StreamRef stream) override;
  void lstm_cell(const LstmCellArgs& args, StreamRef stream) override;
  void lstm_cell_backward(const LstmCellBackwardArgs& args, StreamRef stream) override;
  void lstm_steps(const LstmStepsArgs& args, StreamRef stream) override;
  void lstm_steps_backward(const LstmStepsBackwardArgs& args, StreamRef stream) override;
  bool has_attention(DType dtype) const noexcept override { return real_.has_attention(dtype); }
  void attention(const AttentionArgs& args, StreamRef stream) override;
  void attention_backward(const AttentionBackwardArgs& args, StreamRef stream) override;
  void optimizer_step(const OptimizerArgs& args, StreamRef stream) override;
  void cross_entropy(const CrossEntropyArgs& args, StreamRef stream) override;
  void cross_entropy_backward(const CrossEntropyBackwardArgs& args, StreamRef stream) override;
  void write_words(const WordsArgs& args, StreamRef stream) override {
    real_.write_words(args, stream);
  }
  void set_workspace(Workspace* workspace) noexcept override { real_.set_workspace(workspace); }

 private:
  void report(DeviceWork work) const noexcept;

  DeviceOps& real_;
  Device device_;
};

}  // namespace gpukit
