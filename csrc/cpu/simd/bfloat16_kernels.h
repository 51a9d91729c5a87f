// The core of products of bfloat16 by the processor's dot products of pairs (vdpbf16ps): packing,
// a tile of the result in registers, and its rounding.
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

/// The pair of a's row `r`. Few registers hold the addresses of all rows.
template <int kRows>
struct PairRows {
  explicit PairRows(const PairRowsRef& a) : step(a.row_bytes), triple(3 * a.row_bytes) {
    for (int q = 0; q < kGroups; ++q) group[q] = static_cast<const char*>(a.data) + 4 * q * step;
  }
  GPUKIT_SIMD_FN const char* of(const PairRows& rows, int r) {
    const char* first = rows.group[r / 4];
    return r % 4 == 3 ? first + rows.triple : first + r % 4 * rows.step;
  }
  static constexpr int kGroups = (kRows + 3) / 4;
  const char* group[kGroups];
  std::int64_t step, triple;
};

/// tile[kRows][kTileColumns] (+)= a's rows * b panel, over `pairs` pairs of the depth.
template <int kRows, int kVectors>
void pair_tile(std::int64_t pairs, const PairRowsRef& a, const void* b_panel, float* tile,
               bool first) {
  const std::int32_t* b = static_cast<const std::int32_t*>(b_panel);
  PairRows<kRows> rows(a);
  const std::int64_t pair_bytes = a.pair_bytes;
  __m512 sum[kRows][kVectors];
  GPUKIT_SIMD_UNROLL
  for (int r = 0; r < kRows; ++r) {
    GPUKIT_SIMD_UNROLL
    for (int v = 0; v < kVectors; ++v)
      sum[r][v] = first ? _mm512_setzero_ps() : load(tile + r * kTileColumns + v * kWords);
  }
  for (std::int64_t p = 0; p < pairs; ++p, b += kVectors * kWords) {
    __m512bh right[kVectors];
    GPUKIT_SIMD_UNROLL
    for (int v = 0; v < kVectors; ++v) right[v] = load_as<__m512bh>(b + v * kWords);
    GPUKIT_SIMD_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const auto pair = load_as<std::int32_t>(PairRows<kRows>::of(rows, r));
      const auto left = bits_as<__m512bh>(_mm512_set1_epi32(pair));
      GPUKIT_SIMD_UNROLL
      for (int v = 0; v < kVectors; ++v) sum[r][v] = _mm512_dpbf16_ps(sum[r][v], left, right[v]);
    }
    GPUKIT_SIMD_UNROLL
    for (int q = 0; q < PairRows<kRows>::kGroups; ++q) rows.group[q] += pair_bytes;
  }
  GPUKIT_SIMD_UNROLL
  for (int r = 0; r < kRows; ++r) {
    GPUKIT_SIMD_UNROLL
    for (int v = 0; v < kVectors; ++v) store(tile + r * kTileColumns + v * kWords, sum[r][v]);
  }
}

/// c = alpha * tile + beta * c, rounded to nearest even. With beta == 0, c is not read.
inline void finish_tile(void* c_address, std::int64_t c_stride, const float* tile,
                        std::int64_t rows, std::int64_t columns, float alpha, float beta) {
  std::uint16_t* c = static_cast<std::uint16_t*>(c_address);
  for (std::int64_t r = 0; r < rows; ++r, c += c_stride, tile += kTileColumns) {
    for (std::int64_t j = 0; j < columns; j += kWords) {
      const auto present = static_cast<__mmask16>(lanes_below(columns - j));
      F32 value = load(tile + j) * alpha;
      if (beta != 0.0f) {
        const __m256i before = _mm256_maskz_loadu_epi16(present, c + j);
        value += float_from_bfloat16(bits_as<Words>(before)) * beta;
      }
      _mm256_mask_storeu_epi16(c + j, present, bits_as<__m256i>(bfloat16_from_float(value)));
    }
  }
}

template <int kRows>
void add_tiles(PairKernels& kernels) {
  kernels.tile[kRows][0] = pair_tile<kRows, 1>;
  kernels.tile[kRows][1] = pair_tile<kRows, 2>;
  if constexpr (kRows > 1) add_tiles<kRows - 1>(kernels);
}

void add_bfloat16(SimdTable& table) {
  table.level = GPUKIT_SIMD_NAME(GPUKIT_SIMD_LEVEL);
  add_tiles<kTileRows>(table.bfloat16_pairs);
  table.bfloat16_pairs.pack = pack;
  table.bfloat16_pairs.finish = finish_tile;
}

}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
