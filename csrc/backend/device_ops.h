// The arithmetic of one device. All checks of shapes and dtypes were made in ops/.
#pragma once

#include <cstddef>
#include <string_view>

#include "backend/layer_args.h"
#include "backend/op_args.h"
#include "backend/stream_types.h"
#include "core/device.h"

namespace gpukit {

struct FftArgs;
struct LinalgArgs;

/// Scratch memory for an operation, stream ordered: free to reuse by later work of the same stream.
class Workspace {
 public:
  virtual ~Workspace() = default;
  virtual void* allocate(std::size_t bytes, StreamRef stream) = 0;
  virtual void deallocate(void* address, std::size_t bytes, StreamRef stream) noexcept = 0;
};

/// Calls only queue work on `stream`; on the CPU the work is done at return. Operands of zero
/// elements never come.
///
/// A device implements `fill` and `copy`, and any of the others. It may implement an
/// operation in part (some UnaryOps, some dtypes) and leave the rest to the function of this class:
/// that does the operation by simpler ones of the same device, or raises the NotSupportedError that
/// names the device and the operator.
class DeviceOps {
 public:
  virtual ~DeviceOps() = default;

  virtual Device device() const noexcept = 0;
  virtual void fill(const FillArgs& args, StreamRef stream) = 0;
  virtual void copy(const CopyArgs& args, StreamRef stream) = 0;

  // What has no composition.
  virtual void unary(const UnaryArgs& args, StreamRef stream);
  virtual void binary(const BinaryArgs& args, StreamRef stream);
  virtual void complex_function(const ComplexArgs& args, StreamRef stream);
  virtual void where(const WhereArgs& args, StreamRef stream);
  virtual void ramp(const RampArgs& args, StreamRef stream);
  virtual void reduce(const ReduceArgs& args, StreamRef stream);
  virtual void cumulative(const CumulativeArgs& args, StreamRef stream);
  virtual void random(const RandomArgs& args, StreamRef stream);
  virtual void linear_index(const LinearIndexArgs& args, StreamRef stream);
  virtual void gather(const GatherArgs& args, StreamRef stream);
  virtual void scatter(const ScatterArgs& args, StreamRef stream);
  virtual void sort(const SortArgs& args, StreamRef stream);
  /// Factorizations of matrices: backend/linalg_args.h.
  virtual void linalg(const LinalgArgs& args, StreamRef stream);
  /// Fourier transforms of lines: backend/fft_args.h.
  virtual void fft(const FftArgs& args, StreamRef stream);
  /// Writes numbers that are arguments of the call: the values that change in each replay of a
  /// graph.
  virtual void write_words(const WordsArgs& args, StreamRef stream);

  // Composed from the above if a device has no implementation.
  /// Most calls of binary; a device may have a shorter way for them.
  virtual void flat_binary(const FlatBinaryArgs& args, StreamRef stream);
  virtual void clamp(const ClampArgs& args, StreamRef stream);
  virtual void triangle(const TriangleArgs& args, StreamRef stream);
  virtual void softmax(const SoftmaxArgs& args, StreamRef stream);
  virtual void layer_norm(const LayerNormArgs& args, StreamRef stream);
  /// The plain product has no composition; a bias, an activation and row sums have.
  virtual void matmul(const MatmulArgs& args, StreamRef stream);
  /// By products of matrices of the input under each tap.
  virtual void convolution(const ConvolutionArgs& args, StreamRef stream);
  virtual void max_pool(const MaxPoolArgs& args, StreamRef stream);
  virtual void plane_sum(const PlaneSumArgs& args, StreamRef stream);
  virtual void batch_norm(const BatchNormArgs& args, StreamRef stream);
  virtual void batch_norm_backward(const BatchNormBackwardArgs& args, StreamRef stream);
  virtual void lstm_cell(const LstmCellArgs& args, StreamRef stream);
  virtual void lstm_cell_backward(const LstmCellBackwardArgs& args, StreamRef stream);
  virtual void lstm_steps(const LstmStepsArgs& args, StreamRef stream);
  virtual void lstm_steps_backward(const LstmStepsBackwardArgs& args, StreamRef stream);
  /// Whether the device has `attention` and its backward in a dtype. They have no composition here:
  /// who calls them composes.
  virtual bool has_attention(DType) const noexcept { return false; }
  virtual void attention(const AttentionArgs& args, StreamRef stream);
  virtual void attention_backward(const AttentionBackwardArgs& args, StreamRef stream);
  virtual void optimizer_step(const OptimizerArgs& args, StreamRef stream);
  virtual void cross_entropy(const CrossEntropyArgs& args, StreamRef stream);
  virtual void cross_entropy_backward(const CrossEntropyBackwardArgs& args, StreamRef stream);

  /// Where scratch memory comes from; set once by memory/, before the first operation.
  virtual void set_workspace(Workspace* workspace) noexcept { workspace_ = workspace; }

 protected:
  [[noreturn]] void throw_not_supported(std::string_view op) const;

  Workspace* workspace_ = nullptr;
};

}  // namespace gpukit
