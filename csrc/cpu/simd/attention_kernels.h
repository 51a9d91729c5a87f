// Weights of attention, and their way back: keys are rows, a lane has one query.
#pragma once

#include "cpu/simd/vector_math.h"

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {

/// As many as a panel of SkinnyKernel has.
inline constexpr int kPanelVectors = 2;
inline constexpr std::int64_t kPanel = kPanelVectors * kLanes<float>;

/// exp(x) for x that is not above a few times 1: no weight is, but for rounding. Below -87 it is 0.
GPUKIT_SIMD_FN F32 weight_of(F32 x) {
  // The sum with kRound holds the biased exponent of 2^n in its low bits.
  constexpr float kRound = 12582912.0f + 127.0f;
  const F32 shifted = multiply_add(x, kLog2E, broadcast(kRound));
  const F32 power = bits_as<F32>(bits_as<I32>(shifted) << 23);
  const F32 n = shifted - kRound;
  F32 r = multiply_add(n, -kLn2High, x);
  r = multiply_add(n, -kLn2Low, r);
  const F32 slope = multiply_add(exp_tail(r), r, broadcast(1.0f));
  const F32 weight = multiply_add(slope, r, broadcast(1.0f)) * power;
  return x < -87.0f ? F32{} : weight;
}

inline void attention_weights(float* scores, std::int64_t keys, float* largest, float* sums,
                              float* rescale) {
  F32 top[kPanelVectors], shift[kPanelVectors], sum[kPanelVectors] = {};
  for (int v = 0; v < kPanelVectors; ++v) {
    const float* score = scores + v * kLanes<float>;
    // Four chains: one would wait for each comparison.
    F32 chain[4];
    for (F32& each : chain) each = load(largest + v * kLanes<float>);
    std::int64_t key = 0;
    for (; key + 4 <= keys; key += 4) {
      GPUKIT_SIMD_UNROLL
      for (int i = 0; i < 4; ++i) chain[i] = at_least(chain[i], load(score + (key + i) * kPanel));
    }
    for (; key < keys; ++key) chain[0] = at_least(chain[0], load(score + key * kPanel));
    top[v] = at_least(at_least(chain[0], chain[1]), at_least(chain[2], chain[3]));
  }
  for (int v = 0; v < kPanelVectors; ++v) {
    const std::int64_t at = v * kLanes<float>;
    // A query whose scores so far are -inf has weights of 0, not of exp(-inf + inf).
    shift[v] = top[v] == -kInfinity ? F32{} : top[v];
    const F32 factor = exp_of(load(largest + at) - shift[v]);
    store(rescale + at, factor);
    store(sums + at, load(sums + at) * factor);
    store(largest + at, top[v]);
  }
  for (std::int64_t key = 0; key < keys; ++key) {
    for (int v = 0; v < kPanelVectors; ++v) {
      float* score = scores + key * kPanel + v * kLanes<float>;
      const F32 weight = weight_of(load(score) - shift[v]);
      store(score, weight);
      sum[v] = sum[v] + weight;
    }
  }
  for (int v = 0; v < kPanelVectors; ++v)
    store(sums + v * kLanes<float>, load(sums + v * kLanes<float>) + sum[v]);
}

inline void attention_scale(float* rows, std::int64_t count, std::int64_t stride,
                            const float* factors) {
  F32 factor[kPanelVectors];
  for (int v = 0; v < kPanelVectors; ++v) factor[v] = load(factors + v * kLanes<float>);
  for (std::int64_t row = 0; row < count; ++row, rows += stride) {
    for (int v = 0; v < kPanelVectors; ++v)
      store(rows + v * kLanes<float>, load(rows + v * kLanes<float>) * factor[v]);
  }
}

inline void attention_slopes(float* scores, float* slopes, std::int64_t keys, std::int64_t stride,
                             const float* log_sums, const float* means) {
  for (int v = 0; v < kPanelVectors; ++v) {
    const std::int64_t at = v * kLanes<float>;
    const F32 shift = load(log_sums + at), mean = load(means + at);
    float *score = scores + at, *slope = slopes + at;
    for (std::int64_t key = 0; key < keys; ++key, score += stride, slope += stride) {
      const F32 weight = weight_of(load(score) - shift);
      store(score, weight);
      store(slope, weight * (load(slope) - mean));
    }
  }
}

}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
