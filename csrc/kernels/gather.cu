// Rows of a table by number. Items are moved as they are; an index out of range is reported in a
// device word.
#include "kernels/element.h"

namespace gpukit {

struct GK_ALIGN(16) Item128 {
  gk_u64 low, high;
};

/// Quotient and remainder of a position by one extent.
struct Divided {
  gk_i64 quotient, remainder;
};

GK_FN Divided divide_position(gk_i64 position, gk_i64 extent, MagicDivisor magic, bool wide) {
  const gk_i64 quotient =
      wide ? position / extent : magic_divide(static_cast<gk_u32>(position), magic);
  return {quotient, position - quotient * extent};
}

template <class T>
GK_FN void gather(const GatherKernelArgs& args) {
  const bool wide = args.wide != 0;
  GK_NO_UNROLL
  for (int e = 0; e < kElementsPerThread; ++e) {
    const gk_i64 position = tile_base(kElementTile) + e * kElementThreads + threadIdx.x;
    if (position >= args.total) return;
    const Divided by_inner = divide_position(position, args.inner, args.inner_magic, wide);
    const Divided by_count = divide_position(by_inner.quotient, args.count, args.count_magic, wide);
    gk_i64 row = args.index[by_count.remainder];
    if (row < 0) row += args.extent;
    if (row < 0 || row >= args.extent) {
      if (args.error != nullptr) *args.error = 1;
      row = 0;
    }
    const gk_i64 source = (by_count.quotient * args.extent + row) * args.inner + by_inner.remainder;
    static_cast<T*>(args.out)[position] = static_cast<const T*>(args.in)[source];
  }
}

#define GK_GATHER(suffix, T)                                                           \
  GK_KERNEL_BOUNDS(gk_gather_##suffix, kElementThreads, const GatherKernelArgs args) { \
    gather<T>(args);                                                                   \
  }
GK_FOR_ITEM_SIZES(GK_GATHER)
GK_GATHER(128, Item128)

}  // namespace gpukit
