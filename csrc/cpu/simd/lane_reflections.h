// QR of one matrix a lane by Householder's reflectors I - tau v v^T, as LAPACK's geqrf and orgqr.
#pragma once

#include "cpu/simd/lane_vectors.h"

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {
namespace {

/// Reflects columns of `count` vectors; v[0] counts as 1.
template <class T>
GPUKIT_SIMD_FN void reflect(const T* v, Vec<T> tau, T* column, std::int64_t count) {
  Vec<T> sum = load(column);
  for (std::int64_t r = 1; r < count; ++r)
    sum += load(v + r * kLanes<T>) * load(column + r * kLanes<T>);
  sum *= tau;
  store(column, load(column) - sum);
  for (std::int64_t r = 1; r < count; ++r) {
    T* place = column + r * kLanes<T>;
    store(place, load(place) - load(v + r * kLanes<T>) * sum);
  }
}

/// The sum of squares below the first element.
template <class T>
GPUKIT_SIMD_FN Vec<T> squares_below(const T* x, std::int64_t count) {
  Vec<T> sum{};
  for (std::int64_t r = 1; r < count; ++r) sum += load(x + r * kLanes<T>) * load(x + r * kLanes<T>);
  return sum;
}

/// Makes the reflector that turns a column into (beta, 0, ...), and gives its factor; `below` as
/// squares_below(), and `none` where all elements below the first one are 0.
template <class T>
GPUKIT_SIMD_FN Vec<T> reflector_of(T* x, std::int64_t count, Vec<T> below, LaneMask<T> none) {
  using V = Vec<T>;
  const V alpha = load(x), length = square_root(alpha * alpha + below);
  const V beta = chosen<T>(alpha < 0, length, -length);
  const V pivot = chosen<T>(none, V{} + 1, alpha - beta);
  for (std::int64_t r = 1; r < count; ++r)
    store(x + r * kLanes<T>, load(x + r * kLanes<T>) / pivot);
  store(x, chosen<T>(none, alpha, beta));
  return chosen<T>(none, V{}, (beta - alpha) / chosen<T>(none, V{} + 1, beta));
}

/// As reflector_of(), of elements whose squares may leave the range.
template <class T>
Vec<T> scaled_reflector(T* x, std::int64_t count) {
  using V = Vec<T>;
  V largest{};
  for (std::int64_t r = 1; r < count; ++r) {
    const V size = absolute<T>(load(x + r * kLanes<T>));
    largest = chosen<T>(size <= largest, largest, size);
  }
  const LaneMask<T> none = largest == V{};
  const V head = absolute<T>(load(x));
  const LaneScale<T> scale(chosen<T>(head > largest, head, largest));
  for (std::int64_t r = 0; r < count * kLanes<T>; r += kLanes<T>)
    store(x + r, LaneScale<T>::apply(scale, load(x + r)));
  const V factor = reflector_of<T>(x, count, squares_below(x, count), none);
  store(x, LaneScale<T>::undo(scale, load(x)));
  return factor;
}

template <class T>
Vec<T> make_reflector(T* x, std::int64_t count) {
  using V = Vec<T>;
  constexpr bool kNarrow = sizeof(T) == sizeof(float);
  constexpr T kLeast = kNarrow ? static_cast<T>(0x1p-80) : static_cast<T>(0x1p-900);
  constexpr T kMost = kNarrow ? static_cast<T>(0x1p100) : static_cast<T>(0x1p1000);
  if (count == 1) return V{};
  const V below = squares_below(x, count), squares = load(x) * load(x) + below;
  if (any_lane(~((below > kLeast) & (squares < kMost)))) return scaled_reflector(x, count);
  return reflector_of<T>(x, count, below, LaneMask<T>{});
}

template <class T>
void qr_of_lanes(T* data, std::int64_t m, std::int64_t n, T* tau) {
  const LaneMatrix<T> a{data, 1, m};
  for (std::int64_t j = 0; j < (m < n ? m : n); ++j) {
    const Vec<T> factor = make_reflector<T>(a.at(j, j), m - j);
    store(tau + j * kLanes<T>, factor);
    for (std::int64_t c = j + 1; c < n; ++c) reflect<T>(a.at(j, j), factor, a.at(j, c), m - j);
  }
}

template <class T>
void product_of_lanes(T* data, std::int64_t m, std::int64_t n, const T* tau, std::int64_t count) {
  using V = Vec<T>;
  const LaneMatrix<T> a{data, 1, m};
  for (std::int64_t j = n - 1; j >= 0; --j) {
    const V factor = j < count ? load(tau + j * kLanes<T>) : V{};
    for (std::int64_t c = j + 1; c < n && j < count; ++c)
      reflect<T>(a.at(j, j), factor, a.at(j, c), m - j);
    for (std::int64_t r = 0; r < m; ++r) {
      const V below = r > j && j < count ? load(a.at(r, j)) * -factor : V{};
      store(a.at(r, j), r == j ? 1 - factor : below);
    }
  }
}

}  // namespace
}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
