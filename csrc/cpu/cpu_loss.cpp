// Cross-entropy of rows of logits, and its gradient.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "cpu/cpu_ops.h"
#include "cpu/thread_pool.h"

namespace gpukit::cpu {
namespace cpu_loss {
namespace {

constexpr std::int64_t kElementGrain = 1 << 13;  ///< elements worth a thread

std::int64_t rows_per_thread(std::int64_t columns) {
  return std::max<std::int64_t>(1, kElementGrain / std::max<std::int64_t>(1, columns));
}

void log_sum_exp(const SimdTable& table, float* out, const float* in, std::int64_t rows,
                 std::int64_t columns) {
  table.log_sum_exp_rows(out, in, rows, columns);
}
void log_sum_exp(const SimdTable&, double* out, const double* in, std::int64_t rows,
                 std::int64_t columns) {
  for (std::int64_t r = 0; r < rows; ++r, in += columns) {
    const double largest = *std::max_element(in, in + columns);
    const double shift = std::isfinite(largest) ? largest : 0.0;
    double sum = 0;
    for (std::int64_t c = 0; c < columns; ++c) sum += std::exp(in[c] - shift);
    out[r] = shift + std::log(sum);
  }
}

void scaled_exp(const SimdTable& table, float* out, const float* in, std::int64_t rows,
                std::int64_t columns, const float* shifts, const float* factors) {
  table.scaled_exp_rows(out, in, rows, columns, shifts, factors);
}
void scaled_exp(const SimdTable&, double* out, const double* in, std::int64_t rows,
                std::int64_t columns, const double* shifts, const double* factors) {
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c, ++in, ++out)
      *out = std::exp(*in - shifts[r]) * factors[r];
  }
}

/// One row's share of the loss: (1 - smoothing) * weight[target] on its target, and smoothing
/// distributed over all classes.
template <class T>
class Rows {
 public:
  explicit Rows(const CrossEntropyRows& rows)
      : rows_(rows),
        weight_(static_cast<const T*>(rows.weight)),
        smoothing_(static_cast<T>(rows.smoothing / static_cast<double>(rows.columns))) {}

  std::int64_t target(std::int64_t row) const { return rows_.target[row]; }
  bool ignored(std::int64_t row) const { return target(row) == rows_.ignore_index; }
  bool outside(std::int64_t row) const {
    return !ignored(row) && (target(row) < 0 || target(row) >= rows_.columns);
  }
  const T* logits(std::int64_t row) const {
    return static_cast<const T*>(rows_.logits) + row * rows_.columns;
  }
  T class_weight(std::int64_t c) const { return weight_ == nullptr ? T{1} : weight_[c]; }
  /// What the row counts in a mean.
  T row_weight(std::int64_t row) const {
    return ignored(row) || outside(row) ? T{0} : class_weight(target(row));
  }
  T sharp(std::int64_t row) const {
    return static_cast<T>(1.0 - rows_.smoothing) * class_weight(target(row));
  }
  T smoothing() const { return smoothing_; }
  T smoothing_weight() const {
    if (weight_ == nullptr) return static_cast<T>(rows_.smoothing);
    T sum = 0;
    for (std::int64_t c = 0; c < rows_.columns; ++c) sum += weight_[c];
    return smoothing_ * sum;
  }

  T loss(std::int64_t row, T log_sum) const {
    if (ignored(row)) return T{0};
    if (outside(row)) return std::numeric_limits<T>::quiet_NaN();
    const T* in = logits(row);
    const T loss = sharp(row) * (log_sum - in[target(row)]);
    double spread = 0;  // a float sum of 16 461 terms was off by 1.5e-4 of itself
    for (std::int64_t c = 0; smoothing_ != T{0} && c < rows_.columns; ++c)
      spread += static_cast<double>(class_weight(c) * (log_sum - in[c]));
    return loss + static_cast<T>(static_cast<double>(smoothing_) * spread);
  }

 private:
  const CrossEntropyRows& rows_;
  const T* weight_;
  T smoothing_;
};

/// As the logarithm of softmax does, inf - inf makes all of a row with an infinite logit NaN.
template <class T>
T nan_for_infinity(T log_sum) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  return log_sum == kInfinity ? std::numeric_limits<T>::quiet_NaN() : log_sum;
}

template <class T>
void reduce_losses(const CrossEntropyArgs& args, const Rows<T>& rows) {
  double total = 0, weight = 0;
  for (std::int64_t r = 0; r < args.input.rows; ++r) {
    total += static_cast<double>(static_cast<const T*>(args.losses)[r]);
    weight += static_cast<double>(rows.row_weight(r));
  }
  *static_cast<T*>(args.scale) = args.mean ? static_cast<T>(1.0 / weight) : T{1};
  *static_cast<T*>(args.total) = static_cast<T>(args.mean ? total / weight : total);
}

template <class T>
void forward(const SimdTable& table, const CrossEntropyArgs& args) {
  const Rows<T> rows(args.input);
  std::atomic<bool> any_outside{false};
  parallel_for(args.input.rows, rows_per_thread(args.input.columns),
               [&](std::int64_t begin, std::int64_t end) {
                 T* log_sums = static_cast<T*>(args.log_sums);
                 log_sum_exp(table, log_sums + begin, rows.logits(begin), end - begin,
                             args.input.columns);
                 for (std::int64_t r = begin; r < end; ++r) {
                   log_sums[r] = nan_for_infinity(log_sums[r]);
                   static_cast<T*>(args.losses)[r] = rows.loss(r, log_sums[r]);
                   if (rows.outside(r)) any_outside.store(true, std::memory_order_relaxed);
                 }
               });
  if (args.outside != nullptr && any_outside.load()) *args.outside = true;
  if (args.total != nullptr) reduce_losses(args, rows);
}

/// The gradient of rows of logits: exp(logits - log_sum) * (sharp + smoothing weight) - smoothing *
/// weights - sharp at the target, all times the gradient.
template <class T>
class GradientRows {
 public:
  GradientRows(const SimdTable& table, const CrossEntropyBackwardArgs& args)
      : table_(table),
        args_(args),
        rows_(args.input),
        columns_(args.input.columns),
        scale_(args.scale == nullptr ? T{1} : *static_cast<const T*>(args.scale)),
        smoothing_weight_(rows_.smoothing() == T{0} ? T{0} : rows_.smoothing_weight()) {}

  void run(std::int64_t begin, std::int64_t end) const {
    constexpr std::int64_t kBlock = 64;
    for (std::int64_t r = begin; r < end; r += kBlock) {
      const std::int64_t count = std::min(kBlock, end - r);
      T factors[kBlock];
      for (std::int64_t i = 0; i < count; ++i) factors[i] = factor(r + i);
      scaled_exp(table_, out(r), rows_.logits(r), count, columns_,
                 static_cast<const T*>(args_.log_sums) + r, factors);
      for (std::int64_t i = 0; i < count; ++i) finish(r + i);
    }
  }

 private:
  bool counts(std::int64_t row) const { return !rows_.ignored(row) && !rows_.outside(row); }
  T* out(std::int64_t row) const { return static_cast<T*>(args_.out) + row * columns_; }
  T upstream(std::int64_t row) const {
    return static_cast<const T*>(args_.gradient)[args_.by_row ? row : 0] * scale_;
  }
  T factor(std::int64_t row) const {
    return counts(row) ? (rows_.sharp(row) + smoothing_weight_) * upstream(row) : T{0};
  }
  void finish(std::int64_t row) const {
    T* slopes = out(row);
    if (!counts(row)) {
      std::fill_n(slopes, columns_,
                  rows_.ignored(row) ? T{0} : std::numeric_limits<T>::quiet_NaN());
      return;
    }
    const T gradient = upstream(row);
    for (std::int64_t c = 0; rows_.smoothing() != T{0} && c < columns_; ++c)
      slopes[c] -= rows_.smoothing() * rows_.class_weight(c) * gradient;
    slopes[rows_.target(row)] -= rows_.sharp(row) * gradient;
  }

  const SimdTable& table_;
  const CrossEntropyBackwardArgs& args_;
  Rows<T> rows_;
  std::int64_t columns_;
  T scale_, smoothing_weight_;
};

template <class T>
void backward(const SimdTable& table, const CrossEntropyBackwardArgs& args) {
  const GradientRows<T> rows(table, args);
  parallel_for(args.input.rows, rows_per_thread(args.input.columns),
               [&](std::int64_t begin, std::int64_t end) { rows.run(begin, end); });
}

}  // namespace
}  // namespace cpu_loss

void CpuOps::cross_entropy(const CrossEntropyArgs& args, StreamRef) {
  visit_floating(args.input.dtype, [&]<class T>() { cpu_loss::forward<T>(table_, args); });
}

void CpuOps::cross_entropy_backward(const CrossEntropyBackwardArgs& args, StreamRef) {
  visit_floating(args.input.dtype, [&]<class T>() { cpu_loss::backward<T>(table_, args); });
}

}  // namespace gpukit::cpu
