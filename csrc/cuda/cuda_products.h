// Which of gpukit's own kernels makes a product, and how its work is divided.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/op_args.h"
#include "cuda/cuda_context.h"
#include "kernels/kernel_list.h"

namespace gpukit::cuda {

/// A kernel for a product, its tile, and into how many parts the inner elements go. It depends on
/// sizes, strides and the card alone, so that results repeat bit for bit.
struct ProductPlan {
  KernelGroup group;
  std::int64_t rows, columns;
  int threads;
  /// matmul_thin: the right operand is the thin one.
  bool transposed = false;
  std::int64_t splits = 1, split_depth = 0;

  std::int64_t tiles(const MatmulArgs& args) const noexcept;
};

ProductPlan plan_product(const MatmulArgs& args, const DeviceProperties& card) noexcept;

/// Whether matmul_mma.cu has code for the dtype on this card.
bool has_tensor_cores(const DeviceProperties& card, DType dtype) noexcept;

/// The same product of its operands' transposes, but for c.
MatmulArgs transposed_product(const MatmulArgs& args) noexcept;

/// How an operand whose lines begin at addresses that tensor cores cannot load is laid out in a
/// copy: the strides of the copy, and its bytes.
struct AlignedCopy {
  MatrixRef matrix;
  std::size_t bytes = 0;  ///< 0: no copy is worth its time
};

/// `uses`: rows or columns of the other operand, each of which reads all of this one.
AlignedCopy aligned_copy(const MatrixRef& matrix, std::int64_t rows, std::int64_t columns,
                         std::int64_t batch, std::int64_t uses) noexcept;

}  // namespace gpukit::cuda
