// Reductions of contiguous arrays with several accumulators: sums, norms and extremes.
#pragma once

#include <type_traits>

#include "cpu/simd/vector.h"

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {

inline constexpr std::int64_t kBlock = 16384;  ///< elements that are looked at together
inline constexpr int kAccumulators = 8;
/// Elements that one set of accumulators sums: sixteen additions a lane.
template <class T>
inline constexpr std::int64_t kSumBlock = 16 * kAccumulators * kLanes<T>;

enum class Term { kValue, kMagnitude, kSquare };

template <Term term, class V>
GPUKIT_SIMD_FN V term_of(V x) {
  if constexpr (term == Term::kSquare)
    return x * x;
  else if constexpr (term == Term::kMagnitude)
    return x < V{} ? -x : x;
  else
    return x;
}

/// Adds `term` to a sum that keeps what rounding loses (Neumaier).
GPUKIT_SIMD_FN void add_exactly(Partial& partial, double term) {
  const double sum = partial.value + term;
  const bool larger = __builtin_fabs(partial.value) >= __builtin_fabs(term);
  const double lost = larger ? (partial.value - sum) + term : (term - sum) + partial.value;
  if (__builtin_isfinite(lost)) partial.error += lost;
  partial.value = sum;
}

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
template <Term term, class T>
GPUKIT_SIMD_FN Vec<T> block_lanes(const T* in) {
  constexpr std::int64_t kStep = kLanes<T>;
  Vec<T> lanes[kAccumulators] = {};
  for (std::int64_t i = 0; i < kSumBlock<T>; i += kAccumulators * kStep) {
    for (int k = 0; k < kAccumulators; ++k)
      lanes[k] = lanes[k] + term_of<term>(load(in + i + k * kStep));
  }
  for (int width = kAccumulators / 2; width > 0; width /= 2) {
    for (int k = 0; k < width; ++k) lanes[k] = lanes[k] + lanes[k + width];
  }
  return lanes[0];
}

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

/// The last `count` lanes of the vector that ends at `end`; zeros before them. 0 <= count <=
/// kLanes.
template <class T>
GPUKIT_SIMD_FN Vec<T> load_last(const T* end, std::int64_t count) {
  struct Window {
    BitsOf<T> bits[2 * kLanes<T>];
  };
  static constexpr Window kWindow = [] {
    Window window{};
    for (int i = 0; i < kLanes<T>; ++i) window.bits[kLanes<T> + i] = -1;
    return window;
  }();
  const Vec<BitsOf<T>> mask = load(kWindow.bits + count);
  return bits_as<Vec<T>>(bits_as<Vec<BitsOf<T>>>(load(end - kLanes<T>)) & mask);
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
template <Term term, class T>
GPUKIT_SIMD_FN double rest_sum(const T* in, std::int64_t count) {
  constexpr std::int64_t kStep = kLanes<T>;
  if (count >= kStep) {
    Vec<T> lanes[4] = {};
    std::int64_t i = 0;
    for (; i + 4 * kStep <= count; i += 4 * kStep) {
      for (int k = 0; k < 4; ++k) lanes[k] = lanes[k] + term_of<term>(load(in + i + k * kStep));
    }
    for (; i + kStep <= count; i += kStep) lanes[0] = lanes[0] + term_of<term>(load(in + i));
    lanes[1] = lanes[1] + term_of<term>(load_last(in + count, count - i));
    return joined_lanes((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]));
  }
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    sum += static_cast<double>(term_of<term>(in[i]));
    GPUKIT_SIMD_SCALAR_LOOP;
  }
  return sum;
}

// float32: blocks are joined in double, which is exact enough for any length.
template <Term term>
GPUKIT_SIMD_FN double long_sum(const float* in, std::int64_t count) {
  F64 joined[2] = {};
  typedef VecN<float, kLanes<double>> Half;
  std::int64_t i = 0;
  for (; i + kSumBlock<float> <= count; i += kSumBlock<float>) {
    const F32 lanes = block_lanes<term>(in + i);
    Half halves[2];
    __builtin_memcpy(halves, &lanes, sizeof lanes);
    joined[0] = joined[0] + __builtin_convertvector(halves[0], F64);
    joined[1] = joined[1] + __builtin_convertvector(halves[1], F64);
  }
  return sum_of_lanes(joined[0] + joined[1]) + rest_sum<term>(in + i, count - i);
}

template <Term term>
void sum_kernel_f32(const void* address, std::int64_t count, std::int64_t, Partial& partial) {
  partial.value += long_sum<term>(static_cast<const float*>(address), count);
}

// Squares of float32 overflow or vanish where the norm itself does not; such sums are done again in
// double.
inline void square_sum_kernel_f32(const void* address, std::int64_t count, std::int64_t,
                                  Partial& partial) {
  const float* in = static_cast<const float*>(address);
  double sum = long_sum<Term::kSquare>(in, count);
  if (!(sum < 1e38 && sum > 1e-28)) {
    sum = 0;
    for (std::int64_t i = 0; i < count; ++i)
      sum += static_cast<double>(in[i]) * static_cast<double>(in[i]);
  }
  partial.value += sum;
}

// float64: blocks are joined with what rounding loses.
template <Term term>
void sum_kernel_f64(const void* address, std::int64_t count, std::int64_t, Partial& partial) {
  const double* in = static_cast<const double*>(address);
  std::int64_t i = 0;
  for (; i + kSumBlock<double> <= count; i += kSumBlock<double>) {
    add_exactly(partial, sum_of_lanes(block_lanes<term>(in + i)));
  }
  if (i < count) add_exactly(partial, rest_sum<term>(in + i, count - i));
}

template <bool kLargest, class T>
GPUKIT_SIMD_FN bool beats(T candidate, T best) {
  return kLargest ? candidate > best : candidate < best;
}
template <bool kLargest, class V>
GPUKIT_SIMD_FN V better_of(V x, V best) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<V, F32>) {
    return kLargest ? _mm512_maskz_max_ps(kAllLanes, x, best)
                    : _mm512_maskz_min_ps(kAllLanes, x, best);
  }
#elif defined(__AVX2__)
  if constexpr (std::is_same_v<V, F32>)
    return kLargest ? _mm256_max_ps(x, best) : _mm256_min_ps(x, best);
#endif
  return kLargest ? (x > best ? x : best) : (x < best ? x : best);
}

template <class T>
struct BlockExtreme {
  T value;
  bool has_nan;
};

// NaN: x * 0 is NaN for NaN and for infinities, so a clean probe proves that there is none; else
// the block is searched.
template <class T>
inline bool contains_nan(const T* in, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (in[i] != in[i]) return true;
  }
  return false;
}

/// Extreme of count >= 1 elements.
template <bool kLargest, class T>
GPUKIT_SIMD_FN BlockExtreme<T> block_extreme(const T* in, std::int64_t count) {
  constexpr std::int64_t kStep = kLanes<T>;
  constexpr int kWays = 8;
  T best = in[0];
  bool suspicious = in[0] != in[0];
  std::int64_t i = 0;
  if (count >= kWays * kStep) {
    Vec<T> lanes[kWays], probe[kWays] = {};
    for (int k = 0; k < kWays; ++k) {
      lanes[k] = load(in + k * kStep);
      if constexpr (std::is_floating_point_v<T>) probe[k] = lanes[k] * T{0};
    }
    for (i = kWays * kStep; i + kWays * kStep <= count; i += kWays * kStep) {
      for (int k = 0; k < kWays; ++k) {
        const Vec<T> x = load(in + i + k * kStep);
        lanes[k] = better_of<kLargest>(x, lanes[k]);
        if constexpr (std::is_floating_point_v<T>) probe[k] = probe[k] + x * T{0};
      }
    }
    for (int width = kWays / 2; width > 0; width /= 2) {
      for (int k = 0; k < width; ++k) {
        lanes[k] = better_of<kLargest>(lanes[k], lanes[k + width]);
        probe[k] = probe[k] + probe[k + width];
      }
    }
    T lane[kLanes<T>];
    store(lane, lanes[0]);
    for (int width = kLanes<T> / 2; width > 0; width /= 2) {
      for (int k = 0; k < width; ++k) {
        lane[k] = beats<kLargest>(lane[k + width], lane[k]) ? lane[k + width] : lane[k];
      }
    }
    if (beats<kLargest>(lane[0], best)) best = lane[0];
    if constexpr (std::is_floating_point_v<T>) suspicious |= any_lane(probe[0] != probe[0]);
  }
  for (; i < count; ++i) {
    if (beats<kLargest>(in[i], best)) best = in[i];
    suspicious |= in[i] != in[i];
    GPUKIT_SIMD_SCALAR_LOOP;
  }
  return {best, suspicious && contains_nan(in, count)};
}

template <class T>
GPUKIT_SIMD_FN T held_value(const Partial& partial) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(partial.value);
  else
    return static_cast<T>(partial.integer);
}
template <class T>
GPUKIT_SIMD_FN void hold_value(Partial& partial, T value) {
  if constexpr (std::is_floating_point_v<T>)
    partial.value = static_cast<double>(value);
  else
    partial.integer = static_cast<std::int64_t>(value);
}

/// The first place of `value`, or of a NaN when `value` is one; it is there.
template <class T>
GPUKIT_SIMD_FN std::int64_t place_of(const T* in, std::int64_t count, T value) {
  constexpr std::int64_t kStep = kLanes<T>;
  const auto found = [value](auto x) {
    if constexpr (std::is_floating_point_v<T>)
      return value != value ? x != x : x == value;
    else
      return x == value;
  };
  std::int64_t i = 0;
  while (i + 4 * kStep <= count) {
    const auto first = found(load(in + i)), second = found(load(in + i + kStep));
    const auto third = found(load(in + i + 2 * kStep)), fourth = found(load(in + i + 3 * kStep));
    if (any_lane((first | second) | (third | fourth))) break;
    i += 4 * kStep;
  }
  while (!found(in[i])) ++i;
  return i;
}

// The first NaN wins, then the first of the equal extremes. Only a block that improves on the best
// is looked through for its position.
template <bool kLargest, bool kPosition, class T>
void extreme_kernel(const void* address, std::int64_t count, std::int64_t base, Partial& partial) {
  const T* in = static_cast<const T*>(address);
  bool empty = partial.index < 0;
  T best = held_value<T>(partial);
  if (!empty && best != best) return;
  std::int64_t best_block = -1;
  for (std::int64_t i = 0; i < count; i += kBlock) {
    const std::int64_t size = count - i < kBlock ? count - i : kBlock;
    const BlockExtreme<T> block = block_extreme<kLargest>(in + i, size);
    if (!empty && !block.has_nan && !beats<kLargest>(block.value, best)) continue;
    best = block.value;
    best_block = i;
    empty = false;
    if (block.has_nan) {
      if constexpr (std::is_floating_point_v<T>) best = static_cast<T>(__builtin_nan(""));
      break;
    }
  }
  if (best_block < 0) return;
  std::int64_t position = best_block;
  if constexpr (kPosition) position += place_of(in + best_block, count - best_block, best);
  hold_value(partial, best);
  partial.index = base + position;
}

template <class T>
void add_extremes_of(SimdTable& table, DType dtype) {
  const int column = static_cast<int>(dtype);
  table.reduce[static_cast<int>(ReduceOp::kMax)][column] = extreme_kernel<true, false, T>;
  table.reduce[static_cast<int>(ReduceOp::kMin)][column] = extreme_kernel<false, false, T>;
  table.reduce[static_cast<int>(ReduceOp::kArgMax)][column] = extreme_kernel<true, true, T>;
  table.reduce[static_cast<int>(ReduceOp::kArgMin)][column] = extreme_kernel<false, true, T>;
}

inline void set_sum(SimdTable& table, ReduceOp op, ReduceKernel for_f32, ReduceKernel for_f64) {
  table.reduce[static_cast<int>(op)][static_cast<int>(DType::kFloat32)] = for_f32;
  table.reduce[static_cast<int>(op)][static_cast<int>(DType::kFloat64)] = for_f64;
}

// Bytes that are not 0, counted 255 vectors at a time in byte lanes.
inline void count_bytes_kernel(const void* address, std::int64_t count, std::int64_t,
                               Partial& partial) {
  constexpr std::int64_t kStep = kBytes;
  const std::uint8_t* in = static_cast<const std::uint8_t*>(address);
  std::int64_t i = 0;
  while (i + kStep <= count) {
    Vec<std::uint8_t> lanes = {};
    for (int k = 0; k < 255 && i + kStep <= count; ++k, i += kStep) {
      lanes = lanes + bits_as<Vec<std::uint8_t>>((load(in + i) != std::uint8_t{0}) & 1);
    }
    for (int lane = 0; lane < kBytes; ++lane) partial.integer += lanes[lane];
  }
  for (; i < count; ++i) {
    partial.integer += in[i] != 0;
    GPUKIT_SIMD_SCALAR_LOOP;
  }
}

void add_reduce(SimdTable& table) {
  set_sum(table, ReduceOp::kSum, sum_kernel_f32<Term::kValue>, sum_kernel_f64<Term::kValue>);
  set_sum(table, ReduceOp::kMean, sum_kernel_f32<Term::kValue>, sum_kernel_f64<Term::kValue>);
  set_sum(table, ReduceOp::kNorm1, sum_kernel_f32<Term::kMagnitude>,
          sum_kernel_f64<Term::kMagnitude>);
  set_sum(table, ReduceOp::kNorm2, square_sum_kernel_f32, sum_kernel_f64<Term::kSquare>);
  add_extremes_of<float>(table, DType::kFloat32);
  add_extremes_of<double>(table, DType::kFloat64);
  add_extremes_of<std::uint8_t>(table, DType::kBool);
  add_extremes_of<std::uint8_t>(table, DType::kUInt8);
  add_extremes_of<std::int8_t>(table, DType::kInt8);
  add_extremes_of<std::int16_t>(table, DType::kInt16);
  add_extremes_of<std::int32_t>(table, DType::kInt32);
  add_extremes_of<std::int64_t>(table, DType::kInt64);
  for (ReduceOp op : {ReduceOp::kSum, ReduceOp::kCountNonzero}) {
    table.reduce[static_cast<int>(op)][static_cast<int>(DType::kBool)] = count_bytes_kernel;
  }
}

}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
