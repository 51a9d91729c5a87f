// DeviceOps on a CUDA device: merges dimensions, picks the kernel that fits, queues it. Nothing
// here waits.
#pragma once

#include <cstddef>

#include "backend/device_ops.h"
#include "backend/scratch.h"
#include "cuda/cuda_context.h"
#include "cuda/cuda_index_report.h"
#include "cuda/cuda_launch.h"

namespace gpukit::cuda {

class CudaBlas;

/// Thread safe. `blas` may be null: matrix products are then gpukit's own.
class CudaOps final : public DeviceOps {
 public:
  CudaOps(CudaContext& context, KernelLauncher& launcher, CudaIndexReport& report, CudaBlas* blas)
      : context_(context), launcher_(launcher), report_(report), blas_(blas) {}

  Device device() const noexcept override { return context_.device(); }
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
  void random(const RandomArgs& args, StreamRef stream) override;
  void linear_index(const LinearIndexArgs& args, StreamRef stream) override;
  void gather(const GatherArgs& args, StreamRef stream) override;
  void scatter(const ScatterArgs& args, StreamRef stream) override;
  void sort(const SortArgs& args, StreamRef stream) override;
  void fft(const FftArgs& args, StreamRef stream) override;
  void optimizer_step(const OptimizerArgs& args, StreamRef stream) override;
  void write_words(const WordsArgs& args, StreamRef stream) override;
  void cross_entropy(const CrossEntropyArgs& args, StreamRef stream) override;
  void cross_entropy_backward(const CrossEntropyBackwardArgs& args, StreamRef stream) override;

  void set_workspace(Workspace* workspace) noexcept override;

 private:
  void layer(const MatmulArgs& args, StreamRef stream);
  void own_product(const MatmulArgs& args, StreamRef stream);
  void launch_product(const MatmulArgs& args, StreamRef stream);
  void sort_by_digits(const SortArgs& args, StreamRef stream);
  void scatter_add(ScatterKernelArgs& kernel, DType computed, StreamRef stream);

  CudaContext& context_;
  KernelLauncher& launcher_;
  CudaIndexReport& report_;
  CudaBlas* blas_;
};

}  // namespace gpukit::cuda
