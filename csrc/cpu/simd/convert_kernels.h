// Conversions that have a vector instruction, copies and fills past the caches, and transposed
// blocks.
#pragma once

#include "cpu/simd/half_vectors.h"

namespace gpukit::cpu::GPUKIT_SIMD_LEVEL {

/// Converts kCount elements held in registers.
template <class To, class From, int kCount>
struct Converter {
  GPUKIT_SIMD_FN VecN<To, kCount> apply(VecN<From, kCount> x) {
    return __builtin_convertvector(x, VecN<To, kCount>);
  }
};

template <>
struct Converter<float, HalfBits, kFloats> {
  GPUKIT_SIMD_FN F32 apply(Words x) { return float_from_half(x); }
};
template <>
struct Converter<float, BFloat16Bits, kFloats> {
  GPUKIT_SIMD_FN F32 apply(Words x) { return float_from_bfloat16(x); }
};
template <>
struct Converter<HalfBits, float, kFloats> {
  GPUKIT_SIMD_FN Words apply(F32 x) { return half_from_float(x); }
};
template <>
struct Converter<BFloat16Bits, float, kFloats> {
  GPUKIT_SIMD_FN Words apply(F32 x) { return bfloat16_from_float(x); }
};

template <class T>
struct Lane {
  typedef T type;
};
template <>
struct Lane<HalfBits> {
  typedef std::uint16_t type;
};
template <>
struct Lane<BFloat16Bits> {
  typedef std::uint16_t type;
};

template <class To, class From>
void convert_loop(void* out_address, const void* in_address, std::int64_t count) {
  typedef typename Lane<To>::type Out;
  typedef typename Lane<From>::type In;
  constexpr int kStep = sizeof(To) > sizeof(From) ? kLanes<To> : kLanes<From>;
  Out* out = static_cast<Out*>(out_address);
  const In* in = static_cast<const In*>(in_address);
  std::int64_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    store(out + i, Converter<To, From, kStep>::apply(load_as<VecN<In, kStep>>(in + i)));
  }
  if (i == count) return;
  In few_in[kStep] = {};
  Out few_out[kStep];
  for (std::int64_t j = i; j < count; ++j) few_in[j - i] = in[j];
  store(few_out, Converter<To, From, kStep>::apply(load_as<VecN<In, kStep>>(few_in)));
  for (std::int64_t j = i; j < count; ++j) out[j] = few_out[j - i];
}

inline void copy_streaming(void* out_address, const void* in_address, std::int64_t bytes) {
  unsigned char* out = static_cast<unsigned char*>(out_address);
  const unsigned char* in = static_cast<const unsigned char*>(in_address);
  std::int64_t i = elements_to_alignment(out);
  if (i > bytes) i = bytes;
  __builtin_memcpy(out, in, static_cast<std::size_t>(i));
  for (; i + 2 * kBytes <= bytes; i += 2 * kBytes) {
    const auto first = load(in + i), second = load(in + i + kBytes);
    stream(out + i, first);
    stream(out + i + kBytes, second);
  }
  finish_streaming();
  __builtin_memcpy(out + i, in + i, static_cast<std::size_t>(bytes - i));
}

/// `pattern` repeats the element; `out` is aligned to the element.
inline void fill_streaming(void* out_address, std::uint64_t pattern, std::int64_t bytes) {
  unsigned char* out = static_cast<unsigned char*>(out_address);
  const Vec<std::uint64_t> value = broadcast(pattern);
  unsigned char few[kBytes];
  store(few, value);
  std::int64_t i = elements_to_alignment(out);
  if (i > bytes) i = bytes;
  __builtin_memcpy(out, few, static_cast<std::size_t>(i));
  // What follows an odd head starts in the middle of an element.
  unsigned char transposed[kBytes];
  for (int k = 0; k < kBytes; ++k) transposed[k] = few[(k + i) % 8];
  const auto body = load(transposed);
  for (; i + kBytes <= bytes; i += kBytes) stream(out + i, body);
  finish_streaming();
  __builtin_memcpy(out + i, transposed, static_cast<std::size_t>(bytes - i));
}

template <class To, class From>
void add_conversion(SimdTable& table, DType to, DType from) {
  table.convert[static_cast<int>(from)][static_cast<int>(to)] = convert_loop<To, From>;
}

void add_convert(SimdTable& table) {
  add_conversion<float, HalfBits>(table, DType::kFloat32, DType::kFloat16);
  add_conversion<float, BFloat16Bits>(table, DType::kFloat32, DType::kBFloat16);
  add_conversion<HalfBits, float>(table, DType::kFloat16, DType::kFloat32);
  add_conversion<BFloat16Bits, float>(table, DType::kBFloat16, DType::kFloat32);
  add_conversion<double, float>(table, DType::kFloat64, DType::kFloat32);
  add_conversion<float, double>(table, DType::kFloat32, DType::kFloat64);
  add_conversion<float, std::int32_t>(table, DType::kFloat32, DType::kInt32);
  add_conversion<double, std::int32_t>(table, DType::kFloat64, DType::kInt32);
  add_conversion<float, std::uint8_t>(table, DType::kFloat32, DType::kUInt8);
  add_conversion<float, std::uint8_t>(table, DType::kFloat32, DType::kBool);
  add_conversion<std::int64_t, std::int32_t>(table, DType::kInt64, DType::kInt32);
  add_conversion<std::int32_t, std::int64_t>(table, DType::kInt32, DType::kInt64);
#if defined(__AVX512F__)
  add_conversion<float, std::int64_t>(table, DType::kFloat32, DType::kInt64);
#endif
  table.copy_streaming = copy_streaming;
  table.fill_streaming = fill_streaming;
}

}  // namespace gpukit::cpu::GPUKIT_SIMD_LEVEL
