// The product of weights and the windows of padded planes: the core of a convolution's output and
// of its input's gradient.
#pragma once

#include <cstdint>
#include <vector>

#include "backend/device_ops.h"
#include "cpu/convolution_planes.h"
#include "cpu/scratch.h"

namespace gpukit::cpu {

/// out[row, pixel] = the sum over the depth of weight[row, p] * planes[pixel + offsets[p]], for
/// each image and each group of channels.
struct WindowProduct {
  using Sizes = ConvolutionArgs::Sizes;

  std::int64_t groups = 1, rows = 1;  ///< rows of one group
  std::vector<std::int64_t> offsets;  ///< one a step of depth, for the first group
  std::int64_t group_step = 0;        ///< from one group's planes to the next one's
  std::int64_t image_step = 0;        ///< from one image's planes to the next one's
  Sizes pixels{1, 1, 1};              ///< how many there are
  Sizes pixel_steps{};                ///< between them in a plane
  std::int64_t origin = 0;            ///< the first one's
  Sizes target_steps{};               ///< between them in the result
  std::int64_t target_origin = 0;
  std::int64_t target_row = 0, target_image = 0;  ///< from one row and one image to the next

  std::int64_t depth() const noexcept { return static_cast<std::int64_t>(offsets.size()); }
  std::int64_t pixel_count() const noexcept { return ConvolutionArgs::product(pixels); }
  /// Without unneeded boundaries between lines.
  void merge_pixels() noexcept;
};

/// The weights of a WindowProduct in panels, as the kernels read them.
class WindowWeights {
 public:
  /// `fill(group, first row, rows, panel, width)` writes row r of the step p to
  /// panel[p * width + r]; missing rows stay 0.
  template <class Fill>
  WindowWeights(const SimdTable& table, Workspace* workspace, const WindowProduct& product,
                const Fill& fill)
      : lines_(reads_lines(table, product)),
        width_(lines_ ? table.windows.rows : table.gemm_shape_f32.rows),
        panels_((product.rows + width_ - 1) / width_),
        panel_size_(product.depth() * width_),
        memory_(workspace,
                static_cast<std::size_t>(product.groups * panels_ * panel_size_) * sizeof(float)) {
    run_over_panels(product, [&](std::int64_t group, std::int64_t first, std::int64_t count,
                                 float* panel) { fill(group, first, count, panel, width_); });
  }

  /// The windows are read where they lie, line by line; else packed.
  bool lines() const noexcept { return lines_; }
  std::int64_t width() const noexcept { return width_; }
  std::int64_t panels() const noexcept { return panels_; }
  const float* panel(std::int64_t group, std::int64_t i) const noexcept {
    return memory_.as<float>() + (group * panels_ + i) * panel_size_;
  }

 private:
  using FillPanel = void (*)(const void* context, std::int64_t group, std::int64_t first,
                             std::int64_t count, float* panel);

  static bool reads_lines(const SimdTable& table, const WindowProduct& product) noexcept;
  template <class Body>
  void run_over_panels(const WindowProduct& product, const Body& body) {
    run_over_panels(
        product,
        [](const void* context, std::int64_t group, std::int64_t first, std::int64_t count,
           float* panel) { (*static_cast<const Body*>(context))(group, first, count, panel); },
        &body);
  }
  void run_over_panels(const WindowProduct& product, FillPanel fill, const void* context);

  bool lines_;
  std::int64_t width_, panels_, panel_size_;
  Scratch memory_;
};

/// Computes the product for `images` images. Sums run in one order whatever the number of threads.
void multiply_windows(const SimdTable& table, Workspace* workspace, const WindowProduct& product,
                      const WindowWeights& weights, const float* planes, std::int64_t images,
                      float* out);

}  // namespace gpukit::cpu
