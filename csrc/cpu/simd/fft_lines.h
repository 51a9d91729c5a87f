// Whole lines of a power of two whose numbers lie in turn: columns in the lanes of vectors, then
// rows across the lanes. The passes of long lines leave blocks that stay in the first-level cache.
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

/// The same 16 bytes of four rows beside each other.
template <class T>
struct FourRows {
  std::int64_t second, third, fourth;  ///< from the first one
};
GPUKIT_SIMD_FN F32 rows_together(const float* from, const FourRows<float>& rows) {
  __m512 value = _mm512_castps128_ps512(_mm_loadu_ps(from));
  value = _mm512_mask_broadcast_f32x4(value, 0x00f0, _mm_loadu_ps(from + rows.second));
  value = _mm512_mask_broadcast_f32x4(value, 0x0f00, _mm_loadu_ps(from + rows.third));
  return _mm512_mask_broadcast_f32x4(value, 0xf000, _mm_loadu_ps(from + rows.fourth));
}
GPUKIT_SIMD_FN F64 rows_together(const double* from, const FourRows<double>& rows) {
  __m512d value = _mm512_castpd128_pd512(_mm_loadu_pd(from));
  value = _mm512_mask_broadcast_f64x2(value, 0x0c, _mm_loadu_pd(from + rows.second));
  value = _mm512_mask_broadcast_f64x2(value, 0x30, _mm_loadu_pd(from + rows.third));
  return _mm512_mask_broadcast_f64x2(value, 0xc0, _mm_loadu_pd(from + rows.fourth));
}

/// kPart columns of as many rows as a vector has lanes; neighbours are `row` apart.
GPUKIT_SIMD_FN void read_columns(const float* from, std::int64_t row, const FourRows<float>& rows,
                                 F32 (&column)[4]) {
  const F32 a = rows_together(from, rows), b = rows_together(from + row, rows);
  const F32 c = rows_together(from + 2 * row, rows), d = rows_together(from + 3 * row, rows);
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
GPUKIT_SIMD_FN void read_columns(const double* from, std::int64_t row, const FourRows<double>& rows,
                                 F64 (&column)[2]) {
  const F64 a = rows_together(from, rows), b = rows_together(from + row, rows);
  column[0] = _mm512_maskz_unpacklo_pd(0xff, a, b);
  column[1] = _mm512_maskz_unpackhi_pd(0xff, a, b);
}

/// Rows are vectors of real and of imaginary parts, in turn.
template <class T>
constexpr std::int64_t kRow = 2 * kLanes<T>;

/// The next `count` elements on the way to the second-level cache.
template <class T>
GPUKIT_SIMD_FN void fetch(const T*& from, std::int64_t count) {
  if (from == nullptr) return;
  for (std::int64_t i = 0; i < count; i += kLanes<T>) __builtin_prefetch(from + i, 0, 2);
  from += count;
}

/// What passes go through once: factors of the rows, and what the caches fetch.
template <class T>
struct Course {
  const T *twist, *written;
};

/// A pass over `groups` of the columns of `rows` rows; `stride` results of earlier passes are
/// neighbours. Where `split`, results stay in the places of what they come from, as R blocks of
/// columns; the first ones get a row between them, as the caches have few places for addresses that
/// powers of two lie between. Returns the next factors.
template <int R, bool kFirst, bool kLast, class T>
const T* column_pass(const FftLine<T>& line, const T* in, T* out, std::int64_t rows,
                     std::int64_t groups, std::int64_t stride, bool split, const T* factors,
                     Course<T>& course) {
  const std::int64_t part = rows / R * kRow<T>;
  const std::int64_t out_part = split ? part + (kFirst ? kRow<T> : 0) : stride * kRow<T>;
  const std::int64_t out_gap = split ? 0 : (R - 1) * stride * kRow<T>;
  const Choice<T>& apart = kApart<T>;
  const auto* const re_index = line.inverse ? apart.second : apart.first;
  const auto* const im_index = line.inverse ? apart.first : apart.second;
  for (std::int64_t p = 0; p < groups; ++p, out += out_gap) {
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
          multiply_by<T>(re[k], im[k], load(course.twist + k * kRow<T>),
                         load(course.twist + k * kRow<T> + kLanes<T>));
        } else if (k > 0) {
          multiply_by<T>(re[k], im[k], broadcast(factors[2 * k - 2]),
                         broadcast(factors[2 * k - 1]));
        }
        store(out + k * out_part, re[k]);
        store(out + k * out_part + kLanes<T>, im[k]);
      }
      if constexpr (kLast) {
        course.twist += R * kRow<T>;
        fetch(course.written, R * kRow<T>);
      }
    }
    if constexpr (!kLast) factors += 2 * (R - 1);
  }
  return factors;
}

/// Transforms of as many rows as a vector has lanes, to every `rows`-th number of `out`.
template <class T>
GPUKIT_SIMD_FN void row_pass(const FftLine<T>& line, const T* in, std::int64_t row,
                             const FourRows<T>& four, T* out, std::int64_t rows) {
  const T* const roots = line.factors;
  constexpr int A = kPart<T>;
  alignas(64) T room[A][4][kRow<T>];
  GPUKIT_SIMD_UNROLL
  for (int q = 0; q < 4; ++q) {
    Vec<T> re[A], im[A];
    read_columns(in + q * A, row, four, re);
    read_columns(in + q * A + kLanes<T>, row, four, im);
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
                                    std::int64_t rows, std::int64_t groups, std::int64_t stride,
                                    bool split, const T* factors, Course<T>& course) {
  if (radix == 8)
    return column_pass<8, kFirst, kLast>(line, in, out, rows, groups, stride, split, factors,
                                         course);
  return column_pass<4, kFirst, kLast>(line, in, out, rows, groups, stride, split, factors, course);
}

/// Transforms of the columns of `rows` rows, from `in` to `block`, which is the same but for the
/// first ones, from `pass` on. Passes that split leave blocks that follow each other.
template <bool kFirst, class T>
void transform_columns(const FftLine<T>& line, const T* in, T* block, std::int64_t rows, int pass,
                       const T* factors, Course<T>& course) {
  if (pass < line.splits) {
    const int radix = line.radices[pass];
    rows /= radix;
    factors = column_pass<false, false>(radix, line, in, block, rows * radix, rows, 1, true,
                                        factors, course);
    for (int k = 0; k < radix; ++k, block += rows * kRow<T>)
      transform_columns<false>(line, block, block, rows, pass + 1, factors, course);
    return;
  }
  alignas(64) T spare[kFftBlockBytes / sizeof(T)];
  std::int64_t stride = 1;
  if constexpr (kFirst) {
    stride = line.radices[pass++];
    factors = column_pass<true, false>(static_cast<int>(stride), line, in, spare, rows,
                                       rows / stride, 1, false, factors, course);
    in = spare;
  }
  for (; stride < rows; stride *= line.radices[pass++]) {
    const int radix = line.radices[pass];
    const std::int64_t groups = rows / stride / radix;
    if (groups == 1) {  // each result takes the place of what it comes from
      column_pass<false, true>(radix, line, in, block, rows, 1, stride, false, factors, course);
      continue;
    }
    T* const to = in == block ? spare : block;
    factors = column_pass<false, false>(radix, line, in, to, rows, groups, stride, false, factors,
                                        course);
    in = to;
  }
}

/// Where a row is after the passes that leave blocks.
template <class T>
GPUKIT_SIMD_FN std::int64_t place_of(const FftLine<T>& line, std::int64_t row, std::int64_t rows) {
  std::int64_t place = 0;
  for (int pass = 0; pass < line.splits; ++pass) {
    const int shift = line.radices[pass] == 8 ? 3 : 2;
    rows >>= shift;
    place += (row & (line.radices[pass] - 1)) * (pass == 0 ? rows + 1 : rows);
    row >>= shift;
  }
  return (place + row) * kRow<T>;
}

/// Rows from `begin` to `end`, as many as a vector has lanes together.
template <class T>
void transform_rows(const FftLine<T>& line, std::int64_t begin, std::int64_t end) {
  const std::int64_t rows = line.size / kLanes<T>;
  const auto place = [&](std::int64_t row) { return place_of(line, row, rows); };
  const FourRows<T> four{place(kPart<T>), place(2 * kPart<T>), place(3 * kPart<T>)};
  const T* next = line.next;
  for (std::int64_t row = begin * kLanes<T>; row < end * kLanes<T>; row += kLanes<T>) {
    fetch(next, kLanes<T> * kRow<T>);
    row_pass<T>(line, line.room + place(row), place(1), four, line.out + 2 * row, rows);
  }
}

template <class T>
void line_stage(const FftLine<T>& line, FftStage stage, std::int64_t begin, std::int64_t end) {
  if (stage == FftStage::kRows) return transform_rows(line, begin, end);
  const int radix = line.radices[0];
  const std::int64_t rows = line.size / kLanes<T>, groups = rows / radix;
  const T* const factors = line.factors + 2 * kLanes<T>;
  if (stage == FftStage::kSplit) {
    Course<T> none{};
    const std::int64_t first = begin * kRow<T>;
    column_pass<true, false>(radix, line, line.in + first, line.room + first, rows, end - begin, 1,
                             true, factors + begin * 2 * (radix - 1), none);
    return;
  }
  const T* const next_factors = factors + groups * 2 * (radix - 1);
  for (std::int64_t k = begin; k < end; ++k) {
    const std::int64_t first = k * groups * kRow<T>;
    Course<T> course{line.twist + first, line.written == nullptr ? nullptr : line.written + first};
    T* const block = line.room + first + k * kRow<T>;
    transform_columns<false>(line, block, block, groups, 1, next_factors, course);
  }
}

template <class T>
void transform_line(const FftLine<T>& line) {
  const std::int64_t rows = line.size / kLanes<T>;
  if (line.splits > 0) {
    line_stage(line, FftStage::kSplit, 0, rows / line.radices[0]);
    line_stage(line, FftStage::kBlocks, 0, line.radices[0]);
  } else {
    Course<T> course{line.twist, line.written};
    transform_columns<true>(line, line.in, line.room, rows, 0, line.factors + 2 * kLanes<T>,
                            course);
  }
  transform_rows(line, 0, rows / kLanes<T>);
}

}  // namespace
}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL

#endif
