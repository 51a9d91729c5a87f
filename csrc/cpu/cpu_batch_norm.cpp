// Batch norm: each channel's mean and variance, and what they do to it.
#include <algorithm>
#include <cmath>
#include <vector>

#include "cpu/cpu_ops.h"
#include "cpu/thread_pool.h"

namespace gpukit::cpu {
namespace cpu_batch_norm {
namespace {

constexpr std::int64_t kElementGrain = 1 << 13;  ///< elements worth a thread

template <class T>
T at_or(const void* values, std::int64_t i, T other) {
  return values == nullptr ? other : static_cast<const T*>(values)[i];
}

// Planes of one channel, one after the other.
double sum(const SimdTable& table, const float* in, std::int64_t count) {
  Partial partial;
  table.reduce[static_cast<int>(ReduceOp::kSum)][index_of(DType::kFloat32)](in, count, 0, partial);
  return partial.value + partial.error;
}
double sum(const SimdTable& table, const double* in, std::int64_t count) {
  Partial partial;
  table.reduce[static_cast<int>(ReduceOp::kSum)][index_of(DType::kFloat64)](in, count, 0, partial);
  return partial.value + partial.error;
}
double squared_distances(const SimdTable& table, const float* in, float centre,
                         std::int64_t count) {
  return table.layers.squared_distances(in, centre, count);
}
double squared_distances(const SimdTable&, const double* in, double centre, std::int64_t count) {
  double total = 0;
  for (std::int64_t i = 0; i < count; ++i) total += (in[i] - centre) * (in[i] - centre);
  return total;
}
double products(const SimdTable& table, const float* a, const float* b, float centre,
                std::int64_t count) {
  return table.layers.products(a, b, centre, count);
}
double products(const SimdTable&, const double* a, const double* b, double centre,
                std::int64_t count) {
  double total = 0;
  for (std::int64_t i = 0; i < count; ++i) total += a[i] * (b[i] - centre);
  return total;
}
void scale(const SimdTable& table, float* out, const float* in, float centre, float factor,
           float offset, std::int64_t count) {
  table.layers.scale(out, in, centre, factor, offset, count);
}
void scale(const SimdTable&, double* out, const double* in, double centre, double factor,
           double offset, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = (in[i] - centre) * factor + offset;
}
void normal_gradient(const SimdTable& table, float* out, const float* gradient, const float* in,
                     float centre, float mean, float slope, float factor, std::int64_t count) {
  table.layers.normal_gradient(out, gradient, in, centre, mean, slope, factor, count);
}
void normal_gradient(const SimdTable&, double* out, const double* gradient, const double* in,
                     double centre, double mean, double slope, double factor, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i)
    out[i] = (gradient[i] - mean - (in[i] - centre) * slope) * factor;
}

/// The planes of a call, by channel.
template <class T>
struct Channels {
  const SimdTable& table;
  const BatchNormArgs& args;

  /// visit(the offset of a plane), for each image.
  template <class Visit>
  void for_each_plane(std::int64_t channel, const Visit& visit) const {
    for (std::int64_t n = 0; n < args.batch; ++n) visit((n * args.channels + channel) * args.plane);
  }
  template <class Body>
  void for_each_channel(const Body& body) const {
    const std::int64_t grain = std::max<std::int64_t>(1, kElementGrain / args.each());
    parallel_for(args.channels, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t channel = begin; channel < end; ++channel) body(channel);
    });
  }
  T& statistic(void* values, std::int64_t channel) const {
    return static_cast<T*>(values)[channel];
  }

  void measure(std::int64_t channel) const {
    const T* in = static_cast<const T*>(args.in);
    const auto count = static_cast<double>(args.each());
    double total = 0;
    for_each_plane(channel, [&](std::int64_t at) { total += sum(table, in + at, args.plane); });
    const T mean = static_cast<T>(total / count);
    double squares = 0;
    for_each_plane(channel, [&](std::int64_t at) {
      squares += squared_distances(table, in + at, mean, args.plane);
    });
    statistic(args.mean, channel) = mean;
    statistic(args.variance, channel) = static_cast<T>(squares / count);
    statistic(args.rstd, channel) = static_cast<T>(1 / std::sqrt(squares / count + args.eps));
  }

  void apply(std::int64_t channel) const {
    const T* in = static_cast<const T*>(args.in);
    T* out = static_cast<T*>(args.out);
    const T factor = statistic(args.rstd, channel) * at_or<T>(args.weight, channel, T{1});
    const T offset = at_or<T>(args.bias, channel, T{0});
    for_each_plane(channel, [&](std::int64_t at) {
      scale(table, out + at, in + at, statistic(args.mean, channel), factor, offset, args.plane);
    });
  }

  void back(const BatchNormBackwardArgs& back, std::int64_t channel) const {
    const T* in = static_cast<const T*>(args.in);
    const T* gradient = static_cast<const T*>(back.gradient);
    const T mean = statistic(args.mean, channel), rstd = statistic(args.rstd, channel);
    double total = 0, slope = 0;
    for_each_plane(channel, [&](std::int64_t at) {
      total += sum(table, gradient + at, args.plane);
      slope += products(table, gradient + at, in + at, mean, args.plane);
    });
    const auto wide = static_cast<double>(rstd);
    statistic(back.bias_gradient, channel) = static_cast<T>(total);
    statistic(back.weight_gradient, channel) = static_cast<T>(slope * wide);
    const auto count = static_cast<double>(args.each());
    const T factor = rstd * at_or<T>(args.weight, channel, T{1});
    for_each_plane(channel, [&](std::int64_t at) {
      normal_gradient(table, static_cast<T*>(back.in_gradient) + at, gradient + at, in + at, mean,
                      static_cast<T>(total / count), static_cast<T>(slope * wide * wide / count),
                      factor, args.plane);
    });
  }
};

/// Planes of one element: rows of channels, so that memory is read in order.
template <class T>
struct Columns {
  const BatchNormArgs& args;

  /// sums[c] += term(an element's place, c), over all rows.
  template <class Term>
  std::vector<double> sums(const Term& term) const {
    std::vector<double> total(static_cast<std::size_t>(args.channels));
    for (std::int64_t n = 0; n < args.batch; ++n) {
      for (std::int64_t c = 0; c < args.channels; ++c)
        total[static_cast<std::size_t>(c)] += term(n * args.channels + c, c);
    }
    return total;
  }
  template <class Body>
  void each_row(const Body& body) const {
    const std::int64_t grain = std::max<std::int64_t>(1, kElementGrain / args.channels);
    parallel_for(args.batch, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t n = begin; n < end; ++n) {
        for (std::int64_t c = 0; c < args.channels; ++c) body(n * args.channels + c, c);
      }
    });
  }

  void measure() const {
    const T* in = static_cast<const T*>(args.in);
    T *mean = static_cast<T*>(args.mean), *rstd = static_cast<T*>(args.rstd);
    T* variance = static_cast<T*>(args.variance);
    const auto count = static_cast<double>(args.batch);
    const auto total = sums([&](std::int64_t at, std::int64_t) { return double{in[at]}; });
    for (std::int64_t c = 0; c < args.channels; ++c)
      mean[c] = static_cast<T>(total[static_cast<std::size_t>(c)] / count);
    const auto squares = sums([&](std::int64_t at, std::int64_t c) {
      const double distance = double{in[at]} - double{mean[c]};
      return distance * distance;
    });
    for (std::int64_t c = 0; c < args.channels; ++c) {
      const double square = squares[static_cast<std::size_t>(c)] / count;
      variance[c] = static_cast<T>(square);
      rstd[c] = static_cast<T>(1 / std::sqrt(square + args.eps));
    }
  }

  void apply() const {
    const T* in = static_cast<const T*>(args.in);
    const T *mean = static_cast<const T*>(args.mean), *rstd = static_cast<const T*>(args.rstd);
    T* out = static_cast<T*>(args.out);
    each_row([&](std::int64_t at, std::int64_t c) {
      out[at] = (in[at] - mean[c]) * (rstd[c] * at_or<T>(args.weight, c, T{1})) +
                at_or<T>(args.bias, c, T{0});
    });
  }

  void back(const BatchNormBackwardArgs& back) const {
    const T* in = static_cast<const T*>(args.in);
    const T *mean = static_cast<const T*>(args.mean), *rstd = static_cast<const T*>(args.rstd);
    const T* gradient = static_cast<const T*>(back.gradient);
    T* bias = static_cast<T*>(back.bias_gradient);
    T* weight = static_cast<T*>(back.weight_gradient);
    const auto total = sums([&](std::int64_t at, std::int64_t) { return double{gradient[at]}; });
    const auto slope = sums([&](std::int64_t at, std::int64_t c) {
      return double{gradient[at]} * double{(in[at] - mean[c]) * rstd[c]};
    });
    for (std::int64_t c = 0; c < args.channels; ++c) {
      bias[c] = static_cast<T>(total[static_cast<std::size_t>(c)]);
      weight[c] = static_cast<T>(slope[static_cast<std::size_t>(c)]);
    }
    const T share = T{1} / static_cast<T>(args.batch);
    each_row([&](std::int64_t at, std::int64_t c) {
      const T normal = (in[at] - mean[c]) * rstd[c];
      static_cast<T*>(back.in_gradient)[at] =
          (gradient[at] - bias[c] * share - normal * (weight[c] * share)) *
          (rstd[c] * at_or<T>(args.weight, c, T{1}));
    });
  }
};

}  // namespace
}  // namespace cpu_batch_norm

void CpuOps::batch_norm(const BatchNormArgs& args, StreamRef) {
  visit_floating(args.dtype, [&]<class T>() {
    if (args.plane == 1) {
      const cpu_batch_norm::Columns<T> columns{args};
      if (!args.given) columns.measure();
      return columns.apply();
    }
    const cpu_batch_norm::Channels<T> channels{table_, args};
    channels.for_each_channel([&](std::int64_t channel) {
      if (!args.given) channels.measure(channel);
      channels.apply(channel);
    });
  });
}

void CpuOps::batch_norm_backward(const BatchNormBackwardArgs& args, StreamRef) {
  visit_floating(args.forward.dtype, [&]<class T>() {
    if (args.forward.plane == 1) return cpu_batch_norm::Columns<T>{args.forward}.back(args);
    const cpu_batch_norm::Channels<T> channels{table_, args.forward};
    channels.for_each_channel([&](std::int64_t channel) { channels.back(args, channel); });
  });
}

}  // namespace gpukit::cpu
