#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "base/numeric.h"
#include "cuda/cuda_layout.h"
#include "cuda/cuda_ops.h"

namespace gpukit::cuda {

namespace cuda_elementwise {
namespace {

constexpr std::int64_t kHotBytesPerTile = static_cast<std::int64_t>(kElementThreads) * 16;
/// A transpose of less than this side gains nothing from 32 x 32 tiles.
constexpr std::int64_t kSmallestTransposeSide = 8;
constexpr int kTransposeTile = 32;

LaunchConfig blocks(std::int64_t count) noexcept {
  return blocks_for(count, kElementTile, kElementThreads);
}

LaunchConfig hot_blocks(std::int64_t count, DType dtype) noexcept {
  return blocks_for(count, kHotBytesPerTile / static_cast<std::int64_t>(itemsize(dtype)),
                    kElementThreads);
}

bool has_hot_kernels(DType dtype) noexcept { return dtype == DType::kFloat32 || is_half(dtype); }

template <class... Addresses>
bool all_vector_aligned(const Addresses*... addresses) noexcept {
  return (is_vector_aligned(addresses) && ...);
}

void launch_hot(KernelLauncher& launcher, UnaryOp op, int variant, LaunchConfig config,
                const HotUnaryArgs& args, StreamRef stream) {
  switch (op) {
    case UnaryOp::kNeg:
      return launcher.launch<KernelGroup::kNeg>(variant, config, args, stream);
    case UnaryOp::kExp:
      return launcher.launch<KernelGroup::kExp>(variant, config, args, stream);
    case UnaryOp::kRelu:
      return launcher.launch<KernelGroup::kRelu>(variant, config, args, stream);
    case UnaryOp::kSigmoid:
      return launcher.launch<KernelGroup::kSigmoid>(variant, config, args, stream);
    case UnaryOp::kTanh:
      return launcher.launch<KernelGroup::kTanh>(variant, config, args, stream);
    default:
      return launcher.launch<KernelGroup::kSqrt>(variant, config, args, stream);
  }
}

bool is_hot(UnaryOp op) noexcept {
  return op == UnaryOp::kNeg || op == UnaryOp::kExp || op == UnaryOp::kRelu ||
         op == UnaryOp::kSigmoid || op == UnaryOp::kTanh || op == UnaryOp::kSqrt;
}

void launch_hot(KernelLauncher& launcher, BinaryOp op, int variant, LaunchConfig config,
                const HotBinaryArgs& args, StreamRef stream) {
  switch (op) {
    case BinaryOp::kAdd:
      return launcher.launch<KernelGroup::kAdd>(variant, config, args, stream);
    case BinaryOp::kSub:
      return launcher.launch<KernelGroup::kSub>(variant, config, args, stream);
    case BinaryOp::kMul:
      return launcher.launch<KernelGroup::kMul>(variant, config, args, stream);
    case BinaryOp::kDiv:
      return launcher.launch<KernelGroup::kDiv>(variant, config, args, stream);
    case BinaryOp::kMaximum:
      return launcher.launch<KernelGroup::kMaximum>(variant, config, args, stream);
    default:
      return launcher.launch<KernelGroup::kMinimum>(variant, config, args, stream);
  }
}

bool is_hot(BinaryOp op) noexcept {
  return op == BinaryOp::kAdd || op == BinaryOp::kSub || op == BinaryOp::kMul ||
         op == BinaryOp::kDiv || op == BinaryOp::kMaximum || op == BinaryOp::kMinimum;
}

/// A copy that reads along one dimension and writes along another; at most one more dimension
/// besides.
std::optional<TransposeKernelArgs> as_transpose(const CopyArgs& args,
                                                const MergedOperands<2>& merged) {
  const int rank = merged.shape.size();
  if (rank != 2 && rank != 3) return std::nullopt;
  const int columns = rank - 1;
  const Strides &out = merged.strides[0], &in = merged.strides[1];
  const int rows = in[0] == 1 ? 0 : rank - 2;
  if (out[columns] != 1 || in[rows] != 1 || in[columns] == 1) return std::nullopt;
  if (std::min(merged.shape[rows], merged.shape[columns]) < kSmallestTransposeSide)
    return std::nullopt;
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
  kernel.column_tiles = ceil_div<std::int64_t>(kernel.columns, kTransposeTile);
  kernel.tiles = kernel.column_tiles * ceil_div<std::int64_t>(kernel.rows, kTransposeTile);
  if (kernel.tiles > INT32_MAX / kernel.batch) return std::nullopt;
  return kernel;
}

/// Fills in where the operands lie and launches: once for contiguous ones, else for each part that
/// 31 bits can index. `set(kernel, addresses)` stores the operands' addresses in the order of
/// `operands`.
template <KernelGroup group, int kOperands, class Set>
void launch(KernelLauncher& launcher, int variant, const MergedOperands<kOperands>& merged,
            const std::array<const Operand*, kOperands>& operands, kernel_args_t<group>& kernel,
            StreamRef stream, const Set& set) {
  std::array<void*, kOperands> addresses;
  bool aligned = true;
  for (std::size_t k = 0; k < kOperands; ++k) {
    addresses[k] = operands[k]->data;
    aligned = aligned && is_vector_aligned(addresses[k]);
  }
  kernel.count = merged.count;
  kernel.contiguous = aligned && merged.is_one_run() ? 1 : 0;
  if (kernel.contiguous != 0) {
    set(kernel, addresses);
    return launcher.launch<group>(variant, blocks(kernel.count), kernel, stream);
  }
  for_narrow_parts<kOperands>(
      merged, {}, [&](const MergedOperands<kOperands>& part, const auto& offsets) {
        for (std::size_t k = 0; k < kOperands; ++k)
          addresses[k] = element_address(*operands[k], offsets[k]);
        set(kernel, addresses);
        kernel.count = part.count;
        kernel.layout = part.layout();
        launcher.launch<group>(variant, blocks(kernel.count), kernel, stream);
      });
}

/// The bytes of the words in which a copy moves its items: up to 16, where runs of neighbours in
/// both operands are whole words at addresses that words may have.
std::int64_t word_bytes(const MergedOperands<2>& merged, const CopyArgs& args) noexcept {
  const auto item = static_cast<std::int64_t>(itemsize(args.out.dtype));
  const int last = merged.shape.size() - 1;
  if (last < 0 || merged.strides[0][last] != 1 || merged.strides[1][last] != 1) return item;
  std::uintptr_t together = reinterpret_cast<std::uintptr_t>(args.out.data) |
                            reinterpret_cast<std::uintptr_t>(args.in.data) |
                            static_cast<std::uintptr_t>(merged.shape[last] * item);
  for (int d = 0; d < last; ++d) {
    for (const Strides& strides : merged.strides)
      together |= static_cast<std::uintptr_t>(strides[d] * item);
  }
  return std::max(item, std::int64_t{1} << std::min(std::countr_zero(together), 4));
}

/// The same operands, counted in words of `items` items.
void widen_words(MergedOperands<2>& merged, std::int64_t items) noexcept {
  const int last = merged.shape.size() - 1;
  merged.shape[last] /= items;
  merged.count /= items;
  for (Strides& strides : merged.strides) {
    for (int d = 0; d < last; ++d) strides[d] /= items;
  }
}

/// A dtype of that many bytes.
DType word_dtype(std::int64_t bytes) noexcept {
  constexpr std::array kWords{DType::kUInt8, DType::kUInt16, DType::kUInt32, DType::kUInt64,
                              DType::kComplex128};
  return kWords[static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(bytes)))];
}

/// For kernels whose operands are called out and in.
constexpr auto place_out_in = [](auto& kernel, const std::array<void*, 2>& addresses) {
  kernel.out = addresses[0];
  kernel.in = addresses[1];
};

}  // namespace
}  // namespace cuda_elementwise

void CudaOps::unary(const UnaryArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  const MergedOperands<2> merged =
      merge_operands<2>(args.shape, {&args.out.strides, &args.in.strides});
  const DType dtype = sign_matters(args.op) ? args.in.dtype : wrapping_dtype(args.in.dtype);
  if (cuda_elementwise::is_hot(args.op) && cuda_elementwise::has_hot_kernels(dtype) &&
      merged.is_one_run() && cuda_elementwise::all_vector_aligned(args.out.data, args.in.data)) {
    const HotUnaryArgs kernel{args.out.data, args.in.data, merged.count};
    return cuda_elementwise::launch_hot(launcher_, args.op, variant_of(dtype),
                                        cuda_elementwise::hot_blocks(merged.count, dtype), kernel,
                                        stream);
  }
  UnaryKernelArgs kernel{};
  // A bool's bits are complemented as a truth value.
  const bool negates = dtype == DType::kBool && args.op == UnaryOp::kBitwiseNot;
  kernel.op = static_cast<gk_i32>(negates ? UnaryOp::kLogicalNot : args.op);
  kernel.dtype = static_cast<gk_i32>(dtype);
  cuda_elementwise::launch<KernelGroup::kUnary, 2>(launcher_, variant_of(computed_dtype(dtype)),
                                                   merged, {&args.out, &args.in}, kernel, stream,
                                                   cuda_elementwise::place_out_in);
}

void CudaOps::binary(const BinaryArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  // The operand that a scalar replaces is never read; the output takes its slot in the layout.
  const Operand& left = args.scalar_side == ScalarSide::kLeft ? args.out : args.left;
  const Operand& right = args.scalar_side == ScalarSide::kRight ? args.out : args.right;
  const DType given = args.scalar_side == ScalarSide::kLeft ? args.right.dtype : args.left.dtype;
  const DType dtype = sign_matters(args.op) ? given : wrapping_dtype(given);
  const MergedOperands<3> merged =
      merge_operands<3>(args.shape, {&args.out.strides, &left.strides, &right.strides});
  const bool scalar = args.scalar_side != ScalarSide::kNone;
  if (!scalar && cuda_elementwise::is_hot(args.op) && cuda_elementwise::has_hot_kernels(dtype) &&
      merged.is_one_run() &&
      cuda_elementwise::all_vector_aligned(args.out.data, left.data, right.data)) {
    const HotBinaryArgs kernel{args.out.data, left.data, right.data, merged.count};
    return cuda_elementwise::launch_hot(launcher_, args.op, variant_of(dtype),
                                        cuda_elementwise::hot_blocks(merged.count, dtype), kernel,
                                        stream);
  }
  BinaryKernelArgs kernel{};
  kernel.op = static_cast<gk_i32>(args.op);
  kernel.dtype = static_cast<gk_i32>(dtype);
  kernel.scalar_side = static_cast<gk_i32>(args.scalar_side);
  if (scalar) kernel.scalar = scalar_value(args.scalar, number_dtype(args.op, dtype));
  cuda_elementwise::launch<KernelGroup::kBinary, 3>(
      launcher_, variant_of(computed_dtype(dtype)), merged, {&args.out, &left, &right}, kernel,
      stream, [](BinaryKernelArgs& call, const std::array<void*, 3>& addresses) {
        call.out = addresses[0];
        call.left = addresses[1];
        call.right = addresses[2];
      });
}

/// `a + b` of alike tensors is launched from here: there are no dimensions to merge.
void CudaOps::flat_binary(const FlatBinaryArgs& args, StreamRef stream) {
  const DType dtype = sign_matters(args.op) ? args.dtype : wrapping_dtype(args.dtype);
  if (!cuda_elementwise::is_hot(args.op) || !cuda_elementwise::has_hot_kernels(dtype) ||
      !cuda_elementwise::all_vector_aligned(args.out, args.left, args.right))
    return DeviceOps::flat_binary(args, stream);
  ContextScope scope(context_);
  cuda_elementwise::launch_hot(launcher_, args.op, variant_of(dtype),
                               cuda_elementwise::hot_blocks(args.count, dtype),
                               {args.out, args.left, args.right, args.count}, stream);
}

void CudaOps::where(const WhereArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  const MergedOperands<4> merged = merge_operands<4>(
      args.shape,
      {&args.out.strides, &args.condition.strides, &args.left.strides, &args.right.strides});
  WhereKernelArgs kernel{};
  cuda_elementwise::launch<KernelGroup::kWhere, 4>(
      launcher_, variant_of_itemsize(itemsize(args.out.dtype)), merged,
      {&args.out, &args.condition, &args.left, &args.right}, kernel, stream,
      [](WhereKernelArgs& call, const std::array<void*, 4>& addresses) {
        call.out = addresses[0];
        call.condition = addresses[1];
        call.left = addresses[2];
        call.right = addresses[3];
      });
}

void CudaOps::clamp(const ClampArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  const MergedOperands<2> merged =
      merge_operands<2>(args.shape, {&args.out.strides, &args.in.strides});
  ClampKernelArgs kernel{};
  kernel.dtype = static_cast<gk_i32>(args.in.dtype);
  kernel.order_mask = order_mask(args.in.dtype);
  kernel.has_low = args.has_low ? 1 : 0;
  kernel.has_high = args.has_high ? 1 : 0;
  kernel.low = scalar_value(args.low, args.in.dtype);
  kernel.high = scalar_value(args.high, args.in.dtype);
  cuda_elementwise::launch<KernelGroup::kClamp, 2>(
      launcher_, variant_of(computed_dtype(args.in.dtype)), merged, {&args.out, &args.in}, kernel,
      stream, cuda_elementwise::place_out_in);
}

void CudaOps::fill(const FillArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  const MergedOperands<1> merged = merge_operands<1>(args.shape, {&args.out.strides});
  FillKernelArgs kernel{};
  kernel.bits = scalar_bits(args.value, args.out.dtype);
  cuda_elementwise::launch<KernelGroup::kFill, 1>(
      launcher_, variant_of_itemsize(itemsize(args.out.dtype)), merged, {&args.out}, kernel, stream,
      [](FillKernelArgs& call, const std::array<void*, 1>& addresses) { call.out = addresses[0]; });
}

void CudaOps::copy(const CopyArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  MergedOperands<2> merged = merge_operands<2>(args.shape, {&args.out.strides, &args.in.strides});
  CopyKernelArgs kernel{};
  kernel.in_dtype = static_cast<gk_i32>(args.in.dtype);
  kernel.out_dtype = static_cast<gk_i32>(args.out.dtype);
  if (wrapping_dtype(args.in.dtype) != wrapping_dtype(args.out.dtype)) {
    return cuda_elementwise::launch<KernelGroup::kCast, 2>(
        launcher_, variant_of(widened_dtype(args.in.dtype)), merged, {&args.out, &args.in}, kernel,
        stream, cuda_elementwise::place_out_in);
  }
  if (const std::optional<TransposeKernelArgs> transpose =
          cuda_elementwise::as_transpose(args, merged)) {
    const LaunchConfig config{transpose->tiles * transpose->batch, 1, kElementThreads};
    return launcher_.launch<KernelGroup::kTranspose>(variant_of_itemsize(itemsize(args.out.dtype)),
                                                     config, *transpose, stream);
  }
  Operand out = args.out, in = args.in;
  if (!merged.is_one_run()) {
    const std::int64_t bytes = cuda_elementwise::word_bytes(merged, args);
    cuda_elementwise::widen_words(merged, bytes / static_cast<std::int64_t>(itemsize(out.dtype)));
    out.dtype = in.dtype = cuda_elementwise::word_dtype(bytes);
  }
  cuda_elementwise::launch<KernelGroup::kCopy, 2>(
      launcher_, variant_of_itemsize(itemsize(out.dtype)), merged, {&out, &in}, kernel, stream,
      cuda_elementwise::place_out_in);
}

void CudaOps::ramp(const RampArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  const RampKernelArgs kernel{args.out,
                              args.count,
                              args.start,
                              args.step,
                              args.start_int,
                              args.step_int,
                              static_cast<gk_i32>(args.dtype)};
  const DType computed =
      of_kind(kind_of(args.dtype), DType::kInt64, DType::kInt64, DType::kFloat64, args.dtype);
  launcher_.launch<KernelGroup::kRamp>(variant_of(computed), cuda_elementwise::blocks(args.count),
                                       kernel, stream);
}

void CudaOps::triangle(const TriangleArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  const std::int64_t count = args.batch * args.rows * args.columns;
  const TriangleKernelArgs kernel{args.out,      args.in,           count, args.rows, args.columns,
                                  args.diagonal, args.upper ? 1 : 0};
  launcher_.launch<KernelGroup::kTriangle>(variant_of_itemsize(itemsize(args.dtype)),
                                           cuda_elementwise::blocks(count), kernel, stream);
}

}  // namespace gpukit::cuda
