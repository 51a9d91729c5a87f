#include <algorithm>
#include <bit>

#include "base/numeric.h"
#include "cuda/cuda_layout.h"
#include "cuda/cuda_ops.h"

namespace gpukit::cuda {

namespace cuda_reduce {
namespace {

/// Elements that one chain of additions may be long, so that rounding errors stay those of a
/// pairwise sum.
constexpr std::int64_t kLongestChain = 256;
constexpr std::int64_t kChainsPerThread = 4;
/// Blocks beyond which more chunks bring no more speed.
constexpr std::int64_t kEnoughBlocks = 2048;
constexpr std::int64_t kMostChunks = 65535;
constexpr int kWarpThreads = 32;
constexpr int kFewestRowThreads = 8;
constexpr int kRowBlock = 256;  ///< of warps that have rows of their own

/// Who works on a row: as many threads as it takes to hold it, of a warp or of a block.
template <class KernelArgs>
LaunchConfig share_rows(KernelArgs& kernel, DType dtype) noexcept {
  const std::int64_t held = dtype == DType::kFloat64 ? kHeldDoubles : kHeldFloats;
  int threads = kFewestRowThreads;
  while (threads < kMostRowThreads && kernel.columns > threads * held) threads *= 2;
  kernel.row_threads = threads;
  kernel.held = kernel.columns <= threads * held ? 1 : 0;
  if (threads > kWarpThreads) return {kernel.rows, 1, threads};
  return blocks_for(kernel.rows, kRowBlock / threads, kRowBlock);
}

bool is_position(ReduceOp op) noexcept {
  return op == ReduceOp::kArgMax || op == ReduceOp::kArgMin;
}

/// Merges neighbours that are one run but keeps the order, which positions (argmax) are counted in.
void merge_in_order(Shape& shape, Strides& strides) noexcept {
  for (int d = shape.size() - 1; d >= 0; --d) {
    if (shape[d] != 1) continue;
    shape.erase(d);
    strides.erase(d);
  }
  for (int d = shape.size() - 2; d >= 0; --d) {
    if (strides[d] != strides[d + 1] * shape[d + 1]) continue;
    shape[d + 1] *= shape[d];
    shape.erase(d);
    strides.erase(d);
  }
}

StridedLayout<1> layout(const Shape& shape, const Strides& strides) {
  return make_layout<1>(shape, {&strides});
}

/// How a reduction is shared out. It depends on sizes and strides only, so results are the same on
/// every card.
struct ReducePlan {
  int width = 1;  ///< kept elements of a block
  bool along_kept = false;
  std::int64_t chunks = 1;
  std::int64_t chunk_length = 0;
};

ReducePlan plan_reduction(std::int64_t kept, std::int64_t reduced, std::int64_t kept_step,
                          std::int64_t reduced_step) {
  ReducePlan plan;
  plan.along_kept = kept > 1 && std::abs(kept_step) < std::abs(reduced_step);
  const std::int64_t useful = std::max<std::int64_t>(1, reduced / kChainsPerThread);
  const auto lanes_wanted =
      std::bit_ceil(static_cast<std::uint64_t>(std::min<std::int64_t>(useful, kReduceThreads)));
  int lanes = static_cast<int>(lanes_wanted);
  if (plan.along_kept) lanes = std::min(lanes, kReduceThreads / kWarpThreads);
  plan.width = kReduceThreads / lanes;
  const std::int64_t blocks = ceil_div<std::int64_t>(kept, plan.width);
  const std::int64_t chain = lanes * kChainsPerThread;
  // Enough blocks to fill a card, chains of at least 16 and at most kLongestChain additions.
  const std::int64_t for_speed =
      std::min(ceil_div<std::int64_t>(kEnoughBlocks, blocks), reduced / (chain * 16));
  const std::int64_t for_accuracy = ceil_div<std::int64_t>(reduced, chain * kLongestChain);
  plan.chunks = std::clamp<std::int64_t>(std::max(for_speed, for_accuracy), 1, kMostChunks);
  plan.chunk_length = ceil_div(reduced, plan.chunks);
  plan.chunks = ceil_div(reduced, plan.chunk_length);
  return plan;
}

/// Whether the kernel has a path by vectors: the common operations over neighbours.
bool uses_row_kernel(const ReduceArgs& args, const ReduceKernelArgs& kernel) noexcept {
  const bool common = args.op == ReduceOp::kSum || args.op == ReduceOp::kMean ||
                      args.op == ReduceOp::kMax || args.op == ReduceOp::kMin;
  const bool small_type = args.in_dtype == DType::kFloat32 || is_half(args.in_dtype);
  return common && small_type && kernel.along_kept == 0 && kernel.reduced.rank == 1 &&
         kernel.reduced.stride[0][0] == 1 && kReduceThreads / kernel.width >= kChainsPerThread &&
         kernel.kept_count * kernel.chunks < INT32_MAX - kReduceThreads;
}

ReduceKernelArgs stage_one(const ReduceArgs& args) {
  Shape kept = args.kept, reduced = args.reduced;
  Strides kept_strides = args.kept_strides, reduced_strides = args.reduced_strides;
  merge_in_order(kept, kept_strides);  // the output is contiguous in this order
  if (is_position(args.op)) {
    merge_in_order(reduced, reduced_strides);
  } else {
    Strides* const lists[] = {&reduced_strides};
    merge_dims(reduced, lists);
  }
  ReduceKernelArgs kernel{};
  kernel.in = args.in;
  kernel.out = args.out;
  kernel.kept_count = element_count(kept);
  kernel.reduced_count = element_count(reduced);
  kernel.op = static_cast<gk_i32>(args.op);
  kernel.in_dtype = static_cast<gk_i32>(args.in_dtype);
  kernel.out_dtype = static_cast<gk_i32>(args.out_dtype);
  kernel.order_mask = sign_matters(args.op) ? order_mask(args.in_dtype) : 0;
  kernel.kept = layout(kept, kept_strides);
  kernel.reduced = layout(reduced, reduced_strides);
  const ReducePlan plan = plan_reduction(kernel.kept_count, kernel.reduced_count,
                                         kernel.kept.stride[0][0], kernel.reduced.stride[0][0]);
  kernel.width = plan.width;
  kernel.along_kept = plan.along_kept ? 1 : 0;
  kernel.chunks = static_cast<gk_i32>(plan.chunks);
  kernel.chunk_length = plan.chunk_length;
  kernel.by_rows = uses_row_kernel(args, kernel) ? 1 : 0;
  return kernel;
}

LaunchConfig stage_one_blocks(const ReduceKernelArgs& kernel) noexcept {
  if (kernel.by_rows == 0)
    return {ceil_div<std::int64_t>(kernel.kept_count, kernel.width), kernel.chunks, kReduceThreads};
  return blocks_for(kernel.kept_count * kernel.chunks, kernel.width * kChainsPerThread,
                    kReduceThreads);
}

/// How a scan is cut up; by sizes only.
struct ScanPlan {
  bool per_thread = false;
  std::int64_t chunks = 1;
  std::int64_t chunk_length = 0;
};

ScanPlan plan_scan(std::int64_t lines, std::int64_t length, std::int64_t inner) {
  constexpr std::int64_t kThreadChunk = 256, kEnoughThreads = 32768;
  constexpr std::int64_t kBlockChunk = 8192, kEnoughScanBlocks = 1024;
  ScanPlan plan;
  plan.per_thread = inner > 1;
  const std::int64_t shortest = plan.per_thread ? kThreadChunk : kBlockChunk;
  const std::int64_t enough = plan.per_thread ? kEnoughThreads : kEnoughScanBlocks;
  const std::int64_t wanted = std::min(ceil_div(enough, lines), ceil_div(length, shortest));
  plan.chunks = std::max<std::int64_t>(1, wanted);
  plan.chunk_length = ceil_div(length, plan.chunks);
  plan.chunks = ceil_div(length, plan.chunk_length);
  return plan;
}

}  // namespace
}  // namespace cuda_reduce

void CudaOps::reduce(const ReduceArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  ReduceKernelArgs kernel = cuda_reduce::stage_one(args);
  const int variant = variant_of(
      of_kind(kind_of(args.in_dtype), DType::kInt64, DType::kInt64, args.in_dtype, args.in_dtype));
  const LaunchConfig config = cuda_reduce::stage_one_blocks(kernel);
  if (kernel.chunks == 1)
    return launcher_.launch<KernelGroup::kReduce>(variant, config, kernel, stream);

  const std::size_t partials =
      static_cast<std::size_t>(kernel.kept_count) * static_cast<std::size_t>(kernel.chunks);
  const Scratch scratch(workspace_, partials * (sizeof(double) + sizeof(gk_i64)), stream);
  kernel.partial_index = static_cast<gk_i64*>(scratch.address());
  kernel.partial_value = kernel.partial_index + partials;
  launcher_.launch<KernelGroup::kReduce>(variant, config, kernel, stream);
  const ReduceFinishArgs finish{kernel.partial_value, kernel.partial_index, kernel.out,
                                kernel.kept_count,    kernel.reduced_count, kernel.op,
                                kernel.out_dtype,     kernel.chunks,        kernel.order_mask};
  launcher_.launch<KernelGroup::kReduceFinish>(variant_of(widened_dtype(args.in_dtype)),
                                               {kernel.kept_count, 1, kReduceThreads}, finish,
                                               stream);
}

void CudaOps::cumulative(const CumulativeArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  const std::int64_t lines = args.outer * args.inner;
  const cuda_reduce::ScanPlan plan = cuda_reduce::plan_scan(lines, args.length, args.inner);
  CumulativeKernelArgs kernel{};
  kernel.in = args.in;
  kernel.out = args.out;
  kernel.lines = lines;
  kernel.length = args.length;
  kernel.inner = args.inner;
  kernel.chunk_length = plan.chunk_length;
  kernel.chunks = static_cast<gk_i32>(plan.chunks);
  kernel.per_thread = plan.per_thread ? 1 : 0;
  kernel.product = args.product ? 1 : 0;
  kernel.dtype = static_cast<gk_i32>(wrapping_dtype(args.dtype));
  const int variant = variant_of(widened_dtype(args.dtype));
  const LaunchConfig config =
      blocks_for(lines * plan.chunks, plan.per_thread ? kScanThreads : 1, kScanThreads);
  if (plan.chunks == 1)
    return launcher_.launch<KernelGroup::kCumulative>(variant, config, kernel, stream);

  const std::size_t totals =
      static_cast<std::size_t>(lines) * static_cast<std::size_t>(plan.chunks);
  const Scratch scratch(workspace_, totals * sizeof(double), stream);
  kernel.carry = scratch.address();
  kernel.totals_only = 1;
  launcher_.launch<KernelGroup::kCumulative>(variant, config, kernel, stream);
  const CumulativeCarryArgs carry{kernel.carry, lines, kernel.chunks, kernel.product};
  launcher_.launch<KernelGroup::kCumulativeCarry>(variant, {lines, 1, kScanThreads}, carry, stream);
  kernel.totals_only = 0;
  kernel.use_carry = 1;
  launcher_.launch<KernelGroup::kCumulative>(variant, config, kernel, stream);
}

void CudaOps::softmax(const SoftmaxArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  SoftmaxKernelArgs kernel{};
  kernel.out = args.out;
  kernel.in = args.in;
  kernel.rows = args.rows;
  kernel.columns = args.columns;
  const LaunchConfig config = cuda_reduce::share_rows(kernel, args.dtype);
  kernel.log = args.log ? 1 : 0;
  launcher_.launch<KernelGroup::kSoftmax>(variant_of(args.dtype), config, kernel, stream);
}

void CudaOps::layer_norm(const LayerNormArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  LayerNormKernelArgs kernel{};
  kernel.out = args.out;
  kernel.in = args.in;
  kernel.weight = args.weight;
  kernel.bias = args.bias;
  kernel.mean = args.mean;
  kernel.rstd = args.rstd;
  kernel.rows = args.rows;
  kernel.columns = args.columns;
  kernel.eps = args.eps;
  const LaunchConfig config = cuda_reduce::share_rows(kernel, args.dtype);
  launcher_.launch<KernelGroup::kLayerNorm>(variant_of(args.dtype), config, kernel, stream);
}

}  // namespace gpukit::cuda
