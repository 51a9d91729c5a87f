// A matrix times a vector: what waits for memory is read once, in long runs, four rows at a time.
#pragma once

#include "cpu/simd/half_vectors.h"

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {

/// How elements of a matrix are read: half types are widened.
template <class T>
struct Wide {
  typedef T Stored;
  typedef T Sum;
  GPUKIT_SIMD_FN Vec<T> load_from(const T* address) { return load(address); }
};
template <>
struct Wide<HalfBits> {
  typedef std::uint16_t Stored;
  typedef float Sum;
  GPUKIT_SIMD_FN F32 load_from(const Stored* address) {
    return float_from_half(load_as<Words>(address));
  }
};
template <>
struct Wide<BFloat16Bits> {
  typedef std::uint16_t Stored;
  typedef float Sum;
  GPUKIT_SIMD_FN F32 load_from(const Stored* address) {
    return float_from_bfloat16(load_as<Words>(address));
  }
};

/// The first `count` elements, fewer than there are lanes; the rest is 0.
template <class T>
GPUKIT_SIMD_FN auto load_few(const typename Wide<T>::Stored* address, std::int64_t count) {
#if defined(__AVX512F__)
  const auto present = static_cast<__mmask16>((1u << count) - 1u);
  if constexpr (sizeof(T) == 8) {
    return bits_as<Vec<T>>(_mm512_maskz_loadu_pd(static_cast<__mmask8>(present), address));
  } else if constexpr (sizeof(T) == 4) {
    return bits_as<Vec<T>>(_mm512_maskz_loadu_ps(present, address));
  } else {
    const __m256i words = _mm256_maskz_loadu_epi16(present, address);
    return Wide<T>::load_from(reinterpret_cast<const typename Wide<T>::Stored*>(&words));
  }
#else
  typename Wide<T>::Stored few[kLanes<typename Wide<T>::Sum>] = {};
  for (std::int64_t i = 0; i < count; ++i) {
    GPUKIT_SIMD_SCALAR_LOOP;
    few[i] = address[i];
  }
  return Wide<T>::load_from(few);
#endif
}

/// sums[j] += sum over kRows rows of factors[r] * rows[r * stride + j]. The last columns, fewer
/// than a register's lanes, have their own register.
template <class T, int kRows>
GPUKIT_SIMD_FN void add_few_rows(typename Wide<T>::Sum* sums, Vec<typename Wide<T>::Sum>& last,
                                 const typename Wide<T>::Stored* rows, std::int64_t stride,
                                 const typename Wide<T>::Sum* factors, std::int64_t columns) {
  typedef typename Wide<T>::Sum Sum;
  Vec<Sum> factor[kRows];
  for (int r = 0; r < kRows; ++r) factor[r] = broadcast(factors[r]);
  std::int64_t j = 0;
  for (; j + kLanes<Sum> <= columns; j += kLanes<Sum>) {
    Vec<Sum> sum = load(sums + j);
    GPUKIT_SIMD_UNROLL
    for (int r = 0; r < kRows; ++r) sum += factor[r] * Wide<T>::load_from(rows + r * stride + j);
    store(sums + j, sum);
  }
  if (j == columns) return;
  for (int r = 0; r < kRows; ++r)
    last += factor[r] * load_few<T>(rows + r * stride + j, columns - j);
}

template <class T>
void sum_of_rows(void* sums_address, const void* rows_address, std::int64_t stride,
                 const void* factors_address, std::int64_t count, std::int64_t columns) {
  typedef typename Wide<T>::Sum Sum;
  Sum* sums = static_cast<Sum*>(sums_address);
  const Sum* factors = static_cast<const Sum*>(factors_address);
  const auto* rows = static_cast<const typename Wide<T>::Stored*>(rows_address);
  const std::int64_t rest = columns % kLanes<Sum>;
  __builtin_memset(sums, 0, static_cast<std::size_t>(columns) * sizeof(Sum));
  Vec<Sum> last = {};
  std::int64_t p = 0;
  for (; p + 4 <= count; p += 4)
    add_few_rows<T, 4>(sums, last, rows + p * stride, stride, factors + p, columns);
  for (; p < count; ++p)
    add_few_rows<T, 1>(sums, last, rows + p * stride, stride, factors + p, columns);
  __builtin_memcpy(sums + columns - rest, &last, static_cast<std::size_t>(rest) * sizeof(Sum));
}

template <class T>
GPUKIT_SIMD_FN T total(Vec<T> x) {
  T sum = x[0];
  for (int i = 1; i < kLanes<T>; ++i) sum += x[i];
  return sum;
}

/// sums[r] = row r * x, for kRows rows.
template <class T, int kRows>
GPUKIT_SIMD_FN void few_dots(typename Wide<T>::Sum* sums, const typename Wide<T>::Stored* rows,
                             std::int64_t stride, const typename Wide<T>::Sum* x,
                             std::int64_t columns) {
  typedef typename Wide<T>::Sum Sum;
  constexpr int kVectors = 8 / kRows;
  constexpr std::int64_t kStep = kVectors * kLanes<Sum>;
  Vec<Sum> sum[kRows][kVectors] = {};
  std::int64_t p = 0;
  for (; p + kStep <= columns; p += kStep) {
    GPUKIT_SIMD_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      const std::int64_t index = p + v * kLanes<Sum>;
      const Vec<Sum> factor = load(x + index);
      GPUKIT_SIMD_UNROLL
      for (int r = 0; r < kRows; ++r)
        sum[r][v] += factor * Wide<T>::load_from(rows + r * stride + index);
    }
  }
  for (; p + kLanes<Sum> <= columns; p += kLanes<Sum>) {
    for (int r = 0; r < kRows; ++r)
      sum[r][0] += load(x + p) * Wide<T>::load_from(rows + r * stride + p);
  }
  if (p < columns) {
    const Vec<Sum> factor = load_few<Sum>(x + p, columns - p);
    for (int r = 0; r < kRows; ++r)
      sum[r][1 % kVectors] += factor * load_few<T>(rows + r * stride + p, columns - p);
  }
  for (int r = 0; r < kRows; ++r) {
    for (int v = 1; v < kVectors; ++v) sum[r][0] += sum[r][v];
    sums[r] = total<Sum>(sum[r][0]);
  }
}

template <class T>
void dots_of_rows(void* sums_address, const void* rows_address, std::int64_t stride,
                  const void* x_address, std::int64_t count, std::int64_t columns) {
  typedef typename Wide<T>::Sum Sum;
  Sum* sums = static_cast<Sum*>(sums_address);
  const Sum* x = static_cast<const Sum*>(x_address);
  const auto* rows = static_cast<const typename Wide<T>::Stored*>(rows_address);
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4) few_dots<T, 4>(sums + i, rows + i * stride, stride, x, columns);
  for (; i < count; ++i) few_dots<T, 1>(sums + i, rows + i * stride, stride, x, columns);
}

template <class T>
void add_vector_product(SimdTable& table, DType dtype) {
  table.sum_of_rows[static_cast<int>(dtype)] = sum_of_rows<T>;
  table.dots_of_rows[static_cast<int>(dtype)] = dots_of_rows<T>;
}

void add_vectors(SimdTable& table) {
  add_vector_product<float>(table, DType::kFloat32);
  add_vector_product<double>(table, DType::kFloat64);
  add_vector_product<HalfBits>(table, DType::kFloat16);
  add_vector_product<BFloat16Bits>(table, DType::kBFloat16);
}

}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
