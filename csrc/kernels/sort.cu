// Stable sorting of rows. Short ones by merging: tiles in shared memory first, then pairs of runs
// until one is left, where every element finds its index by a binary search in the neighbouring
// run. Long ones by digits of 8 bits, the least significant first: blocks count their digits, a
// scan makes starts of the counts, blocks move their items. No block waits for another, and no
// result depends on timing.
#include "kernels/element.h"

namespace gpukit {

/// An unsigned number in the order of the values, made of an item's bits. NaN is the largest and -0
/// equals 0; descending turns the order round, which keeps equal items equal and so the sort
/// stable.
template <class Key>
GK_FN Key sort_key(const SortOrderRef& order, Key item) {
  const Key all = static_cast<Key>(order.all), sign = static_cast<Key>(order.sign);
  Key key = item ^ sign;
  if (order.infinity != 0) {
    const Key magnitude = item & (all >> 1);
    if (magnitude != item) key = item ^ all;
    if (magnitude == 0) key = sign;
    if (magnitude > static_cast<Key>(order.infinity)) key = all;
  }
  return key ^ static_cast<Key>(order.inverted);
}

/// Items of up to four bytes are worked on as four.
template <class Key>
GK_FN Key load_item(const void* data, gk_i32 item_bytes, gk_i64 at) {
  if constexpr (sizeof(Key) == 4) {
    if (item_bytes == 1) return static_cast<const gk_u8*>(data)[at];
    if (item_bytes == 2) return static_cast<const gk_u16*>(data)[at];
  }
  return static_cast<const Key*>(data)[at];
}

template <class Key>
GK_FN void store_item(void* data, gk_i32 item_bytes, gk_i64 at, Key item) {
  if constexpr (sizeof(Key) == 4) {
    if (item_bytes == 1) {
      static_cast<gk_u8*>(data)[at] = static_cast<gk_u8>(item);
      return;
    }
    if (item_bytes == 2) {
      static_cast<gk_u16*>(data)[at] = static_cast<gk_u16>(item);
      return;
    }
  }
  static_cast<Key*>(data)[at] = item;
}

/// The index of item `at` of `count` once its run of `run` items is merged with the neighbouring
/// one: key(i) is that of item i. Of equal ones those of the left run come first.
template <class Key, class ReadKey>
GK_FN gk_i64 merged_index(gk_i64 count, gk_i64 at, gk_i64 run, const ReadKey& key) {
  const gk_i64 start = at & ~(2 * run - 1);  // runs are powers of two
  const gk_i64 middle = start + run < count ? start + run : count;
  const gk_i64 end = start + 2 * run < count ? start + 2 * run : count;
  const bool in_left = at < middle;
  const gk_i64 other = in_left ? middle : start;
  const Key own = key(at);
  gk_i64 low = other, high = in_left ? end : middle;
  GK_NO_UNROLL
  while (low < high) {
    const gk_i64 between = (low + high) / 2;
    const Key there = key(between);
    if (in_left ? there < own : there <= own) {
      low = between + 1;
    } else {
      high = between;
    }
  }
  return (in_left ? at : at - middle + start) + low - other;
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

template <class Key>
GK_FN void sort_tiles(const SortKernelArgs& args) {
  GK_SHARED(Key, values, [2][kElementTile]);
  GK_SHARED(gk_u16, indices, [2][kElementTile]);
  const SortTile tile = sort_tile(args.tiles);
  const gk_i64 left = args.columns - tile.begin;
  const int count = left < kElementTile ? static_cast<int>(left) : kElementTile;
  const gk_i64 base = tile.row * args.columns + tile.begin;
  const int thread = static_cast<int>(threadIdx.x);
  GK_NO_UNROLL
  for (int i = thread; i < count; i += kElementThreads) {
    values[0][i] = load_item<Key>(args.in, args.item_bytes, base + i);
    indices[0][i] = static_cast<gk_u16>(i);
  }
  __syncthreads();
  int from = 0;
  GK_NO_UNROLL
  for (int run = 1; run < count; run *= 2) {
    GK_NO_UNROLL
    for (int i = thread; i < count; i += kElementThreads) {
      const gk_i64 target = merged_index<Key>(
          count, i, run, [&](gk_i64 at) { return sort_key<Key>(args.order, values[from][at]); });
      values[1 - from][target] = values[from][i];
      indices[1 - from][target] = indices[from][i];
    }
    from = 1 - from;
    __syncthreads();
  }
  GK_NO_UNROLL
  for (int i = thread; i < count; i += kElementThreads) {
    if (args.values != nullptr)
      store_item<Key>(args.values, args.item_bytes, base + i, values[from][i]);
    if (args.indices != nullptr) args.indices[base + i] = tile.begin + indices[from][i];
  }
}

template <class Key>
GK_FN void sort_merge(const SortKernelArgs& args) {
  const SortTile tile = sort_tile(args.tiles);
  const gk_i64 base = tile.row * args.columns;
  const auto item = [&](gk_i64 at) { return load_item<Key>(args.in, args.item_bytes, base + at); };
  GK_NO_UNROLL
  for (int e = 0; e < kElementsPerThread; ++e) {
    const gk_i64 at = tile.begin + e * kElementThreads + threadIdx.x;
    if (at >= args.columns) return;
    const gk_i64 target = base + merged_index<Key>(args.columns, at, args.run, [&](gk_i64 other) {
                            return sort_key<Key>(args.order, item(other));
                          });
    if (args.values != nullptr) store_item<Key>(args.values, args.item_bytes, target, item(at));
    if (args.indices != nullptr) args.indices[target] = args.in_indices[base + at];
  }
}

inline constexpr int kRadixLoads = 2;  ///< of a thread, under way together

/// The elements of a row that a block works on.
struct RadixPart {
  gk_i64 row_start, begin, end;
};

template <class Key>
GK_FN RadixPart radix_part(const RadixKernelArgs& args) {
  const gk_i64 block = static_cast<gk_i64>(blockIdx.x);
  const gk_i64 row = block / args.blocks;
  const gk_i64 length = args.block_tiles * kRadixTile<sizeof(Key)>;
  const gk_i64 begin = (block - row * args.blocks) * length;
  const gk_i64 end = begin + length < args.columns ? begin + length : args.columns;
  return {row * args.columns, begin, end};
}

template <class Key>
GK_FN int radix_digit(const RadixKernelArgs& args, Key item) {
  return static_cast<int>(sort_key<Key>(args.order, item) >> args.shift) & (kRadixDigits - 1);
}

template <class Key>
GK_FN void radix_count(const RadixKernelArgs& args) {
  GK_SHARED(gk_u32, counts, [kRadixDigits]);
  const RadixPart part = radix_part<Key>(args);
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < kRadixDigits) counts[thread] = 0;
  __syncthreads();
  int digit = 0;
  gk_u32 run = 0;  // of this digit, not added yet: equal neighbours are one addition
  GK_NO_UNROLL
  for (gk_i64 base = part.begin + thread; base < part.end; base += kRadixLoads * kRadixThreads) {
    Key items[kRadixLoads];
    GK_UNROLL
    for (int e = 0; e < kRadixLoads; ++e) {
      const gk_i64 at = base + e * kRadixThreads;
      items[e] = at < part.end ? load_item<Key>(args.in, args.item_bytes, part.row_start + at) : 0;
    }
    GK_UNROLL
    for (int e = 0; e < kRadixLoads; ++e) {
      if (base + e * kRadixThreads >= part.end) continue;
      const int next = radix_digit<Key>(args, items[e]);
      if (next != digit && run != 0) {
        atomicAdd(&counts[digit], run);
        run = 0;
      }
      digit = next;
      ++run;
    }
  }
  if (run != 0) atomicAdd(&counts[digit], run);
  __syncthreads();
  if (thread < kRadixDigits)
    args.counts[static_cast<gk_i64>(blockIdx.x) * kRadixDigits + thread] = counts[thread];
}

GK_FN gk_u32 warp_inclusive(gk_u32 value) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  GK_UNROLL
  for (int distance = 1; distance < 32; distance *= 2) {
    const gk_u32 other = __shfl_up_sync(~0u, value, distance);
    if (lane >= distance) value += other;
  }
  return value;
}

/// A block for each row: a quarter of its threads for a quarter of the row's blocks.
GK_KERNEL_BOUNDS(gk_sort_scan, kRadixScanThreads, const RadixKernelArgs args) {
  constexpr int kQuarters = kRadixScanThreads / kRadixDigits;
  GK_SHARED(gk_u32, sums, [kQuarters][kRadixDigits]);
  GK_SHARED(gk_u32, warps, [kRadixDigits / 32]);
  const int digit = static_cast<int>(threadIdx.x) % kRadixDigits;
  const int quarter = static_cast<int>(threadIdx.x) / kRadixDigits;
  const gk_i32 length = (args.blocks + kQuarters - 1) / kQuarters;
  const gk_i32 begin = quarter * length;
  const gk_i32 end = begin + length < args.blocks ? begin + length : args.blocks;
  gk_u32* counts =
      args.counts + static_cast<gk_i64>(blockIdx.x) * args.blocks * kRadixDigits + digit;
  gk_u32 sum = 0;
  GK_NO_UNROLL
  for (gk_i32 block = begin; block < end; block += 4) {
    GK_UNROLL
    for (int e = 0; e < 4; ++e) sum += block + e < end ? counts[(block + e) * kRadixDigits] : 0;
  }
  sums[quarter][digit] = sum;
  __syncthreads();
  gk_u32 before = 0, total = 0;
  GK_UNROLL
  for (int q = 0; q < kQuarters; ++q) {
    if (q == quarter) before = total;
    total += sums[q][digit];
  }
  const gk_u32 inclusive = warp_inclusive(total);
  if (quarter == 0 && digit % 32 == 31) warps[digit / 32] = inclusive;
  __syncthreads();
  gk_u32 start = before + inclusive - total;
  GK_NO_UNROLL
  for (int w = 0; w < digit / 32; ++w) start += warps[w];
  GK_NO_UNROLL
  for (gk_i32 block = begin; block < end; block += 4) {
    gk_u32 own[4];
    GK_UNROLL
    for (int e = 0; e < 4; ++e) own[e] = block + e < end ? counts[(block + e) * kRadixDigits] : 0;
    GK_UNROLL
    for (int e = 0; e < 4; ++e) {
      if (block + e < end) counts[(block + e) * kRadixDigits] = start;
      start += own[e];
    }
  }
}

/// Where item `at` of a tile lies in shared memory: a word is left free after each 32, so that
/// neither neighbouring items nor those of neighbouring threads have bank conflicts.
template <class T>
GK_CONSTEXPR int radix_place(int at) {
  constexpr int kFree = sizeof(T) < 4 ? static_cast<int>(4 / sizeof(T)) : 1;
  return at + at / static_cast<int>(128 / sizeof(T)) * kFree;
}
/// load(at) for each item of a tile, into shared memory: kRadixLoads at a time are under way.
template <class Key, class Load>
GK_FN void load_tile(int count, Key* keys, const Load& load) {
  GK_NO_UNROLL
  for (int first = static_cast<int>(threadIdx.x); first < count;
       first += kRadixLoads * kRadixThreads) {
    Key items[kRadixLoads];
    GK_UNROLL
    for (int e = 0; e < kRadixLoads; ++e) {
      const int at = first + e * kRadixThreads;
      items[e] = at < count ? load(at) : 0;
    }
    GK_UNROLL
    for (int e = 0; e < kRadixLoads; ++e) {
      const int at = first + e * kRadixThreads;
      if (at < count) keys[radix_place<Key>(at)] = items[e];
    }
  }
}

/// A number of at most 16 bits for each value of half a digit, four in a word.
struct HalfCounts {
  gk_u64 word[4];
};

/// Adds one for `half`; gives the number before.
GK_FN int count_half(HalfCounts& counts, int half) {
  const int shift = half % 4 * 16;
  gk_u64 before = 0;
  GK_UNROLL
  for (int w = 0; w < 4; ++w) {
    // By masks: of a choice the compiler makes an index, and of the words local memory.
    const gk_u64 here = 0ULL - static_cast<gk_u64>(half / 4 == w);
    before |= counts.word[w] & here;
    counts.word[w] += (1ULL << shift) & here;
  }
  return static_cast<int>(before >> shift) & 0xffff;
}

/// Of the threads' counts of a tile, sorted by half digit and then by thread: where this thread's
/// first item of each half digit goes.
GK_FN void half_starts(HalfCounts& counts, HalfCounts* totals) {
  constexpr gk_u64 kOnes = 0x0001000100010001ULL;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  gk_u64 inclusive[4];
  GK_UNROLL
  for (int w = 0; w < 4; ++w) inclusive[w] = counts.word[w];
  GK_NO_UNROLL
  for (int distance = 1; distance < 32; distance *= 2) {
    GK_UNROLL
    for (int w = 0; w < 4; ++w) {
      const gk_u64 other = __shfl_up_sync(~0u, inclusive[w], distance);
      inclusive[w] += lane >= distance ? other : 0;
    }
  }
  GK_UNROLL
  for (int w = 0; w < 4; ++w) {
    counts.word[w] = inclusive[w] - counts.word[w];
    if (lane == 31) totals[warp].word[w] = inclusive[w];
  }
  __syncthreads();
  gk_u64 smaller = 0;  // items of smaller half digits
  GK_UNROLL
  for (int w = 0; w < 4; ++w) {
    gk_u64 all = 0;
    GK_NO_UNROLL
    for (int i = 0; i < kRadixThreads / 32; ++i) {
      const gk_u64 total = totals[i].word[w];
      counts.word[w] += i < warp ? total : 0;
      all += total;
    }
    counts.word[w] += smaller * kOnes + (all << 16) + (all << 32) + (all << 48);
    smaller += (all * kOnes) >> 48;
  }
}

/// A tile in shared memory: its items as they came, their sorted order, and the digits in that
/// order. `starts`: where in the row the next item of a digit goes; begins and ends are in the
/// tile.
template <class Key>
struct RadixTile {
  Key* keys;
  gk_u16 *order, *digits;
  HalfCounts* totals;
  gk_u32 *starts, *begins, *ends;
  int count;

  GK_TEMPLATE_FN gk_u16& order_at(int at) const { return order[radix_place<gk_u16>(at)]; }
  GK_TEMPLATE_FN gk_u16& digit_at(int at) const { return digits[radix_place<gk_u16>(at)]; }
  GK_TEMPLATE_FN Key& key_at(int item) const { return keys[radix_place<Key>(item)]; }
  GK_TEMPLATE_FN gk_u32 target(int at) const {
    const int digit = digit_at(at);
    return starts[digit] + static_cast<gk_u32>(at) - begins[digit];
  }
};

/// Sorts the order of a tile's items by the lower half of their digits into `digits`, and from that
/// one by the upper half. What lies beyond the tile's count stays there.
template <class Key>
GK_FN void sort_half(const RadixKernelArgs& args, const RadixTile<Key>& tile, bool lower) {
  constexpr int kItems = kRadixTile<sizeof(Key)> / kRadixThreads;
  const int begin = static_cast<int>(threadIdx.x) * kItems;
  gk_u16* const to = lower ? tile.digits : tile.order;
  HalfCounts counts = {};
  GK_NO_UNROLL
  for (int moves = 0; moves < 2; ++moves) {
    GK_NO_UNROLL
    for (int e = 0; e < kItems; ++e) {
      const int item = lower ? begin + e : static_cast<int>(tile.digit_at(begin + e));
      int half = 15;
      if (item < tile.count) {
        const int digit = radix_digit<Key>(args, tile.key_at(item));
        half = lower ? digit & 15 : digit >> 4;
      }
      const int target = count_half(counts, half);
      if (moves != 0) to[radix_place<gk_u16>(target)] = static_cast<gk_u16>(item);
    }
    if (moves == 0) half_starts(counts, tile.totals);
  }
  __syncthreads();
}

/// Sorts a tile by its digits, and finds where each digit begins and ends.
template <class Key>
GK_FN void sort_digits(const RadixKernelArgs& args, const RadixTile<Key>& tile) {
  GK_NO_UNROLL
  for (int half = 0; half < 2; ++half) sort_half<Key>(args, tile, half == 0);
  const int thread = static_cast<int>(threadIdx.x);
  GK_NO_UNROLL
  for (int at = thread; at < tile.count; at += kRadixThreads) {
    tile.digit_at(at) = static_cast<gk_u16>(radix_digit<Key>(args, tile.key_at(tile.order_at(at))));
  }
  __syncthreads();
  GK_NO_UNROLL
  for (int at = thread; at < tile.count; at += kRadixThreads) {
    const int digit = tile.digit_at(at);
    if (at == 0 || tile.digit_at(at - 1) != digit) tile.begins[digit] = static_cast<gk_u32>(at);
    if (at == tile.count - 1 || tile.digit_at(at + 1) != digit)
      tile.ends[digit] = static_cast<gk_u32>(at + 1);
  }
  __syncthreads();
}

/// The indices of a tile's items, which were at `base` in their row, to where the items go.
template <class Key>
GK_FN void move_indices(const RadixKernelArgs& args, const RadixTile<Key>& tile, gk_i64 row_start,
                        gk_i64 base) {
  const bool first = args.in_order == nullptr;
  if (!first) {
    load_tile<Key>(tile.count, tile.keys,
                   [&](int at) { return static_cast<Key>(args.in_order[row_start + base + at]); });
    __syncthreads();
  }
  GK_NO_UNROLL
  for (int at = static_cast<int>(threadIdx.x); at < tile.count; at += kRadixThreads) {
    const int item = tile.order_at(at);
    const gk_i64 index = first ? base + item : static_cast<gk_i64>(tile.key_at(item));
    const gk_i64 target = row_start + tile.target(at);
    if (args.out_order != nullptr) args.out_order[target] = static_cast<gk_u32>(index);
    if (args.indices != nullptr) args.indices[target] = index;
  }
}

template <class Key>
GK_FN void radix_move(const RadixKernelArgs& args) {
  constexpr int kTile = kRadixTile<sizeof(Key)>;
  constexpr int kRoom = radix_place<Key>(kTile), kOrderRoom = radix_place<gk_u16>(kTile);
  GK_SHARED(Key, keys, [kRoom]);
  GK_SHARED(gk_u16, orders, [2][kOrderRoom]);
  GK_SHARED(HalfCounts, totals, [kRadixThreads / 32]);
  GK_SHARED(gk_u32, places, [3][kRadixDigits]);
  const RadixPart part = radix_part<Key>(args);
  RadixTile<Key> tile{&keys[0],      &orders[0][0], &orders[1][0], &totals[0],
                      &places[0][0], &places[1][0], &places[2][0], 0};
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < kRadixDigits) {
    tile.starts[thread] = args.counts[static_cast<gk_i64>(blockIdx.x) * kRadixDigits + thread];
    tile.begins[thread] = tile.ends[thread] = 0;
  }
  GK_NO_UNROLL
  for (gk_i64 base = part.begin; base < part.end; base += kTile) {
    tile.count = part.end - base < kTile ? static_cast<int>(part.end - base) : kTile;
    load_tile<Key>(tile.count, tile.keys, [&](int at) {
      return load_item<Key>(args.in, args.item_bytes, part.row_start + base + at);
    });
    __syncthreads();
    sort_digits<Key>(args, tile);
    if (args.values != nullptr) {
      GK_NO_UNROLL
      for (int at = thread; at < tile.count; at += kRadixThreads) {
        store_item<Key>(args.values, args.item_bytes, part.row_start + tile.target(at),
                        tile.key_at(tile.order_at(at)));
      }
      __syncthreads();
    }
    move_indices<Key>(args, tile, part.row_start, base);
    __syncthreads();
    if (thread < kRadixDigits) {
      tile.starts[thread] += tile.ends[thread] - tile.begins[thread];
      tile.begins[thread] = tile.ends[thread] = 0;
    }
  }
}

#define GK_SORT(suffix, Key)                                                             \
  GK_KERNEL_BOUNDS(gk_sort_tiles_##suffix, kElementThreads, const SortKernelArgs args) { \
    sort_tiles<Key>(args);                                                               \
  }                                                                                      \
  GK_KERNEL_BOUNDS(gk_sort_merge_##suffix, kElementThreads, const SortKernelArgs args) { \
    sort_merge<Key>(args);                                                               \
  }                                                                                      \
  GK_KERNEL_BOUNDS(gk_sort_count_##suffix, kRadixThreads, const RadixKernelArgs args) {  \
    radix_count<Key>(args);                                                              \
  }                                                                                      \
  GK_KERNEL_BOUNDS(gk_sort_move_##suffix, kRadixThreads, const RadixKernelArgs args) {   \
    radix_move<Key>(args);                                                               \
  }
GK_SORT(32, gk_u32)
GK_SORT(64, gk_u64)

}  // namespace gpukit
