#include <algorithm>
#include <type_traits>

#include "core/dtype.h"
#include "cpu/scalar_loops.h"
#include "kernels/scalar_ops.h"

namespace gpukit::cpu {
namespace scalar_reduce {
namespace {

template <class T>
inline constexpr bool is_real = std::is_floating_point_v<T>;

// Integer sums wrap around at 64 bits.
template <class T>
void sum_loop(const void* address, std::int64_t count, std::int64_t, Partial& partial) {
  const T* in = static_cast<const T*>(address);
  std::uint64_t sum = static_cast<std::uint64_t>(partial.integer);
  for (std::int64_t i = 0; i < count; ++i) sum += static_cast<std::uint64_t>(in[i]);
  partial.integer = static_cast<std::int64_t>(sum);
}

// Means of integers are exact up to the last division.
template <class T>
void magnitude_sum_loop(const void* address, std::int64_t count, std::int64_t, Partial& partial) {
  const T* in = static_cast<const T*>(address);
  for (std::int64_t i = 0; i < count; ++i) {
    const double x = static_cast<double>(in[i]);
    partial.value += x < 0 ? -x : x;
  }
}

template <class T>
void square_sum_loop(const void* address, std::int64_t count, std::int64_t, Partial& partial) {
  const T* in = static_cast<const T*>(address);
  for (std::int64_t i = 0; i < count; ++i)
    partial.value += static_cast<double>(in[i]) * static_cast<double>(in[i]);
}

// Four products side by side; they are joined in a fixed order.
template <class T>
void product_loop(const void* address, std::int64_t count, std::int64_t, Partial& partial) {
  const T* in = static_cast<const T*>(address);
  if constexpr (is_real<T>) {
    double lanes[4] = {1, 1, 1, 1};
    for (std::int64_t i = 0; i < count; ++i) lanes[i & 3] *= static_cast<double>(in[i]);
    partial.value *= (lanes[0] * lanes[1]) * (lanes[2] * lanes[3]);
  } else {
    std::uint64_t product = static_cast<std::uint64_t>(partial.integer);
    for (std::int64_t i = 0; i < count; ++i) product *= static_cast<std::uint64_t>(in[i]);
    partial.integer = static_cast<std::int64_t>(product);
  }
}

template <class T>
void all_loop(const void* address, std::int64_t count, std::int64_t, Partial& partial) {
  const T* in = static_cast<const T*>(address);
  for (std::int64_t i = 0; i < count && partial.integer != 0; ++i) {
    if (in[i] == static_cast<T>(0)) partial.integer = 0;
  }
}

template <class T>
void any_loop(const void* address, std::int64_t count, std::int64_t, Partial& partial) {
  const T* in = static_cast<const T*>(address);
  for (std::int64_t i = 0; i < count && partial.integer == 0; ++i) {
    if (in[i] != static_cast<T>(0)) partial.integer = 1;
  }
}

template <class T>
void count_loop(const void* address, std::int64_t count, std::int64_t, Partial& partial) {
  const T* in = static_cast<const T*>(address);
  for (std::int64_t i = 0; i < count; ++i) partial.integer += in[i] != static_cast<T>(0);
}

/// The extreme of a block, then its first place where that is new.
template <bool kLargest, class T>
void extreme_loop(const void* address, std::int64_t count, std::int64_t base, Partial& partial) {
  const T* in = static_cast<const T*>(address);
  T best = in[0];
  for (std::int64_t i = 1; i < count; ++i) {
    best = kLargest ? (in[i] > best ? in[i] : best) : (in[i] < best ? in[i] : best);
  }
  const T held = static_cast<T>(partial.integer);
  if (partial.index >= 0 && (kLargest ? held >= best : held <= best)) return;
  partial.integer = static_cast<std::int64_t>(best);
  partial.index = base + (std::find(in, in + count, best) - in);
}

template <class T>
struct Column {
  SimdTable& table;
  void set(ReduceOp op, ReduceKernel kernel) const {
    table.reduce[static_cast<int>(op)][static_cast<int>(DTypeOf<T>::value)] = kernel;
  }
};

/// Sums widen, so that they differ from the signed ones up to 32 bits.
template <class T>
void add_unsigned_reductions(SimdTable& table) {
  const Column<T> column{table};
  column.set(ReduceOp::kSum, sum_loop<T>);
  column.set(ReduceOp::kProd, product_loop<T>);
  column.set(ReduceOp::kMax, extreme_loop<true, T>);
  column.set(ReduceOp::kArgMax, extreme_loop<true, T>);
  column.set(ReduceOp::kMin, extreme_loop<false, T>);
  column.set(ReduceOp::kArgMin, extreme_loop<false, T>);
}

template <class T>
void add_reduce(SimdTable& table) {
  static_assert(std::is_arithmetic_v<T>);
  const Column<T> column{table};
  const auto set = [&](ReduceOp op, ReduceKernel kernel) { column.set(op, kernel); };
  if constexpr (!is_real<T>) {
    set(ReduceOp::kSum, sum_loop<T>);
    set(ReduceOp::kMean, sum_loop<T>);
    set(ReduceOp::kNorm1, magnitude_sum_loop<T>);
    set(ReduceOp::kNorm2, square_sum_loop<T>);
  }
  set(ReduceOp::kProd, product_loop<T>);
  set(ReduceOp::kAll, all_loop<T>);
  set(ReduceOp::kAny, any_loop<T>);
  set(ReduceOp::kCountNonzero, count_loop<T>);
}

}  // namespace
}  // namespace scalar_reduce

void add_scalar_reductions(SimdTable& table) {
  for_each_real_dtype([&]<class T>() {
    if constexpr (is_wide_unsigned<T>) {
      scalar_reduce::add_unsigned_reductions<T>(table);
    } else if constexpr (!is_half_type<T>) {  // half types are reduced in float32
      scalar_reduce::add_reduce<T>(table);
    }
  });
}

}  // namespace gpukit::cpu
