// Convolutions without unfolding: windows of padded planes are read where they lie, or packed by
// runs of whole vectors.
#pragma once

#include "cpu/simd/vector.h"

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {

#if defined(__AVX512F__)
inline constexpr int kWindowVectors = 3, kWindowRows = 8, kSumVectors = 4;
#elif defined(__AVX2__) || defined(__aarch64__)
inline constexpr int kWindowVectors = 2, kWindowRows = 6, kSumVectors = 2;
#else
inline constexpr int kWindowVectors = 2, kWindowRows = 4, kSumVectors = 2;
#endif

/// Rows of the tile are written in order: what a run's last vector writes too much is overwritten.
void gather_runs(float* out, std::int64_t columns, const float* planes, const std::int64_t* offsets,
                 std::int64_t depth, const WindowRun* runs, std::int64_t count) {
  constexpr int kLane = kLanes<float>;
  if (count == 1 && runs->length == columns && columns == 2 * kLane) {
    planes += runs->source;
    for (std::int64_t p = 0; p < depth; ++p, out += columns) {
      const float* from = planes + offsets[p];
      const F32 low = load(from), high = load(from + kLane);
      store(out, low);
      store(out + kLane, high);
    }
    return;
  }
  for (std::int64_t p = 0; p < depth; ++p, out += columns) {
    const float* from = planes + offsets[p];
    for (std::int64_t r = 0; r < count; ++r) {
      const WindowRun& run = runs[r];
      for (std::int64_t i = 0; i < run.length; i += kLane)
        store(out + run.column + i, load(from + run.source + i));
    }
  }
}

void scatter_runs(float* out, std::int64_t row_stride, std::int64_t step, const float* tile,
                  std::int64_t columns, std::int64_t rows, const WindowRun* runs,
                  std::int64_t count) {
  constexpr int kLane = kLanes<float>;
  for (std::int64_t row = 0; row < rows; ++row, out += row_stride, tile += columns) {
    for (std::int64_t r = 0; r < count; ++r) {
      const WindowRun& run = runs[r];
      const float* from = tile + run.column;
      float* to = out + run.target;
      if (step != 1) {
        for (std::int64_t i = 0; i < run.length; ++i) to[i * step] = from[i];
        continue;
      }
      std::int64_t i = 0;
      for (; i + kLane <= run.length; i += kLane) store(to + i, load(from + i));
      if (i < run.length) store_some(to + i, load_some(from + i, run.length - i), run.length - i);
    }
  }
}

void take_every(float* out, const float* in, std::int64_t step, std::int64_t count) {
  if (step == 2) {
    for (std::int64_t i = 0; i < count; ++i) out[i] = in[2 * i];
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) out[i] = in[step * i];
}

template <int kRows, int kVectors>
void window_line(const WindowLine& line, std::int64_t first) {
  constexpr int kLane = kLanes<float>;
  F32 sum[kRows][kVectors];
  GPUKIT_SIMD_UNROLL
  for (int r = 0; r < kRows; ++r) {
    GPUKIT_SIMD_UNROLL
    for (int v = 0; v < kVectors; ++v) sum[r][v] = F32{};
  }
  const float* planes = line.planes + first;
  const float* weights = line.weights;
  for (std::int64_t p = 0; p < line.depth; ++p, weights += line.weight_stride) {
    const float* from = planes + line.offsets[p];
    F32 right[kVectors];
    GPUKIT_SIMD_UNROLL
    for (int v = 0; v < kVectors; ++v) right[v] = load(from + v * kLane);
    GPUKIT_SIMD_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const F32 left = broadcast(weights[r]);
      GPUKIT_SIMD_UNROLL
      for (int v = 0; v < kVectors; ++v) sum[r][v] = sum[r][v] + left * right[v];
    }
  }
  const std::int64_t here = line.count - first;
  float* out = line.out + first;
  if (here >= kVectors * kLane) {
    GPUKIT_SIMD_UNROLL
    for (int r = 0; r < kRows; ++r) {
      GPUKIT_SIMD_UNROLL
      for (int v = 0; v < kVectors; ++v) store(out + r * line.out_stride + v * kLane, sum[r][v]);
    }
    return;
  }
  GPUKIT_SIMD_UNROLL
  for (int r = 0; r < kRows; ++r) {
    GPUKIT_SIMD_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      const std::int64_t some = here - v * kLane;
      float* to = out + r * line.out_stride + v * kLane;
      some >= kLane ? store(to, sum[r][v]) : store_some(to, sum[r][v], some > 0 ? some : 0);
    }
  }
}

template <int kRows>
void window_rows(const WindowLine& line) {
  constexpr int kLane = kLanes<float>;
  std::int64_t first = 0;
  for (; line.count - first > kLane; first += kWindowVectors * kLane) {
    if (kWindowVectors == 3 && line.count - first <= 2 * kLane)
      return window_line<kRows, 2>(line, first);
    window_line<kRows, kWindowVectors>(line, first);
  }
  if (first < line.count) window_line<kRows, 1>(line, first);
}

void window_sums(const WindowLine& line) {
  switch (line.rows) {
    case 1:
      return window_rows<1>(line);
    case 2:
      return window_rows<2>(line);
    case 3:
      return window_rows<3>(line);
    case 4:
      return window_rows<4>(line);
    default:
      if constexpr (kWindowRows >= 6) {
        if (line.rows == 5) return window_rows<5>(line);
        if (line.rows == 6) return window_rows<6>(line);
      }
      if constexpr (kWindowRows >= 8) {
        if (line.rows == 7) return window_rows<7>(line);
        return window_rows<8>(line);
      }
  }
}

/// Few registers hold all addresses: the taps' planes, one common position, the gradient's row.
template <int kVectors>
void tap_sums(const TapSums& call) {
  constexpr int kLane = kLanes<float>;
  F32 sum[kTapsAtOnce][kVectors];
  GPUKIT_SIMD_UNROLL
  for (int t = 0; t < kTapsAtOnce; ++t) {
    GPUKIT_SIMD_UNROLL
    for (int v = 0; v < kVectors; ++v)
      sum[t][v] = load(call.sums + t * call.sums_stride + v * kLane);
  }
  const float* gradient = call.gradient;
  for (std::int64_t y = 0; y < call.lines; ++y) {
    const float* tap[kTapsAtOnce];
    GPUKIT_SIMD_UNROLL
    for (int t = 0; t < kTapsAtOnce; ++t)
      tap[t] = call.planes + call.offsets[t] + call.line_offsets[y];
    for (std::int64_t x = 0; x < call.count; ++x, gradient += call.gradient_stride) {
      F32 right[kVectors];
      GPUKIT_SIMD_UNROLL
      for (int v = 0; v < kVectors; ++v) right[v] = load(gradient + v * kLane);
      GPUKIT_SIMD_UNROLL
      for (int t = 0; t < kTapsAtOnce; ++t) {
        const F32 left = broadcast(tap[t][x]);
        GPUKIT_SIMD_UNROLL
        for (int v = 0; v < kVectors; ++v) sum[t][v] = sum[t][v] + left * right[v];
      }
    }
  }
  GPUKIT_SIMD_UNROLL
  for (int t = 0; t < kTapsAtOnce; ++t) {
    GPUKIT_SIMD_UNROLL
    for (int v = 0; v < kVectors; ++v)
      store(call.sums + t * call.sums_stride + v * kLane, sum[t][v]);
  }
}

void add_tap_sums(const TapSums& call) {
  constexpr int kLane = kLanes<float>;
  TapSums part = call;
  std::int64_t left = call.columns;
  const auto advance = [&](int vectors) {
    part.gradient += vectors * kLane;
    part.sums += vectors * kLane;
    left -= vectors * kLane;
  };
  if constexpr (kSumVectors == 4) {
    for (; left >= 4 * kLane; advance(4)) tap_sums<4>(part);
  }
  for (; left >= 2 * kLane; advance(2)) tap_sums<2>(part);
  if (left > 0) tap_sums<1>(part);
}

void add_windows(SimdTable& table) {
  table.windows = {gather_runs,  scatter_runs, take_every,   window_sums,
                   add_tap_sums, kWindowRows,  kLanes<float>};
}

}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
