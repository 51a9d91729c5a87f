// Random numbers: the Philox blocks of 16 bytes of results a thread, mapped to elements as philox.h
// says.
#include "kernels/element.h"
#include "kernels/philox.h"

namespace gpukit {

inline constexpr int kRandomThreads = 256;

/// Stores what a thread made, `values.at[0]` at thread * kCount: as one vector, unless the output
/// ends inside or starts at an odd place.
template <class T, int kCount>
GK_FN void store_made(const RandomKernelArgs& args, gk_i64 thread, const Pack<T, kCount>& values) {
  T* out = static_cast<T*>(args.out) + thread * kCount;
  if ((thread + 1) * kCount <= args.count && reinterpret_cast<gk_u64>(out) % sizeof(values) == 0) {
    store_vector(out, values);
    return;
  }
  GK_UNROLL
  for (int e = 0; e < kCount; ++e) {
    if (thread * kCount + e < args.count) out[e] = values.at[e];
  }
}

/// The number of a thread, which makes the elements from kMade * thread on.
GK_FN gk_i64 philox_thread() {
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

/// Elements that a thread makes: 16 bytes of them.
template <class T>
inline constexpr int kMade = 16 / static_cast<int>(sizeof(T));

template <class T>
GK_FN void uniform(const RandomKernelArgs& args) {
  const gk_i64 thread = philox_thread();
  const UniformRange<gk_acc_t<T>> range = uniform_range<T>(args);
  Pack<T, kMade<T>> values;
  if constexpr (sizeof(T) == 8) {
    const PhiloxWords words = words_of(args, thread);
    GK_UNROLL
    for (int e = 0; e < 2; ++e) {
      values.at[e] =
          uniform_value(unit_double(join_words(words.word[2 * e], words.word[2 * e + 1])), range);
    }
  } else {
    GK_UNROLL
    for (int first = 0; first < kMade<T>; first += 4) {
      const PhiloxWords words = words_of(args, (thread * kMade<T> + first) / 4);
      GK_UNROLL
      for (int e = 0; e < 4; ++e)
        values.at[first + e] = gk_down<T>(uniform_value(unit_float(words.word[e]), range));
    }
  }
  store_made(args, thread, values);
}

template <class T>
GK_FN void normal(const RandomKernelArgs& args) {
  typedef gk_acc_t<T> A;
  const gk_i64 thread = philox_thread();
  const A mean = static_cast<A>(args.low), deviation = static_cast<A>(args.span);
  Pack<T, kMade<T>> values;
  if constexpr (sizeof(T) == 8) {
    const NormalPair<double> pair = normal_pair_double(words_of(args, thread));
    values.at[0] = scale_normal(pair.even, mean, deviation);
    values.at[1] = scale_normal(pair.odd, mean, deviation);
  } else {
    GK_UNROLL
    for (int first = 0; first < kMade<T>; first += 4) {
      const PhiloxWords words = words_of(args, (thread * kMade<T> + first) / 4);
      GK_UNROLL
      for (int p = 0; p < 2; ++p) {
        const NormalPair<float> pair = normal_pair(words.word[2 * p], words.word[2 * p + 1]);
        values.at[first + 2 * p] = gk_down<T>(scale_normal(pair.even, mean, deviation));
        values.at[first + 2 * p + 1] = gk_down<T>(scale_normal(pair.odd, mean, deviation));
      }
    }
  }
  store_made(args, thread, values);
}

/// Of integer dtypes; T is the unsigned one of the same size.
template <class T>
GK_FN void integers(const RandomKernelArgs& args) {
  const gk_i64 thread = philox_thread();
  Pack<T, kMade<T>> values;
  GK_UNROLL
  for (int first = 0; first < kMade<T>; first += 2) {
    const PhiloxWords words = words_of(args, (thread * kMade<T> + first) / 2);
    GK_UNROLL
    for (int e = 0; e < 2; ++e) {
      const gk_u64 random = join_words(words.word[2 * e], words.word[2 * e + 1]);
      values.at[first + e] = static_cast<T>(random_integer(random, args.low_int, args.span_int));
    }
  }
  store_made(args, thread, values);
}

#define GK_REAL(suffix, T)                                                             \
  GK_KERNEL_BOUNDS(gk_uniform_##suffix, kRandomThreads, const RandomKernelArgs args) { \
    uniform<T>(args);                                                                  \
  }                                                                                    \
  GK_KERNEL_BOUNDS(gk_normal_##suffix, kRandomThreads, const RandomKernelArgs args) {  \
    normal<T>(args);                                                                   \
  }
GK_FOR_FLOATS(GK_REAL)

#define GK_INTEGERS(suffix, T)                                                          \
  GK_KERNEL_BOUNDS(gk_integers_##suffix, kRandomThreads, const RandomKernelArgs args) { \
    integers<T>(args);                                                                  \
  }
GK_FOR_ITEM_SIZES(GK_INTEGERS)

}  // namespace gpukit
