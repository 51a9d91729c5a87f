#include <algorithm>
#include <optional>

#include "cuda/cuda_layout.h"
#include "cuda/cuda_ops.h"

namespace gpukit::cuda {

namespace {

constexpr std::int64_t kHotBytesPerTile = static_cast<std::int64_t>(kElementThreads) * kHotVectors * 16;
/// A transpose of less than this side gains nothing from 32 x 32 tiles.
constexpr std::int64_t kSmallestTransposeSide = 8;
constexpr int kTransposeTile = 32;

LaunchConfig element_blocks(std::int64_t count) noexcept {
  return blocks_for(count, kElementTile, kElementThreads);
}

LaunchConfig hot_blocks(std::int64_t count, DType dtype) noexcept {
  return blocks_for(count, kHotBytesPerTile / static_cast<std::int64_t>(itemsize(dtype)), kElementThreads);
}

bool has_hot_kernels(DType dtype) noexcept {
  return dtype == DType::kFloat32 || dtype == DType::kFloat16 || dtype == DType::kBFloat16;
}

template <class... Addresses>
bool all_vector_aligned(const Addresses*... addresses) noexcept {
  return (is_vector_aligned(addresses) && ...);
}

void launch_hot(KernelLauncher& launcher, UnaryOp op, int variant, LaunchConfig config, const HotUnaryArgs& args,
                StreamRef stream) {
  switch (op) {
    case UnaryOp::kNeg: return launcher.launch<KernelGroup::kNeg>(variant, config, args, stream);
    case UnaryOp::kExp: return launcher.launch<KernelGroup::kExp>(variant, config, args, stream);
    case UnaryOp::kRelu: return launcher.launch<KernelGroup::kRelu>(variant, config, args, stream);
    case UnaryOp::kSigmoid: return launcher.launch<KernelGroup::kSigmoid>(variant, config, args, stream);
    case UnaryOp::kTanh: return launcher.launch<KernelGroup::kTanh>(variant, config, args, stream);
    default: return launcher.launch<KernelGroup::kSqrt>(variant, config, args, stream);
  }
}

bool is_hot(UnaryOp op) noexcept {
  return op == UnaryOp::kNeg || op == UnaryOp::kExp || op == UnaryOp::kRelu || op == UnaryOp::kSigmoid ||
         op == UnaryOp::kTanh || op == UnaryOp::kSqrt;
}

void launch_hot(KernelLauncher& launcher, BinaryOp op, int variant, LaunchConfig config, const HotBinaryArgs& args,
                StreamRef stream) {
  switch (op) {
    case BinaryOp::kAdd: return launcher.launch<KernelGroup::kAdd>(variant, config, args, stream);
    case BinaryOp::kSub: return launcher.launch<KernelGroup::kSub>(variant, config, args, stream);
    case BinaryOp::kMul: return launcher.launch<KernelGroup::kMul>(variant, config, args, stream);
    case BinaryOp::kDiv: return launcher.launch<KernelGroup::kDiv>(variant, config, args, stream);
    case BinaryOp::kMaximum: return launcher.launch<KernelGroup::kMaximum>(variant, config, args, stream);
    default: return launcher.launch<KernelGroup::kMinimum>(variant, config, args, stream);
  }
}

bool is_hot(BinaryOp op) noexcept {
  return op == BinaryOp::kAdd || op == BinaryOp::kSub || op == BinaryOp::kMul || op == BinaryOp::kDiv ||
         op == BinaryOp::kMaximum || op == BinaryOp::kMinimum;
}

/// A copy that reads along one dimension and writes along another; at most one more dimension besides.
std::optional<TransposeKernelArgs> as_transpose(const CopyArgs& args, const MergedOperands<2>& merged) {
  const int rank = merged.shape.size();
  if (rank != 2 && rank != 3) return std::nullopt;
  const int columns = rank - 1;
  const Strides &out = merged.strides[0], &in = merged.strides[1];
  const int rows = in[0] == 1 ? 0 : rank - 2;
  if (out[columns] != 1 || in[rows] != 1 || in[columns] == 1) return std::nullopt;
  if (std::min(merged.shape[rows], merged.shape[columns]) < kSmallestTransposeSide) return std::nullopt;
  TransposeKernelArgs kernel{};
  kernel.out = args.out.data;
  kernel.in = args.in.data;
  kernel.rows = merged.shape[rows];
  kernel.columns = merged.shape[columns];
  kernel.out_row_stride = out[rows];
  kernel.in_column_stride = in[columns];
  const int batch = 1 - rows;  // of three dimensions: whichever of the first two is not `rows`
  kernel.batch = rank == 3 ? merged.shape[batch] : 1;
  kernel.out_batch_stride = rank == 3 ? out[batch] : 0;
  kernel.in_batch_stride = rank == 3 ? in[batch] : 0;
  kernel.column_tiles = (kernel.columns + kTransposeTile - 1) / kTransposeTile;
  kernel.tiles = kernel.column_tiles * ((kernel.rows + kTransposeTile - 1) / kTransposeTile);
  if (kernel.tiles > INT32_MAX / kernel.batch) return std::nullopt;
  return kernel;
}

}  // namespace

void CudaOps::unary(const UnaryArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  const MergedOperands<2> merged = merge_operands<2>(args.shape, {&args.out.strides, &args.in.strides});
  const bool contiguous = merged.is_one_run() && all_vector_aligned(args.out.data, args.in.data);
  const DType dtype = args.in.dtype;
  if (contiguous && has_hot_kernels(dtype) && is_hot(args.op)) {
    const HotUnaryArgs kernel{args.out.data, args.in.data, merged.count};
    return launch_hot(launcher_, args.op, variant_of(dtype), hot_blocks(merged.count, dtype), kernel, stream);
  }
  UnaryKernelArgs kernel{};
  kernel.out = args.out.data;
  kernel.in = args.in.data;
  kernel.count = merged.count;
  // A bool's bits are complemented as a truth value.
  const bool negates = dtype == DType::kBool && args.op == UnaryOp::kBitwiseNot;
  kernel.op = static_cast<gk_i32>(negates ? UnaryOp::kLogicalNot : args.op);
  kernel.dtype = static_cast<gk_i32>(dtype);
  kernel.contiguous = contiguous ? 1 : 0;
  if (!contiguous) kernel.layout = merged.layout();
  launcher_.launch<KernelGroup::kUnary>(variant_of(computed_dtype(dtype)), element_blocks(merged.count), kernel, stream);
}

void CudaOps::binary(const BinaryArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  // The operand that a scalar stands for is never read; the output takes its place in the layout.
  const Operand& left = args.scalar_side == ScalarSide::kLeft ? args.out : args.left;
  const Operand& right = args.scalar_side == ScalarSide::kRight ? args.out : args.right;
  const DType dtype = args.scalar_side == ScalarSide::kLeft ? args.right.dtype : args.left.dtype;
  const MergedOperands<3> merged =
      merge_operands<3>(args.shape, {&args.out.strides, &left.strides, &right.strides});
  const bool contiguous = merged.is_one_run() && all_vector_aligned(args.out.data, left.data, right.data);
  const bool scalar = args.scalar_side != ScalarSide::kNone;
  if (contiguous && !scalar && has_hot_kernels(dtype) && is_hot(args.op)) {
    const HotBinaryArgs kernel{args.out.data, left.data, right.data, merged.count};
    return launch_hot(launcher_, args.op, variant_of(dtype), hot_blocks(merged.count, dtype), kernel, stream);
  }
  BinaryKernelArgs kernel{};
  kernel.out = args.out.data;
  kernel.left = left.data;
  kernel.right = right.data;
  kernel.count = merged.count;
  kernel.op = static_cast<gk_i32>(args.op);
  kernel.dtype = static_cast<gk_i32>(dtype);
  kernel.scalar_side = static_cast<gk_i32>(args.scalar_side);
  kernel.contiguous = contiguous ? 1 : 0;
  if (scalar) kernel.scalar = scalar_value(args.scalar, dtype);
  if (!contiguous) kernel.layout = merged.layout();
  launcher_.launch<KernelGroup::kBinary>(variant_of(computed_dtype(dtype)), element_blocks(merged.count), kernel, stream);
}

void CudaOps::where(const WhereArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  const MergedOperands<4> merged = merge_operands<4>(
      args.shape, {&args.out.strides, &args.condition.strides, &args.left.strides, &args.right.strides});
  WhereKernelArgs kernel{};
  kernel.out = args.out.data;
  kernel.condition = args.condition.data;
  kernel.left = args.left.data;
  kernel.right = args.right.data;
  kernel.count = merged.count;
  const bool contiguous = merged.is_one_run() && all_vector_aligned(args.out.data, args.condition.data,
                                                                    args.left.data, args.right.data);
  kernel.contiguous = contiguous ? 1 : 0;
  if (!contiguous) kernel.layout = merged.layout();
  launcher_.launch<KernelGroup::kWhere>(variant_of_itemsize(itemsize(args.out.dtype)),
                                        element_blocks(merged.count), kernel, stream);
}

void CudaOps::clamp(const ClampArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  const MergedOperands<2> merged = merge_operands<2>(args.shape, {&args.out.strides, &args.in.strides});
  ClampKernelArgs kernel{};
  kernel.out = args.out.data;
  kernel.in = args.in.data;
  kernel.count = merged.count;
  kernel.dtype = static_cast<gk_i32>(args.in.dtype);
  kernel.has_low = args.has_low ? 1 : 0;
  kernel.has_high = args.has_high ? 1 : 0;
  kernel.low = scalar_value(args.low, args.in.dtype);
  kernel.high = scalar_value(args.high, args.in.dtype);
  const bool contiguous = merged.is_one_run() && all_vector_aligned(args.out.data, args.in.data);
  kernel.contiguous = contiguous ? 1 : 0;
  if (!contiguous) kernel.layout = merged.layout();
  launcher_.launch<KernelGroup::kClamp>(variant_of(computed_dtype(args.in.dtype)), element_blocks(merged.count), kernel, stream);
}

void CudaOps::fill(const FillArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  const MergedOperands<1> merged = merge_operands<1>(args.shape, {&args.out.strides});
  FillKernelArgs kernel{};
  kernel.out = args.out.data;
  kernel.bits = scalar_bits(args.value, args.out.dtype);
  kernel.count = merged.count;
  const bool contiguous = merged.is_one_run() && all_vector_aligned(args.out.data);
  kernel.contiguous = contiguous ? 1 : 0;
  if (!contiguous) kernel.layout = merged.layout();
  launcher_.launch<KernelGroup::kFill>(variant_of_itemsize(itemsize(args.out.dtype)),
                                       element_blocks(merged.count), kernel, stream);
}

void CudaOps::copy(const CopyArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  const MergedOperands<2> merged = merge_operands<2>(args.shape, {&args.out.strides, &args.in.strides});
  const bool same_dtype = args.out.dtype == args.in.dtype;
  const int by_itemsize = variant_of_itemsize(itemsize(args.out.dtype));
  if (same_dtype) {
    if (const std::optional<TransposeKernelArgs> transpose = as_transpose(args, merged)) {
      const LaunchConfig config{transpose->tiles * transpose->batch, 1, kElementThreads};
      return launcher_.launch<KernelGroup::kTranspose>(by_itemsize, config, *transpose, stream);
    }
  }
  CopyKernelArgs kernel{};
  kernel.out = args.out.data;
  kernel.in = args.in.data;
  kernel.count = merged.count;
  kernel.in_dtype = static_cast<gk_i32>(args.in.dtype);
  kernel.out_dtype = static_cast<gk_i32>(args.out.dtype);
  const bool contiguous = merged.is_one_run() && all_vector_aligned(args.out.data, args.in.data);
  kernel.contiguous = contiguous ? 1 : 0;
  if (!contiguous) kernel.layout = merged.layout();
  const LaunchConfig config = element_blocks(merged.count);
  if (same_dtype) return launcher_.launch<KernelGroup::kCopy>(by_itemsize, config, kernel, stream);
  launcher_.launch<KernelGroup::kCast>(variant_of(widened_dtype(args.in.dtype)), config, kernel, stream);
}

void CudaOps::ramp(const RampArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  const RampKernelArgs kernel{args.out, args.count, args.start, args.step, args.start_int, args.step_int};
  launcher_.launch<KernelGroup::kRamp>(variant_of(args.dtype), element_blocks(args.count), kernel, stream);
}

void CudaOps::triangle(const TriangleArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  const std::int64_t count = args.batch * args.rows * args.columns;
  const TriangleKernelArgs kernel{args.out,     args.in,       count,         args.rows,
                                  args.columns, args.diagonal, args.upper ? 1 : 0};
  launcher_.launch<KernelGroup::kTriangle>(variant_of_itemsize(itemsize(args.dtype)), element_blocks(count), kernel,
                                           stream);
}

}  // namespace gpukit::cuda
