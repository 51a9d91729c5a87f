// Operations along one dimension of contiguous arrays: running sums, gathering, scattering.
#include <algorithm>
#include <cstring>

#include "cpu/cpu_ops.h"
#include "cpu/thread_pool.h"

namespace gpukit::cpu {
namespace cpu_rows {
namespace {

constexpr std::int64_t kRowGrain = 1 << 13;   ///< elements worth a thread
constexpr std::int64_t kCopyGrain = 1 << 18;  ///< bytes worth a thread

std::int64_t rows_per_thread(std::int64_t elements, std::int64_t row) {
  return std::max<std::int64_t>(1, elements / std::max<std::int64_t>(1, row));
}

template <class T>
struct RunningValue {
  using type = std::conditional_t<std::is_integral_v<T>, std::uint64_t, double>;
};

template <class T>
T narrowed(typename RunningValue<T>::type value) {
  if constexpr (is_half_type<T>) {
    return T(static_cast<float>(value));
  } else {
    static_assert(std::is_arithmetic_v<T>);
    return static_cast<T>(value);
  }
}
template <class T>
typename RunningValue<T>::type widened(T value) {
  if constexpr (is_half_type<T>) {
    return static_cast<double>(static_cast<float>(value));
  } else {
    static_assert(std::is_arithmetic_v<T>);
    return static_cast<typename RunningValue<T>::type>(value);
  }
}

// One block (length, inner) with inner side by side; the running values are kept in double or
// 64-bit integers.
template <class T>
void accumulate_block(const T* in, T* out, std::int64_t length, std::int64_t inner,
                      std::int64_t begin, std::int64_t end, bool product) {
  constexpr std::int64_t kWidth = 64;
  typename RunningValue<T>::type running[kWidth];
  for (std::int64_t first = begin; first < end; first += kWidth) {
    const std::int64_t width = std::min(kWidth, end - first);
    std::fill_n(running, width, product ? 1 : 0);
    for (std::int64_t l = 0; l < length; ++l) {
      const std::int64_t row = l * inner + first;
      for (std::int64_t i = 0; i < width; ++i) {
        const auto value = widened<T>(in[row + i]);
        running[i] = product ? running[i] * value : running[i] + value;
        out[row + i] = narrowed<T>(running[i]);
      }
    }
  }
}

// Where an index points, or -1 when it is out of range.
std::int64_t resolved(std::int64_t index, std::int64_t extent) {
  const std::int64_t at = index < 0 ? index + extent : index;
  return at >= 0 && at < extent ? at : -1;
}

template <int kSize>
void gather_elements(char* out, const char* in, const std::int64_t* index, std::int64_t extent,
                     std::int64_t count) {
  for (std::int64_t j = 0; j < count; ++j) {
    const std::int64_t at = std::max<std::int64_t>(resolved(index[j], extent), 0);
    std::memcpy(out + j * kSize, in + at * kSize, kSize);
  }
}

void gather_rows(char* out, const char* in, const std::int64_t* index, std::int64_t extent,
                 std::int64_t count, std::int64_t row_bytes) {
  switch (row_bytes) {
    case 1:
      return gather_elements<1>(out, in, index, extent, count);
    case 2:
      return gather_elements<2>(out, in, index, extent, count);
    case 4:
      return gather_elements<4>(out, in, index, extent, count);
    case 8:
      return gather_elements<8>(out, in, index, extent, count);
    default:
      break;
  }
  for (std::int64_t j = 0; j < count; ++j) {
    const std::int64_t at = std::max<std::int64_t>(resolved(index[j], extent), 0);
    std::memcpy(out + j * row_bytes, in + at * row_bytes, static_cast<std::size_t>(row_bytes));
  }
}

// Columns [begin, end) of one (count, inner) block; a repeated index keeps the last value.
void scatter_replace(const ScatterArgs& args, const char* in, char* out, std::int64_t begin,
                     std::int64_t end) {
  const std::int64_t item = args.itemsize;
  for (std::int64_t j = 0; j < args.count; ++j) {
    const std::int64_t at = resolved(args.index[j], args.extent);
    if (at < 0) continue;
    std::memcpy(out + (at * args.inner + begin) * item, in + (j * args.inner + begin) * item,
                static_cast<std::size_t>((end - begin) * item));
  }
}

template <class T>
struct AddedIn {
  using type = std::conditional_t<is_half_type<T>, float,
                                  std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>>;
};

template <class T>
T add(typename AddedIn<T>::type& running, T value) {
  if constexpr (std::is_same_v<T, bool>) {
    running |= value ? 1u : 0u;
    return running != 0;
  } else {
    running += static_cast<typename AddedIn<T>::type>(value);
    return static_cast<T>(running);
  }
}

std::int64_t source_row(const ScatterArgs& args, std::int64_t entry) {
  return args.order == nullptr ? entry : args.order[entry];
}

// Equal neighbours of the sorted index are summed in order and rounded once.
template <class T>
void scatter_add(const ScatterArgs& args, const T* in, T* out, std::int64_t begin,
                 std::int64_t end) {
  for (std::int64_t j = 0; j < args.count;) {
    std::int64_t next = j + 1;
    while (next < args.count && args.index[next] == args.index[j]) ++next;
    const std::int64_t at = resolved(args.index[j], args.extent);
    for (std::int64_t i = begin; at >= 0 && i < end; ++i) {
      T& target = out[at * args.inner + i];
      auto running = static_cast<typename AddedIn<T>::type>(target);
      T sum = target;
      for (std::int64_t entry = j; entry < next; ++entry)
        sum = add<T>(running, in[source_row(args, entry) * args.inner + i]);
      target = sum;
    }
    j = next;
  }
}

void scatter_block(const ScatterArgs& args, std::int64_t block, std::int64_t begin,
                   std::int64_t end) {
  const char* in =
      static_cast<const char*>(args.in) + block * args.count * args.inner * args.itemsize;
  char* out = static_cast<char*>(args.out) + block * args.extent * args.inner * args.itemsize;
  if (!args.accumulate) return scatter_replace(args, in, out, begin, end);
  visit_real_dtype(wrapping_dtype(args.dtype), [&]<class T>() {
    scatter_add<T>(args, reinterpret_cast<const T*>(in), reinterpret_cast<T*>(out), begin, end);
  });
}

}  // namespace
}  // namespace cpu_rows

// Blocks are shared out when there are several, else their columns.
void CpuOps::cumulative(const CumulativeArgs& args, StreamRef) {
  visit_real_dtype(wrapping_dtype(args.dtype), [&]<class T>() {
    const T* in = static_cast<const T*>(args.in);
    T* out = static_cast<T*>(args.out);
    const std::int64_t block = args.length * args.inner;
    if (args.outer == 1) {
      const std::int64_t grain = std::max<std::int64_t>(
          64, cpu_rows::rows_per_thread(cpu_rows::kRowGrain * 4, args.length));
      return parallel_for(args.inner, grain, [&](std::int64_t begin, std::int64_t end) {
        cpu_rows::accumulate_block(in, out, args.length, args.inner, begin, end, args.product);
      });
    }
    parallel_for(args.outer, cpu_rows::rows_per_thread(cpu_rows::kRowGrain * 4, block),
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t o = begin; o < end; ++o) {
                     cpu_rows::accumulate_block(in + o * block, out + o * block, args.length,
                                                args.inner, 0, args.inner, args.product);
                   }
                 });
  });
}

void CpuOps::linear_index(const LinearIndexArgs& args, StreamRef) {
  const int rank = args.shape.size();
  parallel_for(element_count(args.shape), cpu_rows::kRowGrain,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t position = begin; position < end; ++position) {
                   std::int64_t coordinates[kMaxRank];
                   std::int64_t index = 0, rest = position;
                   for (int d = rank - 1; d >= 0; --d) {
                     coordinates[d] = rest % args.shape[d];
                     rest /= args.shape[d];
                     index += coordinates[d] * args.coordinate_steps[d];
                   }
                   for (const IndexPart& part : args.parts) {
                     std::int64_t offset = 0;
                     for (int d = 0; d < rank; ++d) offset += coordinates[d] * part.strides[d];
                     const std::int64_t named = part.index[offset];
                     const std::int64_t at =
                         named < 0 && !args.from_end ? -1 : cpu_rows::resolved(named, part.extent);
                     if (at < 0) {
                       index = kNoIndex;
                       break;
                     }
                     index += at * part.step;
                   }
                   args.out[position] = index;
                 }
               });
}

void CpuOps::gather(const GatherArgs& args, StreamRef) {
  const char* in = static_cast<const char*>(args.in);
  char* out = static_cast<char*>(args.out);
  const std::int64_t row_bytes = args.inner * args.itemsize;
  parallel_for(args.outer * args.count, cpu_rows::rows_per_thread(cpu_rows::kCopyGrain, row_bytes),
               [&](std::int64_t begin, std::int64_t end) {
                 while (begin < end) {
                   const std::int64_t o = begin / args.count, j = begin % args.count;
                   const std::int64_t run = std::min(args.count - j, end - begin);
                   cpu_rows::gather_rows(out + begin * row_bytes, in + o * args.extent * row_bytes,
                                         args.index + j, args.extent, run, row_bytes);
                   begin += run;
                 }
               });
}

// Blocks are shared out when there are several, else columns: no two threads write the same
// element.
void CpuOps::scatter(const ScatterArgs& args, StreamRef) {
  const std::int64_t block_elements = args.count * args.inner;
  const bool by_blocks = args.outer > 1;
  const std::int64_t grain =
      by_blocks ? cpu_rows::rows_per_thread(cpu_rows::kRowGrain * 4, block_elements)
                : std::max<std::int64_t>(
                      16, cpu_rows::rows_per_thread(cpu_rows::kRowGrain * 4, args.count));
  parallel_for(by_blocks ? args.outer : args.inner, grain,
               [&](std::int64_t begin, std::int64_t end) {
                 if (by_blocks) {
                   for (std::int64_t o = begin; o < end; ++o)
                     cpu_rows::scatter_block(args, o, 0, args.inner);
                 } else {
                   cpu_rows::scatter_block(args, 0, begin, end);
                 }
               });
}

}  // namespace gpukit::cpu
