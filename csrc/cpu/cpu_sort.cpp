#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "cpu/cpu_ops.h"
#include "cpu/scratch.h"
#include "cpu/thread_pool.h"

namespace gpukit::cpu {
namespace cpu_sort {
namespace {

constexpr std::int64_t kRadixFrom = 256;  ///< columns from which counting passes beat comparisons
constexpr std::int64_t kSortGrain = 1 << 12;  ///< elements worth a thread

template <class T>
using KeyOf = std::conditional_t<(sizeof(T) > 4), std::uint64_t, std::uint32_t>;

// An unsigned number in the order of the values: NaN above all, -0 equal to 0.
template <class T>
KeyOf<T> key_of(T value) {
  using Key = KeyOf<T>;
  constexpr Key kTop = Key{1} << (sizeof(Key) * 8 - 1);
  if constexpr (is_half_type<T>) {
    return key_of(static_cast<float>(value));
  } else if constexpr (std::is_floating_point_v<T>) {
    if (value != value) return ~Key{0};
    const T number = value == 0 ? T{0} : value;
    Key bits;
    std::memcpy(&bits, &number, sizeof bits);
    return (bits & kTop) != 0 ? static_cast<Key>(~bits) : bits | kTop;
  } else if constexpr (std::is_unsigned_v<T>) {
    return static_cast<Key>(value);
  } else {
    static_assert(std::is_integral_v<T>);
    using Wide = std::conditional_t<(sizeof(T) > 4), std::int64_t, std::int32_t>;
    return static_cast<Key>(static_cast<Wide>(value)) ^ kTop;
  }
}

template <class Key>
struct Item {
  Key key;
  std::int64_t index;
};

// Stable, least significant byte first; bytes that all keys share are passed over. Gives the buffer
// of the result.
template <class Key>
Item<Key>* radix_sort(Item<Key>* items, Item<Key>* spare, std::int64_t count) {
  for (unsigned shift = 0; shift < sizeof(Key) * 8; shift += 8) {
    std::int64_t starts[257] = {};
    for (std::int64_t i = 0; i < count; ++i) ++starts[((items[i].key >> shift) & 0xff) + 1];
    if (starts[((items[0].key >> shift) & 0xff) + 1] == count) continue;
    for (int digit = 0; digit < 256; ++digit) starts[digit + 1] += starts[digit];
    for (std::int64_t i = 0; i < count; ++i)
      spare[starts[(items[i].key >> shift) & 0xff]++] = items[i];
    std::swap(items, spare);
  }
  return items;
}

template <class T>
void sort_row(const T* in, T* values, std::int64_t* indices, std::int64_t count, bool descending,
              Item<KeyOf<T>>* items, Item<KeyOf<T>>* spare) {
  using Key = KeyOf<T>;
  for (std::int64_t i = 0; i < count; ++i) {
    const Key key = key_of(in[i]);
    items[i] = {descending ? static_cast<Key>(~key) : key, i};
  }
  if (count >= kRadixFrom) {
    items = radix_sort(items, spare, count);
  } else {
    std::sort(items, items + count, [](const Item<Key>& a, const Item<Key>& b) {
      return a.key != b.key ? a.key < b.key : a.index < b.index;
    });
  }
  for (std::int64_t i = 0; i < count; ++i) {
    if (values != nullptr) values[i] = in[items[i].index];
    if (indices != nullptr) indices[i] = items[i].index;
  }
}

}  // namespace
}  // namespace cpu_sort

void CpuOps::sort(const SortArgs& args, StreamRef) {
  visit_real_dtype(args.dtype, [&]<class T>() {
    using Row = cpu_sort::Item<cpu_sort::KeyOf<T>>;
    const std::int64_t columns = args.columns;
    const std::int64_t grain =
        std::max<std::int64_t>(1, cpu_sort::kSortGrain / std::max<std::int64_t>(1, columns));
    parallel_for(args.rows, grain, [&](std::int64_t begin, std::int64_t end) {
      const Scratch scratch(workspace_, static_cast<std::size_t>(2 * columns) * sizeof(Row));
      Row* items = scratch.as<Row>();
      for (std::int64_t row = begin; row < end; ++row) {
        const std::int64_t at = row * columns;
        cpu_sort::sort_row(static_cast<const T*>(args.in) + at,
                           args.values == nullptr ? nullptr : static_cast<T*>(args.values) + at,
                           args.indices == nullptr ? nullptr : args.indices + at, columns,
                           args.descending, items, items + columns);
      }
    });
  });
}

}  // namespace gpukit::cpu
