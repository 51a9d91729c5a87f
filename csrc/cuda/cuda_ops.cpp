#include "cuda/cuda_ops.h"

#include <algorithm>

#include "backend/composed_layer.h"
#include "base/check.h"
#include "base/error.h"
#include "base/numeric.h"
#include "cuda/cuda_blas.h"
#include "cuda/cuda_layout.h"

namespace gpukit::cuda {

namespace cuda_ops {
namespace {

constexpr int kMatmulThreads = 256;
constexpr std::int64_t kSmallTile = 64, kLargeTile = 128;
constexpr std::int64_t kMostBlocksY = 65535;

/// Bool and short integers are computed in int32; all else has its own kernel. Unsigned
/// products have the bits of signed ones.
int matmul_variant(DType dtype) noexcept {
  const DType integer = computed_dtype(dtype);
  return variant_of(of_kind(kind_of(dtype), integer, integer, dtype, dtype));
}

/// Whether matmul_mma.cu has code for the dtype on this card.
bool has_tensor_cores(const DeviceProperties& card, DType dtype) noexcept {
  const int capability = card.major * 10 + card.minor;
  return (dtype == DType::kFloat16 && capability >= 75) ||
         (dtype == DType::kBFloat16 && capability >= 80);
}

/// A kernel for a product, and its tile.
struct ProductPlan {
  KernelGroup group;
  std::int64_t rows, columns;
  int threads;

  std::int64_t tiles(const MatmulArgs& args) const noexcept {
    return ceil_div(args.m, rows) * ceil_div(args.n, columns);
  }
};

/// Large tiles read less memory, if there are enough of them to occupy the card: a tile for each
/// multiprocessor where tensor cores make it, half as many else.
ProductPlan plan_product(const MatmulArgs& args, const DeviceProperties& card) noexcept {
  const std::int64_t processors = card.multi_processor_count;
  if (has_tensor_cores(card, args.dtype)) {
    const ProductPlan large{KernelGroup::kMatmulMmaLarge, kLargeTile, kLargeTile, kMmaThreads};
    if (large.tiles(args) * args.batch >= processors) return large;
    return {KernelGroup::kMatmulMma, kSmallTile, kSmallTile, kMmaThreads};
  }
  if (args.dtype == DType::kFloat32 || (args.dtype == DType::kFloat64 && card.major >= 8)) {
    const ProductPlan wide{KernelGroup::kMatmulLarge, kWideRows, kWideColumns, kWideThreads};
    if (wide.tiles(args) * args.batch * 2 >= processors) return wide;
  }
  return {KernelGroup::kMatmul, kSmallTile, kSmallTile, kMatmulThreads};
}

MatrixKernelRef kernel_form(const MatrixRef& matrix) noexcept {
  return {matrix.data, matrix.row_stride, matrix.column_stride, matrix.batch_stride};
}

}  // namespace
}  // namespace cuda_ops

void CudaOps::set_workspace(Workspace* workspace) noexcept {
  DeviceOps::set_workspace(workspace);
  if (blas_ != nullptr) blas_->set_workspace(workspace);
}

void CudaOps::matmul(const MatmulArgs& args, StreamRef stream) {
  if (args.bias != nullptr) return composed_layer(*this, args, stream);
  if (args.row_sums != nullptr) return composed_row_sums(*this, args, stream);
  if (blas_ != nullptr && blas_->matmul(args, stream)) return;
  matmul_tiled(args, stream);
}

void CudaOps::matmul_tiled(const MatmulArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  MatmulKernelArgs kernel{};
  kernel.a = cuda_ops::kernel_form(args.a);
  kernel.b = cuda_ops::kernel_form(args.b);
  kernel.c = args.c.data;
  kernel.c_row_stride = args.c.row_stride;
  kernel.c_batch_stride = args.c.batch_stride;
  kernel.batch = args.batch;
  kernel.m = args.m;
  kernel.n = args.n;
  kernel.k = args.k;
  const DType dtype = wrapping_dtype(args.dtype);
  kernel.dtype = static_cast<gk_i32>(dtype);
  kernel.alpha = {args.alpha, static_cast<gk_i64>(args.alpha)};
  kernel.beta = {args.beta, static_cast<gk_i64>(args.beta)};
  const cuda_ops::ProductPlan plan = cuda_ops::plan_product(args, context_.properties());
  kernel.column_tiles = ceil_div(args.n, plan.columns);
  const LaunchConfig config{plan.tiles(args), std::min(args.batch, cuda_ops::kMostBlocksY),
                            plan.threads};
  const int variant = cuda_ops::matmul_variant(dtype);
  switch (plan.group) {
    case KernelGroup::kMatmulMmaLarge:
      return launcher_.launch<KernelGroup::kMatmulMmaLarge>(variant, config, kernel, stream);
    case KernelGroup::kMatmulMma:
      return launcher_.launch<KernelGroup::kMatmulMma>(variant, config, kernel, stream);
    case KernelGroup::kMatmulLarge:
      return launcher_.launch<KernelGroup::kMatmulLarge>(variant, config, kernel, stream);
    default:
      return launcher_.launch<KernelGroup::kMatmul>(variant, config, kernel, stream);
  }
}

}  // namespace gpukit::cuda
