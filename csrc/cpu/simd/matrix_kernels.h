// LU, triangular systems and Cholesky of one matrix a lane; rows are chosen by masks.
#pragma once

#include "cpu/simd/lane_reflections.h"
#include "cpu/simd/lane_rotations.h"
#include "cpu/simd/lane_vectors.h"

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {
namespace {

template <class T>
void lu_of_lanes(T* data, std::int64_t m, std::int64_t n, std::int32_t* pivots,
                 std::int32_t* info) {
  using V = Vec<T>;
  using M = LaneMask<T>;
  const LaneMatrix<T> a{data, 1, m};
  V factor[kMostLaneRows];
  M failed{}, moved[kMostLaneRows];
  std::int64_t rows[kMostLaneRows];
  const std::int64_t steps = m < n ? m : n;
  for (std::int64_t j = 0; j < steps; ++j) {
    V best = load(a.at(j, j));
    best = absolute<T>(best);
    M where = count_of<T>(j);
    for (std::int64_t r = j + 1; r < m; ++r) {
      const V value = load(a.at(r, j)), size = absolute<T>(value);
      const M larger = size > best;
      best = chosen<T>(larger, size, best);
      where = counted<T>(larger, r, where);
    }
    const M zero = best == V{};
    failed = counted<T>((failed == M{}) & zero, j + 1, failed);
    store_counts<T>(pivots + j * kLanes<T>, where + 1);
    // Only rows that some matrix takes as its pivot move; of a few rows nearly all.
    std::uint32_t taken = 2 * (m - j) <= kLanes<T> ? ~std::uint32_t{0} : 0;
    for (int lane = 0; taken != ~std::uint32_t{0} && lane < kLanes<T>; ++lane)
      taken |= std::uint32_t{1} << where[lane];
    std::int64_t count = 0;
    for (std::int64_t r = j + 1; r < m; ++r) {
      if ((taken >> r & 1) == 0) continue;
      rows[count] = r;
      moved[count++] = where == count_of<T>(r);
    }
    const auto exchange = [&](std::int64_t column) {
      T* first = a.at(0, column);
      const V above = load(first + j * kLanes<T>);
      V pivot = above;
      for (std::int64_t i = 0; i < count; ++i) {
        T* place = first + rows[i] * kLanes<T>;
        const V value = load(place);
        pivot = chosen<T>(moved[i], value, pivot);
        store(place, chosen<T>(moved[i], above, value));
      }
      store(first + j * kLanes<T>, pivot);
      return pivot;
    };
    for (std::int64_t c = 0; c < j; ++c) exchange(c);
    const V divisor = chosen<T>(zero, V{} + 1, exchange(j));
    for (std::int64_t r = j + 1; r < m; ++r) {
      factor[r] = load(a.at(r, j)) / divisor;
      store(a.at(r, j), factor[r]);
    }
    for (std::int64_t c = j + 1; c < n; ++c) {
      const V pivot = exchange(c);
      T* first = a.at(0, c);
      for (std::int64_t r = j + 1; r < m; ++r)
        store(first + r * kLanes<T>, load(first + r * kLanes<T>) - factor[r] * pivot);
    }
  }
  store_counts<T>(info, failed);
}

template <class T>
void exchange_lanes(T* right, std::int64_t n, std::int64_t count, const std::int32_t* pivots,
                    bool back) {
  using V = Vec<T>;
  using M = LaneMask<T>;
  for (std::int64_t step = 0; step < n; ++step) {
    const std::int64_t k = back ? n - 1 - step : step;
    M where{};
    for (int lane = 0; lane < kLanes<T>; ++lane) where[lane] = pivots[k * kLanes<T> + lane] - 1;
    for (std::int64_t q = 0; q < count; ++q) {
      T* b = right + q * n * kLanes<T>;
      const V above = load(b + k * kLanes<T>);
      V pivot = above;
      M row{};
      for (std::int64_t r = 0; r < n; ++r, row += 1) {
        if (r == k) continue;
        const M moved = where == row;
        const V value = load(b + r * kLanes<T>);
        pivot = chosen<T>(moved, value, pivot);
        store(b + r * kLanes<T>, chosen<T>(moved, above, value));
      }
      store(b + k * kLanes<T>, pivot);
    }
  }
}

template <class T>
void solve_lanes(const T* data, const LaneTriangle& triangle, T* right, std::int64_t count) {
  using V = Vec<T>;
  const std::int64_t n = triangle.n;
  const LaneMatrix<const T> a{data, triangle.transposed ? n : 1, triangle.transposed ? 1 : n};
  const bool upper = triangle.upper != triangle.transposed;
  for (std::int64_t step = 0; step < n; ++step) {
    const std::int64_t j = upper ? n - 1 - step : step;
    const std::int64_t begin = upper ? 0 : j + 1, end = upper ? j : n;
    const V diagonal = triangle.unit ? V{} + 1 : load(a.at(j, j));
    for (std::int64_t q = 0; q < count; ++q) {
      T* b = right + q * n * kLanes<T>;
      V x = load(b + j * kLanes<T>);
      if (!triangle.unit) {
        x = x / diagonal;
        store(b + j * kLanes<T>, x);
      }
      for (std::int64_t r = begin; r < end; ++r) {
        store(b + r * kLanes<T>, load(b + r * kLanes<T>) - load(a.at(r, j)) * x);
      }
    }
  }
}

template <class T>
void cholesky_of_lanes(T* data, std::int64_t n, bool upper, std::int32_t* info) {
  using V = Vec<T>;
  using M = LaneMask<T>;
  const LaneMatrix<T> a{data, upper ? n : 1, upper ? 1 : n};  // of the lower triangle's indices
  M failed{};
  for (std::int64_t j = 0; j < n; ++j) {
    const V pivot = load(a.at(j, j));
    const M wrong = ~(pivot > V{});
    failed = counted<T>((failed == M{}) & wrong, j + 1, failed);
    const V root = square_root(chosen<T>(wrong, V{} + 1, pivot));
    store(a.at(j, j), root);
    for (std::int64_t r = j + 1; r < n; ++r) store(a.at(r, j), load(a.at(r, j)) / root);
    for (std::int64_t c = j + 1; c < n; ++c) {
      const V factor = load(a.at(c, j));
      for (std::int64_t r = c; r < n; ++r)
        store(a.at(r, c), load(a.at(r, c)) - load(a.at(r, j)) * factor);
      store(a.at(j, c), V{});
    }
  }
  store_counts<T>(info, failed);
}

// Measured: without fused products half as many.
#if defined(__FMA__) || defined(__aarch64__)
constexpr std::int64_t kRowsOfLane = 6;
#else
constexpr std::int64_t kRowsOfLane = 3;
#endif

template <class T>
constexpr MatrixLanes<T> kMatrixLanes = {
    kLanes<T>,         kRowsOfLane* kLanes<T>, lu_of_lanes<T>, solve_lanes<T>,
    exchange_lanes<T>, cholesky_of_lanes<T>,   qr_of_lanes<T>, product_of_lanes<T>,
    eigh_of_lanes<T>,  svd_of_lanes<T>};

}  // namespace

const MatrixLanes<float>& matrix_lanes_float() { return kMatrixLanes<float>; }
const MatrixLanes<double>& matrix_lanes_double() { return kMatrixLanes<double>; }

}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
