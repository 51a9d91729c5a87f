// The core of products of bfloat16 by the processor's dot products of pairs (vdpbf16ps): a tile
// of the result in registers, and its rounding.
#pragma once

#include "cpu/simd/bfloat16_packing.h"

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {

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

/// Rows of a tile whose sums fit into the registers.
inline constexpr int kPairTileRows = 14;

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
  table.bfloat16_pairs.rows = kPairTileRows;
  add_tiles<kPairTileRows>(table.bfloat16_pairs);
  table.bfloat16_pairs.pack = pack;
  table.bfloat16_pairs.finish = finish_tile;
}

}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
