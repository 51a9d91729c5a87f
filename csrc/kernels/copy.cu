// Strided copies of items as they are, copies with conversion, and transposes through shared
// memory.
#include "kernels/element.h"

namespace gpukit {

/// Copies a thread's single items. All are loaded before the first is stored.
template <class T>
GK_FN void copy_single(const CopyKernelArgs& args, ThreadElements elements) {
  gk_i64 targets[kElementsPerThread];
  T values[kElementsPerThread];
  GK_UNROLL
  for (int e = 0; e < kElementsPerThread; ++e) {
    const gk_i64 index = single_element(elements, e);
    if (index >= args.count) continue;
    const Offsets<2> offsets = single_offsets(args.layout, index, args.contiguous != 0);
    values[e] = static_cast<const T*>(args.in)[offsets.at[1]];
    targets[e] = offsets.at[0];
  }
  GK_UNROLL
  for (int e = 0; e < kElementsPerThread; ++e) {
    if (single_element(elements, e) < args.count) static_cast<T*>(args.out)[targets[e]] = values[e];
  }
}

/// T is an unsigned integer of the item's size.
template <class T>
GK_FN void copy(const CopyKernelArgs& args) {
  const ThreadElements elements = thread_elements(args.count, args.contiguous != 0);
  if (!elements.packed) return copy_single<T>(args, elements);
  T values[kElementsPerThread];
  load_packed<T>(args.in, elements.first, values);
  store_packed<T>(args.out, elements.first, values);
}

/// uint64 came as int64; floating dtypes take its true value.
template <class T>
inline constexpr bool kFloatingItem = is_floating_scalar<gk_acc_t<T>>;
template <bool>
struct FloatingTruth {};
template <class T>
using Floating = FloatingTruth<kFloatingItem<T>>;

GK_FN void store_unsigned_as_float(const CopyKernelArgs& args, ThreadElements elements,
                                   const OutputOffsets& targets, const gk_i64* values) {
  gk_u64 numbers[kElementsPerThread];
  GK_UNROLL
  for (int e = 0; e < kElementsPerThread; ++e) numbers[e] = static_cast<gk_u64>(values[e]);
  visit_storage<Floating, FloatingTruth<true>>(
      args.out_dtype, ElementsStore<gk_u64>{args.out, elements, args.count, &targets, numbers});
}

/// From all dtypes that are widened to A, to all dtypes.
template <class A>
GK_FN void cast(const CopyKernelArgs& args) {
  const ThreadElements elements = thread_elements(args.count, args.contiguous != 0);
  OutputOffsets targets;
  A values[kElementsPerThread];
  if (elements.packed) {
    load_packed_dtype<Widened>(args.in_dtype, args.in, elements.first, values);
  } else {
    GK_UNROLL
    for (int e = 0; e < kElementsPerThread; ++e) {
      const gk_i64 index = single_element(elements, e);
      values[e] = static_cast<A>(0);
      if (index >= args.count) continue;
      const Offsets<2> offsets = single_offsets(args.layout, index, args.contiguous != 0);
      values[e] = load_dtype<Widened, A>(args.in_dtype, args.in, offsets.at[1]);
      targets.at[e] = offsets.at[0];
    }
  }
  if constexpr (is_same_type<A, gk_i64>) {
    if (args.in_dtype == dtype_number<gk_u64> && args.out_dtype >= kFirstFloating)
      return store_unsigned_as_float(args, elements, targets, values);
  }
  visit_target<Any, void, A>(args.out_dtype,
                             ElementsStore<A>{args.out, elements, args.count, &targets, values});
}

inline constexpr int kTileSide = 32;
inline constexpr int kTileRows = kElementThreads / kTileSide;

/// Elements between the rows of a tile: 4 bytes, so that a row is an odd number of banks and the
/// reads along columns have no conflicts.
template <class T>
inline constexpr int kTilePadding = sizeof(T) < 4 ? 4 / static_cast<int>(sizeof(T)) : 1;

/// One 32 x 32 tile a block.
template <class T>
GK_FN void transpose(const TransposeKernelArgs& args) {
  GK_SHARED(T, tile, [kTileSide][kTileSide + kTilePadding<T>]);
  const gk_i64 matrix = static_cast<gk_i64>(blockIdx.x) / args.tiles;
  const gk_i64 number = static_cast<gk_i64>(blockIdx.x) - matrix * args.tiles;
  const gk_i64 row0 = number / args.column_tiles * kTileSide;
  const gk_i64 column0 = number % args.column_tiles * kTileSide;
  const T* in = static_cast<const T*>(args.in) + matrix * args.in_batch_stride;
  T* out = static_cast<T*>(args.out) + matrix * args.out_batch_stride;
  const int x = static_cast<int>(threadIdx.x) % kTileSide;
  const int y = static_cast<int>(threadIdx.x) / kTileSide;
  GK_UNROLL
  for (int step = 0; step < kTileSide; step += kTileRows) {
    const gk_i64 row = row0 + x, column = column0 + y + step;
    if (row < args.rows && column < args.columns) {
      tile[y + step][x] = in[column * args.in_column_stride + row];
    }
  }
  __syncthreads();
  GK_UNROLL
  for (int step = 0; step < kTileSide; step += kTileRows) {
    const gk_i64 row = row0 + y + step, column = column0 + x;
    if (row < args.rows && column < args.columns) {
      out[row * args.out_row_stride + column] = tile[x][y + step];
    }
  }
}

#define GK_BY_SIZE(suffix, T)                                                                \
  GK_KERNEL_BOUNDS(gk_copy_##suffix, kElementThreads, const CopyKernelArgs args) {           \
    copy<T>(args);                                                                           \
  }                                                                                          \
  GK_KERNEL_BOUNDS(gk_transpose_##suffix, kElementThreads, const TransposeKernelArgs args) { \
    transpose<T>(args);                                                                      \
  }
GK_FOR_ITEM_SIZES(GK_BY_SIZE)

/// Of strided operands only: a contiguous one is as quick by narrower items.
GK_KERNEL_BOUNDS(gk_copy_128, kElementThreads, const CopyKernelArgs args) {
  copy_single<Item128>(args, thread_elements(args.count, false));
}

#define GK_CAST(suffix, A) \
  GK_KERNEL_BOUNDS(gk_cast_##suffix, kElementThreads, const CopyKernelArgs args) { cast<A>(args); }
GK_FOR_WIDENED(GK_CAST)

}  // namespace gpukit
