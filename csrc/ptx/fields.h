// Fields of a register's bits: bytes, half words and smaller ones, with or without a sign.
#pragma once

#include <algorithm>
#include <cstdint>

namespace gpukit::ptx {

/// The field number i of up to 16 bits.
inline std::int32_t field_of(std::uint64_t word, unsigned i, unsigned bits, bool is_signed) {
  const auto field = static_cast<std::uint32_t>(word >> (i * bits)) & ((1u << bits) - 1);
  const unsigned unused = 32 - bits;
  return is_signed ? static_cast<std::int32_t>(field << unused) >> unused
                   : static_cast<std::int32_t>(field);
}

/// The nearest number that a field of up to 16 bits holds.
inline std::int32_t clamped_to_field(std::int32_t value, unsigned bits, bool is_signed) {
  const std::int32_t low = is_signed ? -(1 << (bits - 1)) : 0;
  const std::int32_t high = (1 << (bits - (is_signed ? 1 : 0))) - 1;
  return std::clamp(value, low, high);
}

}  // namespace gpukit::ptx
