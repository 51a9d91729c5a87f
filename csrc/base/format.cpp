#include "base/format.h"

#include <array>
#include <charconv>
#include <cmath>

namespace gpukit {

namespace format {
namespace {

/// Decimals that leave three significant figures for a value in [1, 1024).
int three_figures(double value) {
  if (value < 9.995) return 2;
  return value < 99.95 ? 1 : 0;
}

/// Independent of the locale; for values below 10000.
std::string format(double value, int decimals) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::fixed, decimals);
  return end.ec == std::errc() ? std::string(text.data(), end.ptr) : std::to_string(value);
}

}  // namespace
}  // namespace format

std::string format_bytes(std::int64_t bytes) {
  static constexpr std::array<const char*, 6> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  const double magnitude = std::fabs(static_cast<double>(bytes));
  if (magnitude < 1024) return std::to_string(bytes) + " B";
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  // 1023.5 would print as 1024: the next unit says it better.
  while (std::fabs(value) >= 1023.5 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return format::format(value, format::three_figures(std::fabs(value))) + " " + kUnits[unit];
}

std::string format_cuda_version(int packed) {
  return std::to_string(packed / 1000) + "." + std::to_string(packed % 1000 / 10);
}

}  // namespace gpukit
