// Small blocks: the micro-kernel of gpukit's own matrix product, and transposed copies.
#pragma once

#include <utility>

#include "cpu/simd/vector.h"
#if defined(__AVX512F__)
#include "cpu/simd/transpose_16x16.h"
#endif

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {

#if defined(__AVX512F__)
inline constexpr int kGemmRows = 12;
#elif defined(__AVX2__)
inline constexpr int kGemmRows = 6;
#elif defined(__aarch64__)
inline constexpr int kGemmRows = 8;  // 16 of 32 registers are sums
#else
inline constexpr int kGemmRows = 4;
#endif
inline constexpr int kGemmVectors = 2;

/// c[rows, columns] += a panel * b panel. The panels are full (padded with zeros); only the named
/// part of c is touched.
template <class T>
void gemm_block(std::int64_t depth, const void* a_panel, const void* b_panel, void* c_address,
                std::int64_t c_stride, std::int64_t rows, std::int64_t columns) {
  constexpr int kColumns = kGemmVectors * kLanes<T>;
  const T* a = static_cast<const T*>(a_panel);
  const T* b = static_cast<const T*>(b_panel);
  T* c = static_cast<T*>(c_address);
  Vec<T> sum[kGemmRows][kGemmVectors] = {};
  for (std::int64_t p = 0; p < depth; ++p, a += kGemmRows, b += kColumns) {
    Vec<T> right[kGemmVectors];
    for (int v = 0; v < kGemmVectors; ++v) right[v] = load(b + v * kLanes<T>);
    GPUKIT_SIMD_UNROLL
    for (int r = 0; r < kGemmRows; ++r) {
      const Vec<T> left = broadcast(a[r]);
      GPUKIT_SIMD_UNROLL
      for (int v = 0; v < kGemmVectors; ++v) sum[r][v] = sum[r][v] + left * right[v];
    }
  }
  if (rows == kGemmRows && columns == kColumns) {
    GPUKIT_SIMD_UNROLL
    for (int r = 0; r < kGemmRows; ++r) {
      GPUKIT_SIMD_UNROLL
      for (int v = 0; v < kGemmVectors; ++v) {
        T* target = c + r * c_stride + v * kLanes<T>;
        store(target, load(target) + sum[r][v]);
      }
    }
    return;
  }
  T edge[kGemmRows][kColumns];
  __builtin_memcpy(edge, sum, sizeof edge);
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t j = 0; j < columns; ++j) c[r * c_stride + j] += edge[r][j];
  }
}

/// Each input row becomes an output column; blocks are small enough to stay in the first-level
/// cache.
template <class T>
void transpose_block(void* out_address, std::int64_t out_stride, const void* in_address,
                     std::int64_t in_stride, std::int64_t rows, std::int64_t columns) {
  T* out = static_cast<T*>(out_address);
  const T* in = static_cast<const T*>(in_address);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) out[i * out_stride + j] = in[j * in_stride + i];
  }
}

#if defined(__AVX2__)
/// Blocks of d lanes off the diagonal, exchanged.
template <int d, class V, std::size_t... i>
GPUKIT_SIMD_FN void exchange_blocks(V& a, V& b, std::index_sequence<i...>) {
  const V first = a;
  a = shuffled<((i & d) != 0 ? sizeof...(i) + i - d : i)...>(first, b);
  b = shuffled<((i & d) != 0 ? sizeof...(i) + i : i + d)...>(first, b);
}

/// Elements of 8 bytes, as many rows in registers as a vector has lanes.
void transpose_block_64(void* out_address, std::int64_t out_stride, const void* in_address,
                        std::int64_t in_stride, std::int64_t rows, std::int64_t columns) {
  constexpr int kSide = kLanes<std::uint64_t>;
  auto* out = static_cast<std::uint64_t*>(out_address);
  const auto* in = static_cast<const std::uint64_t*>(in_address);
  const std::int64_t whole_rows = rows / kSide * kSide, whole_columns = columns / kSide * kSide;
  for (std::int64_t i = 0; i < whole_rows; i += kSide) {
    for (std::int64_t j = 0; j < whole_columns; j += kSide) {
      Vec<std::uint64_t> row[kSide];
      GPUKIT_SIMD_UNROLL
      for (int r = 0; r < kSide; ++r) row[r] = load(in + (j + r) * in_stride + i);
      constexpr std::make_index_sequence<kSide> kLaneNumbers;
      GPUKIT_SIMD_UNROLL
      for (int r = 0; r < kSide; r += 2) exchange_blocks<1>(row[r], row[r + 1], kLaneNumbers);
      GPUKIT_SIMD_UNROLL
      for (int r = 0; r < kSide; ++r)
        if ((r & 2) == 0) exchange_blocks<2>(row[r], row[r + 2], kLaneNumbers);
      if constexpr (kSide == 8) {
        GPUKIT_SIMD_UNROLL
        for (int r = 0; r < 4; ++r) exchange_blocks<4>(row[r], row[r + 4], kLaneNumbers);
      }
      GPUKIT_SIMD_UNROLL
      for (int r = 0; r < kSide; ++r) store(out + (i + r) * out_stride + j, row[r]);
    }
  }
  transpose_block<std::uint64_t>(out + whole_columns, out_stride, in + whole_columns * in_stride,
                                 in_stride, whole_rows, columns - whole_columns);
  transpose_block<std::uint64_t>(out + whole_rows * out_stride, out_stride, in + whole_rows,
                                 in_stride, rows - whole_rows, columns);
}
#endif

#if defined(__AVX512F__)

template <bool kStream>
GPUKIT_SIMD_FN void put_row(std::uint32_t* address, __m512i row) {
  if constexpr (kStream) {
    stream(address, row);
  } else {
    store(address, row);
  }
}

/// 16 x 16 elements of 4 bytes in registers; of the output, only so many rows and columns exist.
template <bool kStream>
GPUKIT_SIMD_FN void transpose_16x16(std::uint32_t* out, std::int64_t out_stride,
                                    const std::uint32_t* in, std::int64_t in_stride, int rows = 16,
                                    int columns = 16) {
  __m512i row[16];
  const auto present = static_cast<__mmask16>((1u << rows) - 1u);
  GPUKIT_SIMD_UNROLL
  for (int r = 0; r < 16; ++r) {
    const auto mask = static_cast<__mmask16>(r < columns ? present : 0);
    row[r] = _mm512_maskz_loadu_epi32(mask, in + r * in_stride);
  }
  transpose_in_registers(row);
  const auto stored = static_cast<__mmask16>((1u << columns) - 1u);
  GPUKIT_SIMD_UNROLL
  for (int r = 0; r < 16; ++r) {
    if (r >= rows) continue;
    if (columns == 16) {
      put_row<kStream>(out + r * out_stride, row[r]);
    } else {
      _mm512_mask_storeu_epi32(out + r * out_stride, stored, row[r]);
    }
  }
}

/// A matrix of 8 x 8, as batches of small ones have.
GPUKIT_SIMD_FN void transpose_8x8(float* out, std::int64_t out_stride, const float* in,
                                  std::int64_t in_stride) {
  for (int half = 0; half < 8; half += 4) {
    const float* from = in + half;
    __m256 pair[4], row[4];
    // Rows r and r + 4 beside each other.
    GPUKIT_SIMD_UNROLL
    for (int r = 0; r < 4; ++r)
      row[r] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(from + r * in_stride)),
                                    _mm_loadu_ps(from + (r + 4) * in_stride), 1);
    GPUKIT_SIMD_UNROLL
    for (int r = 0; r < 4; r += 2) {
      pair[r] = _mm256_unpacklo_ps(row[r], row[r + 1]);
      pair[r + 1] = _mm256_unpackhi_ps(row[r], row[r + 1]);
    }
    float* to = out + half * out_stride;
    _mm256_storeu_ps(to, _mm256_shuffle_ps(pair[0], pair[2], 0x44));
    _mm256_storeu_ps(to + out_stride, _mm256_shuffle_ps(pair[0], pair[2], 0xee));
    _mm256_storeu_ps(to + 2 * out_stride, _mm256_shuffle_ps(pair[1], pair[3], 0x44));
    _mm256_storeu_ps(to + 3 * out_stride, _mm256_shuffle_ps(pair[1], pair[3], 0xee));
  }
}

/// Columns from which registers are faster than single elements.
constexpr std::int64_t kLeastColumns = 4;

/// With kStream, `out` and its rows are aligned to kBytes.
template <bool kStream>
void transpose_block_32(void* out_address, std::int64_t out_stride, const void* in_address,
                        std::int64_t in_stride, std::int64_t rows, std::int64_t columns) {
  if (rows == 8 && columns == 8)
    return transpose_8x8(static_cast<float*>(out_address), out_stride,
                         static_cast<const float*>(in_address), in_stride);
  std::uint32_t* out = static_cast<std::uint32_t*>(out_address);
  const std::uint32_t* in = static_cast<const std::uint32_t*>(in_address);
  const std::int64_t whole_rows = rows & ~std::int64_t{15},
                     whole_columns = columns & ~std::int64_t{15};
  for (std::int64_t i = 0; i < whole_rows; i += 16) {
    for (std::int64_t j = 0; j < whole_columns; j += 16) {
      transpose_16x16<kStream>(out + i * out_stride + j, out_stride, in + j * in_stride + i,
                               in_stride);
    }
  }
  for (std::int64_t j = 0; whole_rows < rows && j < whole_columns; j += 16) {
    transpose_16x16<kStream>(out + whole_rows * out_stride + j, out_stride,
                             in + j * in_stride + whole_rows, in_stride,
                             static_cast<int>(rows - whole_rows));
  }
  out += whole_columns;
  in += whole_columns * in_stride;
  columns -= whole_columns;
  if (columns < kLeastColumns) {
    transpose_block<std::uint32_t>(out, out_stride, in, in_stride, rows, columns);
  } else {
    for (std::int64_t i = 0; i < rows; i += 16)
      transpose_16x16<false>(out + i * out_stride, out_stride, in + i, in_stride,
                             static_cast<int>(rows - i < 16 ? rows - i : 16),
                             static_cast<int>(columns));
  }
  if constexpr (kStream) finish_streaming();
}

#endif

void add_blocks(SimdTable& table) {
  table.gemm_f32 = gemm_block<float>;
  table.gemm_f64 = gemm_block<double>;
  table.gemm_shape_f32 = {kGemmRows, kGemmVectors * kLanes<float>};
  table.gemm_shape_f64 = {kGemmRows, kGemmVectors * kLanes<double>};
  table.transpose[1] = transpose_block<std::uint8_t>;
  table.transpose[2] = transpose_block<std::uint16_t>;
  table.transpose[4] = transpose_block<std::uint32_t>;
#if defined(__AVX2__)
  table.transpose[8] = transpose_block_64;
#else
  table.transpose[8] = transpose_block<std::uint64_t>;
#endif
#if defined(__AVX512F__)
  table.transpose[4] = transpose_block_32<false>;
  table.transpose_streaming[4] = transpose_block_32<true>;
#endif
}

}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
