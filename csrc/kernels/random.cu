// Random numbers: one Philox block a thread, mapped to elements as philox.h says.
#include "kernels/element.h"
#include "kernels/philox.h"

namespace gpukit {

inline constexpr int kRandomThreads = 256;

/// Writes the first elements of `values` that are inside the output, starting at block * kCount:
/// as one store, unless the output ends inside the block or starts at an odd place.
template <class T, int kCount>
GK_FN void store_block(const RandomKernelArgs& args, gk_i64 block, const Pack<T, kCount>& values) {
  typedef Pack<T, kCount> Vector;
  T* out = static_cast<T*>(args.out) + block * kCount;
  if ((block + 1) * kCount <= args.count && reinterpret_cast<gk_u64>(out) % sizeof(Vector) == 0) {
    store_vector(out, values);
    return;
  }
  GK_UNROLL
  for (int e = 0; e < kCount; ++e) {
    if (block * kCount + e < args.count) out[e] = values.at[e];
  }
}

GK_FN gk_i64 philox_block() {
  return static_cast<gk_i64>(blockIdx.x) * kRandomThreads + static_cast<gk_i64>(threadIdx.x);
}

/// The random words of a block of elements.
GK_FN PhiloxWords words_of(const RandomKernelArgs& args, gk_i64 block) {
  if (args.state == nullptr) return philox(static_cast<gk_u64>(block), args.offset, args.seed);
  return philox(static_cast<gk_u64>(block), args.offset + args.state[1], args.state[0]);
}

template <class T>
GK_FN UniformRange<gk_acc_t<T>> uniform_range(const RandomKernelArgs& args) {
  typedef gk_acc_t<T> A;
  return {static_cast<A>(args.low), static_cast<A>(args.span), static_cast<A>(args.below_high)};
}

template <class T>
GK_FN void uniform(const RandomKernelArgs& args) {
  const gk_i64 block = philox_block();
  const UniformRange<gk_acc_t<T>> range = uniform_range<T>(args);
  const PhiloxWords words = words_of(args, block);
  if constexpr (sizeof(T) == 8) {
    Pack<T, 2> values;
    GK_UNROLL
    for (int e = 0; e < 2; ++e) {
      values.at[e] =
          uniform_value(unit_double(join_words(words.word[2 * e], words.word[2 * e + 1])), range);
    }
    store_block<T, 2>(args, block, values);
  } else {
    Pack<T, 4> values;
    GK_UNROLL
    for (int e = 0; e < 4; ++e)
      values.at[e] = gk_down<T>(uniform_value(unit_float(words.word[e]), range));
    store_block<T, 4>(args, block, values);
  }
}

template <class T>
GK_FN void normal(const RandomKernelArgs& args) {
  typedef gk_acc_t<T> A;
  const gk_i64 block = philox_block();
  const A mean = static_cast<A>(args.low), deviation = static_cast<A>(args.span);
  const PhiloxWords words = words_of(args, block);
  if constexpr (sizeof(T) == 8) {
    const NormalPair<double> pair = normal_pair_double(words);
    const Pack<T, 2> values = {
        {scale_normal(pair.even, mean, deviation), scale_normal(pair.odd, mean, deviation)}};
    store_block<T, 2>(args, block, values);
  } else {
    Pack<T, 4> values;
    GK_UNROLL
    for (int p = 0; p < 2; ++p) {
      const NormalPair<float> pair = normal_pair(words.word[2 * p], words.word[2 * p + 1]);
      values.at[2 * p] = gk_down<T>(scale_normal(pair.even, mean, deviation));
      values.at[2 * p + 1] = gk_down<T>(scale_normal(pair.odd, mean, deviation));
    }
    store_block<T, 4>(args, block, values);
  }
}

/// All dtypes share this kernel: what differs is the store.
GK_FN void integers(const RandomKernelArgs& args) {
  const gk_i64 block = philox_block();
  const PhiloxWords words = words_of(args, block);
  GK_UNROLL
  for (int e = 0; e < 2; ++e) {
    const gk_u64 bits = join_words(words.word[2 * e], words.word[2 * e + 1]);
    const gk_i64 at = block * 2 + e;
    if (at < args.count)
      store_dtype(args.dtype, args.out, at, random_integer(bits, args.low_int, args.span_int));
  }
}

#define GK_REAL(suffix, T)                                                             \
  GK_KERNEL_BOUNDS(gk_uniform_##suffix, kRandomThreads, const RandomKernelArgs args) { \
    uniform<T>(args);                                                                  \
  }                                                                                    \
  GK_KERNEL_BOUNDS(gk_normal_##suffix, kRandomThreads, const RandomKernelArgs args) {  \
    normal<T>(args);                                                                   \
  }
GK_FOR_FLOATS(GK_REAL)

GK_KERNEL_BOUNDS(gk_integers, kRandomThreads, const RandomKernelArgs args) { integers(args); }

}  // namespace gpukit
