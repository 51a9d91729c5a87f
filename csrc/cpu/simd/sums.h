// Sums of contiguous arrays with several accumulators, of blocks that are joined in double.
#pragma once

#include <type_traits>

#include "cpu/simd/vector.h"

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {

inline constexpr int kAccumulators = 8;
/// Elements that one set of accumulators sums: sixteen additions a lane.
template <class T>
inline constexpr std::int64_t kSumBlock = 16 * kAccumulators * kLanes<T>;

// What is summed up: a function of one element, or of a vector of them.
struct Value {
  template <class V>
  GPUKIT_SIMD_FN V of(const Value&, V x) {
    return x;
  }
};
struct Magnitude {
  template <class V>
  GPUKIT_SIMD_FN V of(const Magnitude&, V x) {
    return x < V{} ? -x : x;
  }
};
struct Square {
  template <class V>
  GPUKIT_SIMD_FN V of(const Square&, V x) {
    return x * x;
  }
};
struct Distance {
  float centre;
  template <class V>
  GPUKIT_SIMD_FN V of(const Distance& term, V x) {
    return x - term.centre;
  }
};
/// (x - centre)^2
struct SquaredDistance {
  float centre;
  template <class V>
  GPUKIT_SIMD_FN V of(const SquaredDistance& term, V x) {
    return (x - term.centre) * (x - term.centre);
  }
};

GPUKIT_SIMD_FN double sum_of_lanes(F64 x) {
  constexpr int kCount = kLanes<double>;
  double part[kCount];
  store(part, x);
  for (int width = kCount / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) part[i] += part[i + width];
  }
  return part[0];
}

/// The sums of the lanes of one block.
template <class Term, class T>
GPUKIT_SIMD_FN Vec<T> block_lanes(const T* in, const Term& term) {
  constexpr std::int64_t kStep = kLanes<T>;
  Vec<T> lanes[kAccumulators] = {};
  for (std::int64_t i = 0; i < kSumBlock<T>; i += kAccumulators * kStep) {
    for (int k = 0; k < kAccumulators; ++k)
      lanes[k] = lanes[k] + Term::of(term, load(in + i + k * kStep));
  }
  for (int width = kAccumulators / 2; width > 0; width /= 2) {
    for (int k = 0; k < width; ++k) lanes[k] = lanes[k] + lanes[k + width];
  }
  return lanes[0];
}

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

/// The last `count` lanes; zeros before them. 0 <= count <= kLanes.
template <class T>
GPUKIT_SIMD_FN Vec<T> last_lanes(Vec<T> x, std::int64_t count) {
  struct Window {
    BitsOf<T> bits[2 * kLanes<T>];
  };
  static constexpr Window kWindow = [] {
    Window window{};
    for (int i = 0; i < kLanes<T>; ++i) window.bits[kLanes<T> + i] = -1;
    return window;
  }();
  const Vec<BitsOf<T>> mask = load(kWindow.bits + count);
  return bits_as<Vec<T>>(bits_as<Vec<BitsOf<T>>>(x) & mask);
}

GPUKIT_SIMD_FN double joined_lanes(F64 x) { return sum_of_lanes(x); }
GPUKIT_SIMD_FN double joined_lanes(F32 x) {
  typedef VecN<float, kLanes<double>> Half;
  Half halves[2];
  __builtin_memcpy(halves, &x, sizeof x);
  return sum_of_lanes(__builtin_convertvector(halves[0], F64) +
                      __builtin_convertvector(halves[1], F64));
}

/// What is left after the whole blocks.
template <class Term, class T>
GPUKIT_SIMD_FN double rest_sum(const T* in, std::int64_t count, const Term& term) {
  constexpr std::int64_t kStep = kLanes<T>;
  if (count >= kStep) {
    Vec<T> lanes[4] = {};
    std::int64_t i = 0;
    for (; i + 4 * kStep <= count; i += 4 * kStep) {
      for (int k = 0; k < 4; ++k) lanes[k] = lanes[k] + Term::of(term, load(in + i + k * kStep));
    }
    for (; i + kStep <= count; i += kStep) lanes[0] = lanes[0] + Term::of(term, load(in + i));
    lanes[1] = lanes[1] + last_lanes<T>(Term::of(term, load(in + count - kStep)), count - i);
    return joined_lanes((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]));
  }
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    sum += static_cast<double>(Term::of(term, in[i]));
    GPUKIT_SIMD_SCALAR_LOOP;
  }
  return sum;
}

// float32: blocks are joined in double, which is exact enough for any length.
template <class Term>
GPUKIT_SIMD_FN double long_sum(const float* in, std::int64_t count, const Term& term) {
  F64 joined[2] = {};
  typedef VecN<float, kLanes<double>> Half;
  std::int64_t i = 0;
  for (; i + kSumBlock<float> <= count; i += kSumBlock<float>) {
    const F32 lanes = block_lanes(in + i, term);
    Half halves[2];
    __builtin_memcpy(halves, &lanes, sizeof lanes);
    joined[0] = joined[0] + __builtin_convertvector(halves[0], F64);
    joined[1] = joined[1] + __builtin_convertvector(halves[1], F64);
  }
  return sum_of_lanes(joined[0] + joined[1]) + rest_sum(in + i, count - i, term);
}

}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
