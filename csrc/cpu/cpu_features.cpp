#include "cpu/cpu_features.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__linux__)
#include <sys/syscall.h>
#endif
#include <unistd.h>

#include "base/env.h"

namespace gpukit::cpu {
namespace cpu_features {
namespace {

#if defined(__x86_64__)

std::uint64_t enabled_register_states() noexcept {
  std::uint32_t low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return static_cast<std::uint64_t>(high) << 32 | low;
}

bool has(unsigned word, int bit) noexcept { return ((word >> bit) & 1u) != 0; }

// Linux wants to be asked: tiles make each thread's saved state 8 kB larger.
bool may_use_tiles() noexcept {
#if defined(__linux__) && defined(SYS_arch_prctl)
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

SimdLevel detect(SimdLevel most) noexcept {
  unsigned a, b, c, d;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return SimdLevel::kBaseline;
  const bool fma = has(c, 12), os_saves = has(c, 27), f16c = has(c, 29);
  if (!os_saves || !fma || !f16c) return SimdLevel::kBaseline;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return SimdLevel::kBaseline;
  const std::uint64_t states = enabled_register_states();
  constexpr std::uint64_t kYmm = 0x6, kZmm = 0xe6;
  if ((states & kYmm) != kYmm || !has(b, 5)) return SimdLevel::kBaseline;
  const bool avx512 = has(b, 16) && has(b, 17) && has(b, 30) && has(b, 31);
  if (!avx512 || (states & kZmm) != kZmm) return SimdLevel::kAvx2;
  constexpr std::uint64_t kTiles = 0x60000;
  const bool tiles = has(d, 22) && has(d, 24) && (states & kTiles) == kTiles;
  if (__get_cpuid_count(7, 1, &a, &b, &c, &d) == 0 || !has(a, 5)) return SimdLevel::kAvx512;
  const bool amx = tiles && most >= SimdLevel::kAmx && may_use_tiles();
  return amx ? SimdLevel::kAmx : SimdLevel::kAvx512Bf16;
}

std::string brand() {
  unsigned words[12];
  for (unsigned i = 0; i < 3; ++i) {
    unsigned* w = words + 4 * i;
    if (__get_cpuid(0x80000002u + i, w, w + 1, w + 2, w + 3) == 0) return "";
  }
  char text[49] = {};
  std::memcpy(text, words, 48);
  return text;
}

#else

SimdLevel detect(SimdLevel) noexcept { return SimdLevel::kBaseline; }
std::string brand() { return ""; }

#endif

SimdLevel requested_level() {
  const std::string wanted = env::text("GPUKIT_SIMD");
  for (const SimdLevel level :
       {SimdLevel::kBaseline, SimdLevel::kAvx2, SimdLevel::kAvx512, SimdLevel::kAvx512Bf16}) {
    if (wanted == simd_level_name(level)) return level;
  }
  return SimdLevel::kAmx;
}

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

std::string read_name() {
  std::FILE* file = std::fopen("/proc/cpuinfo", "r");
  if (file == nullptr) return "";
  char line[512];
  std::string name;
  while (name.empty() && std::fgets(line, sizeof line, file) != nullptr) {
    const char* colon = std::strchr(line, ':');
    if (colon != nullptr && std::strncmp(line, "model name", 10) == 0) name = trimmed(colon + 1);
  }
  std::fclose(file);
  return name;
}

}  // namespace
}  // namespace cpu_features

SimdLevel simd_level() {
  static const SimdLevel level = [] {
    const SimdLevel most = cpu_features::requested_level();
    return std::min(cpu_features::detect(most), most);
  }();
  return level;
}

const char* simd_level_name(SimdLevel level) noexcept {
  switch (level) {
    case SimdLevel::kAmx:
      return "amx";
    case SimdLevel::kAvx512Bf16:
      return "avx512bf16";
    case SimdLevel::kAvx512:
      return "avx512";
    case SimdLevel::kAvx2:
      return "avx2";
    default:
#if defined(__aarch64__)
      return "neon";
#else
      return "baseline";
#endif
  }
}

std::string processor_name() {
  const std::string from_cpuid = cpu_features::trimmed(cpu_features::brand());
  return from_cpuid.empty() ? cpu_features::read_name() : from_cpuid;
}

// Virtual machines report the host's whole third level, so its size is only believed up to a point.
std::int64_t streaming_threshold_bytes() noexcept {
  static const std::int64_t threshold = [] {
    std::int64_t cache = 0;
#if defined(_SC_LEVEL3_CACHE_SIZE)
    cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
    return std::clamp<std::int64_t>(cache / 2, 4 << 20, 16 << 20);
  }();
  return threshold;
}

}  // namespace gpukit::cpu
