// Rows of a table by number. Items are moved as they are; an index out of range is reported and
// gives the first row. Several indices become one by `places`.
#include "kernels/element.h"
#include "kernels/index_report.h"

namespace gpukit {

/// Quotient and remainder of a position by one extent.
struct Divided {
  gk_i64 quotient, remainder;
};

GK_FN Divided divide_position(gk_i64 position, gk_i64 extent, MagicDivisor magic, bool wide) {
  const gk_i64 quotient =
      wide ? position / extent : magic_divide(static_cast<gk_u32>(position), magic);
  return {quotient, position - quotient * extent};
}

template <class T>
GK_FN void gather(const GatherKernelArgs& args) {
  const bool wide = args.wide != 0;
  GK_NO_UNROLL
  for (int e = 0; e < kElementsPerThread; ++e) {
    const gk_i64 position = tile_base(kElementTile) + e * kElementThreads + threadIdx.x;
    if (position >= args.total) return;
    const Divided by_inner = divide_position(position, args.inner, args.inner_magic, wide);
    const Divided by_count = divide_position(by_inner.quotient, args.count, args.count_magic, wide);
    const gk_i64 entry = by_count.remainder;
    gk_i64 row = checked_index(args.report, args.report.dim, args.index[entry], args.extent, entry);
    if (row < 0) row = 0;
    const gk_i64 source = (by_count.quotient * args.extent + row) * args.inner + by_inner.remainder;
    static_cast<T*>(args.out)[position] = static_cast<const T*>(args.in)[source];
  }
}

GK_FN gk_i64 outside(const LinearIndexKernelArgs& args, int part, gk_i64 index, gk_i64 position) {
  report_index(args.report, args.dim[part], index, args.extent[part], position);
  return -1;
}

GK_KERNEL_BOUNDS(gk_linear_index, kElementThreads, const LinearIndexKernelArgs args) {
  GK_NO_UNROLL
  for (int e = 0; e < kElementsPerThread; ++e) {
    const gk_i64 position = tile_base(kElementTile) + e * kElementThreads + threadIdx.x;
    if (position >= args.count) return;
    gk_i64 rest = position, linear = 0;
    gk_i64 coordinates[kKernelMaxRank];
    GK_UNROLL
    for (int d = 0; d < kKernelMaxRank; ++d) {
      coordinates[d] = 0;
      if (d >= args.layout.rank) continue;
      const Divided by_size =
          divide_position(rest, args.layout.size[d], args.layout.magic[d], args.layout.wide != 0);
      coordinates[d] = by_size.remainder;
      rest = by_size.quotient;
      linear += coordinates[d] * args.coordinate_step[d];
    }
    GK_NO_UNROLL
    for (int p = 0; p < args.parts; ++p) {
      gk_i64 offset = 0;
      GK_UNROLL
      for (int d = 0; d < kKernelMaxRank; ++d) offset += coordinates[d] * args.layout.stride[p][d];
      const gk_i64 index = args.index[p][offset];
      const gk_i64 at =
          index < 0 && args.from_end == 0
              ? outside(args, p, index, offset)
              : checked_index(args.report, args.dim[p], index, args.extent[p], offset);
      if (at < 0) {
        linear = kNoIndex;
        break;
      }
      linear += at * args.step[p];
    }
    args.out[position] = linear;
  }
}

#define GK_GATHER(suffix, T)                                                           \
  GK_KERNEL_BOUNDS(gk_gather_##suffix, kElementThreads, const GatherKernelArgs args) { \
    gather<T>(args);                                                                   \
  }
GK_FOR_ITEM_SIZES(GK_GATHER)
GK_GATHER(128, Item128)

}  // namespace gpukit
