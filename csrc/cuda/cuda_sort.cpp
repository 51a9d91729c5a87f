#include "base/numeric.h"
#include "cuda/cuda_layout.h"
#include "cuda/cuda_ops.h"

namespace gpukit::cuda {

namespace cuda_sort {
namespace {

/// One of the two places that the passes of a sort write to in turn.
struct SortBuffer {
  void* values = nullptr;
  gk_i64* indices = nullptr;
};

int count_merges(std::int64_t columns) noexcept {
  int merges = 0;
  for (std::int64_t run = kElementTile; run < columns; run *= 2) ++merges;
  return merges;
}

std::size_t bytes_of(std::int64_t elements, std::size_t item) noexcept {
  return (static_cast<std::size_t>(elements) * item + 255) / 256 * 256;
}

}  // namespace
}  // namespace cuda_sort

void CudaOps::sort(const SortArgs& args, StreamRef stream) {
  ContextScope scope(context_);
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
      missing_values != 0 ? memory + value_bytes + index_bytes : args.values,
      reinterpret_cast<gk_i64*>(args.indices)};
  const cuda_sort::SortBuffer spare{
      memory, index_bytes != 0 ? reinterpret_cast<gk_i64*>(memory + value_bytes) : nullptr};

  SortKernelArgs kernel{};
  kernel.rows = args.rows;
  kernel.columns = args.columns;
  kernel.tiles = ceil_div<std::int64_t>(args.columns, kElementTile);
  kernel.run = kElementTile;
  kernel.dtype = static_cast<gk_i32>(args.dtype);
  kernel.descending = args.descending ? 1 : 0;
  kernel.in = args.in;
  const LaunchConfig config{args.rows * kernel.tiles, 1, kElementThreads};
  const int variant = variant_of_itemsize(itemsize(args.dtype));
  // The last of all passes has to end in `result`.
  cuda_sort::SortBuffer target = merges % 2 == 0 ? result : spare;
  kernel.values = target.values;
  kernel.indices = target.indices;
  launcher_.launch<KernelGroup::kSortTiles>(variant, config, kernel, stream);
  for (int merge = 0; merge < merges; ++merge, kernel.run *= 2) {
    const cuda_sort::SortBuffer source = target;
    target = (merges - merge) % 2 == 0 ? spare : result;
    kernel.in = source.values;
    kernel.in_indices = source.indices;
    kernel.values = target.values;
    kernel.indices = target.indices;
    launcher_.launch<KernelGroup::kSortMerge>(variant, config, kernel, stream);
  }
}

}  // namespace gpukit::cuda
