// Register blocks of products that read their operands without packing: worth it where packing
// would cost as much as the product.
#pragma once

#include "cpu/simd/vector.h"

// Neither inlined nor copied for callers that pass constants.
#if defined(__clang__)
#define GPUKIT_SIMD_ONE_COPY __attribute__((noinline))
#else
#define GPUKIT_SIMD_ONE_COPY __attribute__((noipa))
#endif

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {

#if defined(__AVX512F__)
inline constexpr int kSkinnyRows = 12;
#elif defined(__AVX2__) || defined(__aarch64__)
inline constexpr int kSkinnyRows = 6;
#else
inline constexpr int kSkinnyRows = 4;
#endif
inline constexpr int kSkinnyVectors = 2;

/// Values of a block's adjacent rows, one step of depth after the other.
template <class T, int kRows>
struct SideBySide {
  explicit SideBySide(const SkinnyBlock& block)
      : position(static_cast<const T*>(block.a)), stride(block.a_stride) {}
  T at(int row) const { return position[row]; }
  void advance() { position += stride; }

  const T* position;
  std::int64_t stride;
};

/// Consecutive rows; few registers address them all.
template <class T, int kRows>
struct RowByRow {
  explicit RowByRow(const SkinnyBlock& block) : stride(block.a_stride) {
    const T* next = static_cast<const T*>(block.a);
    GPUKIT_SIMD_UNROLL
    for (int g = 0; g < kGroups; ++g, next += 3 * stride) {
      group[g] = next;
      asm("" : "+r"(next));  // else GCC multiplies in vectors, which takes as long as ten steps
    }
  }
  T at(int row) const { return group[row / 3][row % 3 * stride]; }
  void advance() {
    for (int g = 0; g < kGroups; ++g) ++group[g];
  }

  static constexpr int kGroups = (kRows + 2) / 3;
  const T* group[kGroups];
  std::int64_t stride;
};

/// c = alpha * sums + beta * c, then ReLU if requested; any columns. One function for all heights:
/// the blocks' own code stays small.
template <class T, int kVectors>
GPUKIT_SIMD_ONE_COPY void finish_rows(const SkinnyBlock& block, const Vec<T>* sums,
                                      std::int64_t rows) {
  const T alpha = static_cast<T>(block.alpha), beta = static_cast<T>(block.beta);
  T* c = static_cast<T*>(block.c);
  for (int v = 0; v < kVectors; ++v, c += kLanes<T>, ++sums) {
    const std::int64_t count = block.columns - v * kLanes<T>;
    const bool whole = count >= kLanes<T>;
    for (std::int64_t r = 0; r < rows; ++r) {
      T* target = c + r * block.c_stride;
      Vec<T> value = alpha == T{1} ? sums[r * kVectors] : sums[r * kVectors] * alpha;
      if (beta != T{0}) value = value + (whole ? load(target) : load_some(target, count)) * beta;
      if (block.relu) value = value <= T{0} ? Vec<T>{} : value;
      whole ? store(target, value) : store_some(target, value, count);
    }
  }
}

/// What the sums of a column begin with: its bias, or nothing.
template <class T>
GPUKIT_SIMD_FN Vec<T> first_value(const SkinnyBlock& block, int v) {
  if (block.bias == nullptr) return Vec<T>{};
  const T* bias = static_cast<const T*>(block.bias) + v * kLanes<T>;
  const std::int64_t count = block.columns - v * kLanes<T>;
  return count >= kLanes<T> ? load(bias) : load_some(bias, count);
}

template <class T, int kRows, int kVectors, template <class, int> class Source>
void skinny_rows(const SkinnyBlock& block) {
  Source<T, kRows> a(block);
  const T* b = static_cast<const T*>(block.b);
  const std::int64_t b_stride = block.b_stride;
  Vec<T> sum[kRows][kVectors];
  GPUKIT_SIMD_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    const Vec<T> first = first_value<T>(block, v);
    GPUKIT_SIMD_UNROLL
    for (int r = 0; r < kRows; ++r) sum[r][v] = first;
  }
  for (std::int64_t p = 0; p < block.depth; ++p, b += b_stride, a.advance()) {
    Vec<T> right[kVectors];
    for (int v = 0; v < kVectors; ++v) right[v] = load(b + v * kLanes<T>);
    GPUKIT_SIMD_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const Vec<T> left = broadcast(a.at(r));
      GPUKIT_SIMD_UNROLL
      for (int v = 0; v < kVectors; ++v) sum[r][v] = sum[r][v] + left * right[v];
    }
  }
  const bool adds = block.beta == 1.0;
  if (block.alpha != 1.0 || !(adds || block.beta == 0.0) || block.columns != kVectors * kLanes<T> ||
      block.relu) {
    // A copy, so that the sums themselves never need an address.
    Vec<T> sums[kRows * kVectors];
    GPUKIT_SIMD_UNROLL
    for (int r = 0; r < kRows; ++r) {
      for (int v = 0; v < kVectors; ++v) sums[r * kVectors + v] = sum[r][v];
    }
    return finish_rows<T, kVectors>(block, sums, kRows);
  }
  T* c = static_cast<T*>(block.c);
  const std::int64_t c_stride = block.c_stride;
  if (adds) {
    GPUKIT_SIMD_UNROLL
    for (int r = 0; r < kRows; ++r) {
      GPUKIT_SIMD_UNROLL
      for (int v = 0; v < kVectors; ++v)
        sum[r][v] = load(c + r * c_stride + v * kLanes<T>) + sum[r][v];
    }
  }
  GPUKIT_SIMD_UNROLL
  for (int r = 0; r < kRows; ++r, c += c_stride) {
    GPUKIT_SIMD_UNROLL
    for (int v = 0; v < kVectors; ++v) store(c + v * kLanes<T>, sum[r][v]);
  }
}

template <class T, int kRows>
void skinny_by_form(const SkinnyBlock& block) {
  const bool narrow = block.columns <= kLanes<T>;
  if (block.a_side_by_side) {
    narrow ? skinny_rows<T, kRows, 1, SideBySide>(block)
           : skinny_rows<T, kRows, kSkinnyVectors, SideBySide>(block);
  } else {
    narrow ? skinny_rows<T, kRows, 1, RowByRow>(block)
           : skinny_rows<T, kRows, kSkinnyVectors, RowByRow>(block);
  }
}

/// As many of the block's rows as registers hold; returns how many.
template <class T>
std::int64_t skinny_block(const SkinnyBlock& block) {
  const auto done = [&]<int kRows>() {
    skinny_by_form<T, kRows>(block);
    return std::int64_t{kRows};
  };
  if constexpr (kSkinnyRows >= 12) {
    if (block.rows >= 12 && block.rows != 16) return done.template operator()<12>();
    if (block.rows >= 10) return done.template operator()<10>();
    if (block.rows >= 8) return done.template operator()<8>();
  }
  if constexpr (kSkinnyRows >= 6) {
    if (block.rows >= 6) return done.template operator()<6>();
  }
  if (block.rows >= 4) return done.template operator()<4>();
  if (block.rows >= 2) return done.template operator()<2>();
  return done.template operator()<1>();
}

void add_skinny(SimdTable& table) {
  table.skinny_f32 = {skinny_block<float>, kSkinnyVectors * kLanes<float>, kLanes<float>};
  table.skinny_f64 = {skinny_block<double>, kSkinnyVectors * kLanes<double>, kLanes<double>};
}

}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
