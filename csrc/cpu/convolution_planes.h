// The planes of a convolution's operand with the zeros around them, taken apart by stride: each tap
// of a window is then at a constant distance from the window's first.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backend/layer_args.h"
#include "cpu/simd/simd_table.h"

namespace gpukit::cpu {

/// How the planes of one image lie: channel after channel, phase after phase. The phase of residues
/// r has at q the source's element first + r + q * step, or 0 where there is none.
struct PlaneLayout {
  using Sizes = ConvolutionArgs::Sizes;

  Sizes source{}, step{1, 1, 1}, first{}, extent{};
  std::array<std::vector<std::int64_t>, 3> residues;
  std::int64_t channels = 1;

  /// Vectors are read and written up to here behind the last plane.
  static constexpr std::int64_t kSpare = 64;

  std::int64_t phases() const noexcept;
  std::int64_t plane() const noexcept;  ///< elements from one to the next
  std::int64_t image() const noexcept { return channels * phases() * plane(); }
  /// Of the pixel at `position` in a phase, from the beginning of the planes.
  std::int64_t at(const Sizes& position) const noexcept {
    return (position[0] * extent[1] + position[1]) * extent[2] + position[2];
  }

  /// Those of the windows of a convolution's input.
  static PlaneLayout of_windows(const ConvolutionArgs& args);
  /// Where a tap of a window lies, from the window's first.
  std::int64_t tap_offset(const ConvolutionArgs& args, std::int64_t tap) const noexcept;
};

/// The tap as a place in the kernel.
PlaneLayout::Sizes place_of_tap(const ConvolutionArgs& args, std::int64_t tap) noexcept;

/// Writes the planes of `images` images, kSpare elements more.
void fill_planes(const SimdTable& table, const PlaneLayout& layout, const float* source,
                 std::int64_t images, float* planes);

}  // namespace gpukit::cpu
