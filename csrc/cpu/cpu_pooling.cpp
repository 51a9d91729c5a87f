// The largest elements of windows, and the way back.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <vector>

#include "base/numeric.h"
#include "cpu/cpu_ops.h"
#include "cpu/thread_pool.h"

namespace gpukit::cpu {
namespace cpu_pooling {
namespace {

constexpr std::int64_t kElementGrain = 1 << 13;  ///< elements worth a thread

/// The taps of a window that begins at `start` which are inside of a dimension: [begin, end). Most
/// windows are whole, and need no division.
struct Taps {
  Taps(std::int64_t start, std::int64_t size, std::int64_t taps, std::int64_t dilation)
      : begin(start >= 0 ? 0 : ceil_div(-start, dilation)),
        end(start + (taps - 1) * dilation < size
                ? taps
                : std::clamp<std::int64_t>(ceil_div(size - start, dilation), begin, taps)) {}
  bool operator==(const Taps&) const = default;
  std::int64_t begin, end;
};

template <class T, class Number>
void take_larger(T* best, Number* numbers, const T* in, std::int64_t stride, std::int64_t first,
                 std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const T value = in[i * stride];
    if (!(value > best[i] || value != value)) continue;
    best[i] = value;
    if (numbers != nullptr) numbers[i] = static_cast<Number>(first + i * stride);
  }
}
void take_larger(const SimdTable& table, float* best, std::int32_t* numbers, const float* in,
                 std::int64_t stride, std::int64_t first, std::int64_t count) {
  table.layers.larger(best, numbers, in, stride, static_cast<std::int32_t>(first), count);
}
template <class T, class Number>
void take_larger(const SimdTable&, T* best, Number* numbers, const T* in, std::int64_t stride,
                 std::int64_t first, std::int64_t count) {
  take_larger(best, numbers, in, stride, first, count);
}

/// The rows of places of a call: the last dimension at once.
template <class T, class Number>
class Rows {
 public:
  Rows(const SimdTable& table, const MaxPoolArgs& args)
      : table_(table), args_(args), numbers_(static_cast<std::size_t>(args.places[2])) {
    const std::int64_t stride = args.stride[2];
    const std::int64_t room =
        args.sizes[2] + args.before[2] - (args.kernel[2] - 1) * args.dilation[2];
    whole_begin_ = std::min(ceil_div(args.before[2], stride), args.places[2]);
    whole_end_ = std::clamp(room > 0 ? ceil_div(room, stride) : 0, whole_begin_, args.places[2]);
  }

  /// The rows [begin, end) of all planes.
  void run(std::int64_t begin, std::int64_t end) {
    const auto& [depth, height, width] = args_.places;
    std::int64_t plane = begin / (depth * height), d = begin / height % depth, h = begin % height;
    for (std::int64_t row = begin; row < end; ++row) {
      run_row(row, plane, {start_of(0, d), start_of(1, h)});
      if (++h < height) continue;
      h = 0;
      if (++d < depth) continue;
      d = 0;
      ++plane;
    }
  }

 private:
  using Starts = std::array<std::int64_t, 2>;
  using RowTaps = std::array<Taps, 2>;

  void run_row(std::int64_t row, std::int64_t plane, const Starts& starts) {
    T* best = static_cast<T*>(args_.values) + row * args_.places[2];
    std::int64_t* numbers =
        args_.numbers == nullptr ? nullptr : args_.numbers + row * args_.places[2];
    const RowTaps taps{taps_of(0, starts[0]), taps_of(1, starts[1])};
    const T* in = static_cast<const T*>(args_.in) + plane * ConvolutionArgs::product(args_.sizes);
    if constexpr (sizeof(T) == sizeof(float) && sizeof(Number) == sizeof(std::int32_t)) {
      if (whole_windows(best, numbers, in, starts, taps)) return;
    }
    std::fill_n(best, args_.places[2], -std::numeric_limits<T>::infinity());
    if (numbers != nullptr) begin_numbers(starts, taps);
    for (std::int64_t d = taps[0].begin; d < taps[0].end; ++d) {
      for (std::int64_t h = taps[1].begin; h < taps[1].end; ++h)
        pool_row(best, in, line_at(starts, d, h));
    }
    if (numbers != nullptr) std::copy(numbers_.begin(), numbers_.end(), numbers);
  }

  /// The windows that are inside of their lines in vectors, and those at the ends one by one.
  bool whole_windows(T* best, std::int64_t* numbers, const T* in, const Starts& starts,
                     const RowTaps& taps) {
    if (whole_taps_ != taps) find_offsets(taps);
    const std::int64_t begin = whole_begin_, end = whole_end_;
    const LargestRow row{in,
                         offsets_.data(),
                         static_cast<std::int64_t>(offsets_.size()),
                         line_at(starts, 0, 0) + start_of(2, begin),
                         args_.stride[2],
                         end - begin,
                         best + begin,
                         numbers == nullptr ? nullptr : numbers + begin};
    if (!table_.layers.largest_row(row)) return false;
    for (std::int64_t place = 0; place < args_.places[2]; ++place) {
      if (place == begin) place = end;
      if (place == args_.places[2]) break;
      one_window(best + place, numbers == nullptr ? nullptr : numbers + place, in, starts, taps,
                 place);
    }
    return true;
  }
  /// Of the taps, from where a window begins.
  void find_offsets(const RowTaps& taps) {
    whole_taps_ = taps;
    offsets_.clear();
    for (std::int64_t d = taps[0].begin; d < taps[0].end; ++d) {
      for (std::int64_t h = taps[1].begin; h < taps[1].end; ++h) {
        const std::int64_t line = line_at({0, 0}, d, h);
        for (std::int64_t w = 0; w < args_.kernel[2]; ++w)
          offsets_.push_back(line + w * args_.dilation[2]);
      }
    }
  }
  void one_window(T* value, std::int64_t* number, const T* in, const Starts& starts,
                  const RowTaps& taps, std::int64_t place) {
    const std::int64_t start = start_of(2, place), step = args_.dilation[2];
    const Taps inside = taps_of(2, start);
    std::int64_t largest = line_at(starts, taps[0].begin, taps[1].begin) + start;
    largest += inside.begin * step;
    for (std::int64_t d = taps[0].begin; d < taps[0].end; ++d) {
      for (std::int64_t h = taps[1].begin; h < taps[1].end; ++h) {
        const std::int64_t line = line_at(starts, d, h) + start;
        for (std::int64_t w = inside.begin; w < inside.end; ++w) {
          const T other = in[line + w * step];
          if (other > in[largest] || other != other) largest = line + w * step;
        }
      }
    }
    *value = in[largest];
    if (number != nullptr) *number = largest;
  }

  std::int64_t start_of(std::size_t dim, std::int64_t place) const {
    return place * args_.stride[dim] - args_.before[dim];
  }
  Taps taps_of(std::size_t dim, std::int64_t start) const {
    return {start, args_.sizes[dim], args_.kernel[dim], args_.dilation[dim]};
  }
  /// Where the line under a tap begins in its plane.
  std::int64_t line_at(const Starts& starts, std::int64_t d, std::int64_t h) const {
    const std::int64_t at = (starts[0] + d * args_.dilation[0]) * args_.sizes[1];
    return (at + starts[1] + h * args_.dilation[1]) * args_.sizes[2];
  }
  /// The first element of each window, which counts where all are -inf.
  void begin_numbers(const Starts& starts, const RowTaps& taps) {
    const std::int64_t line = line_at(starts, taps[0].begin, taps[1].begin);
    for (std::int64_t place = 0; place < args_.places[2]; ++place) {
      const std::int64_t start = start_of(2, place);
      const std::int64_t first = start >= 0 ? 0 : ceil_div(-start, args_.dilation[2]);
      numbers_[static_cast<std::size_t>(place)] =
          static_cast<Number>(line + start + first * args_.dilation[2]);
    }
  }
  void pool_row(T* best, const T* in, std::int64_t line) {
    const std::int64_t stride = args_.stride[2];
    for (std::int64_t w = 0; w < args_.kernel[2]; ++w) {
      const std::int64_t offset = w * args_.dilation[2] - args_.before[2];
      const std::int64_t begin = offset >= 0 ? 0 : ceil_div(-offset, stride);
      const std::int64_t end = std::min(
          args_.places[2], ceil_div(std::max<std::int64_t>(0, args_.sizes[2] - offset), stride));
      if (begin >= end) continue;
      const std::int64_t first = line + offset + begin * stride;
      Number* numbers = args_.numbers == nullptr ? nullptr : numbers_.data() + begin;
      take_larger(table_, best + begin, numbers, in + first, stride, first, end - begin);
    }
  }

  const SimdTable& table_;
  const MaxPoolArgs& args_;
  std::vector<Number> numbers_;
  std::int64_t whole_begin_, whole_end_;  ///< places whose windows are inside of their lines
  RowTaps whole_taps_{Taps(0, 0, 0, 1), Taps(0, 0, 0, 1)};  ///< of the offsets
  std::vector<std::int64_t> offsets_;
};

template <class T, class Number>
void largest(const SimdTable& table, const MaxPoolArgs& args) {
  const std::int64_t rows = args.planes * args.places[0] * args.places[1];
  const std::int64_t work = args.places[2] * ConvolutionArgs::product(args.kernel);
  parallel_for(rows, std::max<std::int64_t>(1, kElementGrain / work),
               [&](std::int64_t begin, std::int64_t end) {
                 Rows<T, Number> each(table, args);
                 each.run(begin, end);
               });
}

}  // namespace
}  // namespace cpu_pooling

void CpuOps::max_pool(const MaxPoolArgs& args, StreamRef) {
  const bool narrow =
      ConvolutionArgs::product(args.sizes) <= std::numeric_limits<std::int32_t>::max();
  visit_floating(args.dtype, [&]<class T>() {
    return narrow ? cpu_pooling::largest<T, std::int32_t>(table_, args)
                  : cpu_pooling::largest<T, std::int64_t>(table_, args);
  });
}

void CpuOps::plane_sum(const PlaneSumArgs& args, StreamRef) {
  visit_floating(args.dtype, [&]<class T>() {
    const std::int64_t work = args.count + args.size;
    parallel_for(args.planes, std::max<std::int64_t>(1, cpu_pooling::kElementGrain / work),
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t plane = begin; plane < end; ++plane) {
                     T* out = static_cast<T*>(args.out) + plane * args.size;
                     std::memset(out, 0, static_cast<std::size_t>(args.size) * sizeof(T));
                     const T* in = static_cast<const T*>(args.in) + plane * args.count;
                     const std::int64_t* numbers = args.numbers + plane * args.count;
                     for (std::int64_t i = 0; i < args.count; ++i) out[numbers[i]] += in[i];
                   }
                 });
  });
}

}  // namespace gpukit::cpu
