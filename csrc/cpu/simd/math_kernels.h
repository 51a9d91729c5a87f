// Loops of the transcendental functions of float32, and rows of softmax and layer norm.
#pragma once

#include "cpu/simd/hyperbolic_math.h"
#include "cpu/simd/inverse_math.h"
#include "cpu/simd/row_math.h"
#include "cpu/simd/sums.h"

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {

// Functions are long: each stands here three times, or once where pairs gain nothing.
template <F32 (*function)(F32), bool kInPairs = false>
void math_loop(void* out_address, const void* in_address, std::int64_t count) {
  constexpr std::int64_t kStep = kLanes<float>;
  float* out = static_cast<float*>(out_address);
  const float* in = static_cast<const float*>(in_address);
  alignas(kBytes) float few[kStep] = {};
  const bool is_short = count < kStep;
  if (is_short) {
    for (std::int64_t i = 0; i < count; ++i) {
      few[i] = in[i];
      GPUKIT_SIMD_SCALAR_LOOP;
    }
    in = few;
  }
  // The last vector may overlap the one before it, which `out` may have replaced by then.
  const std::int64_t last = is_short ? 0 : count - kStep;
  const F32 last_elements = load(in + last);
  float* const to = is_short ? few : out;
  std::int64_t i = 0;
  // Two independent vectors at a time hide the latency of the polynomials. With the registers of
  // the baseline they gain nothing.
  for (; kInPairs && kBytes > 16 && i + 2 * kStep <= last; i += 2 * kStep) {
    const F32 first = function(load(in + i));
    const F32 second = function(load(in + i + kStep));
    store(to + i, first);
    store(to + i + kStep, second);
  }
  for (bool is_last = false; !is_last; i += kStep) {
    is_last = i >= last;
    const std::int64_t at = is_last ? last : i;
    store(to + at, function(is_last ? last_elements : load(in + at)));
  }
  for (i = 0; is_short && i < count; ++i) {
    out[i] = few[i];
    GPUKIT_SIMD_SCALAR_LOOP;
  }
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
GPUKIT_SIMD_FN void put(float* out, F32 value) {
  if constexpr (kStream) {
    stream(out, value);
  } else {
    store(out, value);
  }
}

template <bool kStream, class Row>
GPUKIT_SIMD_FN void write(const Row& row, float* out, std::int64_t count) {
  constexpr std::int64_t kStep = kLanes<float>;
  std::int64_t i = 0;
  for (; i + kStep <= count; i += kStep) put<kStream>(out + i, Row::vector(row, i));
  for (; i < count; ++i) {
    out[i] = Row::single(row, i);
    GPUKIT_SIMD_SCALAR_LOOP;
  }
}

/// Writes a row of softmax and returns the maximum of the next one, whose elements come from memory
/// meanwhile.
template <bool kStream>
GPUKIT_SIMD_FN float write_and_look_ahead(const SoftmaxRow& row, float* out, const float* next,
                                          std::int64_t count) {
  constexpr std::int64_t kStep = kLanes<float>, kPair = 2 * kStep;
  const std::int64_t whole = count - count % kPair;
  F32 largest[2] = {broadcast(-kInfinity), broadcast(-kInfinity)};
  for (std::int64_t i = 0; i < whole; i += kPair) {
    for (int k = 0; k < 2; ++k) {
      const std::int64_t at = i + k * kStep;
      put<kStream>(out + at, SoftmaxRow::vector(row, at));
      largest[k] = at_least(largest[k], load(next + at));
    }
  }
  float best = largest_lane(at_least(largest[0], largest[1]));
  for (std::int64_t i = whole; i < count; ++i) {
    out[i] = SoftmaxRow::single(row, i);
    best = next[i] > best ? next[i] : best;
    GPUKIT_SIMD_SCALAR_LOOP;
  }
  return best;
}

// A row that bypasses the caches is computed in a separate buffer. `shift` is this row's
// maximum; returns that of the next row, if there is one.
template <bool kStream>
GPUKIT_SIMD_FN float softmax_row(float* out, const float* in, std::int64_t count, bool log,
                                 float* buffer, float shift, const float* next) {
  float* powers = kStream ? buffer : out;
  SoftmaxRow row{in, powers, shift, 0, 0, log};
  const float sum = log ? exp_and_sum<false>(powers, in, count, row.shift)
                        : exp_and_sum<true>(powers, in, count, row.shift);
  row.factor = 1.0f / sum;
  if (log) row.offset = __builtin_logf(sum);
  if (next != nullptr) return write_and_look_ahead<kStream>(row, out, next, count);
  write<kStream>(row, out, count);
  return 0;
}

/// True when every row begins where a vector can be streamed to.
GPUKIT_SIMD_FN bool streams(const RowBlock& block) {
  return block.streaming && elements_to_alignment(block.out) == 0 &&
         block.columns % kLanes<float> == 0;
}

template <bool kStream>
void softmax_block(const RowBlock& block, bool log) {
  alignas(kBytes) float buffer[kStream ? kSoftmaxBuffer : 1];
  float maximum = row_maximum(block.in, block.columns);
  for (std::int64_t r = 0; r < block.rows; ++r) {
    const float* in = block.in + r * block.columns;
    const float* next = r + 1 < block.rows ? in + block.columns : nullptr;
    maximum = softmax_row<kStream>(block.out + r * block.columns, in, block.columns, log, buffer,
                                   maximum, next);
  }
  if constexpr (kStream) finish_streaming();
}

inline void softmax_rows(const RowBlock& block, bool log) {
  const bool stream = streams(block) && block.columns <= kSoftmaxBuffer;
  stream ? softmax_block<true>(block, log) : softmax_block<false>(block, log);
}

/// ((in - centre) * rstd + offset) * weight + bias. The offset is what the rounded centre lacks.
struct NormalizedRow {
  const float *in, *weight, *bias;
  float centre, rstd, offset;

  template <class Read>
  GPUKIT_SIMD_FN auto element(const NormalizedRow& row, std::int64_t i, const Read& read) {
    auto value = (read(row.in + i) - row.centre) * row.rstd + row.offset;
    if (row.weight != nullptr) value = value * read(row.weight + i);
    if (row.bias != nullptr) value = value + read(row.bias + i);
    return value;
  }
  GPUKIT_SIMD_FN F32 vector(const NormalizedRow& row, std::int64_t i) {
    return element(row, i, [](const float* p) { return load(p); });
  }
  GPUKIT_SIMD_FN float single(const NormalizedRow& row, std::int64_t i) {
    return element(row, i, [](const float* p) { return *p; });
  }
};

inline void layer_norm_rows(const RowBlock& block, const LayerNormRows& norm) {
  const bool stream = streams(block);
  const auto count = static_cast<double>(block.columns);
  for (std::int64_t r = 0; r < block.rows; ++r) {
    const float* in = block.in + r * block.columns;
    float* out = block.out + r * block.columns;
    const auto centre = static_cast<float>(long_sum(in, block.columns, Value{}) / count);
    // The mean of the distances is what rounding lost in the centre, which is significant for a
    // large mean.
    const double shift = long_sum(in, block.columns, Distance{centre}) / count;
    const double squares = long_sum(in, block.columns, SquaredDistance{centre}) / count;
    const double spread = squares - shift * shift;
    const double variance = spread < 0 ? 0 : spread;
    const auto rstd = static_cast<float>(1.0 / __builtin_sqrt(variance + norm.eps));
    const auto offset = static_cast<float>(-shift) * rstd;
    const NormalizedRow row{in, norm.weight, norm.bias, centre, rstd, offset};
    stream ? write<true>(row, out, block.columns) : write<false>(row, out, block.columns);
    if (norm.mean == nullptr) continue;
    norm.mean[r] = static_cast<float>(centre + shift);
    norm.rstd[r] = rstd;
  }
  if (stream) finish_streaming();
}

void add_math(SimdTable& table) {
  const auto set = [&table](UnaryOp op, UnaryKernel kernel) {
    table.unary[static_cast<int>(op)][static_cast<int>(DType::kFloat32)] = kernel;
  };
  set(UnaryOp::kExp, math_loop<exp_of>);
  set(UnaryOp::kExpm1, math_loop<expm1_of>);
  set(UnaryOp::kLog, math_loop<log_of, true>);
  set(UnaryOp::kLog1p, math_loop<log1p_of, true>);
  set(UnaryOp::kLog2, math_loop<log2_of>);
  set(UnaryOp::kLog10, math_loop<log10_of>);
  set(UnaryOp::kSin, math_loop<sin_of>);
  set(UnaryOp::kCos, math_loop<cos_of>);
  set(UnaryOp::kTanh, math_loop<tanh_of, true>);
  set(UnaryOp::kSigmoid, math_loop<sigmoid_of, true>);
  set(UnaryOp::kErf, math_loop<erf_of, true>);
  set(UnaryOp::kGelu, math_loop<gelu_of, true>);
  set(UnaryOp::kExp2, math_loop<exp2_of>);
  set(UnaryOp::kTan, math_loop<tan_of>);
  set(UnaryOp::kAtan, math_loop<atan_of>);
  set(UnaryOp::kAsin, math_loop<asin_of>);
  set(UnaryOp::kAcos, math_loop<acos_of>);
  set(UnaryOp::kSinh, math_loop<sinh_of>);
  set(UnaryOp::kCosh, math_loop<cosh_of>);
  set(UnaryOp::kAsinh, math_loop<asinh_of>);
  set(UnaryOp::kAcosh, math_loop<acosh_of>);
  set(UnaryOp::kAtanh, math_loop<atanh_of>);
  table.softmax = softmax_rows;
  table.layer_norm = layer_norm_rows;
}

}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
