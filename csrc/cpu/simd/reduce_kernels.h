// Reductions of contiguous arrays with several accumulators: sums, norms and extremes.
#pragma once

#include <type_traits>

#include "cpu/simd/sums.h"

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {

inline constexpr std::int64_t kBlock = 16384;  ///< elements that are processed together
/// Adds `term` to a sum that keeps what rounding loses (Neumaier).
GPUKIT_SIMD_FN void add_exactly(Partial& partial, double term) {
  const double sum = partial.value + term;
  const bool larger = __builtin_fabs(partial.value) >= __builtin_fabs(term);
  const double lost = larger ? (partial.value - sum) + term : (term - sum) + partial.value;
  if (__builtin_isfinite(lost)) partial.error += lost;
  partial.value = sum;
}

template <class Term>
void sum_kernel_f32(const void* address, std::int64_t count, std::int64_t, Partial& partial) {
  partial.value += long_sum(static_cast<const float*>(address), count, Term{});
}

// Squares of float32 overflow or vanish where the norm itself does not; such sums are done again in
// double.
inline void square_sum_kernel_f32(const void* address, std::int64_t count, std::int64_t,
                                  Partial& partial) {
  const float* in = static_cast<const float*>(address);
  double sum = long_sum(in, count, Square{});
  if (!(sum < 1e38 && sum > 1e-28)) {
    Partial magnitudes;  // many runs are all zeros, such as those of an embedding's gradient
    if (sum == 0) sum_kernel_f32<Magnitude>(address, count, 0, magnitudes);
    if (sum == 0 && magnitudes.value == 0) return;
    sum = 0;
    for (std::int64_t i = 0; i < count; ++i)
      sum += static_cast<double>(in[i]) * static_cast<double>(in[i]);
  }
  partial.value += sum;
}

// float64: blocks are joined with what rounding loses.
template <class Term>
void sum_kernel_f64(const void* address, std::int64_t count, std::int64_t, Partial& partial) {
  const double* in = static_cast<const double*>(address);
  std::int64_t i = 0;
  for (; i + kSumBlock<double> <= count; i += kSumBlock<double>) {
    add_exactly(partial, sum_of_lanes(block_lanes(in + i, Term{})));
  }
  if (i < count) add_exactly(partial, rest_sum(in + i, count - i, Term{}));
}

template <bool kLargest, class T>
GPUKIT_SIMD_FN bool is_better(T candidate, T best) {
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
    // The last vector overlaps the one before it, which changes no extreme.
    while (i < count) {
      const Vec<T> x = load(in + (i + kStep <= count ? i : count - kStep));
      lanes[0] = better_of<kLargest>(x, lanes[0]);
      if constexpr (std::is_floating_point_v<T>) probe[0] = probe[0] + x * T{0};
      i += kStep;
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
        lane[k] = is_better<kLargest>(lane[k + width], lane[k]) ? lane[k + width] : lane[k];
      }
    }
    if (is_better<kLargest>(lane[0], best)) best = lane[0];
    if constexpr (std::is_floating_point_v<T>) suspicious |= any_lane(probe[0] != probe[0]);
  }
  for (; i < count; ++i) {
    if (is_better<kLargest>(in[i], best)) best = in[i];
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
    if (!empty && !block.has_nan && !is_better<kLargest>(block.value, best)) continue;
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
  set_sum(table, ReduceOp::kSum, sum_kernel_f32<Value>, sum_kernel_f64<Value>);
  set_sum(table, ReduceOp::kMean, sum_kernel_f32<Value>, sum_kernel_f64<Value>);
  set_sum(table, ReduceOp::kNorm1, sum_kernel_f32<Magnitude>, sum_kernel_f64<Magnitude>);
  set_sum(table, ReduceOp::kNorm2, square_sum_kernel_f32, sum_kernel_f64<Square>);
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
