// The arithmetic of the CPU device: picks the loop for an operation and hands it to the strided or
// threaded runner.
#pragma once

#include "backend/device_ops.h"
#include "base/check.h"
#include "base/error.h"
#include "cpu/simd/simd_table.h"

namespace gpukit::cpu {

/// Work is done at return. Thread safe: it has no state but the table of loops and the workspace,
/// set at the start.
class CpuOps final : public DeviceOps {
 public:
  CpuOps();

  Device device() const noexcept override { return Device::cpu(); }
  void unary(const UnaryArgs& args, StreamRef stream) override;
  void binary(const BinaryArgs& args, StreamRef stream) override;
  void flat_binary(const FlatBinaryArgs& args, StreamRef stream) override;
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
  void convolution(const ConvolutionArgs& args, StreamRef stream) override;
  void random(const RandomArgs& args, StreamRef stream) override;
  void linear_index(const LinearIndexArgs& args, StreamRef stream) override;
  void gather(const GatherArgs& args, StreamRef stream) override;
  void scatter(const ScatterArgs& args, StreamRef stream) override;
  void sort(const SortArgs& args, StreamRef stream) override;
  void linalg(const LinalgArgs& args, StreamRef stream) override;
  void fft(const FftArgs& args, StreamRef stream) override;
  void max_pool(const MaxPoolArgs& args, StreamRef stream) override;
  void plane_sum(const PlaneSumArgs& args, StreamRef stream) override;
  void batch_norm(const BatchNormArgs& args, StreamRef stream) override;
  void batch_norm_backward(const BatchNormBackwardArgs& args, StreamRef stream) override;
  void lstm_cell(const LstmCellArgs& args, StreamRef stream) override;
  void lstm_cell_backward(const LstmCellBackwardArgs& args, StreamRef stream) override;
  void lstm_steps(const LstmStepsArgs& args, StreamRef stream) override;
  void lstm_steps_backward(const LstmStepsBackwardArgs& args, StreamRef stream) override;
  bool has_attention(DType dtype) const noexcept override { return dtype == DType::kFloat32; }
  void attention(const AttentionArgs& args, StreamRef stream) override;
  void attention_backward(const AttentionBackwardArgs& args, StreamRef stream) override;
  void optimizer_step(const OptimizerArgs& args, StreamRef stream) override;
  void write_words(const WordsArgs& args, StreamRef stream) override;
  void cross_entropy(const CrossEntropyArgs& args, StreamRef stream) override;
  void cross_entropy_backward(const CrossEntropyBackwardArgs& args, StreamRef stream) override;

 private:
  void general_binary(const BinaryArgs& args);
  void strided_binary(const BinaryArgs& args);

  const SimdTable& table_;
};

/// Copies bytes on several threads, past the caches when there are many. The ranges do not overlap.
void copy_bytes(void* target, const void* source, std::int64_t bytes);
void fill_bytes(void* target, unsigned char value, std::int64_t bytes);

/// The dtype's place in the tables of loops.
inline int index_of(DType dtype) noexcept { return static_cast<int>(dtype); }

/// Calls visitor.template operator()<T>() with float or double, the types that floating dtypes are
/// computed in; DTypeError for any other dtype.
template <class Visitor>
decltype(auto) visit_floating(DType dtype, const Visitor& visitor) {
  if (dtype == DType::kFloat32) return visitor.template operator()<float>();
  if (dtype == DType::kFloat64) return visitor.template operator()<double>();
  throw DTypeError(concat("the CPU computes floating numbers in float32 and float64, not in ",
                          name(dtype), "; convert the tensor to a floating dtype first"));
}

}  // namespace gpukit::cpu
