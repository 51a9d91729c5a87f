// Choosing between values: where, clamp, and the triangles of matrices.
#include "kernels/element.h"

namespace gpukit {

/// T is an unsigned integer of the item's size: values are moved as they are.
template <class T>
GK_FN void where(const WhereKernelArgs& args) {
  const ThreadElements elements = thread_elements(args.count, args.contiguous != 0);
  OutputOffsets targets;
  T left[kElementsPerThread], right[kElementsPerThread];
  bool condition[kElementsPerThread];
  if (elements.packed) {
    load_packed<gk_b8, bool, kRunsOf<T>>(args.condition, elements.first, condition);
    load_packed<T>(args.left, elements.first, left);
    load_packed<T>(args.right, elements.first, right);
  } else {
    GK_UNROLL
    for (int e = 0; e < kElementsPerThread; ++e) {
      const gk_i64 index = single_element(elements, e);
      condition[e] = false;
      left[e] = right[e] = 0;
      if (index >= args.count) continue;
      const Offsets<4> offsets = single_offsets(args.layout, index, args.contiguous != 0);
      condition[e] = load_as<gk_b8, bool>(args.condition, offsets.at[1]);
      left[e] = load_as<T, T>(args.left, offsets.at[2]);
      right[e] = load_as<T, T>(args.right, offsets.at[3]);
      targets.at[e] = offsets.at[0];
    }
  }
  GK_UNROLL
  for (int e = 0; e < kElementsPerThread; ++e) left[e] = condition[e] ? left[e] : right[e];
  store_elements<T>(args.out, elements, args.count, targets, left);
}

/// NaN fails both comparisons and stays.
template <class A>
GK_FN void clamp(const ClampKernelArgs& args) {
  const ThreadElements elements = thread_elements(args.count, args.contiguous != 0);
  const A low = ordered(scalar_as<A>(args.low), args.order_mask);
  const A high = ordered(scalar_as<A>(args.high), args.order_mask);
  OutputOffsets targets;
  A values[kElementsPerThread];
  if (elements.packed) {
    load_packed_dtype<Computed>(args.dtype, args.in, elements.first, values);
  } else {
    GK_UNROLL
    for (int e = 0; e < kElementsPerThread; ++e) {
      const gk_i64 index = single_element(elements, e);
      values[e] = static_cast<A>(0);
      if (index >= args.count) continue;
      const Offsets<2> offsets = single_offsets(args.layout, index, args.contiguous != 0);
      values[e] = load_dtype<Computed, A>(args.dtype, args.in, offsets.at[1]);
      targets.at[e] = offsets.at[0];
    }
  }
  GK_UNROLL
  for (int e = 0; e < kElementsPerThread; ++e) {
    values[e] = ordered(values[e], args.order_mask);
    if (args.has_low != 0 && values[e] < low) values[e] = low;
    if (args.has_high != 0 && values[e] > high) values[e] = high;
    values[e] = ordered(values[e], args.order_mask);
  }
  store_elements_dtype<Computed>(args.dtype, args.out, elements, args.count, targets, values);
}

template <class T>
GK_FN void triangle(const TriangleKernelArgs& args) {
  GK_NO_UNROLL
  for (int e = 0; e < kElementsPerThread; ++e) {
    const gk_i64 index = tile_base(kElementTile) + e * kElementThreads + threadIdx.x;
    if (index >= args.count) return;
    const gk_i64 row_number = index / args.columns;
    const gk_i64 column = index - row_number * args.columns;
    const gk_i64 distance = column - row_number % args.rows;
    const bool keep = args.upper != 0 ? distance >= args.diagonal : distance <= args.diagonal;
    static_cast<T*>(args.out)[index] =
        keep ? static_cast<const T*>(args.in)[index] : static_cast<T>(0);
  }
}

#define GK_BY_SIZE(suffix, T)                                                              \
  GK_KERNEL_BOUNDS(gk_where_##suffix, kElementThreads, const WhereKernelArgs args) {       \
    where<T>(args);                                                                        \
  }                                                                                        \
  GK_KERNEL_BOUNDS(gk_triangle_##suffix, kElementThreads, const TriangleKernelArgs args) { \
    triangle<T>(args);                                                                     \
  }
GK_FOR_ITEM_SIZES(GK_BY_SIZE)

#define GK_CLAMP(suffix, A)                                                          \
  GK_KERNEL_BOUNDS(gk_clamp_##suffix, kElementThreads, const ClampKernelArgs args) { \
    clamp<A>(args);                                                                  \
  }
GK_FOR_COMPUTED(GK_CLAMP)

}  // namespace gpukit
