// Loops of layers: windows of pooling, batch norm, and the step of an LSTM.
#pragma once

#include <utility>

#include "cpu/simd/attention_kernels.h"
#include "cpu/simd/sums.h"
#include "cpu/simd/vector_math.h"

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {

/// Every second element from a vector on. `high` begins with the last lane of `low`, so that
/// nothing behind the last element is read.
GPUKIT_SIMD_FN F32 every_second(F32 low, F32 high) {
  constexpr std::size_t kCount = kLanes<float>;
  return [&]<std::size_t... lane>(std::index_sequence<lane...>) {
    return shuffled<(lane < kCount / 2 ? 2 * lane : 2 * lane + 1)...>(low, high);
  }(std::make_index_sequence<kCount>{});
}

/// Every `stride`-th element from `in` on.
GPUKIT_SIMD_FN F32 load_every(const float* in, std::int64_t stride) {
  if (stride == 1) return load(in);
  if (stride == 2) return every_second(load(in), load(in + kLanes<float> - 1));
  F32 value;
  for (int i = 0; i < kLanes<float>; ++i) value[i] = in[i * stride];
  return value;
}

/// The last `count` of them, fewer than a vector; nothing behind them is read.
GPUKIT_SIMD_FN F32 load_last(const float* in, std::int64_t stride, std::int64_t count) {
  constexpr std::int64_t kCount = kLanes<float>;
  if (stride == 1) return load_some(in, count);
  if (stride == 2) {
    const std::int64_t all = 2 * count - 1;
    if (all <= kCount) return every_second(load_some(in, all), F32{});
    return every_second(load(in), load_some(in + kCount - 1, all - kCount + 1));
  }
  F32 value = {};
  for (std::int64_t i = 0; i < count; ++i) value[i] = in[i * stride];
  return value;
}

template <bool kNumbers>
GPUKIT_SIMD_FN void larger_by(float* best, std::int32_t* numbers, const float* in,
                              std::int64_t stride, std::int32_t first, std::int64_t count) {
  const auto step = static_cast<std::int32_t>(stride);
  I32 numbered;
  for (int i = 0; i < kLanes<float>; ++i) numbered[i] = first + i * step;
  const auto take = [&](std::int64_t i) {
    const F32 value = load_every(in + i * stride, stride), before = load(best + i);
    const I32 taken = (value > before) | (value != value);
    store(best + i, taken ? value : before);
    if constexpr (kNumbers) {
      const I32 number = numbered + static_cast<std::int32_t>(i) * step;
      store(numbers + i, taken ? number : load(numbers + i));
    }
  };
  const auto take_rest = [&](std::int64_t i) {
    const std::int64_t rest = count - i;
    const F32 value = load_last(in + i * stride, stride, rest), before = load_some(best + i, rest);
    const I32 taken = (value > before) | (value != value);
    store_some(best + i, taken ? value : before, rest);
    if constexpr (kNumbers) {
      const I32 number = numbered + static_cast<std::int32_t>(i) * step;
      store_some<std::int32_t>(numbers + i, taken ? number : load_some(numbers + i, rest), rest);
    }
  };
  std::int64_t i = 0;
  for (; i + kLanes<float> <= count; i += kLanes<float>) take(i);
  if (i == count) return;
  if (i != 0) return take(count - kLanes<float>);  // some elements twice, which changes nothing
  take_rest(i);
}

/// Steps of 1 and 2 have loops of their own.
template <bool kNumbers>
void larger_of(float* best, std::int32_t* numbers, const float* in, std::int64_t stride,
               std::int32_t first, std::int64_t count) {
  if (stride == 1) return larger_by<kNumbers>(best, numbers, in, 1, first, count);
  if (stride == 2) return larger_by<kNumbers>(best, numbers, in, 2, first, count);
  larger_by<kNumbers>(best, numbers, in, stride, first, count);
}

inline void larger(float* best, std::int32_t* numbers, const float* in, std::int64_t stride,
                   std::int32_t first, std::int64_t count) {
  if (numbers == nullptr) return larger_of<false>(best, numbers, in, stride, first, count);
  larger_of<true>(best, numbers, in, stride, first, count);
}

/// Two vectors of places through all taps, in registers.
template <bool kNumbers>
GPUKIT_SIMD_FN void largest_of(const LargestRow& row, std::int64_t stride,
                               const std::int64_t (&places)[2]) {
  F32 best[2];
  I32 tap_of[2];
  std::int64_t at[2];
  for (int v = 0; v < 2; ++v) {
    at[v] = row.first + places[v] * stride;
    best[v] = load_every(row.in + (at[v] + row.taps[0]), stride);
    tap_of[v] = I32{} + static_cast<std::int32_t>(row.taps[0]);
  }
  for (std::int64_t t = 1; t < row.tap_count; ++t) {
    const std::int64_t tap = row.taps[t];
    for (int v = 0; v < 2; ++v) {
      const F32 value = load_every(row.in + (at[v] + tap), stride);
      const I32 taken = (value > best[v]) | (value != value);
      best[v] = taken ? value : best[v];
      if constexpr (kNumbers)
        tap_of[v] = taken ? I32{} + static_cast<std::int32_t>(tap) : tap_of[v];
    }
  }
  for (int v = 0; v < 2; ++v) {
    store(row.values + places[v], best[v]);
    if constexpr (kNumbers) {
      std::int32_t tap[kLanes<float>];
      store(tap, tap_of[v]);
      for (int i = 0; i < kLanes<float>; ++i)
        row.numbers[places[v] + i] = at[v] + i * stride + tap[i];
    }
  }
}

template <bool kNumbers>
GPUKIT_SIMD_FN void largest_by(const LargestRow& row, std::int64_t stride) {
  // The last vectors begin earlier where they are not whole: some places twice.
  const std::int64_t last = row.count - kLanes<float>;
  for (std::int64_t i = 0; i < row.count; i += 2 * kLanes<float>) {
    const std::int64_t next = i + kLanes<float>;
    largest_of<kNumbers>(row, stride, {i < last ? i : last, next < last ? next : last});
  }
}

template <bool kNumbers>
void largest_by_stride(const LargestRow& row) {
  if (row.stride == 1) return largest_by<kNumbers>(row, 1);
  if (row.stride == 2) return largest_by<kNumbers>(row, 2);
  largest_by<kNumbers>(row, row.stride);
}

inline bool largest_row(const LargestRow& row) {
  if (row.count < kLanes<float>) return false;
  row.numbers == nullptr ? largest_by_stride<false>(row) : largest_by_stride<true>(row);
  return true;
}

inline double squared_distances(const float* in, float centre, std::int64_t count) {
  return long_sum(in, count, SquaredDistance{centre});
}

/// In blocks that are joined in double.
inline double products(const float* a, const float* b, float centre, std::int64_t count) {
  double total = 0;
  std::int64_t i = 0;
  while (count - i >= kLanes<float>) {
    const std::int64_t vectors =
        (count - i < kSumBlock<float> ? count - i : kSumBlock<float>) / kLanes<float>;
    F32 lanes[2] = {};
    for (std::int64_t v = 0; v < vectors; ++v, i += kLanes<float>)
      lanes[v & 1] = multiply_add(load(a + i), load(b + i) - centre, lanes[v & 1]);
    total += joined_lanes(lanes[0] + lanes[1]);
  }
  for (; i < count; ++i) {
    total += static_cast<double>(a[i] * (b[i] - centre));
    GPUKIT_SIMD_SCALAR_LOOP;
  }
  return total;
}

inline void scale(float* out, const float* in, float centre, float factor, float offset,
                  std::int64_t count) {
  const F32 shift = broadcast(offset);
  std::int64_t i = 0;
  for (; i + kLanes<float> <= count; i += kLanes<float>)
    store(out + i, multiply_add(load(in + i) - centre, factor, shift));
  if (i < count) {
    const F32 last = multiply_add(load_some(in + i, count - i) - centre, factor, shift);
    store_some(out + i, last, count - i);
  }
}

inline void normal_gradient(float* out, const float* gradient, const float* in, float centre,
                            float mean, float slope, float factor, std::int64_t count) {
  const auto of = [&](F32 g, F32 x) { return ((g - mean) - (x - centre) * slope) * factor; };
  std::int64_t i = 0;
  for (; i + kLanes<float> <= count; i += kLanes<float>)
    store(out + i, of(load(gradient + i), load(in + i)));
  if (i < count) {
    const std::int64_t rest = count - i;
    store_some(out + i, of(load_some(gradient + i, rest), load_some(in + i, rest)), rest);
  }
}

/// Calls body(place, lanes) for each vector of a row; the last one may have fewer lanes.
template <class Body>
GPUKIT_SIMD_FN void for_each_vector(std::int64_t count, const Body& body) {
  for (std::int64_t i = 0; i < count; i += kLanes<float>)
    body(i, count - i < kLanes<float> ? count - i : std::int64_t{kLanes<float>});
}
GPUKIT_SIMD_FN F32 load_lanes(const float* from, std::int64_t lanes) {
  return lanes == kLanes<float> ? load(from) : load_some(from, lanes);
}
GPUKIT_SIMD_FN void store_lanes(float* to, F32 value, std::int64_t lanes) {
  if (lanes == kLanes<float>) return store(to, value);
  store_some(to, value, lanes);
}

inline void lstm(const float* gates, const float* cell, float* active, float* next, float* out,
                 std::int64_t hidden) {
  for_each_vector(hidden, [&](std::int64_t i, std::int64_t lanes) {
    const F32 in = sigmoid_of(load_lanes(gates + i, lanes));
    const F32 forget = sigmoid_of(load_lanes(gates + hidden + i, lanes));
    const F32 fresh = tanh_of(load_lanes(gates + 2 * hidden + i, lanes));
    const F32 shown = sigmoid_of(load_lanes(gates + 3 * hidden + i, lanes));
    const F32 kept = multiply_add(forget, load_lanes(cell + i, lanes), in * fresh);
    const F32 values[4] = {in, forget, fresh, shown};
    for (int gate = 0; gate < 4; ++gate)
      store_lanes(active + gate * hidden + i, values[gate], lanes);
    store_lanes(next + i, kept, lanes);
    store_lanes(out + i, shown * tanh_of(kept), lanes);
  });
}

inline void lstm_backward(const float* const (&arrays)[5], float* gates_gradient,
                          float* cell_gradient, std::int64_t hidden) {
  const auto [active, cell, next, out_gradient, next_gradient] = arrays;
  for_each_vector(hidden, [&](std::int64_t i, std::int64_t lanes) {
    F32 gate[4];
    for (int k = 0; k < 4; ++k) gate[k] = load_lanes(active + k * hidden + i, lanes);
    const auto [in, forget, fresh, shown] = gate;
    const F32 bounded = tanh_of(load_lanes(next + i, lanes));
    const F32 g = load_lanes(out_gradient + i, lanes);
    const F32 kept = load_lanes(next_gradient + i, lanes) + g * shown * (1.0f - bounded * bounded);
    const F32 values[4] = {kept * fresh * in * (1.0f - in),
                           kept * load_lanes(cell + i, lanes) * forget * (1.0f - forget),
                           kept * in * (1.0f - fresh * fresh),
                           g * bounded * shown * (1.0f - shown)};
    for (int k = 0; k < 4; ++k) store_lanes(gates_gradient + k * hidden + i, values[k], lanes);
    store_lanes(cell_gradient + i, kept * forget, lanes);
  });
}

void add_layers(SimdTable& table) {
  table.attention = {attention_weights, attention_scale, attention_slopes};
  table.layers = {largest_row,     larger, squared_distances, products, scale,
                  normal_gradient, lstm,   lstm_backward};
}

}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
