// Which instruction sets this processor and its operating system offer; asked once.
#pragma once

#include <cstdint>
#include <string>

namespace gpukit::cpu {

/// kBaseline: what every processor of its kind has; on aarch64 that is NEON.
enum class SimdLevel { kBaseline, kAvx2, kAvx512, kAvx512Bf16, kAmx };

/// The best level that was compiled in and that runs here, at most GPUKIT_SIMD. kAvx2 includes FMA
/// and F16C; kAvx512 means F, BW, DQ and VL; kAmx
/// tiles of bfloat16, which the system permitted.
SimdLevel simd_level();

/// "baseline" (on aarch64 "neon"), "avx2", "avx512", "avx512bf16", "amx".
const char* simd_level_name(SimdLevel level) noexcept;

/// The processor's name for people, "" where unknown.
std::string processor_name();

/// Bytes of result from which stores bypass the caches.
std::int64_t streaming_threshold_bytes() noexcept;

}  // namespace gpukit::cpu
