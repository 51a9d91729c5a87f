#include "base/format.h"

#include <array>
#include <charconv>
#include <cmath>

namespace gpukit {

namespace {

/// Decimals that leave three significant figures for a value in [1, 1024).
int three_figures(double value) {
  if (value < 9.995) return 2;
  return value < 99.95 ? 1 : 0;
}

std::string minutes_and_seconds(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  const std::string rest = std::to_string(whole % 60);
  return std::to_string(whole / 60) + " min " + (rest.size() < 2 ? "0" : "") + rest + " s";
}

}  // namespace

std::string format_fixed(double value, int decimals) {
  std::array<char, 400> text;  // the widest double has 309 digits before the point
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::fixed, decimals);
  return end.ec == std::errc() ? std::string(text.data(), end.ptr) : std::to_string(value);
}

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
  return format_fixed(value, three_figures(std::fabs(value))) + " " + kUnits[unit];
}

std::string format_duration(double seconds) {
  if (!std::isfinite(seconds)) return "n/a";
  if (seconds < 0) return "-" + format_duration(-seconds);
  if (seconds >= 99.95) return minutes_and_seconds(seconds);
  if (seconds >= 0.9995) return format_fixed(seconds, three_figures(seconds)) + " s";
  const double milliseconds = seconds * 1e3;
  if (milliseconds >= 0.9995)
    return format_fixed(milliseconds, three_figures(milliseconds)) + " ms";
  const double microseconds = seconds * 1e6;
  if (microseconds >= 0.9995)
    return format_fixed(microseconds, three_figures(microseconds)) + " us";
  return format_fixed(seconds * 1e9, 0) + " ns";
}

std::string format_cuda_version(int packed) {
  return std::to_string(packed / 1000) + "." + std::to_string(packed % 1000 / 10);
}

}  // namespace gpukit
