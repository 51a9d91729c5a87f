// Loops of the transcendental functions of float32, and softmax rows.
#pragma once

#include "cpu/simd/row_math.h"

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
