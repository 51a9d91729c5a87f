// The way back of gather: rows of a table are overwritten, or added to in the order of a sorted
// index.
#include "kernels/element.h"
#include "kernels/index_report.h"

namespace gpukit {

/// The row that the index at `entry` names, or -1 with the error reported.
GK_FN gk_i64 checked_row(const ScatterKernelArgs& args, gk_i64 entry) {
  return checked_index(args.report, args.report.dim, args.index[entry], args.extent, entry);
}

/// Where a position of (outer, count, inner) lies.
struct ScatterTarget {
  gk_i64 outer, entry, inner;
};

GK_FN ScatterTarget target_of(const ScatterKernelArgs& args, gk_i64 position) {
  gk_i64 line, outer;
  if (args.wide != 0) {
    line = position / args.inner;
    outer = line / args.count;
  } else {
    line = magic_divide(static_cast<gk_u32>(position), args.inner_magic);
    outer = magic_divide(static_cast<gk_u32>(line), args.count_magic);
  }
  return {outer, line - outer * args.count, position - line * args.inner};
}

template <class T>
GK_FN void scatter(const ScatterKernelArgs& args) {
  GK_NO_UNROLL
  for (int e = 0; e < kElementsPerThread; ++e) {
    const gk_i64 position = tile_base(kElementTile) + e * kElementThreads + threadIdx.x;
    if (position >= args.total) return;
    const ScatterTarget at = target_of(args, position);
    const gk_i64 row = checked_row(args, at.entry);
    if (row < 0) continue;
    static_cast<T*>(args.out)[(at.outer * args.extent + row) * args.inner + at.inner] =
        static_cast<const T*>(args.in)[position];
  }
}

/// The thread at the first of equal neighbours adds all of them up, in order; the others have
/// nothing to do.
template <class A>
GK_FN void scatter_add(const ScatterKernelArgs& args) {
  GK_NO_UNROLL
  for (int e = 0; e < kElementsPerThread; ++e) {
    const gk_i64 position = tile_base(kElementTile) + e * kElementThreads + threadIdx.x;
    if (position >= args.total) return;
    const ScatterTarget at = target_of(args, position);
    const gk_i64 named = args.index[at.entry];
    if (at.entry > 0 && args.index[at.entry - 1] == named) continue;
    const gk_i64 row = checked_row(args, at.entry);
    if (row < 0) continue;
    const gk_i64 target = (at.outer * args.extent + row) * args.inner + at.inner;
    A sum = load_dtype<Computed, A>(args.dtype, args.out, target);
    gk_i64 source = position;
    GK_NO_UNROLL
    for (gk_i64 entry = at.entry; entry < args.count && args.index[entry] == named; ++entry) {
      sum = add(sum, load_dtype<Computed, A>(args.dtype, args.in, source));
      source += args.inner;
    }
    visit_target<Computed, A, A>(args.dtype, ElementStore<A>{args.out, target, sum});
  }
}

#define GK_SCATTER(suffix, T)                                                            \
  GK_KERNEL_BOUNDS(gk_scatter_##suffix, kElementThreads, const ScatterKernelArgs args) { \
    scatter<T>(args);                                                                    \
  }
GK_FOR_ITEM_SIZES(GK_SCATTER)

#define GK_SCATTER_ADD(suffix, A)                                                            \
  GK_KERNEL_BOUNDS(gk_scatter_add_##suffix, kElementThreads, const ScatterKernelArgs args) { \
    scatter_add<A>(args);                                                                    \
  }
GK_FOR_COMPUTED(GK_SCATTER_ADD)

}  // namespace gpukit
