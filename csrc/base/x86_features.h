// What an x86-64 processor has, by its own word. `__builtin_cpu_supports` asks a variable of the
// compiler's library, which zig's never fills in: it says no to everything.
#pragma once

#if defined(__x86_64__)

#include <cpuid.h>

namespace gpukit::x86 {

inline bool has_bit(unsigned word, int bit) noexcept { return ((word >> bit) & 1u) != 0; }

/// AVX2 and FMA, and a system that saves their registers.
inline bool has_avx2_and_fma() noexcept {
  unsigned a, b, c, d;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || !has_bit(c, 12) || !has_bit(c, 27)) return false;
  unsigned low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  constexpr unsigned kYmm = 0x6;
  if ((low & kYmm) != kYmm) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && has_bit(b, 5);
}

/// Carry-less products, and SSE 4.1.
inline bool has_carryless_products() noexcept {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && has_bit(c, 1) && has_bit(c, 19);
}

}  // namespace gpukit::x86

#endif
