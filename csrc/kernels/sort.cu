// Stable sorting of rows by merging: tiles in shared memory first, then pairs of runs until one is left. Every element
// finds its place by a binary search in the neighbouring run, so the result does not depend on timing.
#include "kernels/element.h"

namespace gpukit {

/// a goes before b: ascending with NaN last, or descending with NaN first. Equal elements do not precede each other.
template <class A>
GK_FN bool precedes(A a, A b, bool descending) {
  const A low = descending ? b : a, high = descending ? a : b;
  return low < high || (is_nan(high) && !is_nan(low));
}

/// How many elements of a sorted run stand before `value`: with `or_equal`, equal ones count too.
template <class T>
GK_FN gk_i64 count_before(const T* run, gk_i64 length, gk_acc_t<T> value, bool or_equal, bool descending) {
  gk_i64 low = 0, high = length;
  GK_NO_UNROLL
  while (low < high) {
    const gk_i64 middle = (low + high) / 2;
    const gk_acc_t<T> other = gk_up(run[middle]);
    const bool before = or_equal ? !precedes(value, other, descending) : precedes(other, value, descending);
    if (before) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// The place of element `at` of `data` once its run of `run` elements is merged with the neighbouring one.
template <class T>
GK_FN gk_i64 merged_place(const T* data, gk_i64 count, gk_i64 at, gk_i64 run, bool descending) {
  const gk_i64 start = at / (2 * run) * (2 * run);
  const gk_i64 middle = start + run < count ? start + run : count;
  const gk_i64 end = start + 2 * run < count ? start + 2 * run : count;
  const gk_acc_t<T> value = gk_up(data[at]);
  if (at < middle) return at + count_before(data + middle, end - middle, value, false, descending);
  return at - middle + start + count_before(data + start, middle - start, value, true, descending);
}

/// Which part of which row a block works on.
struct SortTile {
  gk_i64 row, begin;
};

GK_FN SortTile sort_tile(gk_i64 tiles_per_row) {
  const gk_i64 block = static_cast<gk_i64>(blockIdx.x);
  const gk_i64 row = block / tiles_per_row;
  return {row, (block - row * tiles_per_row) * kElementTile};
}

template <class T>
GK_FN void sort_tiles(const SortKernelArgs& args) {
  GK_SHARED(T, values, [2][kElementTile]);
  GK_SHARED(gk_u16, places, [2][kElementTile]);
  const SortTile tile = sort_tile(args.tiles);
  const gk_i64 left = args.columns - tile.begin;
  const int count = left < kElementTile ? static_cast<int>(left) : kElementTile;
  const gk_i64 base = tile.row * args.columns + tile.begin;
  const int thread = static_cast<int>(threadIdx.x);
  GK_NO_UNROLL
  for (int i = thread; i < count; i += kElementThreads) {
    values[0][i] = static_cast<const T*>(args.in)[base + i];
    places[0][i] = static_cast<gk_u16>(i);
  }
  __syncthreads();
  int from = 0;
  GK_NO_UNROLL
  for (int run = 1; run < count; run *= 2) {
    GK_NO_UNROLL
    for (int i = thread; i < count; i += kElementThreads) {
      const gk_i64 place = merged_place(&values[from][0], count, i, run, args.descending != 0);
      values[1 - from][place] = values[from][i];
      places[1 - from][place] = places[from][i];
    }
    from = 1 - from;
    __syncthreads();
  }
  GK_NO_UNROLL
  for (int i = thread; i < count; i += kElementThreads) {
    if (args.values != nullptr) static_cast<T*>(args.values)[base + i] = values[from][i];
    if (args.indices != nullptr) args.indices[base + i] = tile.begin + places[from][i];
  }
}

template <class T>
GK_FN void sort_merge(const SortKernelArgs& args) {
  const SortTile tile = sort_tile(args.tiles);
  const T* row = static_cast<const T*>(args.in) + tile.row * args.columns;
  const gk_i64 base = tile.row * args.columns;
  GK_NO_UNROLL
  for (int e = 0; e < kElementsPerThread; ++e) {
    const gk_i64 at = tile.begin + e * kElementThreads + threadIdx.x;
    if (at >= args.columns) return;
    const gk_i64 place = base + merged_place(row, args.columns, at, args.run, args.descending != 0);
    if (args.values != nullptr) static_cast<T*>(args.values)[place] = row[at];
    if (args.indices != nullptr) args.indices[place] = args.in_indices[base + at];
  }
}

#define GK_SORT(suffix, T)                                                                            \
  GK_KERNEL_BOUNDS(gk_sort_tiles_##suffix, kElementThreads, const SortKernelArgs args) { sort_tiles<T>(args); } \
  GK_KERNEL_BOUNDS(gk_sort_merge_##suffix, kElementThreads, const SortKernelArgs args) { sort_merge<T>(args); }
GK_FOR_DTYPES(GK_SORT)

}  // namespace gpukit
