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
/// Results from which large tiles still give every multiprocessor of a big card one.
constexpr std::int64_t kLargeProduct = 1024 * 1024;
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

std::int64_t tiles_of(const MatmulArgs& args, std::int64_t side) noexcept {
  return ceil_div(args.m, side) * ceil_div(args.n, side);
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
  const DeviceProperties& card = context_.properties();
  const bool tensor_cores = cuda_ops::has_tensor_cores(card, args.dtype);
  // Large tiles read less memory, if there are enough of them.
  const bool large = tensor_cores
                         ? cuda_ops::tiles_of(args, cuda_ops::kLargeTile) * args.batch >=
                               card.multi_processor_count
                         : args.dtype == DType::kFloat32 && args.m >= cuda_ops::kLargeTile &&
                               args.n >= cuda_ops::kLargeTile &&
                               args.m * args.n >= cuda_ops::kLargeProduct;
  const std::int64_t side = large ? cuda_ops::kLargeTile : cuda_ops::kSmallTile;
  kernel.column_tiles = ceil_div(args.n, side);
  const LaunchConfig config{cuda_ops::tiles_of(args, side),
                            std::min(args.batch, cuda_ops::kMostBlocksY),
                            tensor_cores ? static_cast<int>(2 * side) : cuda_ops::kMatmulThreads};
  const int variant = cuda_ops::matmul_variant(dtype);
  if (tensor_cores && large)
    return launcher_.launch<KernelGroup::kMatmulMmaLarge>(variant, config, kernel, stream);
  if (tensor_cores)
    return launcher_.launch<KernelGroup::kMatmulMma>(variant, config, kernel, stream);
  if (large) return launcher_.launch<KernelGroup::kMatmulLarge>(variant, config, kernel, stream);
  launcher_.launch<KernelGroup::kMatmul>(variant, config, kernel, stream);
}

}  // namespace gpukit::cuda
