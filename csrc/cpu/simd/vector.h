// Vectors as wide as the instruction set of the file that includes this. The file defines
// GPUKIT_SIMD_LEVEL, the namespace that keeps the same templates of several levels apart; code here
// may call nothing that is inline and shared with files of another level.
#pragma once

#ifndef GPUKIT_SIMD_LEVEL
#error "define GPUKIT_SIMD_LEVEL, such as avx2, before including cpu/simd headers"
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "cpu/simd/simd_table.h"

#define GPUKIT_SIMD_TEXT(name) #name
#define GPUKIT_SIMD_NAME(level) GPUKIT_SIMD_TEXT(level)
#define GPUKIT_SIMD_FN static inline __attribute__((always_inline))
#if defined(__clang__)
#define GPUKIT_SIMD_UNROLL _Pragma("unroll")
#else
#define GPUKIT_SIMD_UNROLL _Pragma("GCC unroll 16")
#endif
// Keeps the compiler from vectorising a short remainder loop.
#define GPUKIT_SIMD_SCALAR_LOOP asm volatile("" ::: "memory")

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {

#if defined(__AVX512F__)
inline constexpr int kBytes = 64;
// The plain forms of some intrinsics make GCC 12 warn of an undefined source; zero-masked ones are
// the same instruction.
inline constexpr __mmask16 kAllLanes = 0xffff;
#elif defined(__AVX2__)
inline constexpr int kBytes = 32;
#else
inline constexpr int kBytes = 16;
#endif

template <class T, int kCount>
struct VectorOf {
  typedef T type __attribute__((vector_size(kCount * sizeof(T))));
};
template <class T>
inline constexpr int kLanes = kBytes / static_cast<int>(sizeof(T));
template <class T>
using Vec = typename VectorOf<T, kLanes<T>>::type;
/// Fewer or more lanes than a register holds: what conversions begin or end with.
template <class T, int kCount>
using VecN = typename VectorOf<T, kCount>::type;

/// The lanes of `a` and then of `b` at these places, as many as `a` has.
template <std::size_t... places, class V>
GPUKIT_SIMD_FN V shuffled(V a, V b) {
#if defined(__clang__) || __GNUC__ >= 12
  return __builtin_shufflevector(a, b, places...);
#else
  using Lane = std::conditional_t<sizeof(a[0]) == 4, std::int32_t, std::int64_t>;
  const VecN<Lane, sizeof...(places)> chosen = {static_cast<Lane>(places)...};
  return __builtin_shuffle(a, b, chosen);
#endif
}

typedef Vec<float> F32;
typedef Vec<double> F64;
typedef Vec<std::int32_t> I32;
typedef Vec<std::uint32_t> U32;
typedef Vec<std::int64_t> I64;

template <class V, class T>
GPUKIT_SIMD_FN V load_as(const T* address) {
  V value;
  __builtin_memcpy(&value, address, sizeof value);
  return value;
}
template <class T>
GPUKIT_SIMD_FN Vec<T> load(const T* address) {
  return load_as<Vec<T>>(address);
}
template <class T, class V>
GPUKIT_SIMD_FN void store(T* address, V value) {
  __builtin_memcpy(address, &value, sizeof value);
}
template <class T>
GPUKIT_SIMD_FN Vec<T> broadcast(T value) {
  return value - Vec<T>{};
}
template <class To, class From>
GPUKIT_SIMD_FN To bits_as(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  __builtin_memcpy(&result, &value, sizeof result);
  return result;
}

/// Stores past the caches; `address` is aligned to kBytes. Call finish_streaming() after the last
/// one.
template <class T, class V>
GPUKIT_SIMD_FN void stream(T* address, V value) {
#if defined(__AVX512F__)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(address), bits_as<__m512i>(value));
#elif defined(__AVX2__)
  _mm256_stream_si256(reinterpret_cast<__m256i*>(address), bits_as<__m256i>(value));
#elif defined(__SSE2__)
  _mm_stream_si128(reinterpret_cast<__m128i*>(address), bits_as<__m128i>(value));
#else
  store(address, value);
#endif
}
GPUKIT_SIMD_FN void finish_streaming() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// Elements from `address` to the next multiple of kBytes; `address` is aligned to its own type.
template <class T>
GPUKIT_SIMD_FN std::int64_t elements_to_alignment(const T* address) {
  const auto misfit = reinterpret_cast<std::uintptr_t>(address) % kBytes;
  return misfit == 0 ? 0 : static_cast<std::int64_t>((kBytes - misfit) / sizeof(T));
}
template <class T>
GPUKIT_SIMD_FN bool is_element_aligned(const T* address) {
  return reinterpret_cast<std::uintptr_t>(address) % sizeof(T) == 0;
}

GPUKIT_SIMD_FN F32 square_root(F32 x) {
#if defined(__AVX512F__)
  return _mm512_maskz_sqrt_ps(kAllLanes, x);
#elif defined(__AVX2__)
  return _mm256_sqrt_ps(x);
#elif defined(__SSE2__)
  return _mm_sqrt_ps(x);
#elif defined(__aarch64__)
  return bits_as<F32>(vsqrtq_f32(bits_as<float32x4_t>(x)));
#else
  for (int i = 0; i < kLanes<float>; ++i) x[i] = __builtin_sqrtf(x[i]);
  return x;
#endif
}
GPUKIT_SIMD_FN F64 square_root(F64 x) {
#if defined(__AVX512F__)
  return _mm512_maskz_sqrt_pd(static_cast<__mmask8>(kAllLanes), x);
#elif defined(__AVX2__)
  return _mm256_sqrt_pd(x);
#elif defined(__SSE2__)
  return _mm_sqrt_pd(x);
#elif defined(__aarch64__)
  return bits_as<F64>(vsqrtq_f64(bits_as<float64x2_t>(x)));
#else
  for (int i = 0; i < kLanes<double>; ++i) x[i] = __builtin_sqrt(x[i]);
  return x;
#endif
}

// The C library's function on each lane: exact meaning where an instruction is missing.
#define GPUKIT_BY_LANE(name)                                                  \
  GPUKIT_SIMD_FN F32 name##_by_lane(F32 x) {                                  \
    for (int i = 0; i < kLanes<float>; ++i) x[i] = __builtin_##name##f(x[i]); \
    return x;                                                                 \
  }                                                                           \
  GPUKIT_SIMD_FN F64 name##_by_lane(F64 x) {                                  \
    for (int i = 0; i < kLanes<double>; ++i) x[i] = __builtin_##name(x[i]);   \
    return x;                                                                 \
  }
#if defined(__AVX2__)
#define GPUKIT_ROUNDING(name, mode, neon)                                                        \
  GPUKIT_SIMD_FN F32 name##_of(F32 x) { return GPUKIT_ROUND_PS(x, (mode) | _MM_FROUND_NO_EXC); } \
  GPUKIT_SIMD_FN F64 name##_of(F64 x) { return GPUKIT_ROUND_PD(x, (mode) | _MM_FROUND_NO_EXC); }
#if defined(__AVX512F__)
#define GPUKIT_ROUND_PS(x, mode) _mm512_maskz_roundscale_ps(kAllLanes, x, mode)
#define GPUKIT_ROUND_PD(x, mode) \
  _mm512_maskz_roundscale_pd(static_cast<__mmask8>(kAllLanes), x, mode)
#else
#define GPUKIT_ROUND_PS _mm256_round_ps
#define GPUKIT_ROUND_PD _mm256_round_pd
#endif
#elif defined(__aarch64__)
#define GPUKIT_ROUNDING(name, mode, neon)                     \
  GPUKIT_SIMD_FN F32 name##_of(F32 x) {                       \
    return bits_as<F32>(neon##_f32(bits_as<float32x4_t>(x))); \
  }                                                           \
  GPUKIT_SIMD_FN F64 name##_of(F64 x) { return bits_as<F64>(neon##_f64(bits_as<float64x2_t>(x))); }
#else
#define GPUKIT_ROUNDING(name, mode, neon)                           \
  GPUKIT_BY_LANE(name)                                              \
  GPUKIT_SIMD_FN F32 name##_of(F32 x) { return name##_by_lane(x); } \
  GPUKIT_SIMD_FN F64 name##_of(F64 x) { return name##_by_lane(x); }
#endif
GPUKIT_ROUNDING(floor, _MM_FROUND_TO_NEG_INF, vrndmq)
GPUKIT_ROUNDING(ceil, _MM_FROUND_TO_POS_INF, vrndpq)
GPUKIT_ROUNDING(rint, _MM_FROUND_TO_NEAREST_INT, vrndnq)
GPUKIT_ROUNDING(trunc, _MM_FROUND_TO_ZERO, vrndq)
#undef GPUKIT_ROUNDING
#undef GPUKIT_BY_LANE

/// The larger (smaller) of both; a NaN in `x` stays, one in `bound` does not count.
GPUKIT_SIMD_FN F32 at_least(F32 x, F32 bound) {
#if defined(__AVX512F__)
  return _mm512_maskz_max_ps(kAllLanes, bound, x);
#elif defined(__AVX2__)
  return _mm256_max_ps(bound, x);
#elif defined(__SSE2__)
  return _mm_max_ps(bound, x);
#else
  return x < bound ? bound : x;
#endif
}
GPUKIT_SIMD_FN F32 at_most(F32 x, F32 bound) {
#if defined(__AVX512F__)
  return _mm512_maskz_min_ps(kAllLanes, bound, x);
#elif defined(__AVX2__)
  return _mm256_min_ps(bound, x);
#elif defined(__SSE2__)
  return _mm_min_ps(bound, x);
#else
  return x > bound ? bound : x;
#endif
}

/// True when a lane of a comparison's result is set.
template <class Mask>
GPUKIT_SIMD_FN bool any_lane(Mask mask) {
#if defined(__AVX512F__)
  return _mm512_test_epi64_mask(bits_as<__m512i>(mask), bits_as<__m512i>(mask)) != 0;
#elif defined(__AVX2__)
  return _mm256_movemask_epi8(bits_as<__m256i>(mask)) != 0;
#elif defined(__aarch64__)
  return vmaxvq_u32(bits_as<uint32x4_t>(mask)) != 0;
#else
  const auto words = bits_as<Vec<std::uint64_t>>(mask);
  return (words[0] | words[1]) != 0;
#endif
}

/// The lanes of a comparison (-1 or 0 each), narrowed to bytes of 1 or 0 and stored.
template <class Mask>
GPUKIT_SIMD_FN void store_mask(std::uint8_t* address, Mask mask) {
  constexpr int kCount = static_cast<int>(sizeof(mask) / sizeof(mask[0]));
  typedef VecN<signed char, kCount> Narrow;
  const Narrow bytes = __builtin_convertvector(mask, Narrow) & 1;
  __builtin_memcpy(address, &bytes, sizeof bytes);
}

#if defined(__AVX512F__)
GPUKIT_SIMD_FN F32 load_some(const float* from, std::int64_t count) {
  return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << count) - 1u), from);
}
GPUKIT_SIMD_FN void store_some(float* to, F32 value, std::int64_t count) {
  _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1u << count) - 1u), value);
}
#endif
/// The first `count` lanes; the others are 0.
template <class T>
GPUKIT_SIMD_FN Vec<T> load_some(const T* from, std::int64_t count) {
  alignas(kBytes) T few[kLanes<T>] = {};
  __builtin_memcpy(few, from, static_cast<std::size_t>(count) * sizeof(T));
  return load(few);
}
template <class T>
GPUKIT_SIMD_FN void store_some(T* to, Vec<T> value, std::int64_t count) {
  __builtin_memcpy(to, &value, static_cast<std::size_t>(count) * sizeof(T));
}

}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
