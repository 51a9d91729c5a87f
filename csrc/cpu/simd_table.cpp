#include "cpu/simd/simd_table.h"

#include "cpu/cpu_features.h"
#include "cpu/scalar_loops.h"

namespace gpukit::cpu {
namespace simd_table_impl {
namespace {

#define GPUKIT_ADD_SIMD_LEVEL(level, table) \
  level::add_elementwise(table);            \
  level::add_math(table);                   \
  level::add_reduce(table);                 \
  level::add_convert(table);                \
  level::add_blocks(table);                 \
  level::add_random(table);                 \
  level::add_training(table);               \
  level::add_vectors(table);                \
  level::add_skinny(table);                 \
  level::add_windows(table);                \
  level::add_layers(table)

template <class Visitor>
void for_each_sharing(const Visitor& visitor) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (shares_signed_loops(dtype)) visitor(i, static_cast<int>(wrapping_dtype(dtype)));
  }
}

void share_signed_loops(SimdTable& table) {
  const auto share = [](auto& entry, const auto& other) {
    if (entry == nullptr) entry = other;
  };
  for_each_sharing([&](int dtype, int other) {
    for (auto& row : table.unary) share(row[dtype], row[other]);
    for (auto& row : table.binary) share(row[dtype], row[other]);
    for (auto& row : table.reduce) share(row[dtype], row[other]);
    for (int to = 0; to < kDTypeCount; ++to)
      share(table.convert[dtype][to], table.convert[other][to]);
  });
  for_each_sharing([&](int dtype, int other) {
    for (auto& row : table.convert) share(row[dtype], row[other]);
  });
}

SimdTable build_table(SimdLevel level) {
  SimdTable table;
  add_scalar_unary(table);
  add_scalar_binary(table);
  add_scalar_conversions(table);
  add_scalar_reductions(table);
  switch (level) {
#if defined(__x86_64__)
    case SimdLevel::kAmx:
      GPUKIT_ADD_SIMD_LEVEL(avx512, table);
      avx512bf16::add_bfloat16(table);
      amx::add_bfloat16(table);
      break;
    case SimdLevel::kAvx512Bf16:
      GPUKIT_ADD_SIMD_LEVEL(avx512, table);
      avx512bf16::add_bfloat16(table);
      break;
    case SimdLevel::kAvx512:
      GPUKIT_ADD_SIMD_LEVEL(avx512, table);
      break;
    case SimdLevel::kAvx2:
      GPUKIT_ADD_SIMD_LEVEL(avx2, table);
      break;
#endif
    default:
#if defined(__aarch64__)
      GPUKIT_ADD_SIMD_LEVEL(neon, table);
#else
      GPUKIT_ADD_SIMD_LEVEL(baseline, table);
#endif
      break;
  }
  share_signed_loops(table);
  return table;
}

}  // namespace
}  // namespace simd_table_impl

const SimdTable& simd_table() {
  static const SimdTable table = simd_table_impl::build_table(simd_level());
  return table;
}

}  // namespace gpukit::cpu
