#include <algorithm>
#include <type_traits>

#include "core/number_range.h"
#include "cpu/cpu_ops.h"
#include "cpu/thread_pool.h"
#include "kernels/philox.h"
#include "kernels/scalar_ops.h"

namespace gpukit::cpu {
namespace cpu_random {
namespace {

constexpr std::int64_t kBlockGrain = 1 << 13;  ///< Philox blocks worth a thread

UniformRange<double> limits_of(const RandomArgs& args) {
  if (args.op == RandomOp::kNormal) return {args.low, args.high, 0};
  const FloatFormat format = float_format(args.dtype);
  return uniform_limits(args.low, args.high, format.precision, format.smallest_exponent);
}

// Calls fill(first block, element offset, element count) for runs of whole blocks.
template <class Fill>
void for_each(std::int64_t count, int per_block, const Fill& fill) {
  parallel_for((count + per_block - 1) / per_block, kBlockGrain,
               [&](std::int64_t begin, std::int64_t end) {
                 const std::int64_t first = begin * per_block;
                 fill(begin, first, std::min(end * per_block, count) - first);
               });
}

// float32 directly; half types through a small buffer, rounded once.
void fill_floats(const RandomArgs& args) {
  const UniformRange<double> limits = limits_of(args);
  const RandomStream stream{args.seed, args.offset, static_cast<float>(limits.low),
                            static_cast<float>(limits.span), static_cast<float>(limits.below_high)};
  const SimdTable& table = simd_table();
  const RandomKernel kernel =
      args.op == RandomOp::kUniform ? table.random_uniform : table.random_normal;
  if (args.dtype == DType::kFloat32) {
    return for_each(args.count, 4, [&](std::int64_t block, std::int64_t first, std::int64_t count) {
      kernel(stream, static_cast<float*>(args.out) + first, block, count);
    });
  }
  const ConvertKernel narrow =
      table.convert[static_cast<int>(DType::kFloat32)][static_cast<int>(args.dtype)];
  const auto item = static_cast<std::int64_t>(itemsize(args.dtype));
  for_each(args.count, 4, [&](std::int64_t block, std::int64_t first, std::int64_t count) {
    constexpr std::int64_t kChunk = 512;
    alignas(64) float chunk[kChunk];
    for (std::int64_t i = 0; i < count; i += kChunk) {
      const std::int64_t size = std::min(kChunk, count - i);
      kernel(stream, chunk, block + i / 4, size);
      narrow(static_cast<char*>(args.out) + (first + i) * item, chunk, size);
    }
  });
}

void fill_doubles(const RandomArgs& args) {
  const UniformRange<double> limits = limits_of(args);
  for_each(args.count, 2, [&](std::int64_t block, std::int64_t first, std::int64_t count) {
    double* out = static_cast<double*>(args.out) + first;
    for (std::int64_t i = 0; i < count; i += 2) {
      const PhiloxWords words = philox(static_cast<gk_u64>(block + i / 2), args.offset, args.seed);
      double values[2];
      if (args.op == RandomOp::kUniform) {
        for (int e = 0; e < 2; ++e) {
          values[e] = uniform_value(
              unit_double(join_words(words.word[2 * e], words.word[2 * e + 1])), limits);
        }
      } else {
        const NormalPair<double> pair = normal_pair_double(words);
        values[0] = scale_normal(pair.even, limits.low, limits.span);
        values[1] = scale_normal(pair.odd, limits.low, limits.span);
      }
      for (std::int64_t e = 0; e < std::min<std::int64_t>(2, count - i); ++e)
        out[i + e] = values[e];
    }
  });
}

template <class T>
T integer_as(gk_i64 value) {
  if constexpr (is_half_type<T>) {
    return T(convert_scalar<float>(value));
  } else {
    static_assert(std::is_arithmetic_v<T>);
    return convert_scalar<T>(value);
  }
}

template <class T>
void fill_integers(const RandomArgs& args) {
  const gk_u64 span = static_cast<gk_u64>(args.high_int) - static_cast<gk_u64>(args.low_int);
  for_each(args.count, 2, [&](std::int64_t block, std::int64_t first, std::int64_t count) {
    T* out = static_cast<T*>(args.out) + first;
    for (std::int64_t i = 0; i < count; i += 2) {
      const PhiloxWords words = philox(static_cast<gk_u64>(block + i / 2), args.offset, args.seed);
      for (std::int64_t e = 0; e < std::min<std::int64_t>(2, count - i); ++e) {
        const gk_u64 bits = join_words(words.word[2 * e], words.word[2 * e + 1]);
        out[i + e] = integer_as<T>(random_integer(bits, args.low_int, span));
      }
    }
  });
}

}  // namespace
}  // namespace cpu_random

void CpuOps::random(const RandomArgs& args, StreamRef) {
  if (args.op == RandomOp::kIntegers) {
    return visit_real_dtype(wrapping_dtype(args.dtype),
                            [&]<class T>() { cpu_random::fill_integers<T>(args); });
  }
  visit_floating(working_dtype(args.dtype), [&]<class T>() {
    if constexpr (std::is_same_v<T, double>) {
      cpu_random::fill_doubles(args);
    } else {
      cpu_random::fill_floats(args);
    }
  });
}

}  // namespace gpukit::cpu
