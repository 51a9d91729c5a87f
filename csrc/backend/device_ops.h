// The arithmetic of one device. All checks of shapes and dtypes were made in ops/.
#pragma once

#include <cstddef>

#include "backend/op_args.h"
#include "backend/stream_types.h"

namespace gpukit {

/// Calls only queue work on `stream`; on the CPU the work is done at return. Operands of zero
/// elements never come.
class DeviceOps {
 public:
  virtual ~DeviceOps() = default;

  virtual void unary(const UnaryArgs& args, StreamRef stream) = 0;
  virtual void binary(const BinaryArgs& args, StreamRef stream) = 0;
  /// A backend may have a shorter way for most calls of binary.
  virtual void flat_binary(const FlatBinaryArgs& args, StreamRef stream);
  virtual void where(const WhereArgs& args, StreamRef stream) = 0;
  virtual void clamp(const ClampArgs& args, StreamRef stream) = 0;
  virtual void fill(const FillArgs& args, StreamRef stream) = 0;
  virtual void copy(const CopyArgs& args, StreamRef stream) = 0;
  virtual void ramp(const RampArgs& args, StreamRef stream) = 0;
  virtual void triangle(const TriangleArgs& args, StreamRef stream) = 0;
  virtual void reduce(const ReduceArgs& args, StreamRef stream) = 0;
  virtual void cumulative(const CumulativeArgs& args, StreamRef stream) = 0;
  virtual void softmax(const SoftmaxArgs& args, StreamRef stream) = 0;
  virtual void layer_norm(const LayerNormArgs& args, StreamRef stream) = 0;
  virtual void matmul(const MatmulArgs& args, StreamRef stream) = 0;
  virtual void random(const RandomArgs& args, StreamRef stream) = 0;
  virtual void places(const PlacesArgs& args, StreamRef stream) = 0;
  virtual void gather(const GatherArgs& args, StreamRef stream) = 0;
  virtual void scatter(const ScatterArgs& args, StreamRef stream) = 0;
  virtual void sort(const SortArgs& args, StreamRef stream) = 0;
  virtual void optimizer_step(const OptimizerArgs& args, StreamRef stream) = 0;
  virtual void cross_entropy(const CrossEntropyArgs& args, StreamRef stream) = 0;
  virtual void cross_entropy_backward(const CrossEntropyBackwardArgs& args, StreamRef stream) = 0;

  /// Writes numbers that the call carries itself: what is new in each replay of a graph.
  virtual void write_words(const WordsArgs& args, StreamRef stream) = 0;

  /// Bytes of scratch memory the next calls may need come from here; set once by memory/ (see
  /// Workspace).
  virtual void set_workspace(class Workspace* workspace) noexcept = 0;
};

/// Scratch memory for an operation, stream ordered: free to reuse by later work of the same stream.
class Workspace {
 public:
  virtual ~Workspace() = default;
  virtual void* allocate(std::size_t bytes, StreamRef stream) = 0;
  virtual void deallocate(void* address, std::size_t bytes, StreamRef stream) noexcept = 0;
};

}  // namespace gpukit
