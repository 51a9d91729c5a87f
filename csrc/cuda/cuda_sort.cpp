#include <algorithm>
#include <cstdint>

#include "base/numeric.h"
#include "cuda/cuda_layout.h"
#include "cuda/cuda_ops.h"

namespace gpukit::cuda {

namespace cuda_sort {
namespace {

/// Blocks of a radix pass that fill a card: more make the scan of their counts longer.
constexpr std::int64_t kEnoughBlocks = 512;

/// One of the two places that the passes of a sort write to in turn. Indices are int64, or uint32
/// between passes by digits.
struct SortBuffer {
  void* values = nullptr;
  void* indices = nullptr;
};

int count_merges(std::int64_t columns) noexcept {
  int merges = 0;
  for (std::int64_t run = kElementTile; run < columns; run *= 2) ++merges;
  return merges;
}

/// By the bytes that passes move a merge costs more than half of a pass by digits. Positions of the
/// latter have 32 bits.
bool uses_radix_sort(const SortArgs& args) noexcept {
  const auto digits = static_cast<int>(itemsize(args.dtype));
  return args.columns <= UINT32_MAX && args.columns > kElementTile &&
         2 * count_merges(args.columns) >= digits;
}

std::size_t bytes_of(std::int64_t elements, std::size_t item) noexcept {
  return (static_cast<std::size_t>(elements) * item + 255) / 256 * 256;
}

std::uint64_t infinity_bits(DType dtype) noexcept {
  switch (dtype) {
    case DType::kFloat16:
      return 0x7c00;
    case DType::kBFloat16:
      return 0x7f80;
    case DType::kFloat32:
      return 0x7f800000;
    default:
      return 0x7ff0000000000000;
  }
}

/// Items of up to four bytes have the same kernels.
int variant_of_items(DType dtype) noexcept {
  return variant_of_itemsize(std::max<std::size_t>(itemsize(dtype), 4));
}

static_assert(kDTypeKindCount == 4, "complex numbers have no order");
SortOrderRef order_of(DType dtype, bool descending) noexcept {
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - 8 * itemsize(dtype));
  SortOrderRef order{};
  order.all = all;
  order.sign = dtype_info(dtype).is_signed ? all ^ (all >> 1) : 0;
  order.infinity = kind_of(dtype) == DTypeKind::kFloating ? infinity_bits(dtype) : 0;
  order.inverted = descending ? all : 0;
  return order;
}

}  // namespace
}  // namespace cuda_sort

void CudaOps::sort(const SortArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  if (cuda_sort::uses_radix_sort(args)) return sort_by_digits(args, stream);
  const std::int64_t elements = args.rows * args.columns;
  const int merges = cuda_sort::count_merges(args.columns);
  const std::size_t value_bytes =
      merges > 0 ? cuda_sort::bytes_of(elements, itemsize(args.dtype)) : 0;
  const std::size_t index_bytes =
      merges > 0 && args.indices != nullptr ? cuda_sort::bytes_of(elements, sizeof(gk_i64)) : 0;
  // Merging needs the values even where the caller does not.
  const std::size_t missing_values = args.values == nullptr ? value_bytes : 0;
  const Scratch scratch(workspace_, value_bytes + index_bytes + missing_values, stream);
  auto* const memory = static_cast<unsigned char*>(scratch.address());
  const cuda_sort::SortBuffer result{
      missing_values != 0 ? memory + value_bytes + index_bytes : args.values, args.indices};
  const cuda_sort::SortBuffer spare{memory, index_bytes != 0 ? memory + value_bytes : nullptr};

  SortKernelArgs kernel{};
  kernel.rows = args.rows;
  kernel.columns = args.columns;
  kernel.tiles = ceil_div<std::int64_t>(args.columns, kElementTile);
  kernel.run = kElementTile;
  kernel.order = cuda_sort::order_of(args.dtype, args.descending);
  kernel.item_bytes = static_cast<gk_i32>(itemsize(args.dtype));
  kernel.in = args.in;
  const LaunchConfig config{args.rows * kernel.tiles, 1, kElementThreads};
  const int variant = cuda_sort::variant_of_items(args.dtype);
  // The last of all passes has to end in `result`.
  cuda_sort::SortBuffer target = merges % 2 == 0 ? result : spare;
  kernel.values = target.values;
  kernel.indices = static_cast<gk_i64*>(target.indices);
  launcher_.launch<KernelGroup::kSortTiles>(variant, config, kernel, stream);
  for (int merge = 0; merge < merges; ++merge, kernel.run *= 2) {
    const cuda_sort::SortBuffer source = target;
    target = (merges - merge) % 2 == 0 ? spare : result;
    kernel.in = source.values;
    kernel.in_indices = static_cast<const gk_i64*>(source.indices);
    kernel.values = target.values;
    kernel.indices = static_cast<gk_i64*>(target.indices);
    launcher_.launch<KernelGroup::kSortMerge>(variant, config, kernel, stream);
  }
}

void CudaOps::sort_by_digits(const SortArgs& args, StreamRef stream) {
  const std::int64_t elements = args.rows * args.columns;
  const auto passes = static_cast<int>(itemsize(args.dtype));
  const std::int64_t tiles =
      ceil_div<std::int64_t>(args.columns, passes > 4 ? kRadixTile<8> : kRadixTile<4>);
  const std::int64_t wanted =
      std::clamp<std::int64_t>(cuda_sort::kEnoughBlocks / args.rows, 1, tiles);
  RadixKernelArgs kernel{};
  kernel.columns = args.columns;
  kernel.block_tiles = ceil_div(tiles, wanted);
  const std::int64_t blocks = ceil_div(tiles, kernel.block_tiles);
  kernel.blocks = static_cast<gk_i32>(blocks);
  kernel.order = cuda_sort::order_of(args.dtype, args.descending);
  kernel.item_bytes = passes;

  // Values of the last but one pass lie in the first buffer, those before in both in turn.
  const std::size_t value_bytes =
      passes > 1 ? cuda_sort::bytes_of(elements, itemsize(args.dtype)) : 0;
  const std::size_t missing_values = args.values == nullptr && passes > 2 ? value_bytes : 0;
  const std::size_t order_bytes =
      args.indices != nullptr && passes > 1 ? cuda_sort::bytes_of(elements, sizeof(gk_u32)) : 0;
  const std::size_t second_order = passes > 2 ? order_bytes : 0;
  const std::size_t count_bytes =
      cuda_sort::bytes_of(args.rows * blocks * kRadixDigits, sizeof(gk_u32));
  const Scratch scratch(
      workspace_, count_bytes + value_bytes + missing_values + order_bytes + second_order, stream);
  auto* memory = static_cast<unsigned char*>(scratch.address());
  const auto take = [&](std::size_t bytes) {
    unsigned char* const address = bytes != 0 ? memory : nullptr;
    memory += bytes;
    return address;
  };
  kernel.counts = reinterpret_cast<gk_u32*>(take(count_bytes));
  cuda_sort::SortBuffer spare{take(value_bytes), take(order_bytes)};
  cuda_sort::SortBuffer other{missing_values != 0 ? take(missing_values) : args.values,
                              take(second_order)};

  const int variant = cuda_sort::variant_of_items(args.dtype);
  const LaunchConfig config{args.rows * blocks, 1, kRadixThreads};
  kernel.in = args.in;
  for (int pass = 0; pass < passes; ++pass) {
    const bool last = pass + 1 == passes;
    const cuda_sort::SortBuffer target = (passes - pass) % 2 == 0 ? spare : other;
    kernel.shift = 8 * pass;
    kernel.values = last ? args.values : target.values;
    kernel.out_order = last ? nullptr : static_cast<gk_u32*>(target.indices);
    kernel.indices = last ? reinterpret_cast<gk_i64*>(args.indices) : nullptr;
    launcher_.launch<KernelGroup::kSortCount>(variant, config, kernel, stream);
    launcher_.launch<KernelGroup::kSortScan>(0, {args.rows, 1, kRadixScanThreads}, kernel, stream);
    launcher_.launch<KernelGroup::kSortMove>(variant, config, kernel, stream);
    kernel.in = target.values;
    kernel.in_order = static_cast<const gk_u32*>(target.indices);
  }
}

}  // namespace gpukit::cuda
