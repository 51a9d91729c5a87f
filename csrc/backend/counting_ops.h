// A device's arithmetic with a tally: what bench asks for the work of a function. It stands in
// front of the real DeviceOps only while somebody counts.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>

#include "backend/device_ops.h"

namespace gpukit {

/// Work of the operations since the count began. Bytes are those that must be read and written once
/// if every operation goes through memory; broadcast operands count once.
struct WorkCount {
  std::int64_t operations = 0;
  std::int64_t copies = 0;  ///< of the operations: those that only move values
  double bytes = 0;
  /// By the dtype of the operands. A product counts 2 m n k; sums, comparisons, exp and sqrt count
  /// one an element; copies, fills, random numbers and sorting count none.
  std::array<double, kDTypeCount> flops{};
  /// The longest sum behind one element: what the rounding error grows with.
  std::int64_t longest_sum = 1;
};

class CountingOps final : public DeviceOps {
 public:
  /// What one operation adds.
  struct Work {
    DType dtype;
    double flops;
    double bytes;
    std::int64_t longest_sum = 1;
  };

  explicit CountingOps(DeviceOps& real) : real_(real) {}

  void clear();
  WorkCount count() const;

  void unary(const UnaryArgs& args, StreamRef stream) override;
  void binary(const BinaryArgs& args, StreamRef stream) override;
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
  void places(const PlacesArgs& args, StreamRef stream) override;
  void gather(const GatherArgs& args, StreamRef stream) override;
  void scatter(const ScatterArgs& args, StreamRef stream) override;
  void sort(const SortArgs& args, StreamRef stream) override;
  void optimizer_step(const OptimizerArgs& args, StreamRef stream) override;
  void cross_entropy(const CrossEntropyArgs& args, StreamRef stream) override;
  void cross_entropy_backward(const CrossEntropyBackwardArgs& args, StreamRef stream) override;
  void write_words(const WordsArgs& args, StreamRef stream) override {
    real_.write_words(args, stream);
  }
  void set_workspace(Workspace* workspace) noexcept override { real_.set_workspace(workspace); }

 private:
  void add(const Work& work);

  DeviceOps& real_;
  mutable std::mutex mutex_;
  WorkCount count_;
};

}  // namespace gpukit
