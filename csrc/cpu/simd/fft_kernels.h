// One pass of Stockham's algorithm over separate real and imaginary parts. Vectors go over the
// lanes: neighbours that all have the same factors.
#pragma once

#include <utility>

#include "cpu/simd/fft_formulas.h"
#include "cpu/simd/fft_lines.h"

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {
namespace {

#if defined(__AVX512F__)
/// The first `count` lanes of a vector, or all.
GPUKIT_SIMD_FN __mmask16 first_lanes(std::int64_t count) {
  return static_cast<__mmask16>(count >= 16 ? 0xffffu : (1u << (count < 0 ? 0 : count)) - 1);
}
GPUKIT_SIMD_FN F32 get(const float* from, std::int64_t count) {
  return _mm512_maskz_loadu_ps(first_lanes(count), from);
}
GPUKIT_SIMD_FN F64 get(const double* from, std::int64_t count) {
  return _mm512_maskz_loadu_pd(static_cast<__mmask8>(first_lanes(count)), from);
}
GPUKIT_SIMD_FN void put(float* to, F32 value, std::int64_t count) {
  _mm512_mask_storeu_ps(to, first_lanes(count), value);
}
GPUKIT_SIMD_FN void put(double* to, F64 value, std::int64_t count) {
  _mm512_mask_storeu_pd(to, static_cast<__mmask8>(first_lanes(count)), value);
}
constexpr bool kMasks = true;
#else
template <class T>
GPUKIT_SIMD_FN Vec<T> get(const T* from, std::int64_t) {
  return load(from);
}
template <class T>
GPUKIT_SIMD_FN void put(T* to, Vec<T> value, std::int64_t) {
  store(to, value);
}
constexpr bool kMasks = false;
#endif

/// From numbers in turn to parts, and back.
template <class V, std::size_t... i>
GPUKIT_SIMD_FN void take_apart(V a, V b, V& re, V& im, std::index_sequence<i...>) {
  re = shuffled<(2 * i)...>(a, b);
  im = shuffled<(2 * i + 1)...>(a, b);
}
template <class V, std::size_t... i>
GPUKIT_SIMD_FN void put_in_turn(V re, V im, V& a, V& b, std::index_sequence<i...>) {
  constexpr std::size_t kHalf = sizeof...(i) / 2;
  a = shuffled<(i / 2 + i % 2 * 2 * kHalf)...>(re, im);
  b = shuffled<(i / 2 + i % 2 * 2 * kHalf + kHalf)...>(re, im);
}
template <class T>
using Lanes = std::make_index_sequence<kLanes<T>>;

template <class T>
GPUKIT_SIMD_FN bool are_in_turn(const FftSide<T>& side) {
  return side.im == side.re + 1 || side.re == side.im + 1;
}

/// Fewer lanes than a vector has, one by one, where there are no masks. `few` has a vector of real
/// parts and one of imaginary ones for each number.
template <class T>
[[gnu::noinline]] void read_few(const FftSide<const T>& side, std::int64_t first, std::int64_t step,
                                std::int64_t count, int numbers, T* few) {
  for (std::int64_t k = 0; k < numbers; ++k) {
    for (std::int64_t i = 0; i < count; ++i) {
      GPUKIT_SIMD_SCALAR_LOOP;
      few[2 * k * kLanes<T> + i] = side.re[first + k * side.part + i * step];
      few[(2 * k + 1) * kLanes<T> + i] = side.im[first + k * side.part + i * step];
    }
  }
}
template <class T>
[[gnu::noinline]] void write_few(const FftSide<T>& side, std::int64_t first, std::int64_t step,
                                 T scale, std::int64_t count, int numbers, const T* few) {
  for (std::int64_t k = 0; k < numbers; ++k) {
    for (std::int64_t i = 0; i < count; ++i) {
      GPUKIT_SIMD_SCALAR_LOOP;
      side.re[first + k * side.part + i * step] = few[2 * k * kLanes<T> + i] * scale;
      side.im[first + k * side.part + i * step] = few[(2 * k + 1) * kLanes<T> + i] * scale;
    }
  }
}

/// The lanes from `q` on, `count` or all of a vector, of all numbers of group p, in two arrays.
template <int R, class T>
GPUKIT_SIMD_FN void read_arrays(const FftSide<const T>& side, std::int64_t p, std::int64_t q,
                                std::int64_t count, Vec<T> (&re)[R], Vec<T> (&im)[R]) {
  if (!kMasks && count < kLanes<T>) {
    const std::int64_t step = are_in_turn(side) ? 2 : 1;
    T few[2 * R * kLanes<T>] = {};
    read_few(side, p * side.group + q * step, step, count, R, few);
    GPUKIT_SIMD_UNROLL
    for (int k = 0; k < R; ++k) {
      re[k] = load(few + 2 * k * kLanes<T>);
      im[k] = load(few + (2 * k + 1) * kLanes<T>);
    }
    return;
  }
  const T *from_re = side.re + p * side.group + q, *from_im = side.im + p * side.group + q;
  GPUKIT_SIMD_UNROLL
  for (int k = 0; k < R; ++k) {
    re[k] = get(from_re + k * side.part, count);
    im[k] = get(from_im + k * side.part, count);
  }
}

/// In two arrays or in turn.
template <int R, class T>
GPUKIT_SIMD_FN void read_lanes(const FftSide<const T>& side, std::int64_t p, std::int64_t q,
                               std::int64_t count, Vec<T> (&re)[R], Vec<T> (&im)[R]) {
  if (!are_in_turn(side) || (!kMasks && count < kLanes<T>))
    return read_arrays<R>(side, p, q, count, re, im);
  const bool ordered = side.im > side.re;
  const T* from = (ordered ? side.re : side.im) + p * side.group + 2 * q;
  GPUKIT_SIMD_UNROLL
  for (int k = 0; k < R; ++k, from += side.part)
    take_apart(get(from, 2 * count), get(from + kLanes<T>, 2 * count - kLanes<T>), re[k], im[k],
               Lanes<T>{});
  if (ordered) return;
  GPUKIT_SIMD_UNROLL
  for (int k = 0; k < R; ++k) {
    const Vec<T> value = re[k];
    re[k] = im[k];
    im[k] = value;
  }
}

template <int R, class T>
GPUKIT_SIMD_FN void write_lanes(const FftPass<T>& pass, std::int64_t p, std::int64_t q,
                                std::int64_t count, const Vec<T> (&re)[R], const Vec<T> (&im)[R]) {
  const FftSide<T>& side = pass.out;
  const bool in_turn = are_in_turn(side);
  if (!kMasks && count < kLanes<T>) {
    const std::int64_t step = in_turn ? 2 : 1;
    T few[2 * R * kLanes<T>];
    GPUKIT_SIMD_UNROLL
    for (int k = 0; k < R; ++k) {
      store(few + 2 * k * kLanes<T>, re[k]);
      store(few + (2 * k + 1) * kLanes<T>, im[k]);
    }
    return write_few(side, p * side.group + q * step, step, in_turn ? pass.scale : T{1}, count, R,
                     few);
  }
  if (in_turn) {
    const bool ordered = side.im > side.re;
    T* to = (ordered ? side.re : side.im) + p * side.group + 2 * q;
    GPUKIT_SIMD_UNROLL
    for (int k = 0; k < R; ++k, to += side.part) {
      Vec<T> a, b;
      const Vec<T> x = re[k] * pass.scale, y = im[k] * pass.scale;
      put_in_turn(ordered ? x : y, ordered ? y : x, a, b, Lanes<T>{});
      put(to, a, 2 * count);
      put(to + kLanes<T>, b, 2 * count - kLanes<T>);
    }
    return;
  }
  T *to_re = side.re + p * side.group + q, *to_im = side.im + p * side.group + q;
  GPUKIT_SIMD_UNROLL
  for (int k = 0; k < R; ++k) {
    put(to_re + k * side.part, re[k], count);
    put(to_im + k * side.part, im[k], count);
  }
}

template <int R, class T>
void radix_pass(const FftPass<T>& pass) {
  const std::int64_t m = pass.groups;
  for (std::int64_t p = 0; p < m; ++p) {
    for (std::int64_t q = 0; q < pass.lanes; q += kLanes<T>) {
      const std::int64_t count = pass.lanes - q;
      Vec<T> re[R], im[R];
      read_lanes<R>(pass.in, p, q, count, re, im);
      small_transform<R, T>(re, im);
      if (pass.factors != nullptr) {
        GPUKIT_SIMD_UNROLL
        for (int k = 1; k < R; ++k)
          multiply_by<T>(re[k], im[k], broadcast(pass.factors[(2 * k - 2) * m + p]),
                         broadcast(pass.factors[(2 * k - 1) * m + p]));
      } else if (pass.twist.re != nullptr) {
        Vec<T> wr[R], wi[R];
        read_arrays<R>(pass.twist, p, q, count, wr, wi);
        GPUKIT_SIMD_UNROLL
        for (int k = 0; k < R; ++k) multiply_by<T>(re[k], im[k], wr[k], wi[k]);
      }
      write_lanes<R>(pass, p, q, count, re, im);
    }
  }
}

/// The address of number k of each group.
template <class T>
GPUKIT_SIMD_FN FftSide<T> part_of(const FftSide<T>& side, std::int64_t k) {
  return {side.re + k * side.part, side.im + k * side.part, side.group, 0};
}

/// Of a prime radix that has no formula here.
template <class T>
void prime_pass(const FftPass<T>& pass) {
  const int radix = pass.radix;
  for (int k = 0; k < radix; ++k) {
    FftPass<T> sum = pass;
    sum.out = part_of(pass.out, k);
    for (std::int64_t p = 0; p < pass.groups; ++p) {
      for (std::int64_t q = 0; q < pass.lanes; q += kLanes<T>) {
        const std::int64_t count = pass.lanes - q;
        Vec<T> re[1] = {}, im[1] = {}, x[1], y[1];
        for (int j = 0; j < radix; ++j) {
          const T* const root = pass.roots + 2 * (j * k % radix);
          read_lanes<1>(part_of(pass.in, j), p, q, count, x, y);
          multiply_by<T>(x[0], y[0], broadcast(root[0]), broadcast(root[1]));
          re[0] += x[0];
          im[0] += y[0];
        }
        if (pass.factors != nullptr && k > 0) {
          const T* const factor = pass.factors + (2 * k - 2) * pass.groups + p;
          multiply_by<T>(re[0], im[0], broadcast(factor[0]), broadcast(factor[pass.groups]));
        } else if (pass.twist.re != nullptr) {
          read_lanes<1>(part_of(pass.twist, k), p, q, count, x, y);
          multiply_by<T>(re[0], im[0], x[0], y[0]);
        }
        write_lanes<1>(sum, p, q, count, re, im);
      }
    }
  }
}

template <class T>
void any_pass(const FftPass<T>& step) {
  switch (step.radix) {
    case 2:
      return radix_pass<2>(step);
    case 3:
      return radix_pass<3>(step);
    case 4:
      return radix_pass<4>(step);
    case 5:
      return radix_pass<5>(step);
#if defined(__AVX512F__)
    case 8:
      return radix_pass<8>(step);
#endif
    default:
      return prime_pass(step);
  }
}

template <class T>
void split(const T* in, std::int64_t step, T* re, T* im, std::int64_t count, std::int64_t rows) {
  for (; rows > 0; --rows, in += step, re += count, im += count) {
    std::int64_t i = 0;
    for (; i + kLanes<T> <= count; i += kLanes<T>) {
      Vec<T> x, y;
      take_apart(load(in + 2 * i), load(in + 2 * i + kLanes<T>), x, y, Lanes<T>{});
      store(re + i, x);
      store(im + i, y);
    }
    for (; i < count; ++i) {
      GPUKIT_SIMD_SCALAR_LOOP;
      re[i] = in[2 * i], im[i] = in[2 * i + 1];
    }
  }
}

template <class T>
void join(const T* re, const T* im, T scale, T* out, std::int64_t step, std::int64_t count,
          std::int64_t rows) {
  for (; rows > 0; --rows, out += step, re += count, im += count) {
    std::int64_t i = 0;
    for (; i + kLanes<T> <= count; i += kLanes<T>) {
      Vec<T> a, b;
      put_in_turn(load(re + i) * scale, load(im + i) * scale, a, b, Lanes<T>{});
      store(out + 2 * i, a);
      store(out + 2 * i + kLanes<T>, b);
    }
    for (; i < count; ++i) {
      GPUKIT_SIMD_SCALAR_LOOP;
      out[2 * i] = re[i] * scale, out[2 * i + 1] = im[i] * scale;
    }
  }
}

template <class T>
void multiply(T* __restrict re, T* __restrict im, const T* __restrict wr, const T* __restrict wi,
              std::int64_t count) {
  std::int64_t i = 0;
  for (; i + kLanes<T> <= count; i += kLanes<T>) {
    Vec<T> x = load(re + i), y = load(im + i);
    multiply_by<T>(x, y, load(wr + i), load(wi + i));
    store(re + i, x);
    store(im + i, y);
  }
  for (; i < count; ++i) {
    GPUKIT_SIMD_SCALAR_LOOP;
    const T value = re[i] * wr[i] - im[i] * wi[i];
    im[i] = re[i] * wi[i] + im[i] * wr[i];
    re[i] = value;
  }
}

template <class T>
#if defined(__AVX512F__)
constexpr FftLoops<T> kFftLoops = {any_pass<T>,       split<T>,      join<T>,   multiply<T>,
                                   transform_line<T>, line_stage<T>, kLanes<T>, kPart<T>};
#else
constexpr FftLoops<T> kFftLoops = {any_pass<T>, split<T>, join<T>, multiply<T>,
                                   nullptr,     nullptr,  0,       0};
#endif

}  // namespace

const FftLoops<float>& fft_loops_float() { return kFftLoops<float>; }
const FftLoops<double>& fft_loops_double() { return kFftLoops<double>; }

}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
