// Rows of bfloat16 packed in pairs along the depth, for dot products of pairs and for tiles.
#pragma once

#include "cpu/simd/half_vectors.h"
#include "cpu/simd/transpose_16x16.h"

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {

inline constexpr int kWords = 16;  ///< pairs in a register

/// The lanes below `count`.
GPUKIT_SIMD_FN std::uint32_t lanes_below(std::int64_t count) {
  return count >= 32 ? 0xffffffffu : (1u << count) - 1u;
}

/// Rows whose elements are adjacent along the depth: their pairs are words already, which are
/// transposed 16 by 16.
GPUKIT_SIMD_FN void pack_words(std::uint32_t* out, std::int64_t width, const std::uint16_t* in,
                               std::int64_t stride, std::int64_t count, std::int64_t depth) {
  for (std::int64_t first = 0; first < width; first += kWords) {
    const auto stored = static_cast<__mmask16>(lanes_below(width - first));
    for (std::int64_t p = 0; p < depth; p += 2 * kWords) {
      const __mmask32 present = lanes_below(depth - p);
      __m512i rows[kWords];
      GPUKIT_SIMD_UNROLL
      for (int r = 0; r < kWords; ++r) {
        rows[r] = first + r < count
                      ? _mm512_maskz_loadu_epi16(present, in + (first + r) * stride + p)
                      : _mm512_setzero_si512();
      }
      transpose_in_registers(rows);
      std::uint32_t* at = out + p / 2 * width + first;
      const std::int64_t pairs = (depth - p + 1) / 2;
      GPUKIT_SIMD_UNROLL
      for (int r = 0; r < kWords; ++r) {
        if (r < pairs) _mm512_mask_storeu_epi32(at + r * width, stored, rows[r]);
      }
    }
  }
}

/// Up to 16 elements of two neighbours along the depth, interleaved.
GPUKIT_SIMD_FN __m512i neighbours(const std::uint16_t* even, const std::uint16_t* odd,
                                  std::int64_t count, bool has_odd) {
  const auto present = static_cast<__mmask16>(lanes_below(count));
  const __m256i low = _mm256_maskz_loadu_epi16(present, even);
  const __m256i high = _mm256_maskz_loadu_epi16(has_odd ? present : static_cast<__mmask16>(0), odd);
  return bits_as<__m512i>(__builtin_convertvector(bits_as<Words>(low), U32) |
                          __builtin_convertvector(bits_as<Words>(high), U32) << 16);
}

/// Adjacent rows. All panels grow together, so that memory is read in long runs.
GPUKIT_SIMD_FN void pack_neighbours(const PairPanels& out, const std::uint16_t* in,
                                    std::int64_t stride, std::int64_t count, std::int64_t depth) {
  constexpr std::int64_t kAhead = 12;
  for (std::int64_t p = 0; p < depth; p += 2) {
    const std::uint16_t* even = in + p * stride;
    const std::int64_t ahead =
        (p + kAhead + 1 < depth ? kAhead : 0) * stride;  // never what others write
    std::uint32_t* panel = static_cast<std::uint32_t*>(out.words) + p / 2 * out.width;
    for (std::int64_t j = 0; j < count; j += out.width, panel += out.panel_words) {
      for (std::int64_t v = 0; v < out.width; v += kWords) {
        const std::uint16_t* at = even + j + v;
        __builtin_prefetch(at + ahead);
        __builtin_prefetch(at + ahead + stride);
        const std::int64_t here = count > j + v ? count - j - v : 0;
        _mm512_mask_storeu_epi32(panel + v, static_cast<__mmask16>(lanes_below(out.width - v)),
                                 neighbours(at, at + stride, here, p + 1 < depth));
      }
    }
  }
}

inline void pack(const PairPanels& out, const void* in_address, std::int64_t stride,
                 std::int64_t depth_stride, std::int64_t count, std::int64_t depth) {
  const std::uint16_t* in = static_cast<const std::uint16_t*>(in_address);
  if (depth_stride != 1) return pack_neighbours(out, in, depth_stride, count, depth);
  std::uint32_t* panel = static_cast<std::uint32_t*>(out.words);
  for (std::int64_t j = 0; j < count; j += out.width, panel += out.panel_words)
    pack_words(panel, out.width, in + j * stride, stride, count - j, depth);
}

}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
