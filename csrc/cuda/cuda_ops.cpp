#include "cuda/cuda_ops.h"

#include <algorithm>
#include <optional>

#include "backend/composed_layer.h"
#include "base/check.h"
#include "base/error.h"
#include "base/numeric.h"
#include "cuda/cuda_blas.h"
#include "cuda/cuda_layout.h"
#include "cuda/cuda_products.h"

namespace gpukit::cuda {

namespace cuda_ops {
namespace {

constexpr std::int64_t kMostBlocksY = 65535;

/// Bool and short integers are computed in int32; all else has its own kernel. Unsigned
/// products have the bits of signed ones.
int matmul_variant(DType dtype) noexcept {
  const DType integer = computed_dtype(dtype);
  return variant_of(of_kind(kind_of(dtype), integer, integer, dtype, dtype));
}

MatrixKernelRef kernel_form(const MatrixRef& matrix) noexcept {
  return {matrix.data, matrix.row_stride, matrix.column_stride, matrix.batch_stride};
}

MatmulKernelArgs kernel_args(const MatmulArgs& args, DType dtype) noexcept {
  MatmulKernelArgs kernel{};
  kernel.a = kernel_form(args.a);
  kernel.b = kernel_form(args.b);
  kernel.c = args.c.data;
  kernel.bias = args.bias;
  kernel.relu = args.activation == Activation::kRelu;
  kernel.c_row_stride = args.c.row_stride;
  kernel.c_batch_stride = args.c.batch_stride;
  kernel.batch = args.batch;
  kernel.m = args.m;
  kernel.n = args.n;
  kernel.k = args.k;
  kernel.splits = 1;
  kernel.dtype = static_cast<gk_i32>(dtype);
  kernel.alpha = {args.alpha, static_cast<gk_i64>(args.alpha)};
  kernel.beta = {args.beta, static_cast<gk_i64>(args.beta)};
  return kernel;
}

}  // namespace
}  // namespace cuda_ops

void CudaOps::set_workspace(Workspace* workspace) noexcept {
  DeviceOps::set_workspace(workspace);
  if (blas_ != nullptr) blas_->set_workspace(workspace);
}

void CudaOps::matmul(const MatmulArgs& args, StreamRef stream) {
  if (args.row_sums != nullptr) return composed_row_sums(*this, args, stream);
  if (args.bias != nullptr) return layer(args, stream);
  if (blas_ != nullptr && blas_->matmul(args, stream)) return;
  own_product(args, stream);
}

/// gpukit's own kernel adds the bias itself; cuBLAS adds its product to what is there.
void CudaOps::layer(const MatmulArgs& args, StreamRef stream) {
  const MatmulArgs product = product_of_layer(args);
  const std::optional<GemmCall> call = blas_ != nullptr ? blas_->takes(product) : std::nullopt;
  if (!call) return own_product(args, stream);
  write_bias(*this, args, stream);
  if (!blas_->run(*call, stream)) own_product(product, stream);
  apply_activation(*this, args, stream);
}

/// Lines that begin at any address are copied first where that takes less time than to read them
/// so, and where there is room for the copies.
void CudaOps::own_product(const MatmulArgs& args, StreamRef stream) {
  if (!has_tensor_cores(context_.properties(), args.dtype)) return launch_product(args, stream);
  const AlignedCopy a = aligned_copy(args.a, args.m, args.k, args.batch, args.n);
  const AlignedCopy b = aligned_copy(args.b, args.k, args.n, args.batch, args.m);
  if (a.bytes + b.bytes == 0) return launch_product(args, stream);
  std::optional<Scratch> a_room, b_room;
  try {
    a_room.emplace(workspace_, a.bytes, stream);
    b_room.emplace(workspace_, b.bytes, stream);
  } catch (const OutOfMemoryError&) {
    return launch_product(args, stream);
  }
  MatmulArgs product = args;
  const auto take = [&](const AlignedCopy& made, void* address, MatrixRef& matrix,
                        std::int64_t rows, std::int64_t columns) {
    if (made.bytes == 0) return;
    const Shape shape{made.matrix.batch_stride == 0 ? 1 : args.batch, rows, columns};
    const Operand in{matrix.data, args.dtype,
                     Strides{matrix.batch_stride, matrix.row_stride, matrix.column_stride}};
    const Operand out{
        address, args.dtype,
        Strides{made.matrix.batch_stride, made.matrix.row_stride, made.matrix.column_stride}};
    copy({shape, out, in}, stream);
    matrix = made.matrix;
    matrix.data = address;
  };
  take(a, a_room->address(), product.a, args.m, args.k);
  take(b, b_room->address(), product.b, args.k, args.n);
  launch_product(product, stream);
}

/// One launch, or two where the inner elements are split: the sums of all parts lie in scratch
/// memory until the second adds them.
void CudaOps::launch_product(const MatmulArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  const ProductPlan plan = plan_product(args, context_.properties());
  const DType dtype = wrapping_dtype(args.dtype);
  MatmulKernelArgs kernel =
      cuda_ops::kernel_args(plan.transposed ? transposed_product(args) : args, dtype);
  kernel.transposed = plan.transposed;
  kernel.column_tiles = ceil_div(args.n, plan.columns);
  const auto launch = [&](std::int64_t parts) {
    const LaunchConfig config{plan.tiles(args), std::min(parts, cuda_ops::kMostBlocksY),
                              plan.threads};
    const int variant = cuda_ops::matmul_variant(dtype);
    switch (plan.group) {
      case KernelGroup::kMatmulMmaLarge:
        return launcher_.launch<KernelGroup::kMatmulMmaLarge>(variant, config, kernel, stream);
      case KernelGroup::kMatmulMma:
        return launcher_.launch<KernelGroup::kMatmulMma>(variant, config, kernel, stream);
      case KernelGroup::kMatmulLarge:
        return launcher_.launch<KernelGroup::kMatmulLarge>(variant, config, kernel, stream);
      case KernelGroup::kMatmulThin:
        return launcher_.launch<KernelGroup::kMatmulThin>(variant, config, kernel, stream);
      default:
        return launcher_.launch<KernelGroup::kMatmul>(variant, config, kernel, stream);
    }
  };
  if (plan.splits == 1) return launch(args.batch);

  const std::int64_t parts = plan.splits * args.batch, row = ceil_div(kernel.n, 4) * 4;
  const std::size_t item = args.dtype == DType::kFloat64 ? sizeof(double) : sizeof(float);
  const Scratch sums(workspace_, static_cast<std::size_t>(parts * kernel.m * row) * item, stream);
  MatmulKernelArgs finish = cuda_ops::kernel_args(args, dtype);
  finish.a = {sums.address(), row, 1, kernel.m * row};
  finish.transposed = kernel.transposed;
  finish.splits = static_cast<gk_i32>(plan.splits);
  kernel.splits = finish.splits;
  kernel.split_depth = plan.split_depth;
  kernel.c = sums.address();
  kernel.c_row_stride = row;
  kernel.c_batch_stride = kernel.m * row;
  kernel.transposed = 0;
  kernel.bias = nullptr;
  kernel.relu = 0;
  kernel.alpha = {1.0, 1};
  kernel.beta = {0.0, 0};
  launch(parts);
  launcher_.launch<KernelGroup::kMatmulFinish>(
      variant_of(dtype), blocks_for(args.batch * args.m * args.n, kFinishThreads, kFinishThreads),
      finish, stream);
}

}  // namespace gpukit::cuda
