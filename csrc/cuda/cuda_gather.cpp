#include <array>

#include "base/numeric.h"
#include "cuda/cuda_layout.h"
#include "cuda/cuda_ops.h"

namespace gpukit::cuda {

namespace cuda_gather {
namespace {

/// The widest item in which rows of `row_bytes` can be moved between these addresses.
std::int64_t widest_item(std::int64_t row_bytes, const void* out, const void* in) noexcept {
  const auto addresses =
      reinterpret_cast<std::uintptr_t>(out) | reinterpret_cast<std::uintptr_t>(in);
  std::int64_t item = 16;
  while (item > 1 && (row_bytes % item != 0 || addresses % static_cast<std::uintptr_t>(item) != 0))
    item /= 2;
  return item;
}

/// A thread of a scatter for each position of (outer, count, inner).
void set_count(ScatterKernelArgs& kernel, std::int64_t count) noexcept {
  kernel.count = count;
  kernel.total = kernel.outer * count * kernel.inner;
  kernel.wide = kernel.total > INT32_MAX ? 1 : 0;
  kernel.inner_magic = make_magic(kernel.wide != 0 ? 1 : kernel.inner);
  kernel.count_magic = make_magic(kernel.wide != 0 ? 1 : kernel.count);
}

LaunchConfig blocks(const ScatterKernelArgs& kernel) noexcept {
  return blocks_for(kernel.total, kElementTile, kElementThreads);
}

}  // namespace
}  // namespace cuda_gather

void CudaOps::linear_index(const LinearIndexArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  LinearIndexKernelArgs kernel{};
  kernel.out = reinterpret_cast<gk_i64*>(args.out);
  kernel.count = element_count(args.shape);
  std::array<const Strides*, kKernelMaxRank> strides;
  strides.fill(&args.parts.front().strides);
  for (const IndexPart& part : args.parts) {
    const auto p = static_cast<std::size_t>(kernel.parts++);
    kernel.index[p] = reinterpret_cast<const gk_i64*>(part.index);
    kernel.extent[p] = part.extent;
    kernel.step[p] = part.step;
    kernel.dim[p] = part.dim;
    strides[p] = &part.strides;
  }
  kernel.layout = make_layout<kKernelMaxRank>(args.shape, strides);
  for (int d = 0; d < args.shape.size(); ++d)
    kernel.coordinate_step[d] = args.coordinate_steps[args.shape.size() - 1 - d];
  kernel.from_end = args.from_end ? 1 : 0;
  kernel.report = report_.target(args.check);
  launcher_.launch<KernelGroup::kLinearIndex>(
      0, blocks_for(kernel.count, kElementTile, kElementThreads), kernel, stream);
  report_.after_launch();
}

void CudaOps::gather(const GatherArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  const std::int64_t row_bytes = args.inner * args.itemsize;
  const std::int64_t item = cuda_gather::widest_item(row_bytes, args.out, args.in);
  GatherKernelArgs kernel{};
  kernel.out = args.out;
  kernel.in = args.in;
  kernel.index = reinterpret_cast<const gk_i64*>(args.index);
  kernel.report = report_.target(args.check);
  kernel.inner = row_bytes / item;
  kernel.count = args.count;
  kernel.extent = args.extent;
  kernel.total = args.outer * args.count * kernel.inner;
  kernel.wide = kernel.total > INT32_MAX ? 1 : 0;
  kernel.inner_magic = make_magic(kernel.wide != 0 ? 1 : kernel.inner);
  kernel.count_magic = make_magic(kernel.wide != 0 ? 1 : kernel.count);
  launcher_.launch<KernelGroup::kGather>(variant_of_itemsize(static_cast<std::size_t>(item)),
                                         blocks_for(kernel.total, kElementTile, kElementThreads),
                                         kernel, stream);
  report_.after_launch();
}

/// One launch for an index of one chunk; else the sums of equal indices that cross chunks are
/// joined by a second one.
void CudaOps::scatter_add(ScatterKernelArgs& kernel, DType computed, StreamRef stream) {
  const std::int64_t chunks = ceil_div<std::int64_t>(kernel.entries, kScatterChunk);
  const std::int64_t sums = chunks > 1 ? 2 * kernel.outer * chunks * kernel.inner : 0;
  const Scratch scratch(workspace_, static_cast<std::size_t>(sums) * itemsize(computed), stream);
  kernel.sums = scratch.address();
  const int variant = variant_of(computed);
  launcher_.launch<KernelGroup::kScatterAdd>(variant, cuda_gather::blocks(kernel), kernel, stream);
  if (chunks <= 1) return;
  cuda_gather::set_count(kernel, chunks);
  launcher_.launch<KernelGroup::kScatterJoin>(variant, cuda_gather::blocks(kernel), kernel, stream);
}

void CudaOps::scatter(const ScatterArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  ScatterKernelArgs kernel{};
  kernel.out = args.out;
  kernel.in = args.in;
  kernel.index = reinterpret_cast<const gk_i64*>(args.index);
  kernel.order = reinterpret_cast<const gk_i64*>(args.order);
  kernel.report = report_.target(args.check);
  kernel.outer = args.outer;
  kernel.inner = args.inner;
  kernel.entries = args.count;
  kernel.extent = args.extent;
  const DType dtype = wrapping_dtype(args.dtype);
  kernel.dtype = static_cast<gk_i32>(dtype);
  cuda_gather::set_count(kernel, args.count);
  if (args.accumulate) {
    scatter_add(kernel, computed_dtype(dtype), stream);
  } else {
    const int variant = variant_of_itemsize(static_cast<std::size_t>(args.itemsize));
    launcher_.launch<KernelGroup::kScatter>(variant, cuda_gather::blocks(kernel), kernel, stream);
  }
  report_.after_launch();
}

}  // namespace gpukit::cuda
