// The types and state spaces of PTX.
#pragma once

#include <cstdint>
#include <string_view>

namespace gpukit::ptx {

enum class Type : std::uint8_t {
  kNone,
  kB8,
  kU8,
  kS8,
  kB16,
  kU16,
  kS16,
  kF16,
  kBF16,
  kB32,
  kU32,
  kS32,
  kF32,
  kF16x2,
  kBF16x2,
  kTF32,
  kU16x2,
  kS16x2,
  kE4M3x2,
  kE5M2x2,
  kB64,
  kU64,
  kS64,
  kF64,
  kPred,
};

enum class Space : std::uint8_t { kGeneric, kGlobal, kShared, kLocal, kConst, kParam, kRegister };

/// "u32" without its dot; kNone for anything else.
Type type_named(std::string_view name);
std::string_view name_of(Type type);
/// Bytes in memory; 0 for predicates.
unsigned bytes_of(Type type);
/// Bytes of a register of that type; 0 for predicates, which have a bit a lane.
unsigned register_bytes(Type type);
/// .b16, .b32 or .b64.
Type bits_of_width(unsigned bytes);
bool is_signed(Type type);
bool is_half(Type type);   ///< f16, bf16 and their pairs
bool is_float(Type type);  ///< f16, bf16, f32, f64 and the packed and tf32 forms

/// One bit a lane.
using Mask = std::uint32_t;
inline constexpr Mask kAllLanes = 0xffffffffu;
inline constexpr unsigned kLanes = 32;

// Where the spaces lie in generic addresses: out of reach of every address of the host, so that an
// address tells its space. Global addresses are the host's own.
inline constexpr unsigned kWindowShift = 56;
inline constexpr std::uint64_t kSharedWindow = std::uint64_t{1} << kWindowShift;
inline constexpr std::uint64_t kLocalWindow = std::uint64_t{2} << kWindowShift;
inline constexpr std::uint64_t kParamWindow = std::uint64_t{3} << kWindowShift;
inline constexpr std::uint64_t kCodeWindow = std::uint64_t{4} << kWindowShift;

}  // namespace gpukit::ptx
