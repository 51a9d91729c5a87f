#include <algorithm>
#include <cstring>
#include <utility>

#include "core/layout.h"
#include "cpu/cpu_features.h"
#include "cpu/cpu_ops.h"
#include "cpu/strided_loop.h"
#include "cpu/thread_pool.h"

namespace gpukit::cpu {
namespace cpu_copy {
namespace {

constexpr std::int64_t kCopyGrain = 1 << 19;  ///< bytes worth a thread

// The pattern of one element, repeated to eight bytes.
std::uint64_t repeated_pattern(const Scalar& value, DType dtype) {
  static_assert(kWidestReal <= 8, "fills and copies of one element repeat patterns of eight bytes");
  unsigned char bytes[8] = {};
  visit_real_dtype(dtype, [&]<class T>() {
    const T element = value.as<T>();
    for (std::size_t i = 0; i < sizeof bytes; i += sizeof element)
      std::memcpy(bytes + i, &element, sizeof element);
  });
  std::uint64_t pattern;
  std::memcpy(&pattern, bytes, sizeof pattern);
  return pattern;
}

// `size` is the size of the element whose pattern it is; out starts at an element.
void fill_pattern(char* out, std::uint64_t pattern, std::int64_t bytes) {
  std::int64_t i = 0;
  for (; i + 8 <= bytes; i += 8) std::memcpy(out + i, &pattern, 8);
  std::memcpy(out + i, &pattern, static_cast<std::size_t>(bytes - i));
}

void fill_range(char* out, std::uint64_t pattern, std::int64_t bytes) {
  const bool streaming = bytes >= streaming_threshold_bytes();
  const std::int64_t words = (bytes + 7) / 8;
  parallel_for(words, kCopyGrain / 8, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t size = std::min(end * 8, bytes) - begin * 8;
    if (streaming) {
      simd_table().fill_streaming(out + begin * 8, pattern, size);
    } else {
      fill_pattern(out + begin * 8, pattern, size);
    }
  });
}

bool is_one_run(const Shape& shape, const Strides& strides) {
  return is_contiguous(shape, strides);
}

/// Rows and columns under which a general loop takes matrices element by element.
constexpr std::int64_t kShortSide = 16;

/// Whether one operand has small matrices by rows, one after the other, and the other by columns.
bool is_batch_of_transposes(const CopyArgs& args) {
  const int rank = args.shape.size();
  if (rank < 3 || args.out.dtype != args.in.dtype || itemsize(args.in.dtype) > 8) return false;
  if (std::min(args.shape[rank - 1], args.shape[rank - 2]) >= kShortSide) return false;
  if (std::max(args.shape[rank - 1], args.shape[rank - 2]) > 8 * kShortSide) return false;
  Shape shape = args.shape;
  Strides strides = args.in.strides;
  std::swap(shape[rank - 1], shape[rank - 2]);
  std::swap(strides[rank - 1], strides[rank - 2]);
  return is_one_run(args.shape, args.out.strides) && is_one_run(shape, strides);
}

void transpose_batch(const CopyArgs& args) {
  const int rank = args.shape.size();
  const std::int64_t rows = args.shape[rank - 2], columns = args.shape[rank - 1];
  const auto item = static_cast<std::int64_t>(itemsize(args.in.dtype));
  const std::int64_t bytes = rows * columns * item;
  const TransposeKernel transpose = simd_table().transpose[item];
  parallel_for(element_count(args.shape) * item / bytes, kCopyGrain / bytes + 1,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i)
                   transpose(static_cast<char*>(args.out.data) + i * bytes, columns,
                             static_cast<const char*>(args.in.data) + i * bytes, rows, rows,
                             columns);
               });
}

}  // namespace
}  // namespace cpu_copy

void copy_bytes(void* target, const void* source, std::int64_t bytes) {
  char* out = static_cast<char*>(target);
  const char* in = static_cast<const char*>(source);
  const bool streaming = bytes >= streaming_threshold_bytes();
  parallel_for(bytes, cpu_copy::kCopyGrain, [&](std::int64_t begin, std::int64_t end) {
    if (streaming) {
      simd_table().copy_streaming(out + begin, in + begin, end - begin);
    } else {
      std::memcpy(out + begin, in + begin, static_cast<std::size_t>(end - begin));
    }
  });
}

void fill_bytes(void* target, unsigned char value, std::int64_t bytes) {
  cpu_copy::fill_range(static_cast<char*>(target), 0x0101010101010101ull * value, bytes);
}

void CpuOps::fill(const FillArgs& args, StreamRef) {
  const int item = static_cast<int>(itemsize(args.out.dtype));
  const std::uint64_t pattern = cpu_copy::repeated_pattern(args.value, args.out.dtype);
  if (cpu_copy::is_one_run(args.shape, args.out.strides)) {
    return cpu_copy::fill_range(static_cast<char*>(args.out.data), pattern,
                                element_count(args.shape) * item);
  }
  StridedLoop loop;
  loop.shape = args.shape;
  loop.add_operand(args.out.data, args.out.strides, item);
  const auto body = [pattern, item](char* const* p, const std::int64_t*, std::int64_t count) {
    cpu_copy::fill_pattern(p[0], pattern, count * item);
  };
  run(loop, body);
}

void CpuOps::copy(const CopyArgs& args, StreamRef) {
  const int out_size = static_cast<int>(itemsize(args.out.dtype)),
            in_size = static_cast<int>(itemsize(args.in.dtype));
  const bool moves_only = args.out.dtype == args.in.dtype;
  if (moves_only && cpu_copy::is_one_run(args.shape, args.out.strides) &&
      cpu_copy::is_one_run(args.shape, args.in.strides)) {
    return copy_bytes(args.out.data, args.in.data, element_count(args.shape) * out_size);
  }
  if (cpu_copy::is_batch_of_transposes(args)) return cpu_copy::transpose_batch(args);
  StridedLoop loop;
  loop.shape = args.shape;
  loop.moves_only = moves_only;
  loop.streaming = element_count(args.shape) * out_size >= streaming_threshold_bytes();
  loop.add_operand(args.out.data, args.out.strides, out_size);
  loop.add_operand(args.in.data, args.in.strides, in_size);
  const ConvertKernel convert = table_.convert[index_of(args.in.dtype)][index_of(args.out.dtype)];
  const auto body = [convert, moves_only, out_size](char* const* p, const std::int64_t* steps,
                                                    std::int64_t count) {
    if (steps[1] == 0) {
      convert(p[0], p[1], 1);
      std::uint64_t pattern = 0;
      for (int i = 0; i < 8; i += out_size)
        std::memcpy(reinterpret_cast<char*>(&pattern) + i, p[0],
                    static_cast<std::size_t>(out_size));
      cpu_copy::fill_pattern(p[0], pattern, count * out_size);
    } else if (moves_only) {
      std::memcpy(p[0], p[1], static_cast<std::size_t>(count * out_size));
    } else {
      convert(p[0], p[1], count);
    }
  };
  run(loop, body);
}

// Each element is computed from its index, so the last of a linspace does not gather rounding
// errors.
void CpuOps::ramp(const RampArgs& args, StreamRef) {
  visit_real_dtype(args.dtype, [&]<class T>() {
    T* out = static_cast<T*>(args.out);
    parallel_for(args.count, 1 << 16, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        if constexpr (std::is_integral_v<T>) {
          const auto steps =
              static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(args.step_int);
          out[i] = static_cast<T>(
              static_cast<std::int64_t>(static_cast<std::uint64_t>(args.start_int) + steps));
        } else if constexpr (std::is_floating_point_v<T>) {
          out[i] = static_cast<T>(args.start + static_cast<double>(i) * args.step);
        } else {
          static_assert(is_half_type<T>);
          out[i] = T(static_cast<float>(args.start + static_cast<double>(i) * args.step));
        }
      }
    });
  });
}

void CpuOps::triangle(const TriangleArgs& args, StreamRef) {
  const std::int64_t item = static_cast<std::int64_t>(itemsize(args.dtype));
  const std::int64_t row_bytes = args.columns * item;
  char* out = static_cast<char*>(args.out);
  const char* in = static_cast<const char*>(args.in);
  const std::int64_t grain =
      std::max<std::int64_t>(1, cpu_copy::kCopyGrain / std::max<std::int64_t>(1, row_bytes));
  parallel_for(args.batch * args.rows, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      // The first column that is dropped (lower) or kept (upper).
      const std::int64_t edge = row % args.rows + args.diagonal + (args.upper ? 0 : 1);
      const std::int64_t split = std::clamp<std::int64_t>(edge, 0, args.columns) * item;
      const std::int64_t kept_begin = args.upper ? split : 0,
                         kept_end = args.upper ? row_bytes : split;
      char* target = out + row * row_bytes;
      std::memset(target, 0, static_cast<std::size_t>(kept_begin));
      if (target != in + row * row_bytes) {
        std::memcpy(target + kept_begin, in + row * row_bytes + kept_begin,
                    static_cast<std::size_t>(kept_end - kept_begin));
      }
      std::memset(target + kept_end, 0, static_cast<std::size_t>(row_bytes - kept_end));
    }
  });
}

}  // namespace gpukit::cpu
