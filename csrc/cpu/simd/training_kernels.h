// Loops of training: an optimizer's step, and rows of cross-entropy.
#pragma once

#include "cpu/simd/row_math.h"

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {

/// The settings of a step as vectors. Everything is one value for all lanes.
template <class T>
struct StepVectors {
  explicit StepVectors(const OptimizerStep& step)
      : sign(broadcast(static_cast<T>(step.settings->maximize != 0 ? -1 : 1))),
        weight_decay(broadcast(static_cast<T>(step.settings->weight_decay))),
        shrink(broadcast(static_cast<T>(step.settings->shrink))),
        kept(broadcast(static_cast<T>(step.settings->kept))),
        taken(broadcast(static_cast<T>(step.settings->taken))),
        kept_square(broadcast(static_cast<T>(step.settings->kept_square))),
        taken_square(broadcast(static_cast<T>(step.settings->taken_square))),
        eps(broadcast(static_cast<T>(step.settings->eps))),
        step_size(broadcast(static_cast<T>(step.step_size))),
        root_correction(broadcast(static_cast<T>(1.0 / step.root_correction))) {}
  Vec<T> sign, weight_decay, shrink, kept, taken, kept_square, taken_square, eps;
  Vec<T> step_size, root_correction;
};

/// Plain descent, with or without momentum.
template <class T, bool kMomentum, bool kFresh, bool kNesterov>
struct SgdRule {
  GPUKIT_SIMD_FN void apply(const StepVectors<T>& s, T* p, const T* g, T* first, T*, T*) {
    const Vec<T> parameter = load(p);
    const Vec<T> gradient = load(g) * s.sign + s.weight_decay * parameter;
    Vec<T> update = gradient;
    if constexpr (kMomentum) {
      const Vec<T> buffer = kFresh ? gradient : s.kept * load(first) + s.taken * gradient;
      store(first, buffer);
      update = kNesterov ? gradient + s.kept * buffer : buffer;
    }
    store(p, parameter - s.step_size * update);
  }
};

template <class T, bool kFresh, bool kLargest>
struct AdamRule {
  GPUKIT_SIMD_FN void apply(const StepVectors<T>& s, T* p, const T* g, T* first, T* second,
                            T* largest) {
    const Vec<T> parameter = load(p) * s.shrink;
    const Vec<T> gradient = load(g) * s.sign + s.weight_decay * parameter;
    const Vec<T> zero = {};
    const Vec<T> mean = s.kept * (kFresh ? zero : load(first)) + s.taken * gradient;
    const Vec<T> square =
        s.kept_square * (kFresh ? zero : load(second)) + s.taken_square * (gradient * gradient);
    store(first, mean);
    store(second, square);
    Vec<T> used = square;
    if constexpr (kLargest) {
      const Vec<T> before = kFresh ? zero : load(largest);
      used = square > before ? square : before;
      store(largest, used);
    }
    store(p, parameter - s.step_size * (mean / (square_root(used) * s.root_correction + s.eps)));
  }
};

/// The last few elements go through buffers as wide as a vector.
template <class T, class Rule>
void step_tail(const StepVectors<T>& vectors, T* const (&arrays)[5], std::int64_t count) {
  alignas(kBytes) T few[5][kLanes<T>] = {};
  for (int a = 0; a < 5; ++a) {
    if (arrays[a] != nullptr)
      __builtin_memcpy(few[a], arrays[a], static_cast<std::size_t>(count) * sizeof(T));
  }
  Rule::apply(vectors, few[0], few[1], few[2], few[3], few[4]);
  for (int a = 0; a < 5; ++a) {
    if (arrays[a] != nullptr && a != 1)
      __builtin_memcpy(arrays[a], few[a], static_cast<std::size_t>(count) * sizeof(T));
  }
}

template <class T, class Rule>
void step_all(const OptimizerStep& step, std::int64_t count) {
  const StepVectors<T> vectors(step);
  T* p = static_cast<T*>(step.parameter);
  T* g = static_cast<T*>(const_cast<void*>(step.gradient));
  T* first = static_cast<T*>(step.first);
  T* second = static_cast<T*>(step.second);
  T* largest = static_cast<T*>(step.largest);
  const auto at = [](T* array, std::int64_t i) { return array == nullptr ? nullptr : array + i; };
  std::int64_t i = 0;
  for (; i + kLanes<T> <= count; i += kLanes<T>)
    Rule::apply(vectors, p + i, g + i, at(first, i), at(second, i), at(largest, i));
  if (i < count) {
    T* const arrays[5] = {p + i, g + i, at(first, i), at(second, i), at(largest, i)};
    step_tail<T, Rule>(vectors, arrays, count - i);
  }
}

template <class T>
void sgd_step(const OptimizerStep& step, std::int64_t count) {
  if (step.first == nullptr) return step_all<T, SgdRule<T, false, false, false>>(step, count);
  const bool nesterov = step.settings->nesterov != 0;
  if (step.fresh) {
    return nesterov ? step_all<T, SgdRule<T, true, true, true>>(step, count)
                    : step_all<T, SgdRule<T, true, true, false>>(step, count);
  }
  return nesterov ? step_all<T, SgdRule<T, true, false, true>>(step, count)
                  : step_all<T, SgdRule<T, true, false, false>>(step, count);
}

template <class T>
void adam_step(const OptimizerStep& step, std::int64_t count) {
  if (step.largest != nullptr) {
    return step.fresh ? step_all<T, AdamRule<T, true, true>>(step, count)
                      : step_all<T, AdamRule<T, false, true>>(step, count);
  }
  return step.fresh ? step_all<T, AdamRule<T, true, false>>(step, count)
                    : step_all<T, AdamRule<T, false, false>>(step, count);
}

template <class T>
void optimizer_step(const OptimizerStep& step, std::int64_t count) {
  step.settings->rule == OptimizerRule::kSgd ? sgd_step<T>(step, count) : adam_step<T>(step, count);
}

inline float log_sum_exp(const float* in, std::int64_t count) {
  const float largest = row_maximum(in, count);
  const float shift = largest - largest == 0.0f ? largest : 0.0f;  // infinities shift nothing
  return shift + __builtin_logf(exp_and_sum<false>(nullptr, in, count, shift));
}

inline void scaled_exp(float* out, const float* in, std::int64_t count, float shift, float factor) {
  constexpr std::int64_t kStep = kLanes<float>;
  std::int64_t i = 0;
  for (; i + kStep <= count; i += kStep) store(out + i, exp_of(load(in + i) - shift) * factor);
  if (i == count) return;
  alignas(kBytes) float few[kStep] = {};
  const auto bytes = static_cast<std::size_t>(count - i) * sizeof(float);
  __builtin_memcpy(few, in + i, bytes);
  store(few, exp_of(load(few) - shift) * factor);
  __builtin_memcpy(out + i, few, bytes);
}

/// Columns up to which rows are worked on side by side, one a lane.
inline constexpr std::int64_t kShortRow = 64;

/// Up to kLanes<float> short rows, transposed: column c of row r is lane r of vector c.
struct TransposedRows {
  TransposedRows(const float* in, std::int64_t rows, std::int64_t columns) {
    constexpr std::int64_t kStep = kLanes<float>;
    if (rows < kStep) __builtin_memset(lanes, 0, sizeof lanes);
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < columns; ++c) {
        lanes[c * kStep + r] = in[r * columns + c];
        GPUKIT_SIMD_SCALAR_LOOP;
      }
    }
  }
  float* column(std::int64_t c) { return lanes + c * kLanes<float>; }

  alignas(kBytes) float lanes[kShortRow * kLanes<float>];
};

/// One value a row, of which the last vector may have fewer.
struct RowValues {
  RowValues(const float* in, std::int64_t rows) {
    if (rows < kLanes<float>) __builtin_memset(lanes, 0, sizeof lanes);
    __builtin_memcpy(lanes, in, static_cast<std::size_t>(rows) * sizeof(float));
  }
  alignas(kBytes) float lanes[kLanes<float>];
};

inline void log_sum_exp_short(float* out, const float* in, std::int64_t rows,
                              std::int64_t columns) {
  TransposedRows transposed(in, rows, columns);
  F32 largest = broadcast(-kInfinity);
  for (std::int64_t c = 0; c < columns; ++c)
    largest = at_least(largest, load(transposed.column(c)));
  const F32 shift = largest - largest == 0.0f ? largest : F32{};
  F32 sum = {};
  for (std::int64_t c = 0; c < columns; ++c) sum = sum + exp_of(load(transposed.column(c)) - shift);
  alignas(kBytes) float result[kLanes<float>];
  store(result, shift + log_of(sum));
  __builtin_memcpy(out, result, static_cast<std::size_t>(rows) * sizeof(float));
}

inline void scaled_exp_short(float* out, const float* in, std::int64_t rows, std::int64_t columns,
                             const float* shifts, const float* factors) {
  constexpr std::int64_t kStep = kLanes<float>;
  TransposedRows transposed(in, rows, columns);
  const F32 shift = load(RowValues(shifts, rows).lanes);
  const F32 factor = load(RowValues(factors, rows).lanes);
  for (std::int64_t c = 0; c < columns; ++c)
    store(transposed.column(c), exp_of(load(transposed.column(c)) - shift) * factor);
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      out[r * columns + c] = transposed.lanes[c * kStep + r];
      GPUKIT_SIMD_SCALAR_LOOP;
    }
  }
}

inline void log_sum_exp_rows(float* out, const float* in, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kStep = kLanes<float>;
  const bool is_short = columns <= kShortRow;
  for (std::int64_t r = 0; is_short && r < rows; r += kStep)
    log_sum_exp_short(out + r, in + r * columns, rows - r < kStep ? rows - r : kStep, columns);
  for (std::int64_t r = 0; !is_short && r < rows; ++r)
    out[r] = log_sum_exp(in + r * columns, columns);
}

inline void scaled_exp_rows(float* out, const float* in, std::int64_t rows, std::int64_t columns,
                            const float* shifts, const float* factors) {
  constexpr std::int64_t kStep = kLanes<float>;
  const bool is_short = columns <= kShortRow;
  for (std::int64_t r = 0; is_short && r < rows; r += kStep) {
    scaled_exp_short(out + r * columns, in + r * columns, rows - r < kStep ? rows - r : kStep,
                     columns, shifts + r, factors + r);
  }
  for (std::int64_t r = 0; !is_short && r < rows; ++r)
    scaled_exp(out + r * columns, in + r * columns, columns, shifts[r], factors[r]);
}

void add_training(SimdTable& table) {
  table.optimizer_step[static_cast<int>(DType::kFloat32)] = optimizer_step<float>;
  table.optimizer_step[static_cast<int>(DType::kFloat64)] = optimizer_step<double>;
  table.log_sum_exp_rows = log_sum_exp_rows;
  table.scaled_exp_rows = scaled_exp_rows;
}

}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
