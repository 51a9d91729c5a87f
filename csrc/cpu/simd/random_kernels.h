// Philox numbers to float32: compiled for each level for its fused multiply-add and wide integer
// products.
#pragma once

#include "cpu/simd/vector.h"
#include "kernels/philox.h"

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {

/// Elements 4 * first_block … of `count` elements; the arguments are those of philox.h.
void random_uniform(const RandomStream& stream, float* out, std::int64_t first_block,
                    std::int64_t count) {
  const UniformRange<float> range{stream.low, stream.span, stream.below_high};
  for (std::int64_t i = 0; i < count; i += 4) {
    const PhiloxWords words =
        philox(static_cast<gk_u64>(first_block + i / 4), stream.offset, stream.seed);
    const std::int64_t here = count - i < 4 ? count - i : 4;
    for (std::int64_t e = 0; e < here; ++e)
      out[i + e] = uniform_value(unit_float(words.word[e]), range);
  }
}

void random_normal(const RandomStream& stream, float* out, std::int64_t first_block,
                   std::int64_t count) {
  for (std::int64_t i = 0; i < count; i += 4) {
    const PhiloxWords words =
        philox(static_cast<gk_u64>(first_block + i / 4), stream.offset, stream.seed);
    const NormalPair<float> first = normal_pair(words.word[0], words.word[1]);
    const NormalPair<float> second = normal_pair(words.word[2], words.word[3]);
    const float values[4] = {first.even, first.odd, second.even, second.odd};
    const std::int64_t here = count - i < 4 ? count - i : 4;
    for (std::int64_t e = 0; e < here; ++e)
      out[i + e] = scale_normal(values[e], stream.low, stream.span);
  }
}

void add_random(SimdTable& table) {
  table.random_uniform = random_uniform;
  table.random_normal = random_normal;
}

}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
