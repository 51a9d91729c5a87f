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

/// 16 bytes of small items, made 8 bytes at a time by a loop that is not unrolled: each half moves
/// the one before it on. Registers have no index.
struct Halves {
  gk_u64 at[2];
  GK_TEMPLATE_FN void append(gk_u64 half) {
    at[0] = at[1];
    at[1] = half;
  }
};

/// Stores the elements of Philox blocks of four, Fours::pack(words) each.
template <class T, class Fours>
GK_FN void store_fours(const RandomKernelArgs& args, const Fours& fours) {
  const gk_i64 thread = philox_thread();
  if constexpr (sizeof(T) == 4) {
    store_made(args, thread, fours.pack(words_of(args, thread)));
  } else {
    Halves halves{{0, 0}};
    GK_NO_UNROLL
    for (int half = 0; half < 2; ++half) {
      const Pack<T, 4> values = fours.pack(words_of(args, thread * 2 + half));
      gk_u64 bits;
      memcpy(&bits, &values, sizeof bits);
      halves.append(bits);
    }
    Pack<gk_u16, 8> values;
    memcpy(&values, &halves, sizeof values);
    store_made(args, thread, values);
  }
}

template <class T>
struct UniformFours {
  UniformRange<float> range;
  GK_TEMPLATE_FN Pack<T, 4> pack(const PhiloxWords& words) const {
    Pack<T, 4> values;
    GK_UNROLL
    for (int e = 0; e < 4; ++e)
      values.at[e] = gk_down<T>(uniform_value(unit_float(words.word[e]), range));
    return values;
  }
};

template <class T>
struct NormalFours {
  float mean, deviation;
  GK_TEMPLATE_FN Pack<T, 4> pack(const PhiloxWords& words) const {
    Pack<T, 4> values;
    GK_UNROLL
    for (int p = 0; p < 2; ++p) {
      const NormalPair<float> pair = normal_pair(words.word[2 * p], words.word[2 * p + 1]);
      values.at[2 * p] = gk_down<T>(scale_normal(pair.even, mean, deviation));
      values.at[2 * p + 1] = gk_down<T>(scale_normal(pair.odd, mean, deviation));
    }
    return values;
  }
};

template <class T>
GK_FN void uniform(const RandomKernelArgs& args) {
  const UniformRange<gk_acc_t<T>> range = uniform_range<T>(args);
  if constexpr (sizeof(T) == 8) {
    const gk_i64 thread = philox_thread();
    const PhiloxWords words = words_of(args, thread);
    Pack<T, 2> values;
    GK_UNROLL
    for (int e = 0; e < 2; ++e) {
      values.at[e] =
          uniform_value(unit_double(join_words(words.word[2 * e], words.word[2 * e + 1])), range);
    }
    store_made(args, thread, values);
  } else {
    store_fours<T>(args, UniformFours<T>{range});
  }
}

template <class T>
GK_FN void normal(const RandomKernelArgs& args) {
  typedef gk_acc_t<T> A;
  const A mean = static_cast<A>(args.low), deviation = static_cast<A>(args.span);
  if constexpr (sizeof(T) == 8) {
    const gk_i64 thread = philox_thread();
    const NormalPair<double> pair = normal_pair_double(words_of(args, thread));
    const Pack<T, 2> values = {
        {scale_normal(pair.even, mean, deviation), scale_normal(pair.odd, mean, deviation)}};
    store_made(args, thread, values);
  } else {
    store_fours<T>(args, NormalFours<T>{mean, deviation});
  }
}

/// The two whole numbers of a Philox block.
struct IntegerPair {
  gk_i64 at[2];
};
GK_FN IntegerPair integer_pair(const RandomKernelArgs& args, gk_i64 block) {
  const PhiloxWords words = words_of(args, block);
  return {{random_integer(join_words(words.word[0], words.word[1]), args.low_int, args.span_int),
           random_integer(join_words(words.word[2], words.word[3]), args.low_int, args.span_int)}};
}

/// Of integer dtypes; T is the unsigned one of the same size.
template <class T>
GK_FN void integers(const RandomKernelArgs& args) {
  constexpr int kBits = 8 * static_cast<int>(sizeof(T));
  const gk_i64 thread = philox_thread();
  Pack<T, kMade<T>> values;
  if constexpr (sizeof(T) == 8) {
    const IntegerPair pair = integer_pair(args, thread);
    values.at[0] = static_cast<T>(pair.at[0]);
    values.at[1] = static_cast<T>(pair.at[1]);
  } else {
    Halves halves{{0, 0}};
    gk_u64 half = 0;
    GK_NO_UNROLL
    for (int e = 0; e < kMade<T>; e += 2) {
      const IntegerPair pair = integer_pair(args, (thread * kMade<T> + e) / 2);
      const int shift = e * kBits % 64;
      half |= static_cast<gk_u64>(static_cast<T>(pair.at[0])) << shift;
      half |= static_cast<gk_u64>(static_cast<T>(pair.at[1])) << (shift + kBits);
      if (shift + 2 * kBits < 64) continue;
      halves.append(half);
      half = 0;
    }
    memcpy(&values, &halves, sizeof values);
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
