// Loops of the transcendental functions of float32, and softmax rows.
#pragma once

#include "cpu/simd/vector_math.h"

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {

template <F32 (*function)(F32)>
void math_loop(void* out_address, const void* in_address, std::int64_t count) {
  constexpr std::int64_t kStep = kLanes<float>;
  float* out = static_cast<float*>(out_address);
  const float* in = static_cast<const float*>(in_address);
  if (count < kStep) {
    alignas(kBytes) float few[kStep] = {};
    for (std::int64_t i = 0; i < count; ++i) {
      few[i] = in[i];
      GPUKIT_SIMD_SCALAR_LOOP;
    }
    store(few, function(load(few)));
    for (std::int64_t i = 0; i < count; ++i) {
      out[i] = few[i];
      GPUKIT_SIMD_SCALAR_LOOP;
    }
    return;
  }
  const std::int64_t last = count - kStep;
  const F32 last_result = function(load(in + last));
  std::int64_t i = 0;
  // Two independent vectors at a time hide the latency of the polynomials.
  for (; i + 2 * kStep <= last; i += 2 * kStep) {
    const F32 first = function(load(in + i));
    const F32 second = function(load(in + i + kStep));
    store(out + i, first);
    store(out + i + kStep, second);
  }
  for (; i < last; i += kStep) store(out + i, function(load(in + i)));
  store(out + last, last_result);
}

// Halves against halves: a chain of lanes would cost more than the row itself.
GPUKIT_SIMD_FN float largest_lane(F32 x) {
  float lanes[kLanes<float>];
  store(lanes, x);
  for (int width = kLanes<float> / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) {
      lanes[i] = lanes[i] > lanes[i + width] ? lanes[i] : lanes[i + width];
    }
  }
  return lanes[0];
}
GPUKIT_SIMD_FN float sum_of_lanes(F32 x) {
  float lanes[kLanes<float>];
  store(lanes, x);
  for (int width = kLanes<float> / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) lanes[i] += lanes[i + width];
  }
  return lanes[0];
}

/// Four independent accumulators over whole vectors, then the rest one by one.
struct RowSums {
  F32 lanes[4] = {};
  float rest = 0;
  float total() const { return sum_of_lanes((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + rest; }
};

// NaN anywhere reaches the sum and so the whole row; it need not win here.
inline float row_maximum(const float* in, std::int64_t count) {
  constexpr std::int64_t kStep = kLanes<float>;
  float largest = -kInfinity;
  std::int64_t i = 0;
  if (count >= 4 * kStep) {
    F32 m[4] = {load(in), load(in + kStep), load(in + 2 * kStep), load(in + 3 * kStep)};
    for (i = 4 * kStep; i + 4 * kStep <= count; i += 4 * kStep) {
      for (int k = 0; k < 4; ++k) m[k] = at_least(m[k], load(in + i + k * kStep));
    }
    largest = largest_lane(at_least(at_least(m[0], m[1]), at_least(m[2], m[3])));
  }
  for (; i < count; ++i) {
    largest = in[i] > largest ? in[i] : largest;
    GPUKIT_SIMD_SCALAR_LOOP;
  }
  return largest;
}

/// out = exp(in - shift) when kKeep; returns the sum.
template <bool kKeep>
GPUKIT_SIMD_FN float exp_and_sum(float* out, const float* in, std::int64_t count, float shift) {
  constexpr std::int64_t kStep = kLanes<float>;
  RowSums sums;
  const auto take = [&](std::int64_t i, F32& lanes) {
    const F32 value = exp_of(load(in + i) - shift);
    if constexpr (kKeep) store(out + i, value);
    lanes = lanes + value;
  };
  std::int64_t i = 0;
  for (; i + 4 * kStep <= count; i += 4 * kStep) {
    for (int k = 0; k < 4; ++k) take(i + k * kStep, sums.lanes[k]);
  }
  for (; i + kStep <= count; i += kStep) take(i, sums.lanes[0]);
  if (i < count) {
    alignas(kBytes) float few[kStep];
    store(few, broadcast(-kInfinity));
    for (std::int64_t j = i; j < count; ++j) few[j - i] = in[j];
    store(few, exp_of(load(few) - shift));
    for (std::int64_t j = i; j < count; ++j) {
      if constexpr (kKeep) out[j] = few[j - i];
      sums.rest += few[j - i];
    }
  }
  return sums.total();
}

inline constexpr std::int64_t kSoftmaxBuffer = 8192;

/// out[i] = powers[i] * factor, or for log in[i] - shift - offset.
struct SoftmaxRow {
  const float* in;
  const float* powers;
  float shift, factor, offset;
  bool log;

  GPUKIT_SIMD_FN F32 vector(const SoftmaxRow& row, std::int64_t i) {
    return row.log ? (load(row.in + i) - row.shift) - row.offset
                   : load(row.powers + i) * row.factor;
  }
  GPUKIT_SIMD_FN float single(const SoftmaxRow& row, std::int64_t i) {
    return row.log ? (row.in[i] - row.shift) - row.offset : row.powers[i] * row.factor;
  }
};

template <bool kStream>
GPUKIT_SIMD_FN void write_row(const SoftmaxRow& row, float* out, std::int64_t count) {
  constexpr std::int64_t kStep = kLanes<float>;
  std::int64_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    if constexpr (kStream) {
      stream(out + i, SoftmaxRow::vector(row, i));
    } else {
      store(out + i, SoftmaxRow::vector(row, i));
    }
  }
  for (; i < count; ++i) {
    out[i] = SoftmaxRow::single(row, i);
    GPUKIT_SIMD_SCALAR_LOOP;
  }
}

// A row that goes past the caches is worked out in a buffer of its own.
inline void softmax_row(void* out_address, const void* in_address, std::int64_t count, bool log,
                        bool streaming) {
  alignas(kBytes) float buffer[kSoftmaxBuffer];
  float* out = static_cast<float*>(out_address);
  const float* in = static_cast<const float*>(in_address);
  const bool stream = streaming && count <= kSoftmaxBuffer && elements_to_alignment(out) == 0;
  float* powers = stream ? buffer : out;
  SoftmaxRow row{in, powers, row_maximum(in, count), 0, 0, log};
  const float sum = log ? exp_and_sum<false>(powers, in, count, row.shift)
                        : exp_and_sum<true>(powers, in, count, row.shift);
  row.factor = 1.0f / sum;
  if (log) row.offset = __builtin_logf(sum);
  if (stream) {
    write_row<true>(row, out, count);
    finish_streaming();
  } else {
    write_row<false>(row, out, count);
  }
}

void add_math(SimdTable& table) {
  const auto set = [&table](UnaryOp op, UnaryKernel kernel) {
    table.unary[static_cast<int>(op)][static_cast<int>(DType::kFloat32)] = kernel;
  };
  set(UnaryOp::kExp, math_loop<exp_of>);
  set(UnaryOp::kExpm1, math_loop<expm1_of>);
  set(UnaryOp::kLog, math_loop<log_of>);
  set(UnaryOp::kLog1p, math_loop<log1p_of>);
  set(UnaryOp::kLog2, math_loop<log2_of>);
  set(UnaryOp::kLog10, math_loop<log10_of>);
  set(UnaryOp::kSin, math_loop<sin_of>);
  set(UnaryOp::kCos, math_loop<cos_of>);
  set(UnaryOp::kTanh, math_loop<tanh_of>);
  set(UnaryOp::kSigmoid, math_loop<sigmoid_of>);
  set(UnaryOp::kErf, math_loop<erf_of>);
  set(UnaryOp::kGelu, math_loop<gelu_of>);
  table.softmax[static_cast<int>(DType::kFloat32)] = softmax_row;
}

}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
