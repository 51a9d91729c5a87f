// Stable sorting of rows by merging: tiles in shared memory first, then pairs of runs until one is
// left. Every element finds its index by a binary search in the neighbouring run, so the result
// does not depend on timing.
#include "kernels/element.h"

namespace gpukit {

/// What is compared: a number in the order of the values, made of an item's bits. NaN is the
/// largest and -0 equals 0; descending turns the order round, which keeps equal items equal and so
/// the sort stable.
struct SortOrder {
  gk_i32 dtype;
  bool descending;
};

inline constexpr gk_u64 kTopBit = 1ULL << 63;

/// Bits of a floating item whose magnitude fills `magnitude_mask`, as a signed number in the order
/// of the values.
GK_FN gk_i64 float_rank(gk_u64 bits, gk_u64 magnitude_mask, gk_u64 infinity) {
  const gk_u64 magnitude = bits & magnitude_mask;
  if (magnitude > infinity) return 0x7fffffffffffffffLL;
  return bits == magnitude ? static_cast<gk_i64>(magnitude) : -static_cast<gk_i64>(magnitude);
}

/// T is the unsigned integer of the item's size. Of each size this knows all dtypes but the complex
/// ones, which have no order.
static_assert(gk_dtype_count == 15);
template <class T>
GK_FN gk_i64 ascending_rank(gk_i32 dtype, T item) {
  const gk_u64 bits = static_cast<gk_u64>(item);
  if constexpr (sizeof(T) == 1) {
    return dtype == dtype_number<gk_i8> ? static_cast<gk_i8>(item) : static_cast<gk_i64>(item);
  } else if constexpr (sizeof(T) == 2) {
    if (dtype == dtype_number<gk_i16>) return static_cast<gk_i16>(item);
    if (dtype == dtype_number<gk_u16>) return static_cast<gk_i64>(item);
    return float_rank(bits, 0x7fffu, dtype == dtype_number<gk_f16> ? 0x7c00u : 0x7f80u);
  } else if constexpr (sizeof(T) == 4) {
    if (dtype == dtype_number<gk_i32>) return static_cast<gk_i32>(item);
    if (dtype == dtype_number<gk_u32>) return static_cast<gk_i64>(item);
    return float_rank(bits, 0x7fffffffu, 0x7f800000u);
  } else {
    if (dtype == dtype_number<gk_i64>) return static_cast<gk_i64>(item);
    if (dtype == dtype_number<gk_u64>) return static_cast<gk_i64>(item ^ kTopBit);
    return float_rank(bits, 0x7fffffffffffffffULL, 0x7ff0000000000000ULL);
  }
}

template <class T>
GK_FN gk_i64 rank_of(SortOrder order, T item) {
  const gk_i64 rank = ascending_rank(order.dtype, item);
  return order.descending ? ~rank : rank;
}

/// How many items of a sorted run come before one of this rank: with `or_equal`, equal ones count
/// too.
template <class T>
GK_FN gk_i64 count_before(const T* run, gk_i64 length, gk_i64 rank, bool or_equal,
                          SortOrder order) {
  gk_i64 low = 0, high = length;
  GK_NO_UNROLL
  while (low < high) {
    const gk_i64 middle = (low + high) / 2;
    const gk_i64 other = rank_of(order, run[middle]);
    if (or_equal ? other <= rank : other < rank) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// The index of item `at` of `data` once its run of `run` items is merged with the neighbouring
/// one.
template <class T>
GK_FN gk_i64 merged_index(const T* data, gk_i64 count, gk_i64 at, gk_i64 run, SortOrder order) {
  const gk_i64 start = at & ~(2 * run - 1);  // runs are powers of two
  const gk_i64 middle = start + run < count ? start + run : count;
  const gk_i64 end = start + 2 * run < count ? start + 2 * run : count;
  const bool in_left = at < middle;
  const gk_i64 other = in_left ? middle : start;
  const gk_i64 length = in_left ? end - middle : middle - start;
  const gk_i64 passed =
      count_before(data + other, length, rank_of(order, data[at]), !in_left, order);
  return (in_left ? at : at - middle + start) + passed;
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
  GK_SHARED(gk_u16, indices, [2][kElementTile]);
  const SortOrder order{args.dtype, args.descending != 0};
  const SortTile tile = sort_tile(args.tiles);
  const gk_i64 left = args.columns - tile.begin;
  const int count = left < kElementTile ? static_cast<int>(left) : kElementTile;
  const gk_i64 base = tile.row * args.columns + tile.begin;
  const int thread = static_cast<int>(threadIdx.x);
  GK_NO_UNROLL
  for (int i = thread; i < count; i += kElementThreads) {
    values[0][i] = static_cast<const T*>(args.in)[base + i];
    indices[0][i] = static_cast<gk_u16>(i);
  }
  __syncthreads();
  int from = 0;
  GK_NO_UNROLL
  for (int run = 1; run < count; run *= 2) {
    GK_NO_UNROLL
    for (int i = thread; i < count; i += kElementThreads) {
      const gk_i64 target = merged_index(&values[from][0], count, i, run, order);
      values[1 - from][target] = values[from][i];
      indices[1 - from][target] = indices[from][i];
    }
    from = 1 - from;
    __syncthreads();
  }
  GK_NO_UNROLL
  for (int i = thread; i < count; i += kElementThreads) {
    if (args.values != nullptr) static_cast<T*>(args.values)[base + i] = values[from][i];
    if (args.indices != nullptr) args.indices[base + i] = tile.begin + indices[from][i];
  }
}

template <class T>
GK_FN void sort_merge(const SortKernelArgs& args) {
  const SortOrder order{args.dtype, args.descending != 0};
  const SortTile tile = sort_tile(args.tiles);
  const T* row = static_cast<const T*>(args.in) + tile.row * args.columns;
  const gk_i64 base = tile.row * args.columns;
  GK_NO_UNROLL
  for (int e = 0; e < kElementsPerThread; ++e) {
    const gk_i64 at = tile.begin + e * kElementThreads + threadIdx.x;
    if (at >= args.columns) return;
    const gk_i64 target = base + merged_index(row, args.columns, at, args.run, order);
    if (args.values != nullptr) static_cast<T*>(args.values)[target] = row[at];
    if (args.indices != nullptr) args.indices[target] = args.in_indices[base + at];
  }
}

#define GK_SORT(suffix, T)                                                               \
  GK_KERNEL_BOUNDS(gk_sort_tiles_##suffix, kElementThreads, const SortKernelArgs args) { \
    sort_tiles<T>(args);                                                                 \
  }                                                                                      \
  GK_KERNEL_BOUNDS(gk_sort_merge_##suffix, kElementThreads, const SortKernelArgs args) { \
    sort_merge<T>(args);                                                                 \
  }
GK_FOR_ITEM_SIZES(GK_SORT)

}  // namespace gpukit
