// Weights of attention, and their way back: keys are rows, a lane has one query. Scores are
// exponents of 2.
#pragma once

#include "cpu/simd/vector_math.h"

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {

/// As many as a panel of SkinnyKernel has.
inline constexpr int kPanelVectors = 2;
inline constexpr std::int64_t kPanel = kPanelVectors * kLanes<float>;

/// A largest score that grows by less keeps its place: no sum is scaled, and no weight is above
/// 2^kSlack.
inline constexpr float kSlack = 8;

/// 2^x for x that is not above kSlack but for rounding. Below -126 it is 0: results that underflow
/// take the processor some hundred cycles.
GPUKIT_SIMD_FN F32 weight_of(F32 x) {
#if defined(__AVX512F__)
  constexpr int kBelow = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;  // x - floor(x)
  const F32 r = _mm512_maskz_reduce_ps(kAllLanes, x, kBelow);
  const F32 power = polynomial(r, 0.00021612919884f, 0.00124678451416f, 0.00967545169402f,
                               0.05548528056306f, 0.24022930556275f, 0.69314704444268f, 1.0f);
  // Not less than: a NaN stays.
  const __mmask16 counts = _mm512_cmp_ps_mask(x, broadcast(-126.0f), _CMP_NLT_UQ);
  return _mm512_maskz_scalef_ps(counts, power, x);
#else
  // The sum with kRound holds the biased exponent of 2^n in its low bits.
  constexpr float kRound = 12582912.0f + 127.0f;
  const F32 shifted = x + kRound;
  const F32 power = bits_as<F32>(bits_as<I32>(shifted) << 23);
  const F32 r = x - (shifted - kRound);
  const F32 weight = polynomial(r, 0.0001535336206f, 0.001339887456f, 0.009618437358f,
                                0.05550332471f, 0.2402264791f, 0.6931472029f, 1.0f) *
                     power;
  return x < -126.0f ? F32{} : weight;
#endif
}

/// Grows `largest` to the scores and returns what to subtract from them; see AttentionKernels.
GPUKIT_SIMD_FN F32 raised(const float* scores, std::int64_t keys, float* largest, float* sums,
                          float* rescale, bool& moved) {
  const F32 before = load(largest);
  // Four chains: one would wait for each comparison.
  F32 chain[4] = {before, before, before, before};
  std::int64_t key = 0;
  for (; key + 4 <= keys; key += 4) {
    GPUKIT_SIMD_UNROLL
    for (int i = 0; i < 4; ++i) chain[i] = at_least(chain[i], load(scores + (key + i) * kPanel));
  }
  for (; key < keys; ++key) chain[0] = at_least(chain[0], load(scores + key * kPanel));
  const F32 top = at_least(at_least(chain[0], chain[1]), at_least(chain[2], chain[3]));
  const I32 grows = top > before + kSlack;
  const F32 now = grows ? top : before;
  // A query whose scores so far are -inf has weights of 0, not of 2^(-inf + inf).
  const F32 shift = now == -kInfinity ? F32{} : now;
  if (any_lane(grows)) moved = true;
  const F32 factor = grows ? weight_of(before - shift) : broadcast(1.0f);
  store(rescale, factor);
  store(sums, load(sums) * factor);
  store(largest, now);
  return shift;
}

inline bool attention_weights(float* scores, std::int64_t keys, float* largest, float* sums,
                              float* rescale) {
  F32 shift[kPanelVectors], sum[kPanelVectors] = {};
  bool moved = false;
  for (int v = 0; v < kPanelVectors; ++v) {
    const std::int64_t at = v * kLanes<float>;
    shift[v] = raised(scores + at, keys, largest + at, sums + at, rescale + at, moved);
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
  return moved;
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
