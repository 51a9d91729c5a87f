// Whole lines of a power of two whose numbers lie in turn: columns in the lanes of vectors, then
// rows across the lanes. Three or four times through the first-level cache.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cpu/simd/fft_formulas.h"

#if defined(__AVX512F__)

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {
namespace {

/// Elements of 16 bytes: what moves between the lanes of rows and those of columns.
template <class T>
constexpr int kPart = 16 / static_cast<int>(sizeof(T));

/// Which of two vectors' elements become a vector.
template <class T>
struct Choice {
  using Index = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  alignas(64) Index first[kLanes<T>], second[kLanes<T>];
};
/// Lane l of a row holds column l / kPart + 4 * (l % kPart), so that 16 bytes of a row are what a
/// transform of kPart numbers takes. First the real parts, then the imaginary ones.
template <class T>
constexpr Choice<T> kApart = [] {
  Choice<T> choice{};
  for (int l = 0; l < kLanes<T>; ++l) {
    choice.first[l] = 2 * (l / kPart<T> + 4 * (l % kPart<T>));
    choice.second[l] = choice.first[l] + 1;
  }
  return choice;
}();
/// The first and the second half of a vector of real and one of imaginary parts, in turn.
template <class T>
constexpr Choice<T> kInTurn = [] {
  Choice<T> choice{};
  for (int l = 0; l < kLanes<T>; ++l) {
    choice.first[l] = l / 2 + l % 2 * kLanes<T>;
    choice.second[l] = choice.first[l] + kLanes<T> / 2;
  }
  return choice;
}();

template <class Index>
GPUKIT_SIMD_FN F32 choose(F32 a, const Index* index, F32 b) {
  return _mm512_permutex2var_ps(a, _mm512_load_si512(index), b);
}
template <class Index>
GPUKIT_SIMD_FN F64 choose(F64 a, const Index* index, F64 b) {
  return _mm512_permutex2var_pd(a, _mm512_load_si512(index), b);
}

/// The same 16 bytes of four rows, `step` apart, beside each other.
GPUKIT_SIMD_FN F32 rows_together(const float* from, std::int64_t step) {
  __m512 value = _mm512_castps128_ps512(_mm_loadu_ps(from));
  value = _mm512_mask_broadcast_f32x4(value, 0x00f0, _mm_loadu_ps(from + step));
  value = _mm512_mask_broadcast_f32x4(value, 0x0f00, _mm_loadu_ps(from + 2 * step));
  return _mm512_mask_broadcast_f32x4(value, 0xf000, _mm_loadu_ps(from + 3 * step));
}
GPUKIT_SIMD_FN F64 rows_together(const double* from, std::int64_t step) {
  __m512d value = _mm512_castpd128_pd512(_mm_loadu_pd(from));
  value = _mm512_mask_broadcast_f64x2(value, 0x0c, _mm_loadu_pd(from + step));
  value = _mm512_mask_broadcast_f64x2(value, 0x30, _mm_loadu_pd(from + 2 * step));
  return _mm512_mask_broadcast_f64x2(value, 0xc0, _mm_loadu_pd(from + 3 * step));
}

/// kPart columns of as many rows as a vector has lanes.
GPUKIT_SIMD_FN void read_columns(const float* from, std::int64_t row, F32 (&column)[4]) {
  const F32 a = rows_together(from, 4 * row), b = rows_together(from + row, 4 * row);
  const F32 c = rows_together(from + 2 * row, 4 * row), d = rows_together(from + 3 * row, 4 * row);
  const auto low = [](F32 x, F32 y) {
    return bits_as<F64>(_mm512_maskz_unpacklo_ps(kAllLanes, x, y));
  };
  const auto high = [](F32 x, F32 y) {
    return bits_as<F64>(_mm512_maskz_unpackhi_ps(kAllLanes, x, y));
  };
  const F64 ab = low(a, b), cd = low(c, d), ab2 = high(a, b), cd2 = high(c, d);
  column[0] = bits_as<F32>(_mm512_maskz_unpacklo_pd(0xff, ab, cd));
  column[1] = bits_as<F32>(_mm512_maskz_unpackhi_pd(0xff, ab, cd));
  column[2] = bits_as<F32>(_mm512_maskz_unpacklo_pd(0xff, ab2, cd2));
  column[3] = bits_as<F32>(_mm512_maskz_unpackhi_pd(0xff, ab2, cd2));
}
GPUKIT_SIMD_FN void read_columns(const double* from, std::int64_t row, F64 (&column)[2]) {
  const F64 a = rows_together(from, 2 * row), b = rows_together(from + row, 2 * row);
  column[0] = _mm512_maskz_unpacklo_pd(0xff, a, b);
  column[1] = _mm512_maskz_unpackhi_pd(0xff, a, b);
}

/// Rows are vectors of real and of imaginary parts, in turn.
template <class T>
constexpr std::int64_t kRow = 2 * kLanes<T>;

/// A pass over columns; `stride` results of earlier passes are neighbours. Returns the next
/// factors.
template <int R, bool kFirst, bool kLast, class T>
const T* column_pass(const FftLine<T>& line, const T* in, T* out, std::int64_t rows,
                     std::int64_t stride, const T* factors) {
  const std::int64_t groups = rows / stride / R, part = stride * groups * kRow<T>;
  const Choice<T>& apart = kApart<T>;
  const auto* const re_index = line.inverse ? apart.second : apart.first;
  const auto* const im_index = line.inverse ? apart.first : apart.second;
  for (std::int64_t p = 0; p < groups; ++p, out += (R - 1) * stride * kRow<T>) {
    for (std::int64_t q = 0; q < stride; ++q, in += kRow<T>, out += kRow<T>) {
      Vec<T> re[R], im[R];
      GPUKIT_SIMD_UNROLL
      for (int k = 0; k < R; ++k) {
        re[k] = load(in + k * part), im[k] = load(in + k * part + kLanes<T>);
        if constexpr (kFirst) {
          const Vec<T> a = re[k], b = im[k];
          re[k] = choose(a, re_index, b);
          im[k] = choose(a, im_index, b);
        }
      }
      small_transform<R, T>(re, im);
      GPUKIT_SIMD_UNROLL
      for (int k = 0; k < R; ++k) {
        if constexpr (kLast) {
          multiply_by<T>(re[k], im[k], load(factors + k * kRow<T>),
                         load(factors + k * kRow<T> + kLanes<T>));
        } else if (k > 0) {
          multiply_by<T>(re[k], im[k], broadcast(factors[2 * k - 2]),
                         broadcast(factors[2 * k - 1]));
        }
        store(out + k * stride * kRow<T>, re[k]);
        store(out + k * stride * kRow<T> + kLanes<T>, im[k]);
      }
      if constexpr (kLast) factors += R * kRow<T>;
    }
    if constexpr (!kLast) factors += 2 * (R - 1);
  }
  return factors;
}

/// Transforms of as many rows as a vector has lanes, from `in` to every `rows`-th number of `out`.
template <class T>
GPUKIT_SIMD_FN void row_pass(const FftLine<T>& line, const T* in, T* out, std::int64_t rows,
                             const T* roots) {
  constexpr int A = kPart<T>;
  alignas(64) T room[A][4][kRow<T>];
  GPUKIT_SIMD_UNROLL
  for (int q = 0; q < 4; ++q) {
    Vec<T> re[A], im[A];
    read_columns(in + q * A, kRow<T>, re);
    read_columns(in + q * A + kLanes<T>, kRow<T>, im);
    small_transform<A, T>(re, im);
    GPUKIT_SIMD_UNROLL
    for (int j = 0; j < A; ++j) {
      if (j * q > 0)
        multiply_by<T>(re[j], im[j], broadcast(roots[2 * j * q]), broadcast(roots[2 * j * q + 1]));
      store(room[j][q], re[j]);
      store(room[j][q] + kLanes<T>, im[j]);
    }
  }
  const Choice<T>& turn = kInTurn<T>;
  for (int j = 0; j < A; ++j) {
    Vec<T> re[4], im[4];
    GPUKIT_SIMD_UNROLL
    for (int q = 0; q < 4; ++q) re[q] = load(room[j][q]), im[q] = load(room[j][q] + kLanes<T>);
    small_transform<4, T>(re, im);
    GPUKIT_SIMD_UNROLL
    for (int t = 0; t < 4; ++t) {
      T* const to = out + 2 * (j + A * t) * rows;
      const Vec<T> x = (line.inverse ? im[t] : re[t]) * line.scale;
      const Vec<T> y = (line.inverse ? re[t] : im[t]) * line.scale;
      store(to, choose(x, turn.first, y));
      store(to + kLanes<T>, choose(x, turn.second, y));
    }
  }
}

template <bool kFirst, bool kLast, class T>
GPUKIT_SIMD_FN const T* column_pass(int radix, const FftLine<T>& line, const T* in, T* out,
                                    std::int64_t rows, std::int64_t stride, const T* factors) {
  if (radix == 8) return column_pass<8, kFirst, kLast>(line, in, out, rows, stride, factors);
  return column_pass<4, kFirst, kLast>(line, in, out, rows, stride, factors);
}

template <class T>
void transform_line(const FftLine<T>& line) {
  const std::int64_t rows = line.size / kLanes<T>;
  T *from = line.room, *to = from + 2 * line.size;
  const T* factors = line.factors + 2 * kLanes<T>;
  factors = column_pass<true, false>(line.radices[0], line, line.in, from, rows, 1, factors);
  std::int64_t stride = line.radices[0];
  for (int pass = 1; stride < rows; ++pass) {
    const int radix = line.radices[pass];
    factors = stride * radix < rows
                  ? column_pass<false, false>(radix, line, from, to, rows, stride, factors)
                  : column_pass<false, true>(radix, line, from, to, rows, stride, factors);
    stride *= radix;
    T* const other = from;
    from = to;
    to = other;
  }
  for (std::int64_t row = 0; row < rows; row += kLanes<T>)
    row_pass<T>(line, from + row * kRow<T>, line.out + 2 * row, rows, line.factors);
}

}  // namespace
}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL

#endif
