#include "cuda/cuda_products.h"

#include <algorithm>
#include <optional>

#include "base/numeric.h"
#include "cuda/cuda_ops.h"

namespace gpukit::cuda {

namespace cuda_products {
namespace {

constexpr std::int64_t kSmallTile = 64, kLargeTile = 128;
constexpr int kTiledThreads = 256;
/// Parts begin at multiples of this, which every kernel's stages divide.
constexpr std::int64_t kSplitUnit = 64;
/// Of tensor cores' operands: 16 bytes of halves, and how often an element of an unaligned one has
/// to be read that a copy takes less time.
constexpr std::int64_t kAligned = 8, kEnoughUses = 256;
constexpr std::size_t kHalf = 2;

bool suits_thin_kernel(const MatmulArgs& args) noexcept {
  return std::min(args.m, args.n) <= kThinRows &&
         (args.dtype == DType::kFloat32 || args.dtype == DType::kFloat64);
}

ProductPlan thin_plan(const MatmulArgs& args) noexcept {
  const std::int64_t columns =
      args.dtype == DType::kFloat32 ? kThinColumns<sizeof(float)> : kThinColumns<sizeof(double)>;
  return {KernelGroup::kMatmulThin, kThinRows, columns, kThinThreads, args.n < args.m};
}

/// Parts that occupy the card: `resident` blocks on each multiprocessor, none of fewer than `least`
/// inner elements. Nothing is split where every multiprocessor has a tile.
void split(ProductPlan& plan, const MatmulArgs& args, std::int64_t processors,
           std::int64_t resident, std::int64_t least) noexcept {
  const std::int64_t tiles = plan.tiles(args) * args.batch;
  if (tiles >= processors) return;
  const std::int64_t wanted = std::min(processors * resident / tiles, args.k / least);
  if (wanted < 2) return;
  plan.split_depth = ceil_div(ceil_div(args.k, wanted), kSplitUnit) * kSplitUnit;
  plan.splits = ceil_div(args.k, plan.split_depth);
}

}  // namespace
}  // namespace cuda_products

std::int64_t ProductPlan::tiles(const MatmulArgs& args) const noexcept {
  return transposed ? ceil_div(args.n, rows) * ceil_div(args.m, columns)
                    : ceil_div(args.m, rows) * ceil_div(args.n, columns);
}

bool has_tensor_cores(const DeviceProperties& card, DType dtype) noexcept {
  const int capability = card.major * 10 + card.minor;
  return (dtype == DType::kFloat16 && capability >= 75) ||
         (dtype == DType::kBFloat16 && capability >= 80);
}

/// Large tiles read less memory, if there are enough of them to occupy the card.
ProductPlan plan_product(const MatmulArgs& args, const DeviceProperties& card) noexcept {
  using namespace cuda_products;
  const std::int64_t processors = card.multi_processor_count;
  if (has_tensor_cores(card, args.dtype)) {
    const ProductPlan large{KernelGroup::kMatmulMmaLarge, kLargeTile, kLargeTile, kMmaThreads};
    if (large.tiles(args) * args.batch >= processors) return large;
    ProductPlan small{KernelGroup::kMatmulMma, kSmallTile, kSmallTile, kMmaThreads};
    split(small, args, processors, card.major >= 8 ? 4 : 3, 512);
    return small;
  }
  const bool wide =
      args.dtype == DType::kFloat32 || (args.dtype == DType::kFloat64 && card.major >= 8);
  if (!suits_thin_kernel(args) && !wide)
    return {KernelGroup::kMatmul, kSmallTile, kSmallTile, kTiledThreads};
  ProductPlan plan{KernelGroup::kMatmulLarge, kWideRows, kWideColumns, kWideThreads};
  if (suits_thin_kernel(args)) plan = thin_plan(args);
  split(plan, args, processors, 3, 2 * kSplitUnit);
  return plan;
}

MatmulArgs transposed_product(const MatmulArgs& args) noexcept {
  MatmulArgs transposed = args;
  std::swap(transposed.m, transposed.n);
  transposed.a = {args.b.data, args.b.column_stride, args.b.row_stride, args.b.batch_stride};
  transposed.b = {args.a.data, args.a.column_stride, args.a.row_stride, args.a.batch_stride};
  return transposed;
}

AlignedCopy aligned_copy(const MatrixRef& matrix, std::int64_t rows, std::int64_t columns,
                         std::int64_t batch, std::int64_t uses) noexcept {
  using namespace cuda_products;
  const bool by_columns = matrix.row_stride == 1 && matrix.column_stride != 1;
  const std::int64_t line = by_columns ? matrix.column_stride : matrix.row_stride;
  const std::int64_t item = by_columns ? matrix.row_stride : matrix.column_stride;
  const std::int64_t lines = by_columns ? columns : rows, items = by_columns ? rows : columns;
  const bool shared = batch == 1 || matrix.batch_stride == 0;
  const bool aligned = reinterpret_cast<std::uintptr_t>(matrix.data) % (kAligned * kHalf) == 0 &&
                       item == 1 && (lines == 1 || line % kAligned == 0) &&
                       (shared || matrix.batch_stride % kAligned == 0);
  if (aligned || uses < kEnoughUses) return {};
  const std::int64_t padded = ceil_div(items, kAligned) * kAligned, size = lines * padded;
  AlignedCopy copy;
  copy.matrix = {nullptr, by_columns ? 1 : padded, by_columns ? padded : 1, shared ? 0 : size};
  copy.bytes = static_cast<std::size_t>((shared ? 1 : batch) * size) * kHalf;
  return copy;
}

}  // namespace gpukit::cuda
