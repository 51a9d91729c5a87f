// What the factorizations of one matrix a lane share: masks, and places of vectors in memory.
#pragma once

#include "cpu/simd/matrix_lanes.h"
#include "cpu/simd/vector.h"

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {
namespace {

template <class T>
using LaneMask = decltype(Vec<T>{} < Vec<T>{});

/// What decides for each lane.
template <class T>
GPUKIT_SIMD_FN Vec<T> chosen(LaneMask<T> mask, Vec<T> yes, Vec<T> no) {
  return mask ? yes : no;
}
template <class T>
GPUKIT_SIMD_FN LaneMask<T> count_of(std::int64_t value) {
  return LaneMask<T>{} + static_cast<decltype(+LaneMask<T>{}[0])>(value);
}

template <class T>
GPUKIT_SIMD_FN LaneMask<T> counted(LaneMask<T> mask, std::int64_t yes, LaneMask<T> no) {
  return mask ? count_of<T>(yes) : no;
}

/// Matrices of vectors: element (row, column) after so many rows and columns.
template <class T>
struct LaneMatrix {
  T* data;
  std::int64_t row_step, column_step;
  T* at(std::int64_t row, std::int64_t column) const {
    return data + (row * row_step + column * column_step) * kLanes<T>;
  }
};

template <class T>
void store_counts(std::int32_t* out, LaneMask<T> counts) {
  if constexpr (sizeof(T) == sizeof(std::int32_t)) return store(out, counts);
  for (int lane = 0; lane < kLanes<T>; ++lane) out[lane] = static_cast<std::int32_t>(counts[lane]);
}

template <class T>
GPUKIT_SIMD_FN Vec<T> absolute(Vec<T> x) {
  return chosen<T>(x < 0, -x, x);
}

/// Factors, powers of two, that bring the largest element near 2^16: squares and fourth powers of
/// what counts beside it stay in the range of float32 then.
template <class T>
struct LaneScale {
  static constexpr bool kNarrow = sizeof(T) == sizeof(float);
  static constexpr int kFraction = kNarrow ? 23 : 52, kBias = kNarrow ? 127 : 1023;

  explicit LaneScale(Vec<T> largest) {
    using M = LaneMask<T>;
    constexpr T kNormal = kNarrow ? static_cast<T>(0x1p-126) : static_cast<T>(0x1p-1022);
    constexpr T kUp = kNarrow ? static_cast<T>(0x1p24) : static_cast<T>(0x1p53);
    first = chosen<T>(largest < kNormal, Vec<T>{} + kUp, Vec<T>{} + 1);
    const M exponent = bits_as<M>(largest * first) >> kFraction;
    const M wanted = count_of<T>(2 * kBias + 16) - exponent;
    const M most = count_of<T>(2 * kBias);
    second = bits_as<Vec<T>>((wanted > most ? most : wanted) << kFraction);
  }
  GPUKIT_SIMD_FN Vec<T> apply(const LaneScale& scale, Vec<T> x) {
    return x * scale.first * scale.second;
  }
  GPUKIT_SIMD_FN Vec<T> undo(const LaneScale& scale, Vec<T> x) {
    return x / scale.second / scale.first;
  }

  Vec<T> first, second;
};

}  // namespace
}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
