// The way back of gather: rows of a table are overwritten, or added to in the order of a sorted
// index, by chunks of it, so that many equal indices are no work of a single thread.
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

GK_FN gk_i64 target_element(const ScatterKernelArgs& args, ScatterTarget at, gk_i64 row) {
  return (at.outer * args.extent + row) * args.inner + at.inner;
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
    static_cast<T*>(args.out)[target_element(args, at, row)] =
        static_cast<const T*>(args.in)[position];
  }
}

/// The number of entry `entry` of the sorted index in `in`.
GK_FN gk_i64 source_of(const ScatterKernelArgs& args, ScatterTarget at, gk_i64 entry) {
  const gk_i64 row = args.order == nullptr ? entry : args.order[entry];
  return (at.outer * args.entries + row) * args.inner + at.inner;
}

/// Whether this entry of the sorted index names the same row as the one before it.
GK_FN bool continues(const ScatterKernelArgs& args, gk_i64 entry) {
  return entry > 0 && args.index[entry - 1] == args.index[entry];
}

/// Where the sum of a piece of equal indices goes that is not all of them, in `args.sums`: those of
/// first pieces, with the target's element, lie before those of the pieces that continue one.
GK_FN gk_i64 sum_slot(const ScatterKernelArgs& args, ScatterTarget at, gk_i64 chunk,
                      bool continued) {
  const gk_i64 chunks = (args.entries + kScatterChunk - 1) / kScatterChunk;
  const gk_i64 slot = (at.outer * chunks + chunk) * args.inner + at.inner;
  return continued ? args.outer * chunks * args.inner + slot : slot;
}

/// The thread at the first of equal neighbours adds them to the target's element, in order, as far
/// as its chunk of the index goes; one at the first of a chunk goes on. Other threads have nothing
/// to do.
template <class A>
GK_FN void scatter_add(const ScatterKernelArgs& args) {
  GK_NO_UNROLL
  for (int e = 0; e < kElementsPerThread; ++e) {
    const gk_i64 position = tile_base(kElementTile) + e * kElementThreads + threadIdx.x;
    if (position >= args.total) return;
    const ScatterTarget at = target_of(args, position);
    const bool continued = continues(args, at.entry);
    if (continued && at.entry % kScatterChunk != 0) continue;
    const gk_i64 row = checked_row(args, at.entry);
    if (row < 0) continue;
    const gk_i64 named = args.index[at.entry];
    const gk_i64 next = (at.entry / kScatterChunk + 1) * kScatterChunk;
    const gk_i64 end = next < args.entries ? next : args.entries;
    A sum = -static_cast<A>(0);  // -0.0 + x is x, of -0.0 too
    if (!continued)
      sum = load_dtype<Computed, A>(args.dtype, args.out, target_element(args, at, row));
    gk_i64 entry = at.entry;
    GK_NO_UNROLL
    for (; entry < end && args.index[entry] == named; ++entry)
      sum = add(sum, load_dtype<Computed, A>(args.dtype, args.in, source_of(args, at, entry)));
    const bool goes_on = entry == end && end < args.entries && args.index[end] == named;
    if (continued || goes_on) {
      static_cast<A*>(args.sums)[sum_slot(args, at, at.entry / kScatterChunk, continued)] = sum;
    } else {
      visit_target<Computed, A, A>(args.dtype,
                                   ElementStore<A>{args.out, target_element(args, at, row), sum});
    }
  }
}

/// Adds up the pieces of equal indices that cross chunks. The thread of the chunk where they begin
/// does so; args.count is the number of chunks.
template <class A>
GK_FN void scatter_join(const ScatterKernelArgs& args) {
  GK_NO_UNROLL
  for (int e = 0; e < kElementsPerThread; ++e) {
    const gk_i64 position = tile_base(kElementTile) + e * kElementThreads + threadIdx.x;
    if (position >= args.total) return;
    const ScatterTarget at = target_of(args, position);  // at.entry is a chunk
    const gk_i64 start = at.entry * kScatterChunk, end = start + kScatterChunk;
    if (end >= args.entries || !continues(args, end)) continue;
    const gk_i64 named = args.index[end];
    if (args.index[start] == named && continues(args, start)) continue;
    const gk_i64 row = named < 0 ? named + args.extent : named;
    if (row < 0 || row >= args.extent) continue;  // reported before
    const A* sums = static_cast<const A*>(args.sums);
    A sum = sums[sum_slot(args, at, at.entry, false)];
    GK_NO_UNROLL
    for (gk_i64 chunk = at.entry + 1;
         chunk < args.count && args.index[chunk * kScatterChunk] == named; ++chunk)
      sum = add(sum, sums[sum_slot(args, at, chunk, true)]);
    visit_target<Computed, A, A>(args.dtype,
                                 ElementStore<A>{args.out, target_element(args, at, row), sum});
  }
}

#define GK_SCATTER(suffix, T)                                                            \
  GK_KERNEL_BOUNDS(gk_scatter_##suffix, kElementThreads, const ScatterKernelArgs args) { \
    scatter<T>(args);                                                                    \
  }
GK_FOR_ITEM_SIZES(GK_SCATTER)

#define GK_SCATTER_ADD(suffix, A)                                                             \
  GK_KERNEL_BOUNDS(gk_scatter_add_##suffix, kElementThreads, const ScatterKernelArgs args) {  \
    scatter_add<A>(args);                                                                     \
  }                                                                                           \
  GK_KERNEL_BOUNDS(gk_scatter_join_##suffix, kElementThreads, const ScatterKernelArgs args) { \
    scatter_join<A>(args);                                                                    \
  }
GK_FOR_COMPUTED(GK_SCATTER_ADD)

}  // namespace gpukit
