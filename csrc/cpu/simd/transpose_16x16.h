// 16 x 16 elements of 4 bytes, transposed in registers.
#pragma once

#include "cpu/simd/vector.h"

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {

GPUKIT_SIMD_FN __m512i shuffled_rows(__m512i x, __m512i y, bool high) {
  return high ? _mm512_maskz_shuffle_i32x4(kAllLanes, x, y, 0xdd)
              : _mm512_maskz_shuffle_i32x4(kAllLanes, x, y, 0x88);
}

GPUKIT_SIMD_FN void transpose_in_registers(__m512i (&row)[16]) {
  __m512i pair[16];
  GPUKIT_SIMD_UNROLL
  for (int r = 0; r < 16; r += 2) {
    pair[r] = _mm512_maskz_unpacklo_epi32(kAllLanes, row[r], row[r + 1]);
    pair[r + 1] = _mm512_maskz_unpackhi_epi32(kAllLanes, row[r], row[r + 1]);
  }
  GPUKIT_SIMD_UNROLL
  for (int r = 0; r < 16; r += 4) {
    row[r] = _mm512_maskz_unpacklo_epi64(0xff, pair[r], pair[r + 2]);
    row[r + 1] = _mm512_maskz_unpackhi_epi64(0xff, pair[r], pair[r + 2]);
    row[r + 2] = _mm512_maskz_unpacklo_epi64(0xff, pair[r + 1], pair[r + 3]);
    row[r + 3] = _mm512_maskz_unpackhi_epi64(0xff, pair[r + 1], pair[r + 3]);
  }
  // Each row[4 g + c] holds, in lane group q, column 4 q + c of rows 4 g .. 4 g + 3.
  GPUKIT_SIMD_UNROLL
  for (int c = 0; c < 4; ++c) {
    const __m512i low_even = shuffled_rows(row[c], row[4 + c], false);
    const __m512i low_odd = shuffled_rows(row[c], row[4 + c], true);
    const __m512i high_even = shuffled_rows(row[8 + c], row[12 + c], false);
    const __m512i high_odd = shuffled_rows(row[8 + c], row[12 + c], true);
    row[c] = shuffled_rows(low_even, high_even, false);
    row[4 + c] = shuffled_rows(low_odd, high_odd, false);
    row[8 + c] = shuffled_rows(low_even, high_even, true);
    row[12 + c] = shuffled_rows(low_odd, high_odd, true);
  }
}

}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
