// What softmax and cross-entropy do with a row: its maximum, its sum of exponentials.
#pragma once

#include "cpu/simd/vector_math.h"

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {

// Halves against halves: a chain of lanes would cost more than the row itself.
GPUKIT_SIMD_FN float largest_lane(F32 x) {
  float lanes[kLanes<float>];
  store(lanes, x);
  for (int width = kLanes<float> / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) {
      lanes[i] = lanes[i] > lanes[i + width] ? lanes[i] : lanes[i + width];
    }
  }
  return lanes[0];
}
GPUKIT_SIMD_FN float sum_of_lanes(F32 x) {
  float lanes[kLanes<float>];
  store(lanes, x);
  for (int width = kLanes<float> / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) lanes[i] += lanes[i + width];
  }
  return lanes[0];
}

/// Four independent accumulators over whole vectors, then the rest one by one.
struct RowSums {
  F32 lanes[4] = {};
  float rest = 0;
  float total() const { return sum_of_lanes((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + rest; }
};

// NaN anywhere reaches the sum and so the whole row; it need not win here.
inline float row_maximum(const float* in, std::int64_t count) {
  constexpr std::int64_t kStep = kLanes<float>;
  float largest = -kInfinity;
  std::int64_t i = 0;
  if (count >= 4 * kStep) {
    F32 m[4] = {load(in), load(in + kStep), load(in + 2 * kStep), load(in + 3 * kStep)};
    for (i = 4 * kStep; i + 4 * kStep <= count; i += 4 * kStep) {
      for (int k = 0; k < 4; ++k) m[k] = at_least(m[k], load(in + i + k * kStep));
    }
    largest = largest_lane(at_least(at_least(m[0], m[1]), at_least(m[2], m[3])));
  }
  for (; i < count; ++i) {
    largest = in[i] > largest ? in[i] : largest;
    GPUKIT_SIMD_SCALAR_LOOP;
  }
  return largest;
}

/// out = exp(in - shift) when kKeep; returns the sum.
template <bool kKeep>
GPUKIT_SIMD_FN float exp_and_sum(float* out, const float* in, std::int64_t count, float shift) {
  constexpr std::int64_t kStep = kLanes<float>;
  RowSums sums;
  const auto take = [&](std::int64_t i, F32& lanes) {
    const F32 value = exp_of(load(in + i) - shift);
    if constexpr (kKeep) store(out + i, value);
    lanes = lanes + value;
  };
  std::int64_t i = 0;
  for (; i + 4 * kStep <= count; i += 4 * kStep) {
    for (int k = 0; k < 4; ++k) take(i + k * kStep, sums.lanes[k]);
  }
  for (; i + kStep <= count; i += kStep) take(i, sums.lanes[0]);
  if (i < count) {
    alignas(kBytes) float few[kStep];
    store(few, broadcast(-kInfinity));
    for (std::int64_t j = i; j < count; ++j) few[j - i] = in[j];
    store(few, exp_of(load(few) - shift));
    for (std::int64_t j = i; j < count; ++j) {
      if constexpr (kKeep) out[j] = few[j - i];
      sums.rest += few[j - i];
    }
  }
  return sums.total();
}

}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
