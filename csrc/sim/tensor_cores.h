// Tensor cores and copies to shared memory on a CPU: what device_compat.h says of them, by
// exchanges between the lanes of a warp. Sums are those of the PTX executor, to the bit.
#pragma once

#include <cstring>
#include <type_traits>

#include "ptx/matrix_sum.h"
#include "sim/device_runtime.h"

#define GK_ARCH 90

namespace gpukit::sim {

/// The values of all lanes.
struct LaneValues {
  std::uint64_t of[32];
};

inline LaneValues exchange_lanes(std::uint64_t value, std::source_location where) {
  LaneValues values;
  const std::uint64_t* slots = warp_exchange(~0u, value, where);
  for (int lane = 0; lane < 32; ++lane) values.of[lane] = slots[lane];
  return values;
}

inline std::uint16_t matrix_element(const LaneValues& rows, int row, int column) {
  return reinterpret_cast<const std::uint16_t*>(rows.of[row])[column];
}

/// Half `half` of a word, as a factor of type T.
template <class T>
ptx::Scaled half_of_word(std::uint64_t word, int half) {
  constexpr int kLowestExponent = std::is_same_v<T, gk_f16> ? -14 : -126;
  const auto bits = static_cast<std::uint16_t>(word >> (16 * half));
  return ptx::scaled(static_cast<double>(gk_to_float(reinterpret_bits<T>(bits))), kLowestExponent);
}

}  // namespace gpukit::sim

#define GK_WHERE std::source_location where = std::source_location::current()

inline void gk_load_matrices(std::uint32_t (&words)[4], const void* row, GK_WHERE) {
  const auto rows = ::gpukit::sim::exchange_lanes(reinterpret_cast<std::uint64_t>(row), where);
  const int lane = static_cast<int>(::gpukit::sim::current_lane());
  for (int j = 0; j < 4; ++j) {
    const int from = 8 * j + lane / 4, column = lane % 4 * 2;
    words[j] = ::gpukit::sim::matrix_element(rows, from, column) |
               std::uint32_t{::gpukit::sim::matrix_element(rows, from, column + 1)} << 16;
  }
}

inline void gk_load_matrices_transposed(std::uint32_t (&words)[4], const void* row, GK_WHERE) {
  const auto rows = ::gpukit::sim::exchange_lanes(reinterpret_cast<std::uint64_t>(row), where);
  const int lane = static_cast<int>(::gpukit::sim::current_lane());
  for (int j = 0; j < 4; ++j) {
    const int from = 8 * j + lane % 4 * 2, column = lane / 4;
    words[j] = ::gpukit::sim::matrix_element(rows, from, column) |
               std::uint32_t{::gpukit::sim::matrix_element(rows, from + 1, column)} << 16;
  }
}

template <class T>
void gk_multiply_matrices(float (&sums)[4], const std::uint32_t (&a)[4],
                          const std::uint32_t (&b)[2], GK_WHERE) {
  using ::gpukit::sim::exchange_lanes;
  using ::gpukit::sim::half_of_word;
  const auto pair = [](std::uint32_t low, std::uint32_t high) {
    return low | std::uint64_t{high} << 32;
  };
  const auto near = exchange_lanes(pair(a[0], a[1]), where);  // depths 0 to 7
  const auto far = exchange_lanes(pair(a[2], a[3]), where);   // depths 8 to 15
  const auto right = exchange_lanes(pair(b[0], b[1]), where);
  const int lane = static_cast<int>(::gpukit::sim::current_lane());
  for (int e = 0; e < 4; ++e) {
    const int row = lane / 4, column = lane % 4 * 2 + e % 2;
    ::gpukit::ptx::Scaled left[16], below[16];
    for (int k = 0; k < 16; ++k) {
      const std::uint64_t words = (k < 8 ? near : far).of[row * 4 + k % 8 / 2];
      left[k] = half_of_word<T>(words >> (e / 2 * 32), k % 2);
      below[k] = half_of_word<T>(right.of[column * 4 + k % 8 / 2] >> (k / 8 * 32), k % 2);
    }
    sums[e] = ::gpukit::ptx::toward_zero(::gpukit::ptx::matrix_sum(sums[e], left, below, 16));
  }
}
#undef GK_WHERE

template <int kSize = 16>
void gk_copy_async(void* shared, const void* global, int bytes) {
  unsigned char values[kSize] = {};
  std::memcpy(values, global, static_cast<std::size_t>(bytes));
  std::memcpy(shared, values, sizeof values);
}
inline void gk_copy_async_commit() {}
template <int kGroups>
void gk_copy_async_wait() {}
