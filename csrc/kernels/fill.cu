// Values from nothing: a constant, and arithmetic progressions.
#include "kernels/element.h"

namespace gpukit {

/// T is an unsigned integer of the item's size.
template <class T>
GK_FN void fill(const FillKernelArgs& args) {
  const ThreadElements elements = thread_elements(args.count, args.contiguous != 0);
  const T value = static_cast<T>(args.bits);
  OutputOffsets targets;
  T values[kElementsPerThread];
  GK_UNROLL
  for (int e = 0; e < kElementsPerThread; ++e) {
    values[e] = value;
    const gk_i64 index = single_element(elements, e);
    if (elements.packed || index >= args.count) continue;
    targets.at[e] = single_offsets(args.layout, index, args.contiguous != 0).at[0];
  }
  store_elements<T>(args.out, elements, args.count, targets, values);
}

/// start + i * step in double, rounded after each operation as NumPy does.
GK_FN double ramp_value(double start, double step, gk_i64 i) {
#if defined(__CUDACC__)
  return __dadd_rn(start, __dmul_rn(static_cast<double>(i), step));
#else
  return start + static_cast<double>(i) * step;
#endif
}

/// A is int64 or double; it is converted to the dtype at the store.
template <class A>
GK_FN void ramp(const RampKernelArgs& args) {
  GK_NO_UNROLL
  for (int e = 0; e < kElementsPerThread; ++e) {
    const gk_i64 i = tile_base(kElementTile) + e * kElementThreads + threadIdx.x;
    if (i >= args.count) return;
    if constexpr (is_floating_scalar<A>) {
      store_dtype(args.dtype, args.out, i, ramp_value(args.start, args.step, i));
    } else {
      store_dtype(args.dtype, args.out, i, wrap_add(args.start_int, wrap_mul(i, args.step_int)));
    }
  }
}

#define GK_FILL(suffix, T) \
  GK_KERNEL_BOUNDS(gk_fill_##suffix, kElementThreads, const FillKernelArgs args) { fill<T>(args); }
GK_FOR_ITEM_SIZES(GK_FILL)

GK_KERNEL_BOUNDS(gk_ramp_i64, kElementThreads, const RampKernelArgs args) { ramp<gk_i64>(args); }
GK_KERNEL_BOUNDS(gk_ramp_f64, kElementThreads, const RampKernelArgs args) { ramp<double>(args); }

GK_KERNEL_BOUNDS(gk_words, kMostWords, const WordsKernelArgs args) {
  const int i = static_cast<int>(threadIdx.x);
  if (i < args.count) args.out[i] = args.word[i];
}

}  // namespace gpukit
