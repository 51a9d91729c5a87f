// Softmax and layer norm: rows whose elements are scaled by what the whole row says.
#include <algorithm>
#include <cmath>
#include <vector>

#include "cpu/cpu_features.h"
#include "cpu/cpu_ops.h"
#include "cpu/thread_pool.h"

namespace gpukit::cpu {
namespace cpu_norm {
namespace {

constexpr std::int64_t kElementGrain = 1 << 13;  ///< elements worth a thread

template <class T>
T* offset(void* address, std::int64_t elements) {
  return address == nullptr ? nullptr : static_cast<T*>(address) + elements;
}

/// The rows of a call, of any floating dtype.
struct Rows {
  const void* in;
  void* out;
  std::int64_t rows, columns;
  DType dtype;

  bool streaming() const {
    const std::int64_t bytes = rows * columns * static_cast<std::int64_t>(itemsize(dtype));
    return in != out && bytes > streaming_threshold_bytes();
  }
  template <class Body>
  void share_out(const Body& body) const {
    parallel_for(rows, std::max<std::int64_t>(1, kElementGrain / columns), body);
  }
  RowBlock block(std::int64_t begin, std::int64_t end) const {
    return {static_cast<float*>(out) + begin * columns,
            static_cast<const float*>(in) + begin * columns, end - begin, columns, streaming()};
  }
};

/// A row of half elements is worked on in float; `kernel(block, row)` does it.
template <class Kernel>
void run_half_rows(const Rows& rows, const SimdTable& table, const Kernel& kernel) {
  const ConvertKernel widen = table.convert[index_of(rows.dtype)][index_of(DType::kFloat32)];
  const ConvertKernel narrow = table.convert[index_of(DType::kFloat32)][index_of(rows.dtype)];
  const std::int64_t row_bytes = rows.columns * static_cast<std::int64_t>(itemsize(rows.dtype));
  rows.share_out([&](std::int64_t begin, std::int64_t end) {
    std::vector<float> row(static_cast<std::size_t>(rows.columns));
    for (std::int64_t r = begin; r < end; ++r) {
      widen(row.data(), static_cast<const char*>(rows.in) + r * row_bytes, rows.columns);
      kernel(RowBlock{row.data(), row.data(), 1, rows.columns, false}, r);
      narrow(static_cast<char*>(rows.out) + r * row_bytes, row.data(), rows.columns);
    }
  });
}

void softmax_row_f64(double* out, const double* in, std::int64_t count, bool log) {
  double shift = in[0];
  for (std::int64_t i = 1; i < count; ++i) shift = in[i] > shift ? in[i] : shift;
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double power = std::exp(in[i] - shift);
    sum += power;
    if (!log) out[i] = power;
  }
  const double offset = std::log(sum);
  for (std::int64_t i = 0; i < count; ++i) out[i] = log ? (in[i] - shift) - offset : out[i] / sum;
}

/// Pairwise in blocks of 256, so that long rows lose nothing.
template <class Term>
double sum_f64(const double* in, std::int64_t count, const Term& term) {
  if (count > 256) {
    const std::int64_t half = count / 2;
    return sum_f64(in, half, term) + sum_f64(in + half, count - half, term);
  }
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += term(in[i]);
  return sum;
}

void layer_norm_row_f64(const LayerNormArgs& args, std::int64_t row) {
  const std::int64_t columns = args.columns;
  const double* in = static_cast<const double*>(args.in) + row * columns;
  double* out = static_cast<double*>(args.out) + row * columns;
  const auto* weight = static_cast<const double*>(args.weight);
  const auto* bias = static_cast<const double*>(args.bias);
  const auto count = static_cast<double>(columns);
  double mean = sum_f64(in, columns, [](double x) { return x; }) / count;
  // What rounding left over: equal numbers are at distance 0 from their mean.
  mean += sum_f64(in, columns, [mean](double x) { return x - mean; }) / count;
  const double squares = sum_f64(in, columns, [mean](double x) { return (x - mean) * (x - mean); });
  const double rstd = 1.0 / std::sqrt(squares / count + args.eps);
  for (std::int64_t i = 0; i < columns; ++i) {
    const double scale = weight == nullptr ? 1.0 : weight[i];
    out[i] = (in[i] - mean) * rstd * scale + (bias == nullptr ? 0.0 : bias[i]);
  }
  if (args.mean == nullptr) return;
  static_cast<double*>(args.mean)[row] = mean;
  static_cast<double*>(args.rstd)[row] = rstd;
}

/// Weight or bias in float; empty when there is none.
std::vector<float> widened(const void* values, const LayerNormArgs& args, const SimdTable& table) {
  if (values == nullptr) return {};
  std::vector<float> wide(static_cast<std::size_t>(args.columns));
  table.convert[index_of(args.dtype)][index_of(DType::kFloat32)](wide.data(), values, args.columns);
  return wide;
}
const float* data_or_null(const std::vector<float>& values) {
  return values.empty() ? nullptr : values.data();
}

/// What the kernel needs from row `row` on.
LayerNormRows rows_from(const LayerNormArgs& args, std::int64_t row) {
  return {static_cast<const float*>(args.weight), static_cast<const float*>(args.bias),
          offset<float>(args.mean, row), offset<float>(args.rstd, row), args.eps};
}

void layer_norm_half(const LayerNormArgs& args, const Rows& rows, const SimdTable& table) {
  const std::vector<float> weight = widened(args.weight, args, table);
  const std::vector<float> bias = widened(args.bias, args, table);
  run_half_rows(rows, table, [&](const RowBlock& block, std::int64_t row) {
    LayerNormRows norm = rows_from(args, row);
    norm.weight = data_or_null(weight);
    norm.bias = data_or_null(bias);
    table.layer_norm(block, norm);
  });
}

}  // namespace
}  // namespace cpu_norm

void CpuOps::softmax(const SoftmaxArgs& args, StreamRef) {
  const cpu_norm::Rows rows{args.in, args.out, args.rows, args.columns, args.dtype};
  if (is_half(args.dtype)) {
    return cpu_norm::run_half_rows(rows, table_, [&](const RowBlock& block, std::int64_t) {
      table_.softmax(block, args.log);
    });
  }
  visit_floating(args.dtype, [&]<class T>() {
    rows.share_out([&](std::int64_t begin, std::int64_t end) {
      if constexpr (std::is_same_v<T, float>) {
        table_.softmax(rows.block(begin, end), args.log);
      } else {
        for (std::int64_t r = begin; r < end; ++r)
          cpu_norm::softmax_row_f64(static_cast<double*>(args.out) + r * args.columns,
                                    static_cast<const double*>(args.in) + r * args.columns,
                                    args.columns, args.log);
      }
    });
  });
}

void CpuOps::layer_norm(const LayerNormArgs& args, StreamRef) {
  const cpu_norm::Rows rows{args.in, args.out, args.rows, args.columns, args.dtype};
  if (is_half(args.dtype)) return cpu_norm::layer_norm_half(args, rows, table_);
  visit_floating(args.dtype, [&]<class T>() {
    rows.share_out([&](std::int64_t begin, std::int64_t end) {
      if constexpr (std::is_same_v<T, float>) {
        table_.layer_norm(rows.block(begin, end), cpu_norm::rows_from(args, begin));
      } else {
        for (std::int64_t r = begin; r < end; ++r) cpu_norm::layer_norm_row_f64(args, r);
      }
    });
  });
}

}  // namespace gpukit::cpu
