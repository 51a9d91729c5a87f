// What elementwise kernels share: which elements a thread processes, where they are, and how they
// are loaded and stored.
#pragma once

#include "kernels/storage.h"

namespace gpukit {

/// kCount elements that are loaded and stored together.
template <class T, int kCount>
struct GK_ALIGN(sizeof(T) * kCount < 16 ? sizeof(T) * kCount : 16) Pack {
  T at[kCount];
};

/// What a Pack is stored as: accesses of up to 16 bytes.
template <int kBytes>
struct RawVector {
  typedef uint4 type;
};
template <>
struct RawVector<8> {
  typedef uint2 type;
};
template <>
struct RawVector<4> {
  typedef gk_u32 type;
};
template <>
struct RawVector<2> {
  typedef gk_u16 type;
};
template <>
struct RawVector<1> {
  typedef gk_u8 type;
};

/// 16 bytes that are moved as they are.
struct GK_ALIGN(16) Item128 {
  gk_u64 low, high;
};

/// Stores a Pack in global memory. A plain assignment is sometimes compiled to one access for each
/// element.
template <class Vector>
GK_FN void store_vector(void* target, const Vector& vector) {
  typedef typename RawVector<static_cast<int>(sizeof(Vector))>::type Raw;
  constexpr int kAccesses = static_cast<int>(sizeof(Vector) / sizeof(Raw));
  Raw raw[kAccesses];
  memcpy(raw, &vector, sizeof(raw));
  GK_UNROLL
  for (int i = 0; i < kAccesses; ++i) gk_store_global(static_cast<Raw*>(target) + i, raw[i]);
}

GK_FN gk_u32 magic_divide(gk_u32 n, MagicDivisor magic) {
  return (__umulhi(n, magic.multiplier) + n) >> magic.shift;
}

/// Element offsets of all operands for one element.
template <int kOperands>
struct Offsets {
  gk_i64 at[kOperands];
};

template <int kOperands>
GK_FN Offsets<kOperands> narrow_offsets(const StridedLayout<kOperands>& layout, gk_u32 index) {
  gk_i32 sums[kOperands];
  GK_UNROLL
  for (int k = 0; k < kOperands; ++k) sums[k] = 0;
  gk_u32 rest = index;
  GK_NO_UNROLL
  for (int d = 0; d < layout.rank - 1; ++d) {
    const gk_u32 quotient = magic_divide(rest, layout.magic[d]);
    const gk_i32 coordinate = static_cast<gk_i32>(rest - quotient * layout.magic[d].divisor);
    rest = quotient;
    GK_UNROLL
    for (int k = 0; k < kOperands; ++k)
      sums[k] += coordinate * static_cast<gk_i32>(layout.stride[k][d]);
  }
  Offsets<kOperands> offsets;
  GK_UNROLL
  for (int k = 0; k < kOperands; ++k) {
    offsets.at[k] = sums[k] + static_cast<gk_i32>(rest) *
                                  static_cast<gk_i32>(layout.stride[k][layout.rank - 1]);
  }
  return offsets;
}

template <int kOperands>
GK_FN Offsets<kOperands> wide_offsets(const StridedLayout<kOperands>& layout, gk_i64 index) {
  Offsets<kOperands> offsets;
  GK_UNROLL
  for (int k = 0; k < kOperands; ++k) offsets.at[k] = 0;
  gk_i64 rest = index;
  GK_NO_UNROLL
  for (int d = 0; d < layout.rank; ++d) {
    const bool last = d == layout.rank - 1;
    const gk_i64 quotient = last ? 0 : rest / layout.size[d];
    const gk_i64 coordinate = rest - quotient * layout.size[d];
    rest = quotient;
    GK_UNROLL
    for (int k = 0; k < kOperands; ++k) offsets.at[k] += coordinate * layout.stride[k][d];
  }
  return offsets;
}

template <int kOperands>
GK_FN Offsets<kOperands> element_offsets(const StridedLayout<kOperands>& layout, gk_i64 index) {
  return layout.wide != 0 ? wide_offsets(layout, index)
                          : narrow_offsets(layout, static_cast<gk_u32>(index));
}

/// Number of the first element of this block's tile.
GK_FN gk_i64 tile_base(gk_i64 tile) { return static_cast<gk_i64>(blockIdx.x) * tile; }

/// The elements one thread of an operation-switch kernel works on: kElementsPerThread neighbours of
/// a full contiguous tile ("packed"), otherwise single ones kElementThreads apart.
struct ThreadElements {
  gk_i64 first;
  bool packed;
};

GK_FN ThreadElements thread_elements(gk_i64 count, bool contiguous) {
  const gk_i64 base = tile_base(kElementTile);
  const bool packed = contiguous && base + kElementTile <= count;
  const gk_i64 thread = static_cast<gk_i64>(threadIdx.x);
  return {packed ? base + thread * kElementsPerThread : base + thread, packed};
}

/// Offsets in the output of a thread's single elements (read only for those inside the count).
struct OutputOffsets {
  gk_i64 at[kElementsPerThread];
};

GK_FN gk_i64 single_element(ThreadElements elements, int e) {
  return elements.first + e * kElementThreads;
}

template <int kOperands>
GK_FN Offsets<kOperands> single_offsets(const StridedLayout<kOperands>& layout, gk_i64 index,
                                        bool contiguous) {
  if (!contiguous) return narrow_offsets(layout, static_cast<gk_u32>(index));
  Offsets<kOperands> offsets;
  GK_UNROLL
  for (int k = 0; k < kOperands; ++k) offsets.at[k] = index;
  return offsets;
}

/// A thread's packed elements are this many runs of neighbours, so that what the threads of a warp
/// access together is contiguous: of an 8-byte type two pairs, of smaller ones four neighbours.
template <class A>
inline constexpr int kRunsOf = sizeof(A) <= 4 ? 1 : static_cast<int>(sizeof(A) / 4);

/// The thread's first element in its first run; a run begins kElementThreads runs after the last.
template <int kRuns>
GK_FN gk_i64 first_run(gk_i64 first) {
  constexpr int kRun = kElementsPerThread / kRuns;
  return first - (kElementsPerThread - kRun) * static_cast<gk_i64>(threadIdx.x);
}

template <class T, class A, int kRuns = kRunsOf<A>>
GK_FN void load_packed(const void* data, gk_i64 first, A* values) {
  constexpr int kRun = kElementsPerThread / kRuns;
  typedef Pack<T, kRun> Vector;
  const T* source = static_cast<const T*>(data) + first_run<kRuns>(first);
  GK_UNROLL
  for (int run = 0; run < kRuns; ++run) {
    const Vector vector = *reinterpret_cast<const Vector*>(source + run * kElementThreads * kRun);
    GK_UNROLL
    for (int e = 0; e < kRun; ++e) values[run * kRun + e] = static_cast<A>(gk_up(vector.at[e]));
  }
}

template <class T, class A, int kRuns = kRunsOf<A>>
GK_FN void store_packed(void* data, gk_i64 first, const A* values) {
  constexpr int kRun = kElementsPerThread / kRuns;
  typedef Pack<T, kRun> Vector;
  T* target = static_cast<T*>(data) + first_run<kRuns>(first);
  GK_UNROLL
  for (int run = 0; run < kRuns; ++run) {
    Vector vector;
    GK_UNROLL
    for (int e = 0; e < kRun; ++e)
      vector.at[e] = gk_down<T>(convert_scalar<gk_acc_t<T>>(values[run * kRun + e]));
    store_vector(target + run * kElementThreads * kRun, vector);
  }
}

template <class A, int kRuns>
struct PackedLoad {
  const void* data;
  gk_i64 first;
  A* values;
  template <class T>
  GK_TEMPLATE_FN void operator()(StorageTag<T>) const {
    load_packed<T, A, kRuns>(data, first, values);
  }
};

/// A thread's packed elements of a dtype whose Class is A.
template <template <class> class Class, class A, int kRuns = kRunsOf<A>>
GK_FN void load_packed_dtype(gk_i32 dtype, const void* data, gk_i64 first, A* values) {
  visit_source<Class, A>(dtype, PackedLoad<A, kRuns>{data, first, values});
}

/// Writes values of any compute type as T.
template <class T, class A>
GK_FN void store_elements(void* data, ThreadElements elements, gk_i64 count,
                          const OutputOffsets& targets, const A* values) {
  if (elements.packed) {
    store_packed<T>(data, elements.first, values);
    return;
  }
  GK_UNROLL
  for (int e = 0; e < kElementsPerThread; ++e) {
    if (single_element(elements, e) < count) store_as<T>(data, targets.at[e], values[e]);
  }
}

template <class A>
struct ElementsStore {
  void* data;
  ThreadElements elements;
  gk_i64 count;
  const OutputOffsets* targets;
  const A* values;
  template <class T>
  GK_TEMPLATE_FN void operator()(StorageTag<T>) const {
    store_elements<T>(data, elements, count, *targets, values);
  }
};

/// Writes values as a dtype whose Class is A.
template <template <class> class Class, class A>
GK_FN void store_elements_dtype(gk_i32 dtype, void* data, ThreadElements elements, gk_i64 count,
                                const OutputOffsets& targets, const A* values) {
  visit_target<Class, A, A>(dtype, ElementsStore<A>{data, elements, count, &targets, values});
}

}  // namespace gpukit
