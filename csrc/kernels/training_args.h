// The argument structs of optimizers and losses.
#pragma once

#include "kernels/kernel_args.h"

namespace gpukit {

/// One parameter of a step; it is worked on from block `first_block` on.
struct OptimizerKernelItem {
  void* parameter;
  const void* gradient;
  void* first;
  void* second;
  void* largest;
  gk_i64 count;
  gk_i64 first_block;
  double step_size, root_correction;
  gk_i64 fresh;
};

inline constexpr int kOptimizerItems = 48;

/// `rates`, of a graph: shrink, step_size and root_correction of all items; null elsewhere.
struct OptimizerKernelArgs {
  OptimizerSettings settings;
  const double* rates;
  gk_i32 items;
  OptimizerKernelItem item[kOptimizerItems];
};

inline constexpr int kLossThreads = 256;

/// Forward: `out` gets a loss a row and `log_sums` is written. Backward: `out` gets the gradient
/// and `gradient` (one, or one a row) is read.
struct CrossEntropyKernelArgs {
  const void* logits;
  const gk_i64* target;
  const void* weight;
  void* log_sums;
  void* out;
  const void* gradient;
  const void* scale;
  gk_i64 rows, columns, ignore_index;
  double smoothing;
  IndexReportRef report;  ///< of the forward pass
  gk_i32 by_row;
};

struct LossTotalKernelArgs {
  CrossEntropyKernelArgs rows;
  const void* losses;
  void* total;
  void* scale;
  gk_i32 mean;
};

}  // namespace gpukit
