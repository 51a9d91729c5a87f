// Roots of unity in double precision.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

namespace gpukit::cpu::fft_plan {

/// The size from which roots are products of two.
inline constexpr std::int64_t kLargeTable = 1 << 14;

struct Root {
  double re, im;
};

/// exp(-2 pi i k / n), each part to the last place: the angle is reduced to an eighth of a turn in
/// whole numbers.
inline Root root_of(std::int64_t k, std::int64_t n) {
  const std::int64_t turn = 8 * n;
  std::int64_t angle = 8 * (k % n);
  const bool lower = angle > turn / 2;
  if (lower) angle = turn - angle;
  const bool left = angle > turn / 4;
  if (left) angle = turn / 2 - angle;
  const bool steep = angle > turn / 8;
  if (steep) angle = turn / 4 - angle;
  const double radians =
      2 * std::numbers::pi * static_cast<double>(angle) / static_cast<double>(turn);
  double re = std::cos(radians), im = std::sin(radians);
  if (steep) std::swap(re, im);
  return {left ? -re : re, lower ? im : -im};
}

/// Many roots of one size. Those of a large one are products of two: of a multiple of `step`, which
/// divides it, and of a rest.
class Roots {
 public:
  Roots(std::int64_t size, std::int64_t step) : size_(size), step_(step) {
    if (size < kLargeTable) return;
    for (std::int64_t i = 0; i < size / step; ++i) coarse_.push_back(root_of(i * step, size));
    for (std::int64_t i = 0; i < step; ++i) {
      const double sine = root_of(i, 2 * size).im;
      fine_.push_back({-2 * sine * sine, root_of(i, size).im});
    }
  }
  Root at(std::int64_t turn) const {
    if (coarse_.empty()) return root_of(turn, size_);
    const Root a = coarse_[static_cast<std::size_t>(turn / step_)];
    const Root b = fine_[static_cast<std::size_t>(turn % step_)];
    return {a.re + (a.re * b.re - a.im * b.im), a.im + (a.re * b.im + a.im * b.re)};
  }

 private:
  std::int64_t size_, step_;
  std::vector<Root> coarse_;
  std::vector<Root> fine_;  ///< less 1: they are near it, so that a product is rounded once
};

}  // namespace gpukit::cpu::fft_plan
