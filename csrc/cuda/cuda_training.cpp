// Optimizer steps, losses, and the values that change in each replay of a graph.
#include <algorithm>

#include "cuda/cuda_ops.h"

namespace gpukit::cuda {

namespace cuda_training {
namespace {

OptimizerKernelItem kernel_form(const OptimizerItem& item, std::int64_t first_block) {
  return {item.parameter, item.gradient, item.first,     item.second,          item.largest,
          item.count,     first_block,   item.step_size, item.root_correction, item.fresh ? 1 : 0};
}

CrossEntropyKernelArgs kernel_form(const CrossEntropyRows& rows) {
  CrossEntropyKernelArgs kernel{};
  kernel.logits = rows.logits;
  kernel.target = reinterpret_cast<const gk_i64*>(rows.target);
  kernel.weight = rows.weight;
  kernel.rows = rows.rows;
  kernel.columns = rows.columns;
  kernel.ignore_index = rows.ignore_index;
  kernel.smoothing = rows.smoothing;
  return kernel;
}

LaunchConfig warp_a_row(std::int64_t rows) {
  constexpr int kWarpThreads = 32;
  return blocks_for(rows, kLossThreads / kWarpThreads, kLossThreads);
}

}  // namespace
}  // namespace cuda_training

// As many parameters a launch as its arguments hold.
void CudaOps::optimizer_step(const OptimizerArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  OptimizerKernelArgs kernel{};
  kernel.settings = args.settings;
  kernel.rates = args.rates;
  for (std::size_t begin = 0; begin < args.items.size(); begin += kOptimizerItems) {
    const auto items = args.items.subspan(
        begin, std::min<std::size_t>(kOptimizerItems, args.items.size() - begin));
    std::int64_t blocks = 0;
    kernel.items = 0;
    for (const OptimizerItem& item : items) {
      kernel.item[kernel.items++] = cuda_training::kernel_form(item, blocks);
      blocks += ceil_div<std::int64_t>(item.count, kElementTile);
    }
    launcher_.launch<KernelGroup::kOptimizer>(variant_of(args.dtype), {blocks, 1, kElementThreads},
                                              kernel, stream);
  }
}

void CudaOps::write_words(const WordsArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  WordsKernelArgs kernel{};
  kernel.out = static_cast<gk_u64*>(args.out);
  kernel.count = static_cast<gk_i64>(std::min<std::size_t>(args.words.size(), kMostWords));
  std::copy_n(args.words.begin(), kernel.count, kernel.word);
  launcher_.launch<KernelGroup::kWords>(0, {1, 1, kMostWords}, kernel, stream);
}

void CudaOps::cross_entropy(const CrossEntropyArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  CrossEntropyKernelArgs kernel = cuda_training::kernel_form(args.input);
  kernel.log_sums = args.log_sums;
  kernel.out = args.losses;
  kernel.report = report_.target(args.check);
  const int variant = variant_of(args.input.dtype);
  launcher_.launch<KernelGroup::kCrossEntropy>(variant, cuda_training::warp_a_row(args.input.rows),
                                               kernel, stream);
  report_.after_launch();
  if (args.total == nullptr) return;
  LossTotalKernelArgs total{};
  total.rows = kernel;
  total.losses = args.losses;
  total.total = args.total;
  total.scale = args.scale;
  total.mean = args.mean ? 1 : 0;
  launcher_.launch<KernelGroup::kLossTotal>(variant, {1, 1, kLossThreads}, total, stream);
}

void CudaOps::cross_entropy_backward(const CrossEntropyBackwardArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  CrossEntropyKernelArgs kernel = cuda_training::kernel_form(args.input);
  kernel.log_sums = const_cast<void*>(args.log_sums);
  kernel.out = args.out;
  kernel.gradient = args.gradient;
  kernel.scale = args.scale;
  kernel.by_row = args.by_row ? 1 : 0;
  launcher_.launch<KernelGroup::kCrossEntropyBackward>(
      variant_of(args.input.dtype), cuda_training::warp_a_row(args.input.rows), kernel, stream);
}

}  // namespace gpukit::cuda
