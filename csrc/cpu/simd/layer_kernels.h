// Loops of layers: windows of pooling, batch norm, and the step of an LSTM.
#pragma once

#include <utility>

#include "cpu/simd/attention_kernels.h"
#include "cpu/simd/sums.h"
#include "cpu/simd/vector_math.h"

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {

/// The even lanes of two vectors that follow each other.
GPUKIT_SIMD_FN F32 even_lanes(F32 low, F32 high) {
#if defined(__clang__)
  // Its lanes are looked at in untaken branches too, hence a list of the right length.
  return [&]<int... kLane>(std::integer_sequence<int, kLane...>) {
    return __builtin_shufflevector(low, high, (2 * kLane)...);
  }(std::make_integer_sequence<int, kLanes<float>>{});
#else
  I32 places;
  for (int i = 0; i < kLanes<float>; ++i) places[i] = 2 * i;
  return __builtin_shuffle(low, high, places);
#endif
}

/// Every `stride`-th element from `in` on. Of every second one more is read, up to the one before
/// the next vector.
GPUKIT_SIMD_FN F32 load_every(const float* in, std::int64_t stride) {
  if (stride == 1) return load(in);
  if (stride == 2) return even_lanes(load(in), load(in + kLanes<float>));
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
    if (all <= kCount) return even_lanes(load_some(in, all), F32{});
    return even_lanes(load(in), load_some(in + kCount, all - kCount));
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
  const std::int64_t end = stride == 2 ? count - 1 : count;
  for (; i + kLanes<float> <= end; i += kLanes<float>) take(i);
  if (i != 0 && i < end) {  // some elements twice, which changes nothing
    take(end - kLanes<float>);
    i = end;
  }
  if (i < count) take_rest(i);
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
  table.layers = {larger, squared_distances, products, scale, normal_gradient, lstm, lstm_backward};
}

}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
