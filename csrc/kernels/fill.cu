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

template <class T>
GK_FN void ramp(const RampKernelArgs& args) {
  typedef gk_acc_t<T> A;
  GK_NO_UNROLL
  for (int e = 0; e < kElementsPerThread; ++e) {
    const gk_i64 i = tile_base(kElementTile) + e * kElementThreads + threadIdx.x;
    if (i >= args.count) return;
    A value;
    if constexpr (is_floating_scalar<A>) {
      value = static_cast<A>(ramp_value(args.start, args.step, i));
    } else {
      value = convert_scalar<A>(wrap_add(args.start_int, wrap_mul(i, args.step_int)));
    }
    static_cast<T*>(args.out)[i] = gk_down<T>(value);
  }
}

#define GK_FILL(suffix, T)                                                                            \
  GK_KERNEL_BOUNDS(gk_fill_##suffix, kElementThreads, const FillKernelArgs args) { fill<T>(args); }
GK_FOR_ITEM_SIZES(GK_FILL)

#define GK_RAMP(suffix, T)                                                                            \
  GK_KERNEL_BOUNDS(gk_ramp_##suffix, kElementThreads, const RampKernelArgs args) { ramp<T>(args); }
GK_FOR_DTYPES(GK_RAMP)

}  // namespace gpukit
