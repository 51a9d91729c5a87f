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

GPUKIT_SIMD_FN float largest_lane(F32 x) {
  float largest = x[0];
  for (int i = 1; i < kLanes<float>; ++i) largest = x[i] > largest ? x[i] : largest;
  return largest;
}
GPUKIT_SIMD_FN float sum_of_lanes(F32 x) {
  float sum = 0;
  for (int i = 0; i < kLanes<float>; ++i) sum += x[i];
  return sum;
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
    for (int k = 0; k < 4; ++k) {
      const float lane = largest_lane(m[k]);
      largest = lane > largest ? lane : largest;
    }
  }
  for (; i < count; ++i) {
    largest = in[i] > largest ? in[i] : largest;
    GPUKIT_SIMD_SCALAR_LOOP;
  }
  return largest;
}

/// out = exp(in - shift); returns the sum.
inline float exp_and_sum(float* out, const float* in, std::int64_t count, float shift, bool keep) {
  constexpr std::int64_t kStep = kLanes<float>;
  RowSums sums;
  std::int64_t i = 0;
  int k = 0;
  for (; i + kStep <= count; i += kStep, k = (k + 1) & 3) {
    const F32 value = exp_of(load(in + i) - shift);
    if (keep) store(out + i, value);
    sums.lanes[k] = sums.lanes[k] + value;
  }
  if (i < count) {
    alignas(kBytes) float few[kStep];
    store(few, broadcast(-kInfinity));
    for (std::int64_t j = i; j < count; ++j) few[j - i] = in[j];
    store(few, exp_of(load(few) - shift));
    for (std::int64_t j = i; j < count; ++j) {
      if (keep) out[j] = few[j - i];
      sums.rest += few[j - i];
    }
  }
  return sums.total();
}

inline void softmax_row(void* out_address, const void* in_address, std::int64_t count, bool log) {
  constexpr std::int64_t kStep = kLanes<float>;
  float* out = static_cast<float*>(out_address);
  const float* in = static_cast<const float*>(in_address);
  const float shift = row_maximum(in, count);
  const float sum = exp_and_sum(out, in, count, shift, !log);
  const float factor = 1.0f / sum;
  const float offset = __builtin_logf(sum);
  std::int64_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    store(out + i, log ? (load(in + i) - shift) - offset : load(out + i) * factor);
  }
  for (; i < count; ++i) {
    out[i] = log ? (in[i] - shift) - offset : out[i] * factor;
    GPUKIT_SIMD_SCALAR_LOOP;
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
