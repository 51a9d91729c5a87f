// Amounts of memory as people write them: the one parser of both languages. Included by the
// simulated driver too, which links nothing of gpukit.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace gpukit {

namespace byte_count {

struct Unit {
  const char* name;  ///< in lower case
  std::uint64_t bytes;
};

/// SI's units are powers of 1000, IEC's of 1024; a letter alone is IEC's, as in GNU's tools and in
/// `docker --memory 4g`.
inline constexpr std::array<Unit, 14> kUnits = {{{"", 1},
                                                 {"b", 1},
                                                 {"kb", 1'000},
                                                 {"mb", 1'000'000},
                                                 {"gb", 1'000'000'000},
                                                 {"tb", 1'000'000'000'000},
                                                 {"kib", 1ULL << 10},
                                                 {"mib", 1ULL << 20},
                                                 {"gib", 1ULL << 30},
                                                 {"tib", 1ULL << 40},
                                                 {"k", 1ULL << 10},
                                                 {"m", 1ULL << 20},
                                                 {"g", 1ULL << 30},
                                                 {"t", 1ULL << 40}}};

inline bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

inline std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// The digits at the start, which are taken off `text`.
inline std::string_view read_digits(std::string_view& text) noexcept {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  const std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

inline std::optional<std::uint64_t> unit_of(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  for (const Unit& unit : kUnits) {
    if (lower == unit.name) return unit.bytes;
  }
  return std::nullopt;
}

/// Of "0.25" the digits "25", in bytes, rounded.
inline std::uint64_t fraction_of(std::string_view digits, std::uint64_t unit) noexcept {
  double place = static_cast<double>(unit);
  double sum = 0;
  for (const char digit : digits) sum += (digit - '0') * (place /= 10);
  return static_cast<std::uint64_t>(sum + 0.5);
}

}  // namespace byte_count

/// Bytes of "4096", "1.5 GiB" (1.5 · 2^30), "4GB" (4 · 10^9) or "512m" (512 · 2^20), in upper or
/// lower case; nothing for any other text and for more than an int64 holds.
inline std::optional<std::int64_t> parse_byte_count(std::string_view text) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  text = byte_count::trimmed(text);
  const std::string_view digits = byte_count::read_digits(text);
  std::string_view decimals;
  if (!digits.empty() && !text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    decimals = byte_count::read_digits(text);
    if (decimals.empty()) return std::nullopt;
  }
  const std::optional<std::uint64_t> unit = byte_count::unit_of(byte_count::trimmed(text));
  if (digits.empty() || !unit) return std::nullopt;
  std::uint64_t whole = 0;
  for (const char digit : digits) {
    const auto value = static_cast<std::uint64_t>(digit - '0');
    if (whole > (kMost - value) / 10) return std::nullopt;
    whole = whole * 10 + value;
  }
  const std::uint64_t part = byte_count::fraction_of(decimals, *unit);
  if (whole > (kMost - part) / *unit) return std::nullopt;
  return static_cast<std::int64_t>(whole * *unit + part);
}

}  // namespace gpukit
